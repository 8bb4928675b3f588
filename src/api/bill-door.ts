import type { Door } from './app.ts';
import { type CounterDeps, createBillCounter } from './bill-counter.ts';
import { gsmaBillDoors } from './bill-door-gsma.ts';
import { billJsonDoors } from './bill-door-json.ts';

/**
 * Where networks ask about bills and report what customers paid, in either form of data/networks.json. The answer
 * depends on what was committed, and on nothing else: the workflow is told afterwards, best effort.
 */
export function createBillDoors(deps: CounterDeps & { now?: () => Date }): Door[] {
  const counter = createBillCounter(deps);
  const now = deps.now ?? (() => new Date());
  return [...billJsonDoors(counter), ...gsmaBillDoors(counter, now)];
}
