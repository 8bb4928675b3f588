// Written by `npm run statements`: what each statement takes and gives.

export interface OperatorsApi {
  "SELECT payload, decided_at FROM proposals WHERE id = $1 AND action = $2 AND state = 'executed'": { values: [string | null, string | null]; rows: { payload: string; decided_at: string | null }[] };
}
