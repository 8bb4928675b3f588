// Written by `npm run statements`: what each statement takes and gives.

export interface Platform {
  "INSERT INTO attention (transaction_id, subject, reason, detail, thing, resolved_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING": { values: [string | null, string | null, string, string, string, string | Date | null]; rows: never[]; omits: 'raised_at' };
  "INSERT INTO audit_log (actor, address, request_id, action, subject, detail)\n     VALUES ($1, $2, $3, $4, $5, $6)": { values: [string, string | null, string | null, string, string, object | string]; rows: never[]; omits: 'id' | 'at' | 'hash' };
  "INSERT INTO rate_limit_buckets AS bucket (key_id, full_at, granted)\n         VALUES ($1, clock_timestamp() + least($2::int, $3::int) * $4::interval, least($2::int, $3::int))\n         ON CONFLICT (key_id) DO UPDATE SET (full_at, granted) = (\n           SELECT greatest(bucket.full_at, now.at) + given.tokens * $4::interval, given.tokens\n           FROM (SELECT clock_timestamp() AS at) now,\n             LATERAL (SELECT greatest(0, least($2::int,\n               floor($3::int - extract(epoch FROM greatest(bucket.full_at - now.at, '0'))\n                 / extract(epoch FROM $4::interval) + 1e-6)::int)) AS tokens) given)\n         RETURNING granted, extract(epoch FROM full_at - clock_timestamp())::float8 * 1000 AS until_full_ms": { values: [string, number | null, number | null, string | null]; rows: { granted: number; until_full_ms: number | null }[]; omits: never };
  "INSERT INTO retention (name, kept_days, step) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET kept_days = excluded.kept_days, step = excluded.step": { values: [string, number, 'day' | 'month' | null]; rows: never[]; omits: never };
  "SELECT add_partitions(name) FROM retention WHERE step IS NOT NULL": { values: []; rows: { add_partitions: number | null }[] };
  "SELECT current_setting('malipo.session', true) AS session": { values: []; rows: [{ session: string | null }] };
  "SELECT current_setting('synchronous_standby_names') AS names": { values: []; rows: [{ names: string | null }] };
  "SELECT drop_old_batch_rows()": { values: []; rows: [{ drop_old_batch_rows: void | null }] };
  "SELECT drop_old_statement_files()": { values: []; rows: [{ drop_old_statement_files: number | null }] };
  "SELECT drop_partition(name) FROM retention WHERE step IS NOT NULL": { values: []; rows: { drop_partition: string | null }[] };
  "SELECT drop_retired_passphrases()": { values: []; rows: [{ drop_retired_passphrases: void | null }] };
  "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms /* never null: ms */": { values: []; rows: [{ ms: number }] };
  "SELECT format('ALTER ROLE malipo_api LOGIN PASSWORD %L', $1::text) AS statement\n       /* never null: statement */": { values: [string | null]; rows: [{ statement: string }] };
  "SELECT format('ALTER ROLE malipo_reader LOGIN PASSWORD %L', $1::text) AS statement\n       /* never null: statement */": { values: [string | null]; rows: [{ statement: string }] };
  "SELECT format('ALTER ROLE malipo_worker LOGIN PASSWORD %L', $1::text) AS statement\n       /* never null: statement */": { values: [string | null]; rows: [{ statement: string }] };
  "SELECT name, checksum FROM schema_migrations": { values: []; rows: { name: string; checksum: string }[] };
  "SELECT now() + $1 * interval '1 millisecond' AS at /* never null: at */": { values: [number | null]; rows: [{ at: string }] };
  "SELECT quote_ident(current_database()) AS name": { values: []; rows: [{ name: string | null }] };
  "SELECT rolname FROM pg_roles r WHERE rolname = ANY($1)\n       AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls OR EXISTS (SELECT 1 FROM pg_auth_members m WHERE m.member = r.oid))": { values: [readonly (string | null)[] | null]; rows: { rolname: string | null }[] };
}
