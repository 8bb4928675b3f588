// Written by `npm run statements`: what each statement takes and gives.

export interface LedgerHold {
  "INSERT INTO hold_resolutions (transaction_id, resolution, transfer_id) VALUES ($1, $2, $3) ON CONFLICT (transaction_id) DO NOTHING": { values: [string, 'released' | 'taken', string]; rows: never[]; omits: never };
  "INSERT INTO holds (transaction_id, account_id, amount, transfer_id, batch_id, carved_from) VALUES ($1, $2, $3, $4, $5, $6)": { values: [string | null, string, number, string, string | null, string | null]; rows: never[]; omits: never };
  "INSERT INTO holds (transaction_id, account_id, amount, transfer_id, carved_from)\n       SELECT $1, account_id, $3, transfer_id, batch_id FROM holds WHERE batch_id = $4 AND account_id = $2": { values: [string | null, string | null, number, string | null]; rows: never[]; omits: 'batch_id' };
}
