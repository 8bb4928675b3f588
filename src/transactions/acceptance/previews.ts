import { randomInt } from 'node:crypto';
import { kinds, type NamedPayoutMode } from '../../domain/kinds.ts';
import { type Minor, minor } from '../../domain/money.ts';
import type { PayoutRequest } from '../../domain/operation.ts';
import { partyOf } from '../../domain/party.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { DEFAULT, insert, now } from '../../platform/db/write.ts';

const LIFETIME_MS = 15 * 60_000;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A payout must equal its preview in these fields; metadata and names may differ. */
export type Previewable = {
  mode: NamedPayoutMode;
  network: string;
  /** 255…, or the account number */
  recipient: string;
  amount: Minor;
};

export function previewableOf(request: PayoutRequest): Previewable {
  const { mode, amount, channel } = request;
  const party = partyOf(request);
  return party.kind === 'bank'
    ? { mode, amount, network: party.bic, recipient: party.accountNumber }
    : { mode, amount, network: channel, recipient: party.msisdn };
}

export type PreviewedPayout = Previewable & {
  accountId: string;
  fee: Minor;
  feeVersion: string;
  /** null when the channel did not give the name */
  fullName: string | null;
};

/** Stores for 15 minutes the fee and name that a merchant was shown for a payout. */
export async function createPreview(
  db: Queryable,
  preview: PreviewedPayout,
): Promise<{ id: string; expiresAt: string }> {
  const id = `prv_${Array.from({ length: 16 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')}`;
  const { rows } = await insert(
    db,
    'previews',
    {
      id,
      account_id: preview.accountId,
      operation: kinds[preview.mode].operation,
      network: preview.network,
      recipient: preview.recipient,
      amount: preview.amount,
      fee: preview.fee,
      fee_version: preview.feeVersion,
      full_name: preview.fullName,
      expires_at: now(LIFETIME_MS),
      used_by: null,
      created_at: DEFAULT,
    },
    { returning: ['expires_at'] },
  );
  return { id, expiresAt: only(rows).expires_at };
}

export type PreviewUse = Previewable & { previewId: string; accountId: string; transactionId: string };

const parts = ['operation', 'network', 'recipient', 'amount'] as const;
export type PreviewMismatch = 'unknown' | 'expired' | 'used' | ((typeof parts)[number] | 'bank')[];

/** Uses up a preview inside the accepting transaction. The same transaction may use it again. */
export async function usePreview(
  db: Queryable,
  use: PreviewUse,
): Promise<{ fee: Minor; feeVersion: string; fullName: string | null } | { mismatch: PreviewMismatch }> {
  const row = await readPreview(db, use, 'FOR UPDATE');
  const mismatch = mismatchOf(row, use);
  if (!row || mismatch) return { mismatch: mismatch ?? 'unknown' };
  await db.query('UPDATE previews SET used_by = $2 WHERE id = $1', [use.previewId, use.transactionId]);
  return { fee: minor(row.fee), feeVersion: row.fee_version, fullName: row.full_name };
}

/** Checks as `usePreview` does, but before a workflow starts, so the key stays free. */
export async function previewMismatch(db: Queryable, use: PreviewUse): Promise<PreviewMismatch | null> {
  return mismatchOf(await readPreview(db, use, ''), use);
}

async function readPreview(db: Queryable, use: PreviewUse, lock: '' | 'FOR UPDATE') {
  const { rows } = await db.query(
    `SELECT operation, network, recipient, amount, fee, fee_version, full_name, used_by,
       expires_at <= now() AS is_over
     FROM previews WHERE id = $1 AND account_id = $2 ${lock}`,
    [use.previewId, use.accountId],
  );
  return rows[0];
}

function mismatchOf(row: Awaited<ReturnType<typeof readPreview>>, use: PreviewUse): PreviewMismatch | null {
  if (row === undefined) return 'unknown';
  const wanted = { ...use, operation: kinds[use.mode].operation };
  const different = parts.filter((part) => String(row[part]) !== String(wanted[part]));
  if (different.length > 0)
    return different.map((part) => (part === 'network' && kinds[use.mode].party === 'bank' ? 'bank' : part));
  if (row.used_by === use.transactionId) return null;
  if (row.used_by !== null) return 'used';
  return row.is_over ? 'expired' : null;
}
