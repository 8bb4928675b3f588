import { jsonText } from '../base/json-text.ts';
import type { NamedPayoutMode } from './kinds.ts';
import type { Minor } from './money.ts';

/**
 * A payout says this beside its account. Request, batch item and transaction have these members, which are
 * named here only.
 */
export type Beside = {
  /** owner of the account; a bank checks it, of a wallet only the channel knows it */
  fullName: string | null;
};

export function besideOf({ fullName }: Beside): Beside {
  return { fullName };
}

/** Columns of a batch item, and of the transaction that it becomes. */
export type PayoutColumns = Beside & {
  msisdn: string | null;
  bic: string | null;
  accountNumber: string | null;
};

export const nobody: PayoutColumns = { msisdn: null, bic: null, accountNumber: null, fullName: null };

export function columnsIn(of: PayoutColumns): PayoutColumns {
  const { msisdn, bic, accountNumber } = of;
  return { msisdn, bic, accountNumber, ...besideOf(of) };
}

export type PayoutItem = PayoutColumns & { mode: NamedPayoutMode; channel: string; amount: Minor };

/** Lookups and callbacks show this of a payout (contract/fields.ts has the schema). */
export function showBeside({ metadata, batchId }: Beside & { metadata: string; batchId: string | null }) {
  return { metadata: jsonText(metadata), batch_id: batchId ?? undefined };
}
