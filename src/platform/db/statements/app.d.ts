// Written by `npm run statements`: what each statement takes and gives.

export interface App {
  "SELECT CASE WHEN progress > 0 THEN swept_at END AS \"endsAt\" FROM fence": { values: []; rows: { endsAt: string | null }[] };
  "SELECT FROM api_keys WHERE id = $1 AND account_id = $2": { values: [string | null, string | null]; rows: {  }[] };
  "SELECT count(*)::int AS n FROM transactions\n     WHERE status = 'pending' AND mode NOT IN ('billpay', 'qr', 'number')": { values: []; rows: [{ n: number }] };
  "SELECT id, channel, receipt, amount, currency FROM suspense_items WHERE is_open ORDER BY created_at, id": { values: []; rows: { id: string; channel: string; receipt: string; amount: number; currency: string }[] };
  "SELECT id, status, status <> 'pending' AND NOT (mode IN ('billpay', 'qr', 'number')\n       AND status_at > (SELECT coalesce(closed_at, now()) FROM fence) - interval '1 day') AS \"isOver\"\n     /* never null: isOver */\n     FROM transactions WHERE id = ANY($1::uuid[])": { values: [readonly (string | null)[] | null]; rows: { id: string; status: string; isOver: boolean }[] };
  "SELECT pg_has_role(relowner, 'USAGE') AS is_owner FROM pg_class WHERE oid = 'fence'::regclass": { values: []; rows: { is_owner: boolean | null }[] };
}
