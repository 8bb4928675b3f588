import { drawnFaults } from './drawn.ts';
import { moneyFaults } from './money.ts';
import type { Fault } from './plant.ts';
import { workflowFaults } from './workflows.ts';

/** Each of these once could have moved money wrongly, or left it where nobody looks; or stands at a place that was drawn. */
export const faults: readonly Fault[] = [...workflowFaults, ...moneyFaults, ...drawnFaults];
