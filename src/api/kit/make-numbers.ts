import { frozenError } from '../../accounts/freeze.ts';
import { countUse } from '../../accounts/uses.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';
import { NUMBERS_OF_A_FLOW, type WantedNumber } from '../../domain/number.ts';
import type { Database } from '../../platform/db/pool.ts';
import { unavailable } from '../../platform/http/envelope.ts';
import { requireControlNumbers } from '../../transactions/acceptance/control-numbers.ts';
import { type NumberNow, numbersById } from '../../transactions/rows/number-store.ts';
import { type ApiRequest, callerOf } from './call.ts';
import type { Flows } from './flows.ts';

/** Returns each number as it is now, in order; null if the customer reference has other fields. */
export type MakeNumbers = (
  request: ApiRequest,
  wanted: readonly WantedNumber[],
) => Promise<(NumberNow | null)[]>;

/**
 * Makes missing numbers, a hundred per flow, and returns what Postgres then has. Throws `unavailable` if
 * nothing was started, `outcome_unknown` if some numbers may exist.
 */
export function createNumberMaker(deps: {
  database: Database;
  flows: Pick<Flows, 'makeNumbers'>;
  isFenced: () => Promise<boolean>;
  /** prefix of control numbers; limit of bills and numbers per account and day (0: none) */
  bills: { controlNumberPrefix: string; perDay: number };
}): MakeNumbers {
  const { database, flows, isFenced } = deps;
  const { controlNumberPrefix, perDay } = deps.bills;

  async function make(request: ApiRequest, missing: readonly WantedNumber[]): Promise<void> {
    const { accountId, keyId: apiKeyId, frozen } = callerOf(request);
    const { requestId, receivedAt } = request;
    if (frozen) throw frozenError(frozen);
    await requireControlNumbers(database, controlNumberPrefix);
    await countUse(database, {
      accountId,
      use: 'bills',
      budget: { most: perDay, every: 'day' },
      now: new Date(receivedAt),
      count: missing.length,
    });
    if (await isFenced()) throw unavailable();
    const common = { accountId, apiKeyId, requestId, receivedAt, controlNumberPrefix };
    const outcomes = await Promise.all(
      inFlows(missing).map((numbers) => flows.makeNumbers({ ...common, numbers })),
    );
    if (outcomes.every((outcome) => outcome === 'not_sent')) throw unavailable();
  }

  return async (request, wanted) => {
    const { accountId } = callerOf(request);
    const first = new Map(wanted.toReversed().map((number) => [number.id, number]));
    const ids = [...first.keys()];
    let there = await numbersById(database, { accountId, ids });
    const missing = [...first.values()].filter(({ id }) => !there.has(id));
    if (missing.length > 0) {
      await make(request, missing);
      there = await numbersById(database, { accountId, ids });
      if (there.size < ids.length) throw new GatewayError('outcome_unknown', say('numbers_unknown'));
    }
    return wanted.map((one) => {
      const number = there.get(one.id);
      return number && isSame(number, one) ? number : null;
    });
  };
}

function inFlows(numbers: readonly WantedNumber[]): WantedNumber[][] {
  const flows: WantedNumber[][] = [];
  for (let i = 0; i < numbers.length; i += NUMBERS_OF_A_FLOW)
    flows.push(numbers.slice(i, i + NUMBERS_OF_A_FLOW));
  return flows;
}

/** Metadata may come in another order. */
function isSame(number: WantedNumber, wanted: WantedNumber): boolean {
  const isSameText = (['purpose', 'description', 'minimum', 'maximum', 'currency'] as const).every(
    (member) => number[member] === wanted[member],
  );
  const textOf = ({ metadata }: WantedNumber) => canonicalJson(JSON.parse(metadata));
  const payersOf = ({ payers = [] }: WantedNumber) => payers.join();
  const linkOf = ({ link }: WantedNumber) =>
    link && [link.quantity, link.expiresAt && Date.parse(link.expiresAt)].join();
  if (payersOf(number) !== payersOf(wanted)) return false;
  return isSameText && textOf(number) === textOf(wanted) && linkOf(number) === linkOf(wanted);
}
