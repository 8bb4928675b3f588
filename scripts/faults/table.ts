import { moneyFaults } from './money.ts';
import type { Fault } from './plant.ts';
import { workflowFaults } from './workflows.ts';

/** Each of these once could have moved money wrongly, or left it where nobody looks. */
export const faults: readonly Fault[] = [...workflowFaults, ...moneyFaults];
