import { jsonText } from '../base/json-text.ts';
import type { NamedPayoutMode } from './kinds.ts';
import type { Minor } from './money.ts';

/** A payout has these members beside its account. Request, batch item and transaction take them from here. */
export type Beside = {
  /** owner of the account; a bank checks the name, and only the channel knows a wallet's owner */
  fullName: string | null;
};

export function besideOf({ fullName }: Beside): Beside {
  return { fullName };
}

/** A batch item and its transaction have these. */
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

/** Lookups and callbacks of a payout show these members (schema: contract/fields.ts). */
export function showBeside({ metadata, batchId }: Beside & { metadata: string; batchId: string | null }) {
  return { metadata: jsonText(metadata), batch_id: batchId ?? undefined };
}
