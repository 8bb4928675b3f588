-- Real money that moved at one account of ours at a network or bank is a row, and every entry on `clearing` or `settlement` says
-- which one it is (docs/decisions/0034). Nothing was released before, so books that were kept without them are not brought over.
DO $$ BEGIN
  IF EXISTS (SELECT FROM entries) THEN
    RAISE EXCEPTION 'these books are older than movements: begin with an empty database (npm start: move the folder .data away)';
  END IF;
END $$;

-- A number of theirs as it is compared: without regard to case and white space.
CREATE FUNCTION plain_name(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT upper(regexp_replace(name COLLATE "C", '\s', '', 'g') COLLATE "C") COLLATE "C"
$$;

CREATE FUNCTION plain_names(names text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT array_agg(plain_name(name)) FROM unnest(names) AS name);

-- A line says what it gives back by its names, maybe before anybody told of the payment.
CREATE INDEX statement_lines_given_back ON statement_lines USING gin (plain_names(names)) WHERE kind IN ('reversal', 'return');

CREATE TABLE movements (
  id                 uuid PRIMARY KEY,
  -- which account of ours: `clearing` of a channel, or `settlement`
  ledger_account_id  bigint NOT NULL REFERENCES ledger_accounts,
  -- the number space of its names: that of its connection, else of the ledger account alone
  space              text COLLATE "C" NOT NULL,
  -- over which it moved; null: people told of it
  connection         text COLLATE "C",
  kind               text COLLATE "C" NOT NULL CHECK (kind IN ('itself', 'charge', 'reversal', 'opening')),
  -- positive: into their account
  amount             bigint NOT NULL CHECK (amount <> 0),
  direction          text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE WHEN amount > 0 THEN 'in' ELSE 'out' END) STORED,
  currency           text COLLATE "C" NOT NULL,
  -- whose statement showed it first, and when it says that it moved; null: a channel or people told first
  account            text COLLATE "C",
  at                 timestamptz,
  transaction_id     uuid REFERENCES transactions,
  -- which payment of a bill
  part               smallint,
  told_by            text COLLATE "C" NOT NULL CHECK (told_by IN ('channel', 'door', 'line', 'people')),
  -- the movement that it gives back, where we know it
  gives_back         uuid REFERENCES movements,
  created_at         timestamptz NOT NULL DEFAULT now(),
  CHECK ((account IS NULL) = (at IS NULL)),
  UNIQUE (id, space, direction)
);
CREATE INDEX movements_transaction ON movements (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX movements_gives_back ON movements (gives_back) WHERE gives_back IS NOT NULL;

-- What they call it. A receipt is one movement of its space and direction; any other number of theirs only points. Our own
-- references are those of its transaction.
CREATE TABLE movement_names (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  movement_id  uuid NOT NULL,
  space        text COLLATE "C" NOT NULL,
  direction    text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  plain        text COLLATE "C" NOT NULL GENERATED ALWAYS AS (plain_name(name)) STORED,
  is_receipt   boolean NOT NULL,
  -- the line of a statement that told it; null: a channel or people did
  line_id      bigint REFERENCES statement_lines,
  -- since when it counts no more: its line is void
  freed_at     timestamptz,
  told_at      timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (movement_id, space, direction) REFERENCES movements (id, space, direction)
);
CREATE UNIQUE INDEX movement_names_receipt ON movement_names (space, direction, plain) WHERE is_receipt AND freed_at IS NULL;
-- A channel may say what a line said before: that it does is kept when the line is void.
CREATE UNIQUE INDEX movement_names_once ON movement_names (movement_id, plain, is_receipt, (line_id IS NULL)) WHERE freed_at IS NULL;
-- What people typed is looked for without regard to separators, too.
CREATE INDEX movement_names_typed ON movement_names (plain_reference(name));
CREATE INDEX movement_names_line ON movement_names (line_id) WHERE line_id IS NOT NULL;
-- People look for a number without knowing its space.
CREATE INDEX movement_names_plain ON movement_names (plain, space) WHERE freed_at IS NULL;
-- A door's receipt is one receipt however it is spelled.
CREATE INDEX bill_receipts_plain ON bill_receipts (space, plain_name(receipt));

CREATE TRIGGER movements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON movements
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER movement_names_append_only BEFORE UPDATE OF id, movement_id, space, direction, name, is_receipt, line_id, told_at
    OR DELETE OR TRUNCATE ON movement_names
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER movement_names_freed_once BEFORE UPDATE OF freed_at ON movement_names
  FOR EACH ROW WHEN (OLD.freed_at IS NOT NULL) EXECUTE FUNCTION refuse_rewriting_history();

-- Which movement an entry is, or takes back: a decision that was wrong, a void statement, what they never made.
ALTER TABLE entries ADD COLUMN movement_id uuid REFERENCES movements;
ALTER TABLE entries ADD COLUMN takes_back boolean NOT NULL DEFAULT false;
ALTER TABLE entries ADD CHECK (NOT takes_back OR movement_id IS NOT NULL);
CREATE INDEX entries_movement ON entries (movement_id) WHERE movement_id IS NOT NULL;
-- The other entry of its movement was no movement at all: its statement is void, two people corrected it, or its channel says the opposite
-- of what it had said. No statement shows either of the two.
ALTER TABLE entries ADD COLUMN undoes bigint REFERENCES entries CHECK (undoes IS NULL OR movement_id IS NOT NULL);
CREATE UNIQUE INDEX entries_undone ON entries (undoes) WHERE undoes IS NOT NULL;

-- The line of a statement that a rule has booked so.
ALTER TABLE transfers ADD COLUMN line_id bigint REFERENCES statement_lines;
CREATE INDEX transfers_line ON transfers (line_id) WHERE line_id IS NOT NULL;

-- Money at a network or bank changes by movements alone, and nothing else has one.
CREATE FUNCTION refuse_entry_without_movement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM added e JOIN ledger_accounts a ON a.id = e.ledger_account_id
             WHERE (a.kind IN ('clearing', 'settlement')) <> (e.movement_id IS NOT NULL)) THEN
    RAISE EXCEPTION 'an entry on clearing or settlement names its movement, and no other entry has one';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_have_movements AFTER INSERT ON entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_entry_without_movement();

-- At the end, a movement stands for its amount or for nothing: a path that forgets that another one was there fails here, and
-- does not book twice. Two that turn one movement wait for each other. As the owner: no process may lock it.
CREATE FUNCTION refuse_movement_booked_twice() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  moved movements;
  stands integer;
BEGIN
  SELECT * INTO moved FROM movements WHERE id = NEW.movement_id;
  IF NEW.ledger_account_id <> moved.ledger_account_id
    OR NEW.amount <> (CASE WHEN NEW.takes_back THEN moved.amount ELSE -moved.amount END)
    OR NEW.undoes IS NOT NULL AND NOT EXISTS (SELECT FROM entries e WHERE e.id = NEW.undoes AND e.movement_id = moved.id AND e.takes_back <> NEW.takes_back) THEN
    RAISE EXCEPTION 'entry % is not the movement %, and does not take it back', NEW.id, moved.id;
  END IF;
  IF NOT EXISTS (SELECT FROM entries WHERE movement_id = moved.id AND id <> NEW.id) AND NOT NEW.takes_back THEN
    RETURN NULL;
  END IF;
  PERFORM FROM movements WHERE id = moved.id FOR NO KEY UPDATE;
  SELECT sum(CASE WHEN takes_back THEN -1 ELSE 1 END) INTO stands FROM entries WHERE movement_id = moved.id;
  IF stands NOT IN (0, 1) THEN
    RAISE EXCEPTION 'movement % is booked % times', moved.id, stands;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER entries_book_once AFTER INSERT ON entries
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.movement_id IS NOT NULL) EXECUTE FUNCTION refuse_movement_booked_twice();

-- None is left without its entry.
CREATE FUNCTION refuse_movement_without_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM entries WHERE movement_id = NEW.id) THEN
    RAISE EXCEPTION 'movement % has no entry', NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER movements_are_booked AFTER INSERT ON movements
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_movement_without_entry();

-- What a channel or a door tells under a receipt is booked by who has looked for it before. Another one may have told it since: then
-- the caller's transaction runs again and finds that.
CREATE FUNCTION refuse_taken_receipt(name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the receipt % is another movement''s', name USING ERRCODE = 'ML002';
END $$;

-- Each entry of a movement that a statement may show, with the names that it may have there. `amount` is positive where money came
-- into their account. `receipts`: their numbers of it, of its first entry alone; `is_named`: one of them is its receipt; `ours`: references of ours; `originals`: their
-- numbers of what it gives back, and ours where it takes a movement back: the line of a return may name us alone. A receipt that another movement had already is its own only where a channel said so; what people
-- typed is also the number without its separators, where no other movement has that as its receipt.
CREATE VIEW movement_entries AS
  SELECT e.id AS entry_id, e.transfer_id, e.undoes, t.created_at,
    CASE WHEN its.is_first OR t.kind = 'void' THEN coalesce(m.at, e.at) ELSE e.at END AS at,
    -e.amount AS amount, m.currency, a.code AS book, t.kind, x.id AS transaction_id, coalesce(back.id, i.id) AS item, m.account, m.connection,
    CASE WHEN its.is_first THEN its.names ELSE '{}' END AS receipts,
    its.is_first AND EXISTS (SELECT FROM movement_names n WHERE n.movement_id = m.id AND n.is_receipt AND n.freed_at IS NULL) AS is_named,
    called.ours,
    CASE WHEN NOT its.is_first THEN its.names || called.ours
      WHEN m.gives_back IS NOT NULL THEN ARRAY(SELECT n.name FROM movement_names n WHERE n.movement_id = m.gives_back AND n.freed_at IS NULL ORDER BY n.id)
        || array_remove(ARRAY[back.receipt], NULL)
      WHEN t.kind IN ('reversal', 'suspense') AND t.transaction_id IS NOT NULL AND x.is_receipt THEN ARRAY[x.channel_reference] ELSE '{}' END AS originals
  FROM entries e JOIN movements m ON m.id = e.movement_id JOIN ledger_accounts a ON a.id = m.ledger_account_id
  JOIN transfers t ON t.id = e.transfer_id
  CROSS JOIN LATERAL (
    SELECT ARRAY(SELECT n.name FROM movement_names n WHERE n.movement_id = m.id AND n.freed_at IS NULL AND (n.is_receipt OR n.line_id IS NULL) ORDER BY n.id)
        || CASE WHEN m.told_by = 'people' THEN ARRAY(SELECT plain_reference(n.name) FROM movement_names n WHERE n.movement_id = m.id AND n.freed_at IS NULL AND plain_reference(n.name) <> n.name
            AND NOT EXISTS (SELECT FROM movement_names o WHERE o.plain = plain_reference(n.name) AND o.direction = n.direction AND o.is_receipt AND o.freed_at IS NULL))
           ELSE '{}' END AS names,
      NOT EXISTS (SELECT FROM entries f WHERE f.movement_id = m.id AND f.id < e.id) AS is_first) its
  LEFT JOIN suspense_items i ON i.transfer_id = t.id
  -- Whose item nobody knew is its who took it.
  LEFT JOIN transfers took ON took.id = i.left_by AND took.kind IN ('collection', 'payout', 'payback_paid')
  LEFT JOIN transactions x ON x.id = coalesce(t.transaction_id, took.transaction_id)
  LEFT JOIN bills b ON b.transaction_id = x.id
  LEFT JOIN numbers number ON number.id = x.number_id
  LEFT JOIN bill_receipts paid ON paid.transaction_id = m.transaction_id AND paid.number = m.part
  LEFT JOIN transactions p ON p.id = paid.prompt_id
  LEFT JOIN bill_receipts odd ON odd.space = i.space AND odd.receipt = i.receipt AND odd.transaction_id IS NULL AND odd.outcome = 'suspended'
    AND odd.reason <> 'receipt_of_another'
  LEFT JOIN suspense_items back ON back.left_by = t.id
  CROSS JOIN LATERAL (SELECT array_remove(ARRAY[x.reference, x.id::text, replace(x.id::text, '-', ''), coalesce(b.control_number, number.control_number, odd.control_number), p.reference, p.id::text, replace(p.id::text, '-', '')], NULL) AS ours) called;

-- Items that have this name in a number space: what they were called at first, and what their movement is called since.
CREATE FUNCTION items_called(its_space text, called text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT i.id FROM suspense_items i WHERE i.receipt = called AND i.space = its_space AND NOT i.is_void
  UNION SELECT i.id FROM movement_names n JOIN entries e ON e.movement_id = n.movement_id AND NOT e.takes_back
    JOIN suspense_items i ON i.transfer_id = e.transfer_id AND NOT i.is_void
  WHERE n.plain = plain_name(called) AND n.space = its_space AND n.freed_at IS NULL
$$;

-- Two operators say that a statement was wrong: it counts no more, nor do its lines. What was booked for them is taken back by then
-- (src/reconciliation/void.ts): its items are void, names that its lines alone told are free again (of what was taken back, and of
-- what was there without it), and what was not is another line's to explain. Runs as the owner: no process may change what
-- is stored. False where it was void before.
CREATE FUNCTION void_statement(statement text, proposal text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE statements SET voided_by = proposal, voided_at = now() WHERE id = statement AND voided_by IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  IF EXISTS (SELECT FROM statement_lines l JOIN closed_days d USING (account, day) WHERE l.statement_id = statement AND d.reopened_at IS NULL) THEN
    RAISE EXCEPTION 'the day of a line that is to be void is closed';
  END IF;
  UPDATE statement_lines SET is_void = true WHERE statement_id = statement;
  UPDATE line_matches m SET is_freed = true FROM statement_lines l WHERE l.id = m.line_id AND l.statement_id = statement
    AND NOT EXISTS (SELECT FROM entries e JOIN transfers back ON back.id = e.transfer_id AND back.kind = 'void' WHERE e.undoes = m.entry_id);
  UPDATE suspense_items i SET is_void = true
  FROM statement_lines l JOIN transfers t ON t.line_id = l.id
  WHERE l.statement_id = statement AND i.transfer_id = t.id AND EXISTS (SELECT FROM transfers back WHERE back.id = i.left_by AND back.kind = 'void');
  UPDATE movement_names n SET freed_at = now() FROM statement_lines l
  WHERE l.statement_id = statement AND n.line_id = l.id AND n.freed_at IS NULL
    AND ((SELECT sum(CASE WHEN e.takes_back THEN -1 ELSE 1 END) FROM entries e WHERE e.movement_id = n.movement_id) = 0
      OR (SELECT m.told_by FROM movements m WHERE m.id = n.movement_id) <> 'line');
  -- What a channel said, too, is its receipt from now on.
  WITH said AS (
    UPDATE movement_names n SET freed_at = now() FROM movement_names was JOIN statement_lines l ON l.id = was.line_id
    WHERE l.statement_id = statement AND was.is_receipt AND was.freed_at = now()
      AND n.movement_id = was.movement_id AND n.plain = was.plain AND n.line_id IS NULL AND n.freed_at IS NULL
    RETURNING n.*)
  INSERT INTO movement_names (movement_id, space, direction, name, is_receipt)
  SELECT movement_id, space, direction, name, true FROM said;
  RETURN true;
END $$;

-- An item turned out to be a movement that is booked: its line and its names are that one's. The caller has taken it back
-- (`void`). As the owner: no process frees a name or a match.
CREATE FUNCTION join_item(item text, movement uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  booked bigint := (SELECT max(e.id) FROM entries e WHERE e.movement_id = movement AND NOT e.takes_back);
  was bigint;
  of uuid;
BEGIN
  SELECT e.id, e.movement_id INTO was, of FROM suspense_items i JOIN transfers back ON back.id = i.left_by AND back.kind = 'void'
    JOIN entries e ON e.transfer_id = i.transfer_id AND e.movement_id IS NOT NULL WHERE i.id = item;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the item % is not taken back', item;
  END IF;
  UPDATE suspense_items SET is_void = true WHERE id = item;
  WITH freed AS (UPDATE line_matches SET is_freed = true WHERE entry_id = was AND NOT is_freed RETURNING line_id)
  INSERT INTO line_matches (entry_id, line_id, pass) SELECT booked, line_id, 'receipt' FROM freed;
  UPDATE movement_names SET freed_at = now() WHERE movement_id = of AND freed_at IS NULL;
  INSERT INTO movement_names (movement_id, space, direction, name, is_receipt, line_id)
  SELECT movement, n.space, n.direction, n.name, n.is_receipt, n.line_id FROM movement_names n
  WHERE n.movement_id = of AND n.freed_at = now()
    AND NOT EXISTS (SELECT FROM movement_names o WHERE o.movement_id = movement AND o.plain = n.plain AND (o.is_receipt OR NOT n.is_receipt)
      AND (o.line_id IS NULL) = (n.line_id IS NULL) AND o.freed_at IS NULL);
END $$;

-- Two operators agree that a statement is void. What took back an item without them has given its line to another movement.
CREATE FUNCTION refuse_void_by_nobody() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM entries e JOIN line_matches was ON was.entry_id = e.undoes AND was.is_freed
      JOIN line_matches now ON now.line_id = was.line_id AND NOT now.is_freed WHERE e.transfer_id = NEW.id) THEN
    RAISE EXCEPTION '% takes back what two operators did not agree on', NEW.dedupe_key;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER transfers_void_agreed AFTER INSERT ON transfers DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.kind = 'void' AND NEW.proposal_id IS NULL) EXECUTE FUNCTION refuse_void_by_nobody();
