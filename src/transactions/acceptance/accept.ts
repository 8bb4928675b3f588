import { readOwnFees } from '../../accounts/fees.ts';
import { feesAt } from '../../domain/fees.ts';
import { kinds } from '../../domain/kinds.ts';
import type { Accepted, Submission } from '../../domain/operation.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { readFacts, refusedBefore } from './accept-guard.ts';
import { decide } from './acceptors.ts';
import type { Origins } from './origin.ts';
import {
  answerOfWinner,
  record,
  storeAccepted,
  storedFor,
  storeRefused,
  tooLittleFor,
  withOwnFees,
  withRows,
} from './record.ts';
import { submissionExpired } from './refusals.ts';
import type { Refused } from './verdict.ts';

/** Another payout may lower the balance between an acceptor's decision and its hold. */
const ATTEMPTS_MAX = 5;

/**
 * Writes the idempotency row, the transaction, a payout's hold and the answer's bytes, all or nothing. The
 * same workflow's re-run finds its row and changes nothing (`mine`). If another submission took the key,
 * returns that submission's answer. Everything that depends on state is decided here; an acceptor decides
 * again if the balance has changed.
 */
export function accept(database: Database, submission: Submission, origins: Origins): Promise<Accepted> {
  return inTransaction(database, async (db) => {
    const accepted = (await storedFor(db, submission)) ?? (await carryOut(db, submission, origins));
    return accepted.mine && !accepted.fees ? withRows(db, submission, accepted) : accepted;
  });
}

async function carryOut(db: Queryable, submission: Submission, origins: Origins): Promise<Accepted> {
  const facts = await readFacts(db, submission);
  const own = readOwnFees(facts);
  const moment = { now: facts.now, fees: feesAt(facts.now, own) };
  // A refusal rolls back the acceptor's counts and holds.
  const holds = kinds[submission.request.mode].money === 'hold';
  if (holds) await db.query('SAVEPOINT before_hold');
  const undo = async () => holds && db.query('ROLLBACK TO SAVEPOINT before_hold');
  const refuse = async (refused: Refused) => {
    await undo();
    await refused.note?.(db);
    const accepted = await storeRefused(db, submission, refused);
    const isOwn = accepted.answer.submissionId === submission.submissionId;
    if (isOwn) await origins.settlement.note(db, submission, refused);
    return accepted;
  };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const verdict = refusedBefore(submission, facts) ?? (await decide(db, submission, moment, origins));
    if ('refused' in verdict) return refuse(verdict);
    const became = await record(db, verdict, origins);
    if (became === 'accepted') {
      const accepted = await storeAccepted(db, verdict);
      await origins.settlement.note(db, submission, null);
      return withOwnFees(db, { ...accepted, at: facts.now }, own);
    }
    if (became === 'batch_closed') return refuse({ ...submissionExpired, keepsKey: false });
    await undo();
    if (became === 'made_before') return answerOfWinner(db, submission);
    if (verdict.keep === undefined) return refuse(await tooLittleFor(db, verdict));
  }
  throw new Error('the balance changes faster than it can be settled');
}
