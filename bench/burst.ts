import { setTimeout as pause } from 'node:timers/promises';
import { mobilePayoutBody, newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, percentile, ratio, rounded, timed, warmUp } from './load.ts';
import { openMerchants, type Stack } from './stack.ts';

const OTHERS = 4;
/** A p99 of fewer would be their worst one. */
const PUSHES = 150;
const PAUSE_MS = 200;
/** Payouts of one account that are asked for at any time: many times what can be done. */
const LANES = 100;
const BALANCE_TZS = 500_000_000;

export type Pushes = { ms: number[]; refused: number };
type Burst = { accepted: number; unavailable: number; unknown: number };

/**
 * One account asks for payouts as fast as it can. What do other accounts notice, who push now and then? Their answers are
 * compared with those of a quiet minute of the same run.
 */
export async function burst(stack: Stack): Promise<Figure> {
  const [big = '', ...others] = await openMerchants(stack, { count: 1 + OTHERS, balance: BALANCE_TZS });
  await warmUp(() => stack.untilDelivered('payments/ussd', { key: newKey(), body: pushBody() }));
  const quiet = await pushNowAndThen(stack, others);
  const payouts: Burst = { accepted: 0, unavailable: 0, unknown: 0 };
  let isOver = false;
  const lanes = Array.from({ length: LANES }, async () => {
    while (!isOver) await payOut(stack, big, payouts);
  });
  await pause(5_000);
  const busy = await pushNowAndThen(stack, others);
  isOver = true;
  await Promise.all(lanes);
  const row = (name: string, { ms, refused }: Pushes) => [
    name,
    rounded(percentile(ms, 0.5)),
    rounded(percentile(ms, 0.99)),
    ratio(percentile(ms, 0.99), percentile(quiet.ms, 0.99)),
    refused,
  ];
  const { accepted, unavailable, unknown } = payouts;
  return {
    title: `Pushes of ${OTHERS} accounts in ms, beside ${LANES} payouts of another one at any time (${accepted} accepted, ${unavailable} refused, ${unknown} unknown)`,
    columns: ['', 'p50', 'p99', 'p99 of quiet', 'not accepted'],
    rows: [row('nobody else asks', quiet), row('beside the payouts', busy)],
  };
}

export async function pushNowAndThen(stack: Stack, keys: readonly string[]): Promise<Pushes> {
  const pushes: Pushes = { ms: [], refused: 0 };
  for (let at = 0; at < PUSHES; at += 1) {
    let status = 0;
    const apiKey = keys[at % keys.length] ?? '';
    const ms = await timed(async () => {
      ({ status } = await stack.request('POST', 'payments/ussd', {
        key: newKey(),
        body: pushBody(),
        apiKey,
        once: true,
      }));
    });
    if (status === 200) pushes.ms.push(ms);
    else pushes.refused += 1;
    await pause(PAUSE_MS);
  }
  return pushes;
}

async function payOut(stack: Stack, apiKey: string, counts: Burst): Promise<void> {
  const { status, json } = await stack.request('POST', 'payouts/mobile', {
    key: newKey(),
    body: mobilePayoutBody(),
    apiKey,
    once: true,
  });
  if (status === 200) counts.accepted += 1;
  else if (json.code === 'outcome_unknown') counts.unknown += 1;
  else {
    counts.unavailable += 1;
    // As `Retry-After` has it, but sooner.
    await pause(1_000);
  }
}
