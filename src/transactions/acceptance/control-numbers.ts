import { largestSerial, makeControlNumber } from '../../domain/control-number.ts';
import { BrokenInvariant, GatewayError } from '../../domain/errors.ts';
import { say } from '../../domain/messages.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { raiseAttention } from '../care/attention.ts';

/** serials per block, as in the sequence of 0003_bills.sql */
const BLOCK = 100;
/** blocks kept for requests that were admitted before the space was found to be full */
const RESERVE_BLOCKS = 20;
/** A restore skips this many serials: blocks may have been drawn after the last mark. */
const SERIALS_SKIPPED = 100 * BLOCK;
/** A person is notified when less than this share of the space is left. */
const LOW_PART = 0.1;

/**
 * Draws an account's next control number in its accepting transaction. Concurrent acceptances use different
 * blocks, so none waits. A rollback returns the number. Throws BrokenInvariant if the space is full
 * (`requireControlNumbers` refuses earlier).
 */
export async function drawControlNumber(
  db: Queryable,
  { accountId, prefix }: { accountId: string; prefix: string },
): Promise<string> {
  const own = await db.query(
    `UPDATE control_number_blocks b SET next = b.next + 1 FROM (
       SELECT first FROM control_number_blocks
       WHERE account_id = $1 AND prefix = $2 AND next < first + ${BLOCK}
       ORDER BY first LIMIT 1 FOR UPDATE SKIP LOCKED) mine
     WHERE b.first = mine.first RETURNING b.next - 1 AS serial`,
    [accountId, prefix],
  );
  const serial = Number(own.rows[0]?.serial ?? (await drawBlock(db, { accountId, prefix })));
  if (serial > largestSerial(prefix)) throw new BrokenInvariant('the space of control numbers is used up');
  return makeControlNumber(prefix, serial);
}

async function drawBlock(
  db: Queryable,
  { accountId, prefix }: { accountId: string; prefix: string },
): Promise<number> {
  const { rows } = await db.query(
    `INSERT INTO control_number_blocks (first, account_id, prefix, next)
     SELECT serial, $1, $2, serial + 1 FROM nextval('control_number_serials') AS serial RETURNING first`,
    [accountId, prefix],
  );
  return Number(only(rows).first);
}

/** After a restore, skips serials up to `given` and begun blocks: they may have been used since the copy. */
export async function skipControlNumbers(db: Queryable, given: number): Promise<void> {
  await db.query(
    `SELECT setval('control_number_serials',
       greatest((SELECT last_value FROM control_number_serials), $1) + $2)`,
    [given, SERIALS_SKIPPED],
  );
  await db.query(`UPDATE control_number_blocks SET next = first + ${BLOCK} WHERE next < first + ${BLOCK}`);
}

export async function controlNumbersLeft(db: Queryable, prefix: string): Promise<number> {
  const { rows } = await db.query('SELECT last_value, is_called FROM control_number_serials');
  const { last_value: last, is_called: isCalled } = only(rows);
  const drawn = Number(last) + (isCalled ? BLOCK : 0);
  return Math.max(0, largestSerial(prefix) + 1 - drawn);
}

/** Throws `unavailable`, before anything starts, when no control number is left. Notifies a person. */
export async function requireControlNumbers(db: Queryable, prefix: string): Promise<void> {
  if ((await controlNumbersLeft(db, prefix)) >= RESERVE_BLOCKS * BLOCK) return;
  await flagControlNumbers(db, prefix);
  throw new GatewayError('unavailable', say('no_control_numbers'));
}

export async function flagControlNumbers(db: Queryable, prefix: string): Promise<boolean> {
  const left = await controlNumbersLeft(db, prefix);
  if (left > largestSerial(prefix) * LOW_PART) return false;
  await raiseAttention(db, {
    subject: `control-numbers:${prefix}`,
    reason: 'control_numbers_low',
    detail: `${left} control numbers with the prefix ${prefix} are left`,
  });
  return true;
}
