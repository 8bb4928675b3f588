-- What goes after its time. Tables that grow with every request and that no later decision about money reads are partitioned
-- by time; a partition that is older than its retention is dropped as a whole, which costs the same for ten rows as for ten
-- million. What money depends on (keys, receipts, that a notification was received) lies in tables that keep everything.

-- One row per kind of data, from data/retention.json: written by the owner with every migration (src/platform/db/retention.ts), so
-- that no process can shorten it.
CREATE TABLE retention (
  name       text COLLATE "C" PRIMARY KEY,
  kept_days  integer NOT NULL CHECK (kept_days > 0),
  -- how much time one partition has; null for what is not a table
  step       text COLLATE "C" CHECK (step IN ('day', 'month'))
);

-- Where a row goes whose partition is not there yet: no door waits for the sweep.
CREATE TABLE stored_answers_default PARTITION OF stored_answers DEFAULT;
CREATE TABLE previews_default PARTITION OF previews DEFAULT;
CREATE TABLE notification_bodies_default PARTITION OF notification_bodies DEFAULT;
CREATE TABLE callback_attempts_default PARTITION OF callback_attempts DEFAULT;

-- Makes the partitions of now and of the next three steps, and one for each time that has rows in the default partition;
-- these move there. Returns how many it made; 0 when another session is at it, or keeps the table for a second.
CREATE FUNCTION add_partitions(parent text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
  span text := (SELECT step FROM retention WHERE name = parent AND step IS NOT NULL);
  spare text := parent || '_default';
  key text;
  part text;
  begins timestamptz;
  ends timestamptz;
  made integer := 0;
BEGIN
  IF span IS NULL THEN RAISE EXCEPTION '% is not partitioned', parent; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtext('partitions of ' || parent)) THEN RETURN 0; END IF;
  SELECT a.attname INTO key FROM pg_partitioned_table p JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
    WHERE p.partrelid = to_regclass('public.' || quote_ident(parent));
  FOR begins IN EXECUTE format('SELECT moment FROM (
      SELECT generate_series(date_trunc($1, now()), now() + 3 * $2, $2) AS moment
      UNION SELECT date_trunc($1, %I) FROM %I) moments ORDER BY moment DESC LIMIT 24', key, spare)
    USING span, ('1 ' || span)::interval
  LOOP
    part := parent || '_' || to_char(begins, CASE span WHEN 'day' THEN 'YYYY_MM_DD' ELSE 'YYYY_MM' END);
    CONTINUE WHEN to_regclass('public.' || quote_ident(part)) IS NOT NULL;
    ends := begins + ('1 ' || span)::interval;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', spare);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
    EXECUTE format('WITH moved AS (DELETE FROM %1$I WHERE %2$I >= $1 AND %2$I < $2 RETURNING *) INSERT INTO %3$I SELECT * FROM moved',
      spare, key, part) USING begins, ends;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, begins, ends);
    made := made + 1;
  END LOOP;
  RETURN made;
EXCEPTION WHEN lock_not_available THEN
  RETURN 0;
END $$;

-- Drops the oldest partition, once all of it is older than the retention, and says which; null when there is none, or when a
-- statement keeps the table for a second. Its retention is read here: who may call it cannot shorten it.
CREATE FUNCTION drop_partition(parent text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' SET lock_timeout = '1s' AS $$
DECLARE
  kept integer := (SELECT kept_days FROM retention WHERE name = parent AND step IS NOT NULL);
  part text;
  ends timestamptz;
BEGIN
  IF kept IS NULL THEN RAISE EXCEPTION '% is not partitioned', parent; END IF;
  SELECT relname, (regexp_match(bound, $re$TO \('([^']+)'\)$re$))[1]::timestamptz AS until INTO part, ends FROM (
    SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass('public.' || quote_ident(parent))) parts
    WHERE bound <> 'DEFAULT' ORDER BY until LIMIT 1;
  IF ends IS NULL OR ends > now() - make_interval(days => kept) THEN RETURN NULL; END IF;
  -- The place in the schedule of retries is counted from the attempts.
  IF parent = 'callback_attempts' AND EXISTS (SELECT 1 FROM callback_events WHERE state = 'pending' AND created_at < ends) THEN
    RETURN NULL;
  END IF;
  EXECUTE format('DROP TABLE %I', part);
  RETURN part;
EXCEPTION WHEN lock_not_available OR undefined_table THEN
  RETURN NULL;
END $$;

-- Up to which entry the ledger was proven, with the sums of the accounts that carry no balance (src/reconciliation/check.ts). A
-- process may add a line that is not true: a full check recomputes the last one.
CREATE TABLE ledger_checkpoints (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entry       bigint NOT NULL,
  -- every change of a transaction's state before this moment was looked at
  at          timestamptz NOT NULL,
  -- ledger account → sum of its entries up to this one
  sums        jsonb NOT NULL,
  checked_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER ledger_checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
-- Which transactions changed their state lately, and what was posted. Rows lie nearly in the order of their time, so these
-- stay small.
CREATE INDEX transactions_status_at ON transactions USING brin (status_at) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX transfers_created_at ON transfers USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX entries_written_at ON entries USING brin (at) WITH (pages_per_range = 32, autosummarize = on);

-- How long names and numbers are kept. `early`: the least, for whoever names a reason (src/operators/api/privacy.ts).
CREATE FUNCTION payers_kept(early boolean) RETURNS interval LANGUAGE sql STABLE AS
  $$SELECT make_interval(days => kept_days) FROM retention WHERE name = CASE WHEN early THEN 'payers_at_least' ELSE 'payers' END$$;

-- Whether a transaction's people may be forgotten: it ended longer ago than the retention of payers, and nothing about it is
-- still to be done. Money in suspense may have to go back to them, also when a payback on its way fails.
CREATE FUNCTION is_forgettable(t transactions, early boolean) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN t.status <> 'pending'
    AND greatest(t.status_at, t.returned_at) < now() - payers_kept(early)
    AND NOT EXISTS (SELECT 1 FROM attention a WHERE a.transaction_id = t.id AND a.resolved_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM callback_events e WHERE e.transaction_id = t.id AND e.state = 'pending')
    AND NOT EXISTS (SELECT 1 FROM suspense_items i WHERE i.transaction_id = t.id AND is_unresolved(i.id));
END $$;

-- The same of a payment of no bill, which has no transaction. While its money is in suspense, or on its way back, only this
-- row says whose it is.
CREATE FUNCTION is_forgettable_receipt(r bill_receipts, early boolean) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN r.transaction_id IS NULL
    AND r.received_at < now() - payers_kept(early)
    AND NOT EXISTS (SELECT 1 FROM items_called(r.space, r.receipt) AS its (id) WHERE is_unresolved(its.id));
END $$;

-- Erases names and numbers from these transactions and from all that was said about them, and says of how many; `person`:
-- only where it is this number or bank account, and then also from its payments of no bill, which count as well. Those that are too young are passed over, whoever asks. Money, references and
-- keys stay. 255000000000 is nobody's number and still one, so that whoever reads it finds what the rules promise.
CREATE FUNCTION erase_payers(ids uuid[], person text, early boolean) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  old uuid[];
  receipts integer;
  items text[];
BEGIN
  WITH nobodys AS (
    UPDATE bill_receipts r SET msisdn = '255000000000', full_name = NULL WHERE r.msisdn = person AND is_forgettable_receipt(r, early)
    RETURNING r.space, r.receipt)
  SELECT count(*), array_agg((SELECT i.id FROM suspense_items i WHERE i.space = n.space AND i.receipt = n.receipt AND NOT i.is_void)) INTO receipts, items
  FROM nobodys n;
  -- Whoever asked for a bill and did not pay it: nobody needs a claim that is over.
  UPDATE bills SET claimed_by = NULL, claimed_until = NULL WHERE claimed_until < now() - interval '1 day';
  SELECT array_agg(id) INTO old FROM (
    SELECT t.id FROM transactions t WHERE t.id = ANY(ids) AND is_forgettable(t, early) ORDER BY t.id FOR NO KEY UPDATE) locked;
  -- Lines of statements that are their movements, also where a line was in suspense first, with every line of their receipts, and
  -- the bytes of the files that these stand in (0023_reconciliation.sql).
  WITH moved AS (
    SELECT id FROM transfers WHERE transaction_id = ANY(old)
    UNION SELECT transfer_id FROM suspense_items WHERE transaction_id = ANY(old)
    UNION SELECT i.transfer_id FROM transfers t JOIN suspense_items i ON i.left_by = t.id WHERE t.transaction_id = ANY(old)
    UNION SELECT i.transfer_id FROM bill_receipts r JOIN suspense_items i USING (space, receipt) WHERE r.transaction_id = ANY(old) AND NOT i.is_void
    UNION SELECT transfer_id FROM suspense_items WHERE id = ANY(items)),
  shown AS (
    SELECT l.id, l.account, l.receipt FROM moved JOIN entries e ON e.transfer_id = moved.id JOIN line_matches m ON m.entry_id = e.id
    JOIN statement_lines l ON l.id = m.line_id),
  theirs AS (
    -- What somebody typed as a reference may be a name or a number; a name of ours is neither.
    UPDATE statement_lines n SET sealed = NULL, reference = CASE WHEN EXISTS (SELECT FROM transactions x WHERE x.reference = n.reference)
      OR EXISTS (SELECT FROM bills b WHERE b.control_number = n.reference) OR EXISTS (SELECT FROM numbers s WHERE s.control_number = n.reference) THEN n.reference END
    WHERE sealed IS NOT NULL AND id IN (
      SELECT id FROM shown UNION SELECT l.id FROM shown s JOIN statement_lines l USING (account, receipt)) RETURNING account, at)
  UPDATE statements s SET raw = NULL FROM theirs WHERE s.account = theirs.account AND theirs.at >= s.from_at AND theirs.at < s.to_at;
  IF old IS NULL THEN RETURN receipts; END IF;
  UPDATE stored_answers s SET body = replace(s.body, '"account_number":"' || t.account_number || '"', '"account_number":"ERASED"')
    FROM idempotency_keys k JOIN transactions t ON t.id = k.transaction_id
    WHERE t.id = ANY(old) AND t.account_number IS NOT NULL AND (person IS NULL OR person = t.account_number)
      AND s.submission_id = k.submission_id AND s.answered_at = k.answered_at;
  DELETE FROM payout_recipients p USING transactions t
    WHERE t.id = ANY(old) AND t.type = 'payout' AND p.account_id = t.account_id
      AND p.recipient IN (t.msisdn, t.bic || '/' || t.account_number) AND (person IS NULL OR person IN (t.msisdn, t.account_number))
      AND p.day < now() - payers_kept(early);
  UPDATE bill_receipts SET msisdn = CASE WHEN msisdn IS NOT NULL THEN '255000000000' END, full_name = NULL
    WHERE transaction_id = ANY(old) AND (person IS NULL OR msisdn = person);
  UPDATE transactions SET msisdn = CASE WHEN msisdn IS NOT NULL THEN '255000000000' END,
      full_name = CASE WHEN account_number IS NOT NULL THEN 'ERASED' END, account_number = CASE WHEN account_number IS NOT NULL THEN 'ERASED' END
    WHERE id = ANY(old) AND (person IS NULL OR person IN (msisdn, account_number));
  DELETE FROM notification_bodies b USING notifications n
    WHERE n.transaction_id = ANY(old) AND b.notification_id = n.id AND b.received_at = n.received_at;
  UPDATE notifications SET content = content - 'fullName' WHERE transaction_id = ANY(old) AND content ? 'fullName';
  -- Delivered, or given up, and too old to be sent again.
  UPDATE callback_events SET body = '{}' WHERE transaction_id = ANY(old);
  RETURN cardinality(old) + receipts;
END $$;
