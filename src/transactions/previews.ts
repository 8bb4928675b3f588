import { randomInt } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import { kinds, type PayoutMode } from '../domain/kinds.ts';
import { type Minor, minor } from '../domain/money.ts';

const LIFETIME_MINUTES = 15;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export type PreviewedPayout = {
  accountId: string;
  mode: PayoutMode;
  /** of the mode and the body without `preview_id` */
  fingerprint: string;
  fee: Minor;
  feeVersion: string;
  /** the name that the channel knows; null when it could not say */
  fullName: string | null;
};

/** Keeps what a merchant was shown for 15 minutes, bound to the body it was shown for. Moves nothing. */
export async function createPreview(
  db: Queryable,
  preview: PreviewedPayout,
): Promise<{ id: string; expiresAt: string }> {
  const id = `prv_${Array.from({ length: 16 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')}`;
  const { rows } = await db.query(
    `INSERT INTO previews (id, account_id, operation, fingerprint, fee, fee_version, full_name, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 minute') RETURNING expires_at`,
    [
      id,
      preview.accountId,
      kinds[preview.mode].operation,
      preview.fingerprint,
      preview.fee,
      preview.feeVersion,
      preview.fullName,
      LIFETIME_MINUTES,
    ],
  );
  return { id, expiresAt: rows[0].expires_at };
}

export type PreviewUse = {
  previewId: string;
  accountId: string;
  mode: PayoutMode;
  fingerprint: string;
  transactionId: string;
};

const FITS = `id = $1 AND account_id = $2 AND operation = $3 AND fingerprint = $4
  AND (used_by = $5 OR (used_by IS NULL AND expires_at > now()))`;

/**
 * Takes a preview for a transaction, inside its accepting transaction, and returns what was previewed. Null when it
 * has expired, was made for another body or is another transaction's. The same transaction may take it again: a
 * step that runs twice finds what it took.
 */
export async function usePreview(
  db: Queryable,
  use: PreviewUse,
): Promise<{ fee: Minor; feeVersion: string; fullName: string | null } | null> {
  const { rows } = await db.query(
    `UPDATE previews SET used_by = $5 WHERE ${FITS} RETURNING fee, fee_version, full_name`,
    parametersOf(use),
  );
  const row = rows[0];
  return row ? { fee: minor(row.fee), feeVersion: row.fee_version, fullName: row.full_name } : null;
}

/**
 * Whether a preview could still be taken. Only `usePreview` decides; but a preview that does not fit never will
 * again, so this refuses it before a workflow is started and the key stays free.
 */
export async function previewFits(db: Queryable, use: PreviewUse): Promise<boolean> {
  const { rows } = await db.query(`SELECT 1 FROM previews WHERE ${FITS}`, parametersOf(use));
  return rows.length === 1;
}

function parametersOf(use: PreviewUse): string[] {
  return [use.previewId, use.accountId, kinds[use.mode].operation, use.fingerprint, use.transactionId];
}
