-- What networks and banks say about our money, line by line, and which of our movements each line is.

-- A bank's reference as it is compared (src/ledger/transfer.ts): however it is typed, it is one movement.
CREATE FUNCTION plain_reference(reference text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(nullif(regexp_replace(upper(reference COLLATE "C"), '[^A-Z0-9]', '', 'g'), ''), reference) COLLATE "C"
$$;

-- A file or a fetched list, read once and proven (src/reconciliation/import.ts). Written last of all it brought, with what
-- came of it, so that it never changes.
CREATE TABLE statements (
  id           text COLLATE "C" PRIMARY KEY,
  -- of the channels file
  account      text COLLATE "C" NOT NULL,
  -- of the bytes: the same again changes nothing
  sha256       bytea NOT NULL,
  from_at      timestamptz NOT NULL,
  to_at        timestamptz NOT NULL,
  currency     text COLLATE "C" NOT NULL,
  -- null where neither the format nor the network's API says it: unproven
  opening      bigint,
  closing      bigint,
  -- the first of its account: what is ours before `from_at` needs no line
  is_first     boolean NOT NULL,
  -- how many lines came of each class
  outcome      jsonb NOT NULL,
  -- sealed with the callbacks' keys; it seals the raw bytes and what lines say of people
  data_key     bytea NOT NULL,
  -- null once it is older than its retention, or a payer in it was erased
  raw          bytea,
  imported_by  text COLLATE "C" NOT NULL,
  -- under the lock of its account, so that the newest is the last one
  imported_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- by whose word it counts no more: it was wrong or forged
  voided_by    text COLLATE "C" REFERENCES proposals,
  voided_at    timestamptz,
  CHECK (from_at < to_at),
  CHECK ((opening IS NULL) = (closing IS NULL)),
  CHECK ((voided_by IS NULL) = (voided_at IS NULL))
);
CREATE UNIQUE INDEX statements_once ON statements (account, sha256) WHERE voided_by IS NULL;
CREATE UNIQUE INDEX statements_first ON statements (account) WHERE is_first AND voided_by IS NULL;
CREATE INDEX statements_newest ON statements (account, to_at) WHERE voided_by IS NULL;
CREATE INDEX statements_oldest ON statements (account, from_at);

CREATE TABLE statement_lines (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  statement_id   text COLLATE "C" NOT NULL REFERENCES statements DEFERRABLE INITIALLY DEFERRED,
  account        text COLLATE "C" NOT NULL,
  -- its place in the file, as people count; 0: made by us (the money that was there before the first statement)
  no             integer NOT NULL,
  -- its place in the chain of its account's balances
  position       bigint NOT NULL,
  -- of account, receipt, kind, amount, currency, time, their balance and the n-th of equals: in another file it is the same line
  key            bytea NOT NULL,
  receipt        text COLLATE "C",
  -- what it calls the movement beside its receipt: numbers that only point
  also_known_as  text[] COLLATE "C" NOT NULL DEFAULT '{}',
  kind           text COLLATE "C" NOT NULL CHECK (kind IN ('payment', 'payout', 'fee', 'tax', 'sweep', 'funding', 'reversal', 'return', 'adjustment', 'unknown', 'opening')),
  -- only `done` moved money
  status         text COLLATE "C" NOT NULL CHECK (status IN ('done', 'failed', 'pending')),
  -- positive: into the account
  amount         bigint NOT NULL,
  currency       text COLLATE "C" NOT NULL,
  at             timestamptz NOT NULL,
  -- in Dar es Salaam, in whose proof it counts
  day            date NOT NULL,
  -- its own day, where that was closed before it came
  late_for       date,
  reference      text COLLATE "C",
  names          text[] COLLATE "C" NOT NULL,
  sweep_to       text COLLATE "C",
  -- as they say it
  balance_after  bigint,
  -- the balance after it as its statement proves it; null where that is unproven
  running        bigint,
  -- what is wrong with the line itself: a second done one of its receipt and kind, or a known one told otherwise
  finding        text COLLATE "C" CHECK (finding IN ('twice', 'changed')),
  -- the line as it came, its text and its payer; null once he was erased
  sealed         bytea,
  -- nothing explains it yet, and it is looked at again (src/reconciliation/passes.ts)
  waits          boolean NOT NULL DEFAULT false,
  -- its statement is void: it counts no more, and may come again
  is_void        boolean NOT NULL DEFAULT false,
  CHECK ((at AT TIME ZONE 'Africa/Dar_es_Salaam')::date = coalesce(late_for, day)),
  CHECK (late_for < day)
);
CREATE UNIQUE INDEX statement_lines_once ON statement_lines (account, key) WHERE NOT is_void;
CREATE UNIQUE INDEX statement_lines_position ON statement_lines (account, position) WHERE NOT is_void;
CREATE INDEX statement_lines_receipt ON statement_lines (receipt, account) WHERE receipt IS NOT NULL;
CREATE INDEX statement_lines_unnamed ON statement_lines (reference) WHERE receipt IS NULL AND reference IS NOT NULL;
CREATE INDEX statement_lines_waiting ON statement_lines (account) WHERE waits;
CREATE INDEX statement_lines_day ON statement_lines (account, day);
CREATE INDEX statement_lines_statement ON statement_lines (statement_id);
-- A row that a statement calls failed moved nothing, but speaks of a movement that we may have booked: such rows are few, and looked
-- for by account and time whenever movements without a line are listed.
CREATE INDEX statement_lines_failed ON statement_lines (account, at) WHERE status = 'failed' AND NOT is_void;

-- Which of our movements a line is: an entry of `clearing` or `settlement`. An entry has one line. A line has one entry, or
-- several whose sum is exactly its amount.
CREATE TABLE line_matches (
  entry_id    bigint NOT NULL REFERENCES entries,
  line_id     bigint NOT NULL REFERENCES statement_lines,
  -- the rule that found it, or under which it was booked
  pass        text COLLATE "C" NOT NULL,
  matched_at  timestamptz NOT NULL DEFAULT now(),
  -- its line is void, and its entry is a movement all the same: another line's
  is_freed    boolean NOT NULL DEFAULT false,
  PRIMARY KEY (line_id, entry_id)
);
CREATE UNIQUE INDEX line_matches_once ON line_matches (entry_id) WHERE NOT is_freed;
CREATE INDEX line_matches_entry ON line_matches (entry_id);

-- All of a line in one statement, whole, in its currency, and only what moved money. A line that went over to another movement of
-- ours is no more that of its item.
CREATE FUNCTION refuse_inexact_match() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER line_matches_exact AFTER INSERT ON line_matches
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_inexact_match();

-- Lines that were told otherwise before, where two people say that the first word stands: nothing moves.
CREATE TABLE line_dismissals (
  line_id      bigint PRIMARY KEY REFERENCES statement_lines,
  proposal_id  text COLLATE "C" NOT NULL REFERENCES proposals
);

-- Days that two people closed: nothing is added to them. One that they opened again keeps its row. Its figures, as they closed
-- them: the days after it go on from them, so that nobody reads again what was proven once (src/reconciliation/days.ts).
CREATE TABLE closed_days (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account      text COLLATE "C" NOT NULL,
  day          date NOT NULL,
  lines        integer NOT NULL,
  matched      integer NOT NULL,
  booked       integer NOT NULL,
  opening      bigint,
  closing      bigint,
  -- of all accounts that are proven together
  clearing     bigint NOT NULL,
  unbooked     bigint NOT NULL,
  unseen       bigint NOT NULL,
  -- these, their ledger accounts and connections: with others the figures prove nothing
  together     text COLLATE "C" NOT NULL,
  -- closes one day once: a row that was written is worth nothing a second time
  closed_by    text COLLATE "C" NOT NULL UNIQUE REFERENCES proposals,
  -- that a process of ours closed it with these figures (src/reconciliation/fixed-day.ts)
  mac          text COLLATE "C" NOT NULL,
  -- under the locks of these accounts, as `reopened_at`: so they are in the order in which it happened
  closed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  reopened_by  text COLLATE "C" REFERENCES proposals,
  reopened_at  timestamptz,
  CHECK ((reopened_by IS NULL) = (reopened_at IS NULL))
);
CREATE UNIQUE INDEX closed_days_once ON closed_days (account, day) WHERE reopened_at IS NULL;

CREATE FUNCTION refuse_line_of_closed_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM added l JOIN closed_days d USING (account, day) WHERE d.reopened_at IS NULL) THEN
    RAISE EXCEPTION 'the day of a line that is added is closed';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER statement_lines_of_open_days AFTER INSERT ON statement_lines
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_line_of_closed_day();

CREATE TRIGGER line_matches_append_only BEFORE UPDATE OF entry_id, line_id, pass, matched_at OR DELETE OR TRUNCATE ON line_matches
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER line_dismissals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON line_dismissals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER statements_append_only BEFORE UPDATE OF id, account, sha256, from_at, to_at, currency, opening, closing, is_first, outcome,
    imported_by, imported_at OR DELETE OR TRUNCATE ON statements
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER statement_lines_append_only BEFORE UPDATE OF id, statement_id, account, no, position, key, receipt, also_known_as, kind, status, amount,
    currency, at, day, late_for, names, sweep_to, balance_after, running, finding OR DELETE OR TRUNCATE ON statement_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER closed_days_append_only BEFORE UPDATE OF id, account, day, lines, matched, booked, opening, closing, clearing, unbooked, unseen, together,
    closed_by, mac, closed_at OR DELETE OR TRUNCATE ON closed_days
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
-- What is void stays so.
CREATE TRIGGER statements_void_once BEFORE UPDATE OF voided_by, voided_at ON statements
  FOR EACH ROW WHEN (OLD.voided_by IS NOT NULL) EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER statement_lines_void_once BEFORE UPDATE OF is_void ON statement_lines
  FOR EACH ROW WHEN (OLD.is_void) EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER line_matches_freed_once BEFORE UPDATE OF is_freed ON line_matches
  FOR EACH ROW WHEN (OLD.is_freed) EXECUTE FUNCTION refuse_rewriting_history();
-- A day is opened again once.
CREATE FUNCTION refuse_closing_otherwise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.reopened_at IS NOT NULL THEN
    RAISE EXCEPTION 'closed_days is append-only: a day that was opened again is closed by a new row';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER closed_days_opened_once BEFORE UPDATE ON closed_days
  FOR EACH ROW EXECUTE FUNCTION refuse_closing_otherwise();
-- What was sealed can only go.
CREATE FUNCTION refuse_other_raw() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.raw IS NOT NULL AND NEW.raw IS DISTINCT FROM OLD.raw THEN
    RAISE EXCEPTION 'statements is append-only: its bytes can only be erased';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER statements_raw_stays BEFORE UPDATE OF raw ON statements
  FOR EACH ROW EXECUTE FUNCTION refuse_other_raw();
CREATE FUNCTION refuse_other_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.sealed IS NOT NULL OR NEW.reference IS NOT NULL AND NEW.reference IS DISTINCT FROM OLD.reference THEN
    RAISE EXCEPTION 'statement_lines is append-only: what it says of people can only be erased';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER statement_lines_seal_stays BEFORE UPDATE OF sealed, reference ON statement_lines
  FOR EACH ROW EXECUTE FUNCTION refuse_other_seal();

-- The bytes of files that are older than their retention. As the owner: no process shortens it.
CREATE FUNCTION drop_old_statement_files() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  dropped integer;
BEGIN
  UPDATE statements SET raw = NULL WHERE raw IS NOT NULL
    AND imported_at < now() - make_interval(days => (SELECT kept_days FROM retention WHERE name = 'statement_files'));
  GET DIAGNOSTICS dropped = ROW_COUNT;
  RETURN dropped;
END $$;
