// Written by `npm run statements`: what each statement takes and gives.

export interface TransactionsRowsWaiting {
  "SELECT greatest(0, extract(epoch FROM now() - min(due_at)))::float8 AS late\n     FROM transactions WHERE status = 'pending'": { values: []; rows: [{ late: number }] };
  "SELECT greatest(0, extract(epoch FROM now() - min(received_at)))::float8 AS unread\n     FROM notifications WHERE state = 'unapplied'": { values: []; rows: [{ unread: number }] };
  "SELECT place.mode, place.channel, p.pending::int AS pending,\n       coalesce(extract(epoch FROM now() - p.since), 0)::float8 AS \"oldestSeconds\"\n     FROM unnest($1::text[], $2::text[]) AS place(mode, channel),\n       LATERAL (SELECT count(*) AS pending, min(created_at) AS since FROM (\n         -- The condition of the index transactions_waiting, word for word.\n         SELECT created_at FROM transactions WHERE status = 'pending' AND mode NOT IN ('billpay', 'qr')\n           AND mode = place.mode AND channel\n           = place.channel ORDER BY created_at LIMIT 10000) oldest) p": { values: [readonly (string | null)[] | null, readonly (string | null)[] | null]; rows: { mode: string | null; channel: string | null; pending: number; oldestSeconds: number }[] };
}
