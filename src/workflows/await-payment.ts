import { condition, sleep } from '@temporalio/workflow';
import type { Ended } from '../domain/ending.ts';
import type { BilledMode } from '../domain/kinds.ts';
import { showDetails } from './details.ts';
import { type Flow, handleInterrupts, interrupted, tryToEnd } from './flow.ts';

const FIRST_PAUSE_MS = 5_000;
const LAST_PAUSE_MS = 3_600_000;

/** Waits until the bill is paid, cancelled or expired. Meanwhile sends the payments' callbacks, in order. */
export async function awaitPayment(flow: Flow<BilledMode>): Promise<Ended> {
  const { expiresAt } = flow.input;
  let isOver = false;
  const wake = (afterMs: number, summary: string) =>
    void sleep(afterMs, { summary }).then(() => {
      isOver = true;
    });
  // Use only one timer: a timer for each of 500 payments would fill the history.
  wake(Math.max(1, Date.parse(expiresAt) - Date.now()), 'Until it expires');
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    showDetails(flow, `Waiting for the customer to pay, until ${expiresAt}`);
    await condition(() => isOver || interrupted(flow));
    const ended = interrupted(flow)
      ? await handleInterrupts(flow)
      : await tryToEnd(flow, { kind: 'expired' });
    if (ended) return ended;
    if (!isOver) continue;
    // Postgres decides about expiry, and its clock may be behind Temporal's.
    isOver = false;
    wake(pauseMs, 'Until Postgres says that its time is over, too');
    pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
  }
}
