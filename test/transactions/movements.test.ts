import assert from 'node:assert/strict';
import type { NotificationContent, Succeeded } from '../../src/domain/channel.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { endReported, tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

const SHILLINGS = 50_000;
/** Each is one transaction with its story: the same in every run. */
const STORIES = 40;

const requests = {
  push: () => pushRequest(SHILLINGS),
  mobile: () => mobilePayoutRequest(SHILLINGS),
  bank: () => bankPayoutRequest(SHILLINGS),
};
type Step = [name: string, run: () => Promise<unknown>];

describe('what a channel moved, however it reports it', () => {
  const test = useTestDatabase();

  /** The channel says it in one of its ways. */
  function saying(id: string, content: Succeeded, way: number): Step {
    const name = `${content.amount} under ${content.channelReference}`;
    const look = () => tryToEnd(test.database, id, { kind: 'notifications' });
    const noticed = () => notify(test.database, id, content satisfies NotificationContent).then(look);
    const answered = () => tryToEnd(test.database, id, { kind: 'answer', result: content });
    const reported = () => endReported(test.database, id, content);
    return (
      [
        ['notified', noticed],
        ['answered', answered],
        ['reported', reported],
      ] as const
    ).map(([how, run]): Step => [`${how} ${name}`, run])[way] as Step;
  }

  /** What people do meanwhile. */
  function meddling(id: string, outcome: 'paid' | 'failed'): Step[] {
    const decide = async () => {
      if ((await getTransaction(test.database, id))?.status !== 'pending') return;
      await plantDecision(test.database, id, outcome);
      await tryToEnd(test.database, id, { kind: 'notifications' });
    };
    return [
      [`decided ${outcome}`, decide],
      ['cancelled', () => tryToEnd(test.database, id, { kind: 'cancel' })],
      ['unanswered', () => tryToEnd(test.database, id, { kind: 'unanswered' })],
    ];
  }

  it('is booked once: one receipt is one movement, and the number of an acceptance is none', async () => {
    for (let seed = 1; seed <= STORIES; seed += 1) {
      const random = randomOf(seed);
      const kind = random.one(['push', 'mobile', 'bank'] as const);
      const { id } = await handedOver(test.database, requests[kind](), { balance: 1_000_000 });
      const channelReference = random.one([null, `A${seed}`, `M0-${seed}`]);
      const acceptance = { transactionId: id, number: 1, outcome: 'accepted', channelReference } as const;
      await recordSendOutcome(test.database, acceptance);

      const count = random.one([1, 1, 2]);
      const amounts = Array.from(
        { length: count },
        (_, n) => SHILLINGS - random.one([0, 0, 0, 1_000]) * (n + 1),
      );
      const steps = amounts.flatMap((shillings, n) =>
        Array.from({ length: random.upTo(3) + 1 }, () => {
          // Which of two movements it means, a report without a receipt does not say.
          const receipt = count === 1 ? random.one([null, `M0-${seed}`]) : `M${n}-${seed}`;
          const success: Succeeded = succeeded(shillings, receipt);
          return saying(id, success, random.upTo(3));
        }),
      );
      // People who say "paid" where another amount moved are wrong: that is theirs to clear up.
      const outcome = amounts.every((amount) => amount === SHILLINGS)
        ? random.one(['paid', 'failed'] as const)
        : 'failed';
      const story = random.mixed([...steps, ...meddling(id, outcome).filter(() => random.upTo(3) === 0)]);
      for (const [, run] of story) await run();

      const moved = amounts.reduce((sum, amount) => sum + amount * 100, 0);
      const asHappened = [`${kind}, accepted as ${channelReference}`, ...story.map(([name]) => name)].join(
        ', ',
      );
      assert.equal(await onClearing(id), kind === 'push' ? -moved : moved, asHappened);
    }
    assert.deepEqual(await checkInvariants(test.database), []);
  }).timeout(60_000);

  async function onClearing(id: string): Promise<number> {
    const { rows } = await test.database.query(
      `SELECT coalesce(sum(e.amount), 0)::bigint AS sum FROM entries e JOIN transfers t ON t.id = e.transfer_id
       JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.transaction_id = $1 AND a.kind = 'clearing'`,
      [id],
    );
    return rows[0].sum;
  }
});

/** The same choices for the same seed (xorshift). */
function randomOf(seed: number) {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = () => {
    state = (state ^ (state << 13)) >>> 0;
    state = (state ^ (state >>> 17)) >>> 0;
    state = (state ^ (state << 5)) >>> 0;
    return state / 2 ** 32;
  };
  const upTo = (count: number) => Math.floor(next() * count);
  return {
    upTo,
    one: <T>(of: readonly T[]): T => of[upTo(of.length)] as T,
    mixed: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => [next(), item] as const)
        .sort(([a], [b]) => a - b)
        .map(([, item]) => item),
  };
}
