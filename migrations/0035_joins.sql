-- One movement that was told twice, by two paths, is found and joined (docs/decisions/0034).

-- What a channel or a door tells under a receipt is booked by who has looked for it before. Another one may have told it since: then
-- the caller's transaction runs again and finds that.
CREATE FUNCTION refuse_taken_receipt(name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the receipt % is another movement''s', name USING ERRCODE = 'ML002';
END $$;

-- A door's receipt is one receipt however it is spelled.
CREATE INDEX bill_receipts_plain ON bill_receipts (space, plain_name(receipt));

-- A number that only points is looked for where a receipt is told with another amount.
CREATE INDEX movement_names_pointers ON movement_names (space, plain) WHERE NOT is_receipt AND freed_at IS NULL;

-- A line that went over to another movement of ours is no more that of its item.
CREATE OR REPLACE FUNCTION refuse_inexact_match() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT line_id, count(*) AS entries FROM added GROUP BY line_id) n JOIN statement_lines l ON l.id = n.line_id
    CROSS JOIN LATERAL (
      SELECT count(*) AS entries, -sum(e.amount) AS amount, bool_and(a.currency = l.currency AND a.kind IN ('clearing', 'settlement')) AS fits
      FROM line_matches m JOIN entries e ON e.id = m.entry_id JOIN ledger_accounts a ON a.id = e.ledger_account_id
      WHERE m.line_id = n.line_id AND NOT m.is_freed) matched
    WHERE l.status <> 'done' OR l.is_void OR NOT matched.fits OR matched.amount <> l.amount OR matched.entries <> n.entries) THEN
    RAISE EXCEPTION 'a line is matched once, by movements whose sum is exactly its amount';
  END IF;
  IF EXISTS (SELECT FROM added m JOIN statement_lines l ON l.id = m.line_id JOIN closed_days d USING (account, day) WHERE d.reopened_at IS NULL) THEN
    RAISE EXCEPTION 'the day of a line that is matched is closed';
  END IF;
  RETURN NULL;
END $$;

-- An item turned out to be a movement that is booked: its line and its names are that one's. The caller has taken it back
-- (`void:` of its transfer). As the owner: no process frees a name or a match.
CREATE FUNCTION join_item(item text, movement uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  booked bigint := (SELECT max(e.id) FROM entries e WHERE e.movement_id = movement AND NOT e.takes_back);
  was bigint;
  of uuid;
BEGIN
  SELECT e.id, e.movement_id INTO was, of FROM suspense_items i JOIN transfers back ON back.id = i.left_by AND back.dedupe_key = 'void:' || i.transfer_id
    JOIN entries e ON e.transfer_id = i.transfer_id AND e.movement_id IS NOT NULL WHERE i.id = item;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the item % is not taken back', item;
  END IF;
  UPDATE suspense_items i SET receipt = i.receipt || '#void#' || i.id, known_as = NULL, named_in = NULL WHERE i.id = item;
  WITH freed AS (UPDATE line_matches SET is_freed = true WHERE entry_id = was AND NOT is_freed RETURNING line_id)
  INSERT INTO line_matches (entry_id, line_id, pass) SELECT booked, line_id, 'receipt' FROM freed;
  UPDATE movement_names SET freed_at = now() WHERE movement_id = of AND freed_at IS NULL;
  INSERT INTO movement_names (movement_id, space, direction, name, is_receipt, line_id)
  SELECT movement, n.space, n.direction, n.name, n.is_receipt, n.line_id FROM movement_names n
  WHERE n.movement_id = of AND n.freed_at = now()
    AND NOT EXISTS (SELECT FROM movement_names o WHERE o.movement_id = movement AND o.plain = n.plain AND o.freed_at IS NULL);
END $$;

-- Two operators agree that a statement is void. What took back an item without them has given its line to another movement.
ALTER TABLE transfers DROP CONSTRAINT two_operators_agreed;
ALTER TABLE transfers ADD CONSTRAINT two_operators_agreed
  CHECK (kind NOT IN ('suspense_release', 'suspense_return', 'write_off', 'correction', 'payback', 'own') OR proposal_id IS NOT NULL);
CREATE FUNCTION refuse_void_by_nobody() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM transfers t JOIN entries e ON e.transfer_id = t.id JOIN line_matches was ON was.entry_id = e.id AND was.is_freed
      JOIN line_matches now ON now.line_id = was.line_id AND NOT now.is_freed WHERE NEW.dedupe_key = 'void:' || t.id) THEN
    RAISE EXCEPTION '% takes back what two operators did not agree on', NEW.dedupe_key;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER transfers_void_agreed AFTER INSERT ON transfers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.kind = 'void' AND NEW.proposal_id IS NULL) EXECUTE FUNCTION refuse_void_by_nobody();
