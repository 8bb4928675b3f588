import assert from 'node:assert/strict';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { settle } from '../../src/transactions/ending/settle.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { handedOver } from '../support/handed-over.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { bankAccount, importMoves, walletAccount } from '../support/statements-of-accounts.ts';

const SHILLINGS = 50_000;

/** A word about the money of one transaction. */
type Word = { by: 'channel' | 'line' | 'people'; receipt: string | null; isOurs: boolean };
const words: Word[] = [
  { by: 'channel', receipt: 'R1', isOurs: true },
  { by: 'channel', receipt: null, isOurs: true },
  { by: 'line', receipt: 'R1', isOurs: true },
  { by: 'line', receipt: 'R1', isOurs: false },
  { by: 'line', receipt: 'R2', isOurs: true },
  { by: 'line', receipt: 'R2', isOurs: false },
  { by: 'line', receipt: null, isOurs: true },
  { by: 'people', receipt: null, isOurs: true },
];
const kinds: Record<string, { request: MoneyRequest; isIn: boolean; isBank: boolean; status: string }> = {
  push: { request: pushRequest(SHILLINGS), isIn: true, isBank: false, status: 'completed' },
  payout: { request: mobilePayoutRequest(SHILLINGS), isIn: false, isBank: false, status: 'paid' },
  'bank payout': { request: bankPayoutRequest(SHILLINGS), isIn: false, isBank: true, status: 'paid' },
};
type Kind = (typeof kinds)[string];

/** Why this is no pair. */
function leftOut(first: Word, second: Word): string | null {
  if (first.by === 'line' && second.by === 'line') return 'lines of one account are told by its own chain';
  if (first.by === 'people' && second.by === 'people') return 'people decide once';
  if (first.by === 'channel' && second.by === 'people') return 'nothing is to be decided';
  return null;
}

/** Whether two words are about one movement: by its receipt; or as our transaction's, where one of them has no receipt. */
function isOne(first: Word, second: Word, { isBank }: Kind): boolean {
  if (first.receipt !== null && first.receipt === second.receipt) return true;
  if (!first.isOurs || !second.isOurs) return false;
  // Banks number a payout anew in their statements.
  const isNumberedAnew = isBank && (first.by === 'line') !== (second.by === 'line');
  return first.receipt === null || second.receipt === null || isNumberedAnew;
}

const said = ({ by, receipt, isOurs }: Word) =>
  `${by}, ${receipt ?? 'no receipt'}${by === 'line' && isOurs ? ', our reference' : ''}`;

describe('two words about the money of one transaction', () => {
  const test = useTestDatabase({ each: true });
  const [api, worker] = [() => asRole(test.database, 'api'), () => asRole(test.database, 'worker')];
  let pairs = 0;
  after(() => console.log(`      ${pairs} pairs`));

  async function books() {
    const { rows } = await test.database.query(
      `SELECT coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'clearing'), 0)::bigint AS theirs,
         coalesce(sum(e.amount) FILTER (WHERE a.kind = 'suspense'), 0)::bigint AS suspense
       FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id`,
    );
    return { theirs: rows[0].theirs / 100, suspense: rows[0].suspense / 100 };
  }

  for (const [name, kind] of Object.entries(kinds))
    for (const first of words)
      for (const second of words) {
        if (leftOut(first, second) !== null) continue;
        it(`${name}: ${said(first)}; then ${said(second)}`, async () => {
          pairs += 1;
          const { id, reference } = await handedOver(test.database, kind.request);
          const sign = kind.isIn ? 1 : -1;
          const account = (kind.isBank ? bankAccount : walletAccount)({ graceMs: 1 });
          const tell = async ({ by, receipt, isOurs }: Word) => {
            if (by === 'line') {
              const move = { receipt, amount: sign * SHILLINGS, reference: isOurs ? reference : null };
              await importMoves(api(), account, [move]);
              return;
            }
            if (by === 'people') await plantDecision(test.database, id, 'paid');
            await settle(
              worker(),
              id,
              by === 'people'
                ? { kind: 'notifications' }
                : { kind: 'answer', result: succeeded(SHILLINGS, receipt) },
            );
          };
          await tell(first);
          await tell(second);
          if (second.by === 'channel') await tell(second);
          await matchAgain(worker(), account);
          const moved = (isOne(first, second, kind) ? 1 : 2) * sign * SHILLINGS;
          assert.deepEqual(await books(), { theirs: moved, suspense: moved - sign * SHILLINGS });
          const { rows } = await test.database.query('SELECT status FROM transactions WHERE id = $1', [id]);
          assert.equal(rows[0].status, kind.status);
          assert.deepEqual(await checkInvariants(test.database), []);
        });
      }
});
