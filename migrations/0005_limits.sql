-- Counts that several API processes share when RATE_LIMIT_STORE=postgres. UNLOGGED: they are worth a second at most, a
-- crash of Postgres may empty them, and no write-ahead log is spent on them.

-- One token bucket per API key. full_at is when the bucket will be full again, so that one timestamp is its whole state.
CREATE UNLOGGED TABLE rate_limit_buckets (
  key_id   text PRIMARY KEY,
  full_at  timestamptz NOT NULL,
  -- what the last lease was given: it comes back with the statement that gave it
  granted  integer NOT NULL
) WITH (fillfactor = 50);

-- Failed authentications; the columns are those of the library rate-limiter-flexible, which reads and writes them.
CREATE UNLOGGED TABLE failed_authentications (
  key     varchar(255) PRIMARY KEY,
  points  integer NOT NULL DEFAULT 0,
  expire  bigint
) WITH (fillfactor = 50);
