-- Lists answer exact totals and any page of a million transactions in the time of a few index look-ups
-- (docs/decisions/0006-lists-count-ahead.md). Counting rows takes 100 ms per million, so they are counted ahead.

-- What the list's closed filters select by, in one column: one index serves every combination of them, because a
-- merchant has a few dozen groups and each is in the list's order already.
ALTER TABLE transactions ADD COLUMN list_group text COLLATE "C" NOT NULL
  GENERATED ALWAYS AS (type || '/' || mode || '/' || channel || '/' || coalesce(bic, '') || '/' || status) STORED;
CREATE INDEX transactions_group_newest ON transactions (account_id, list_group, created_at DESC, id DESC);
CREATE INDEX transactions_msisdn_newest ON transactions (account_id, msisdn, created_at DESC, id DESC) WHERE msisdn IS NOT NULL;
CREATE INDEX transactions_channel_reference ON transactions (account_id, channel_reference) WHERE channel_reference IS NOT NULL;

-- Counts per account and kind of transaction: of all time, of each day and of each slot of five minutes (UTC).
-- The count is the SUM over all rows of a kind: a writer changes any row that nobody else holds and adds one when
-- all are held, so that writers never wait for each other, and one row alone may well be negative.
CREATE TABLE transaction_counts (
  id          bigint GENERATED ALWAYS AS IDENTITY,
  account_id  uuid NOT NULL,
  span        text COLLATE "C" NOT NULL,
  since       timestamptz NOT NULL,
  type        text NOT NULL,
  mode        text NOT NULL,
  channel     text NOT NULL,
  -- '' where there is none
  bic         text NOT NULL,
  pending     bigint NOT NULL,
  completed   bigint NOT NULL,
  paid        bigint NOT NULL,
  failed      bigint NOT NULL,
  cancelled   bigint NOT NULL,
  PRIMARY KEY (id, span)
) PARTITION BY LIST (span);
-- Apart, so that the days of years lie side by side and not among a hundred times as many slots. fillfactor: an
-- update finds room beside the row and touches no index.
CREATE TABLE transaction_counts_all PARTITION OF transaction_counts FOR VALUES IN ('all') WITH (fillfactor = 70);
CREATE TABLE transaction_counts_day PARTITION OF transaction_counts FOR VALUES IN ('day') WITH (fillfactor = 70);
CREATE TABLE transaction_counts_slot PARTITION OF transaction_counts FOR VALUES IN ('slot') WITH (fillfactor = 70);
CREATE INDEX transaction_counts_kind ON transaction_counts (account_id, span, since, type, mode, channel, bic);

CREATE FUNCTION add_to_transaction_counts(change transaction_counts) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- SKIP LOCKED: no waiting for another accept or settlement of the merchant, hence no deadlock with any lock either.
  UPDATE transaction_counts SET pending = pending + change.pending, completed = completed + change.completed,
    paid = paid + change.paid, failed = failed + change.failed, cancelled = cancelled + change.cancelled
  WHERE span = change.span AND id = (
    SELECT c.id FROM transaction_counts c
    WHERE c.account_id = change.account_id AND c.span = change.span AND c.since = change.since
      AND c.type = change.type AND c.mode = change.mode AND c.channel = change.channel AND c.bic = change.bic
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
  IF FOUND THEN RETURN; END IF;
  INSERT INTO transaction_counts (account_id, span, since, type, mode, channel, bic, pending, completed, paid, failed, cancelled)
  VALUES (change.account_id, change.span, change.since, change.type, change.mode, change.channel, change.bic,
    change.pending, change.completed, change.paid, change.failed, change.cancelled);
END $$;

CREATE FUNCTION transaction_spans(moment timestamptz) RETURNS TABLE (span text, since timestamptz)
LANGUAGE sql IMMUTABLE AS $$
  VALUES ('all', timestamptz '-infinity'),
         ('day', date_bin('1 day', moment, timestamptz '1970-01-01 00:00:00Z')),
         ('slot', date_bin('5 minutes', moment, timestamptz '1970-01-01 00:00:00Z'))
$$;

-- Per statement, not per row: a statement that stores a million rows changes each count once.
CREATE FUNCTION count_added_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_transaction_counts(ROW(NULL, account_id, s.span, s.since, type, mode, channel, coalesce(bic, ''),
    count(*) FILTER (WHERE status = 'pending'), count(*) FILTER (WHERE status = 'completed'),
    count(*) FILTER (WHERE status = 'paid'), count(*) FILTER (WHERE status = 'failed'),
    count(*) FILTER (WHERE status = 'cancelled'))::transaction_counts)
  FROM added CROSS JOIN LATERAL transaction_spans(created_at) s
  GROUP BY account_id, s.span, s.since, type, mode, channel, coalesce(bic, '');
  RETURN NULL;
END $$;
CREATE TRIGGER transactions_count_added AFTER INSERT ON transactions
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_transactions();

-- Most changes of a row change no count (the sweep's mark, the next enquiry): they end at HAVING.
CREATE FUNCTION count_changed_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_transaction_counts(ROW(NULL, account_id, s.span, s.since, type, mode, channel, bic,
    sum(pending), sum(completed), sum(paid), sum(failed), sum(cancelled))::transaction_counts)
  FROM (
    SELECT account_id, created_at, type, mode, channel, coalesce(bic, '') AS bic,
      sum(CASE status WHEN 'pending' THEN sign ELSE 0 END) AS pending,
      sum(CASE status WHEN 'completed' THEN sign ELSE 0 END) AS completed,
      sum(CASE status WHEN 'paid' THEN sign ELSE 0 END) AS paid,
      sum(CASE status WHEN 'failed' THEN sign ELSE 0 END) AS failed,
      sum(CASE status WHEN 'cancelled' THEN sign ELSE 0 END) AS cancelled
    FROM (
      SELECT account_id, created_at, type, mode, channel, bic, status, -1 AS sign FROM removed
      UNION ALL SELECT account_id, created_at, type, mode, channel, bic, status, 1 FROM added
    ) versions
    GROUP BY account_id, created_at, type, mode, channel, coalesce(bic, '')
    HAVING sum(CASE status WHEN 'pending' THEN sign ELSE 0 END) <> 0 OR sum(CASE status WHEN 'completed' THEN sign ELSE 0 END) <> 0
      OR sum(CASE status WHEN 'paid' THEN sign ELSE 0 END) <> 0 OR sum(CASE status WHEN 'failed' THEN sign ELSE 0 END) <> 0
      OR sum(CASE status WHEN 'cancelled' THEN sign ELSE 0 END) <> 0
  ) change CROSS JOIN LATERAL transaction_spans(created_at) s
  GROUP BY account_id, s.span, s.since, type, mode, channel, bic;
  RETURN NULL;
END $$;
CREATE TRIGGER transactions_count_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_changed_transactions();

-- Nothing would count a deletion; and a payment that happened stays.
CREATE FUNCTION refuse_deleting_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'transactions are never deleted';
END $$;
CREATE TRIGGER transactions_kept BEFORE DELETE OR TRUNCATE ON transactions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_deleting_transactions();

-- What transactions are found by their metadata with: [key, value] of every item, a string as its text, anything
-- else as compact JSON with its numbers as they were sent. The text itself stays in transactions.metadata.
CREATE FUNCTION metadata_items(metadata text) RETURNS TABLE (key text, value text)
LANGUAGE sql IMMUTABLE AS $$
  SELECT item.key, item.value FROM (
    SELECT j.key, CASE json_typeof(j.value) WHEN 'string' THEN j.value #>> '{}'
      -- strings stay as they are, white space outside of them goes
      ELSE regexp_replace(j.value::text, '("(?:[^"\\]|\\.)*")|\s+', '\1', 'g') END AS value
    FROM json_each(metadata::json) j
  ) item
  -- Nothing longer can be asked for; and a number may be sent with any number of zeros.
  WHERE length(item.value) <= 255
$$;

-- In the list's order within one item. account_id and created_at are copies: neither ever changes, nor do metadata.
CREATE TABLE transaction_metadata (
  account_id      uuid NOT NULL,
  key             text COLLATE "C" NOT NULL,
  value           text COLLATE "C" NOT NULL,
  created_at      timestamptz NOT NULL,
  transaction_id  uuid NOT NULL
);
CREATE INDEX transaction_metadata_newest ON transaction_metadata (account_id, key, value, created_at DESC, transaction_id DESC);

CREATE FUNCTION index_transaction_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_metadata (account_id, key, value, created_at, transaction_id)
  SELECT a.account_id, item.key, item.value, a.created_at, a.id
  FROM added a CROSS JOIN LATERAL metadata_items(a.metadata) item WHERE a.metadata <> '{}';
  RETURN NULL;
END $$;
CREATE TRIGGER transactions_index_metadata AFTER INSERT ON transactions
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION index_transaction_metadata();

-- What was stored before.
INSERT INTO transaction_counts (account_id, span, since, type, mode, channel, bic, pending, completed, paid, failed, cancelled)
SELECT account_id, s.span, s.since, type, mode, channel, coalesce(bic, ''),
  count(*) FILTER (WHERE status = 'pending'), count(*) FILTER (WHERE status = 'completed'),
  count(*) FILTER (WHERE status = 'paid'), count(*) FILTER (WHERE status = 'failed'),
  count(*) FILTER (WHERE status = 'cancelled')
FROM transactions CROSS JOIN LATERAL transaction_spans(created_at) s
GROUP BY account_id, s.span, s.since, type, mode, channel, coalesce(bic, '');
INSERT INTO transaction_metadata (account_id, key, value, created_at, transaction_id)
SELECT t.account_id, item.key, item.value, t.created_at, t.id
FROM transactions t CROSS JOIN LATERAL metadata_items(t.metadata) item WHERE t.metadata <> '{}';

-- The sweep looks for what has been with its channel for too long among what is with a channel, not among everything.
CREATE INDEX transactions_with_channel ON transactions (handed_over_at) WHERE status = 'pending' AND handed_over_at IS NOT NULL;
