-- Lists are read from `transactions` itself, by the indexes of this file (docs/decisions/0009-lists-are-plain.md,
-- src/transactions/rows/list-filter.ts). Every index ends with the order of the list, and is read backwards: new entries at the
-- end of a run fill its pages, at its beginning they would leave each half empty.

-- Everything of an account, and what lies between two moments.
CREATE INDEX transactions_newest ON transactions (account_id, created_at, id);

-- One run of entries for each mode, status and channel: lists that ask for some of these merge the runs they need.
CREATE INDEX transactions_kinds ON transactions (account_id, mode, status, channel, created_at, id) INCLUDE (bic);

CREATE INDEX transactions_phone ON transactions (account_id, msisdn, created_at, id) WHERE msisdn IS NOT NULL;
CREATE INDEX transactions_channel_reference ON transactions (account_id, channel_reference, created_at, id)
  WHERE channel_reference IS NOT NULL;

-- 64 bits of the MD5 of account, key and value of one item: short, of any value, and of one merchant only. The value is
-- a string's text, and the compact JSON of anything else, with its numbers as they were sent.
CREATE FUNCTION metadata_hash(account uuid, key text, value text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ('x' || left(md5(account::text || E'\n' || key || E'\n' || value), 16))::bit(64)::bigint
$$;

-- The same of a value alone: operators look for a merchant's order without knowing the merchant or his name for it.
CREATE FUNCTION metadata_value_hash(value text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ('x' || left(md5(value), 16))::bit(64)::bigint
$$;

CREATE FUNCTION metadata_hashes(account uuid, metadata text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF metadata = '{}' THEN RETURN '{}'; END IF;
  RETURN ARRAY(
    SELECT hash FROM json_each(metadata::json) item
    CROSS JOIN LATERAL (SELECT CASE json_typeof(item.value) WHEN 'string' THEN item.value #>> '{}'
      -- strings stay as they are, white space outside of them goes
      ELSE regexp_replace(item.value::text, '("(?:[^"\\]|\\.)*")|\s+', '\1', 'g') END AS value) as_text
    CROSS JOIN LATERAL (VALUES (metadata_hash(account, item.key, as_text.value)), (metadata_value_hash(as_text.value))) hashes (hash));
END $$;

ALTER TABLE transactions ADD COLUMN metadata_hashes bigint[] GENERATED ALWAYS AS (metadata_hashes(account_id, metadata)) STORED;
-- Postgres keeps how common the commonest values are: it decides between this index and a walk from the newest.
CREATE INDEX transactions_metadata ON transactions USING gin (metadata_hashes);
-- What came lately, of all merchants: operators' list, its totals and counts read it alone, and the rows of a page besides.
CREATE INDEX transactions_of_all ON transactions (created_at, id) INCLUDE (account_id, type, mode, status, channel, amount);
-- Operators look for an amount: one that few have would be looked for in all of that index.
CREATE INDEX transactions_amounts ON transactions (amount, created_at);
-- Counting reads indexes alone as long as the table has been vacuumed lately: more often than by default, which waits
-- until a fifth of the table is new.
ALTER TABLE transactions SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
