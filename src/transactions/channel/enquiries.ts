import { mask } from '../../base/redact.ts';
import type { EnquiryResult } from '../../domain/channel.ts';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { formatMoney } from '../../domain/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { NOW, update } from '../../platform/db/write.ts';
import { HAS_MOVED } from '../rows/moved.ts';
import { noteArrived } from './sends.ts';

export type EnquiryNote = {
  transactionId: string;
  /** the channel has it (`accepted`), never saw it, or gave no usable answer */
  said: 'accepted' | 'not_found' | 'unclear';
  /** Temporal's clock, or the worker's if it is ahead, ISO 8601; compare only with Temporal's times */
  at: string;
  nextAt: string;
};

const ARRIVED = `(
  EXISTS (SELECT 1 FROM sends s WHERE s.transaction_id = $1 AND s.outcome IN ('accepted', 'succeeded'))
  OR EXISTS (SELECT 1 FROM attention a WHERE a.transaction_id = $1 AND a.reason = 'wrong_amount')
  OR ${HAS_MOVED})` as const;

/** True if the channel had the transaction or moved another amount, or a statement shows that it moved. */
export async function hasArrived(db: Queryable, transactionId: string): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT ${ARRIVED} AS arrived FROM transactions t WHERE t.id = $1 /* never null: arrived */`,
    [transactionId],
  );
  return only(rows).arrived;
}

/**
 * Records an enquiry. Returns the time since which the channel has always said "not found". Null if that
 * proves nothing: the channel once had the transaction or moved its money, so it lost its record.
 */
export async function noteEnquiry(db: Queryable, note: EnquiryNote): Promise<string | null> {
  if (note.said === 'accepted') await noteArrived(db, note.transactionId);
  const { rows } = await db.query(
    `UPDATE transactions t SET next_enquiry_at = $4, due_at = $4, not_found_since = CASE
       WHEN $2 AND NOT ${ARRIVED} THEN coalesce(not_found_since, $3) END
     WHERE id = $1 AND (status = 'pending' OR EXISTS (
       SELECT 1 FROM decisions d
       WHERE d.transaction_id = $1 AND d.applied_at IS NOT NULL AND d.answer IS NULL))
     RETURNING not_found_since`,
    [note.transactionId, note.said === 'not_found', note.at, note.nextAt],
  );
  return rows[0]?.not_found_since ?? null;
}

const ANSWER_CHARACTERS_MAX = 200;

/** Keeps a channel's answer for people, and counts equal ones. Nothing is decided from it. */
export async function keepAnswer(db: Queryable, transactionId: string, result: EnquiryResult): Promise<void> {
  await db.query(
    `WITH latest AS (
       SELECT number, answer FROM enquiries WHERE transaction_id = $1 ORDER BY number DESC LIMIT 1
     ), again AS (
       UPDATE enquiries e SET last_at = now(), times = e.times + 1 FROM latest
       WHERE e.transaction_id = $1 AND e.number = latest.number AND e.answer = $2 RETURNING e.number)
     INSERT INTO enquiries (transaction_id, number, answer)
     SELECT $1, coalesce((SELECT number FROM latest), 0) + 1, $2 WHERE NOT EXISTS (SELECT FROM again)
     ON CONFLICT DO NOTHING`,
    [transactionId, answerWords(result).slice(0, ANSWER_CHARACTERS_MAX)],
  );
}

function answerWords(result: EnquiryResult): string {
  switch (result.kind) {
    case 'accepted':
      return 'pending';
    case 'not_found':
      return 'not found';
    case 'unknown':
      return `unclear: ${mask(result.detail)}`;
    case 'failed':
      return ['failed', result.code, result.channelReference].filter(Boolean).join(' ');
    case 'succeeded':
      return ['succeeded', formatMoney(result.amount), result.currency, result.channelReference]
        .filter(Boolean)
        .join(' ');
  }
}

/** minimum time between enquiries that people or notifications ask for, per transaction */
export const HINT_PAUSE_SECONDS = 60;

/** Asks for an enquiry now. Throws `conflict` if nothing can be asked, `rate_limited` within a minute. */
export async function askAgain(db: Queryable, transactionId: string): Promise<void> {
  const { rows } = await db.query(
    `SELECT status, connection, handed_over_at, hinted_at, mode,
       ceil(extract(epoch FROM hinted_at + $2 * interval '1 second' - now()))::int AS wait
     FROM transactions WHERE id = $1 FOR NO KEY UPDATE`,
    [transactionId, HINT_PAUSE_SECONDS],
  );
  const row = only(rows);
  if (row.status !== 'pending') throw conflict(`It is ${row.status}: there is nothing left to ask`);
  if (row.connection === null) throw conflict('Customers pay it by themselves: there is no channel to ask');
  if (row.handed_over_at === null) throw conflict('It was not handed to its channel yet');
  if (row.wait !== null && row.wait > 0)
    throw new GatewayError('rate_limited', 'Its channel was asked within the last minute', {
      headers: { 'Retry-After': String(row.wait) },
    });
  await update(db, 'transactions', { hinted_at: NOW }, { id: transactionId });
}

/** Asks for an enquiry for each that had none within the last minute. Returns their ids. */
export async function hintAll(db: Queryable, transactionIds: readonly string[]): Promise<string[]> {
  const { rows } = await db.query(
    `UPDATE transactions SET hinted_at = now()
     WHERE id = ANY($1::uuid[]) AND status = 'pending' AND handed_over_at IS NOT NULL
       AND (hinted_at IS NULL OR hinted_at < now() - $2 * interval '1 second') RETURNING id`,
    [transactionIds, HINT_PAUSE_SECONDS],
  );
  return rows.map(({ id }) => id);
}
