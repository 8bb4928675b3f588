// Written by `npm run statements`: what each statement takes and gives.

export interface LedgerCorrection {
  "SELECT t.kind, e.amount, e.is_fee, t.transaction_id\n     FROM entries e JOIN transfers t ON t.id = e.transfer_id\n     WHERE e.ledger_account_id = (SELECT id FROM ledger_accounts WHERE code = $1) AND e.line = $2": { values: [string | null, number | null]; rows: { kind: 'charge' | 'collection' | 'correction' | 'hold' | 'own' | 'payback' | 'payback_failed' | 'payback_paid' | 'payout' | 'release' | 'reversal' | 'suspense' | 'suspense_release' | 'suspense_return' | 'sweep' | 'top_up' | 'void' | 'withdrawal' | 'write_off'; amount: number; is_fee: boolean; transaction_id: string | null }[] };
}
