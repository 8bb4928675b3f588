import data from '../../data/failure-codes.json' with { type: 'json' };

/** Why a transaction failed: a closed list (data/failure-codes.json); a channel's own text never reaches a merchant. */
export type FailureCode =
  | 'insufficient_funds'
  | 'customer_declined'
  | 'customer_timeout'
  | 'wrong_pin'
  | 'payer_not_found'
  | 'recipient_not_found'
  | 'account_blocked'
  | 'payer_limit_reached'
  | 'recipient_limit_reached'
  | 'amount_out_of_range'
  | 'transaction_in_progress'
  | 'invalid_account'
  | 'account_closed'
  | 'name_mismatch'
  | 'bank_not_reachable'
  | 'insufficient_float'
  | 'network_unavailable'
  | 'network_error'
  | 'cancelled'
  | 'expired'
  | 'expired_partially_paid'
  | 'reversed';

export const failureCodes = data.codes.map((entry) => entry.code) as FailureCode[];

const reasons = new Map(data.codes.map((entry) => [entry.code, entry.reason]));

/** The sentence that merchants read beside the code. */
export function failureReasonOf(code: FailureCode): string {
  return reasons.get(code) ?? code;
}

export type Direction = 'collection' | 'payout';

/** What one code of a channel means (data/failure-codes.json): `setup` is a refusal before any processing. */
export type ChannelCode = {
  outcome: 'success' | 'pending' | 'final' | 'ambiguous' | 'duplicate' | 'setup';
  failureCode: FailureCode | null;
  alert: boolean;
};

type Row = {
  code: string;
  outcome: string;
  failure_code?: string;
  collection?: string;
  payout?: string;
  alert?: boolean;
};

/** The table of one protocol: its code → what it means for a direction; undefined for a code it does not list. */
export function channelCode(protocol: string, code: string, direction: Direction): ChannelCode | undefined {
  return meaningOf(tables[protocol]?.codes, code, direction);
}

/** As `channelCode`, for the status words of a protocol (`completed`, `ACSP`), which have a table of their own. */
export function channelState(protocol: string, state: string, direction: Direction): ChannelCode | undefined {
  return meaningOf(tables[protocol]?.states, state, direction);
}

const tables = data.channels as unknown as Record<string, { codes: Row[]; states?: Row[] }>;

function meaningOf(rows: Row[] | undefined, code: string, direction: Direction): ChannelCode | undefined {
  const row = rows?.find((r) => r.code === code);
  if (!row) return undefined;
  return {
    outcome: row.outcome as ChannelCode['outcome'],
    failureCode: ((direction === 'collection' ? row.collection : row.payout) ??
      row.failure_code ??
      null) as FailureCode | null,
    alert: row.alert ?? false,
  };
}
