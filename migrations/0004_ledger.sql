-- The truth about money. Every rule that protects it is stated here as well as in the code, because the database
-- is the last to be asked: no negative merchant balance, no unbalanced transfer, no hold resolved twice,
-- no entry changed after it was written, no balance that its entries do not explain.

-- available and held carry a balance and belong to a merchant; clearing (one per channel), fees, suspense, payable,
-- settlement, gains, losses, charges and own carry none: theirs is the sum of their entries, so no row of the service is hot.
CREATE TABLE ledger_accounts (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text COLLATE "C" NOT NULL CHECK (kind IN ('available', 'held', 'clearing', 'fees', 'suspense', 'payable', 'settlement', 'gains', 'losses', 'charges', 'own')),
  account_id  uuid REFERENCES accounts,
  channel     text COLLATE "C",
  currency    text COLLATE "C" NOT NULL,
  balance     bigint,
  -- how many entries it has: they are numbered without a gap, in the order in which the balance moved
  lines       bigint,
  -- when its balance moved last
  moved_at    timestamptz,
  -- how transfers name an account: `available:<account>:TZS`, `clearing:m-pesa:TZS`, `fees::TZS`
  code        text COLLATE "C" NOT NULL UNIQUE GENERATED ALWAYS AS (kind || ':' || coalesce(account_id::text, channel, '') || ':' || currency) STORED,
  CHECK ((kind IN ('available', 'held')) = (account_id IS NOT NULL)),
  CHECK ((kind IN ('available', 'held')) = (balance IS NOT NULL)),
  CHECK ((balance IS NULL) = (lines IS NULL)),
  CHECK ((kind = 'clearing') = (channel IS NOT NULL)),
  CONSTRAINT merchant_balance_not_negative CHECK (balance >= 0)
);

-- A ledger account opens empty and stays as it was opened; its balance is moved by its entries (move_balance), by nothing
-- else. Depth 1 is this trigger alone; deeper, the trigger of entries is at work. A role that may not update the table
-- cannot get here by a trigger of its own either.
CREATE FUNCTION refuse_unearned_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND (NEW.balance <> 0 OR NEW.lines <> 0 OR NEW.moved_at IS NOT NULL) THEN
    RAISE EXCEPTION 'ledger account % must be opened empty', NEW.code;
  END IF;
  IF TG_OP = 'UPDATE' AND pg_trigger_depth() < 2 THEN
    RAISE EXCEPTION 'ledger account % changes only through its entries', OLD.code;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER ledger_accounts_earned BEFORE INSERT OR UPDATE ON ledger_accounts
  FOR EACH ROW EXECUTE FUNCTION refuse_unearned_balance();
CREATE TRIGGER ledger_accounts_kept BEFORE DELETE OR TRUNCATE ON ledger_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

CREATE TABLE transfers (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind            text COLLATE "C" NOT NULL CHECK (kind IN ('hold', 'release', 'payout', 'collection', 'suspense', 'reversal', 'top_up', 'withdrawal',
                    'suspense_release', 'suspense_return', 'write_off', 'correction', 'payback', 'payback_paid', 'payback_failed',
                    'charge', 'sweep', 'own', 'void')),
  transaction_id  uuid REFERENCES transactions,
  -- what makes this movement happen once: `hold:<id>`, `collection:<id>`, `suspense:<channel>:<receipt>` …
  dedupe_key      text COLLATE "C" NOT NULL UNIQUE,
  -- what merchants know the movement by: a network's receipt, our payout reference, a line of a bank statement
  reference       text COLLATE "C",
  note            text,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX transfers_transaction ON transfers (transaction_id);

CREATE SEQUENCE entries_id;
CREATE TABLE entries (
  id                 bigint PRIMARY KEY,
  transfer_id        uuid NOT NULL REFERENCES transfers,
  ledger_account_id  bigint NOT NULL REFERENCES ledger_accounts,
  amount             bigint NOT NULL CHECK (amount <> 0),
  -- the part of a movement that is our fee: merchants see it as a line of its own
  is_fee             boolean NOT NULL DEFAULT false,
  -- of a merchant's account: its number, from 1, and the balance after it
  line               bigint,
  balance            bigint,
  at                 timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((line IS NULL) = (balance IS NULL)),
  UNIQUE (ledger_account_id, line)
);
CREATE INDEX entries_transfer ON entries (transfer_id);
-- Which line was the last one at a moment.
CREATE INDEX entries_at ON entries (ledger_account_id, at, line) WHERE line IS NOT NULL;

-- An entry on a merchant's account moves its balance and takes the next number, under the lock of the account. Numbers and
-- times are therefore those of the order in which balances really moved: a transaction's time and the id of a row are
-- taken before the lock. A clock that was set back does not bring lines out of order. Runs as the owner of the tables, so
-- that a process needs no right to change a balance.
CREATE FUNCTION move_balance() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  account ledger_accounts;
BEGIN
  -- Given here, whatever was sent: an id that was taken would let ON CONFLICT drop the entry after its balance moved.
  NEW.id := nextval('entries_id');
  SELECT * INTO account FROM ledger_accounts
    WHERE id = NEW.ledger_account_id AND balance IS NOT NULL FOR NO KEY UPDATE;
  NEW.at := greatest(clock_timestamp(), account.moved_at);
  NEW.line := account.lines + 1;
  NEW.balance := account.balance + NEW.amount;
  IF NEW.line IS NULL THEN
    RETURN NEW;
  END IF;
  -- src/platform/db/errors.ts knows this code: it is how a business refusal is told from a broken rule.
  IF NEW.balance < 0 THEN
    RAISE EXCEPTION 'the balance of % does not cover %', account.code, NEW.amount USING ERRCODE = 'ML001';
  END IF;
  UPDATE ledger_accounts SET balance = NEW.balance, lines = NEW.line, moved_at = NEW.at WHERE id = account.id;
  RETURN NEW;
END $$;
CREATE TRIGGER entries_move_balance BEFORE INSERT ON entries
  FOR EACH ROW EXECUTE FUNCTION move_balance();

-- How many lines an account has, where that can no longer change for the time before a moment: the moment is over and
-- nobody holds the balance, so that who moves it later reads a later time. Null in doubt, and never waits. Runs as the
-- owner of the tables, because who may not update a row may not lock it either.
CREATE FUNCTION lines_at_rest(account_code text, moment timestamptz) RETURNS bigint LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  counted bigint;
BEGIN
  SELECT lines INTO counted FROM ledger_accounts WHERE code = account_code FOR SHARE SKIP LOCKED;
  RETURN CASE WHEN clock_timestamp() >= moment THEN counted END;
END $$;

-- Shillings do not balance dollars, and a transfer that was posted takes no more entries.
CREATE FUNCTION refuse_unbalanced_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM added e JOIN ledger_accounts a ON a.id = e.ledger_account_id
             GROUP BY e.transfer_id, a.currency HAVING sum(e.amount) <> 0)
    OR (SELECT count(*) FROM added) <>
       (SELECT sum((SELECT count(*) FROM entries e WHERE e.transfer_id = t.transfer_id))
        FROM (SELECT DISTINCT transfer_id FROM added) t) THEN
    RAISE EXCEPTION 'unbalanced transfer: all entries of a transfer are written in one statement and sum to zero in each currency';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER entries_balanced AFTER INSERT ON entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced_entries();

CREATE FUNCTION refuse_empty_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM entries WHERE transfer_id = NEW.id) THEN
    RAISE EXCEPTION 'transfer % has no entries', NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER transfers_not_empty AFTER INSERT ON transfers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_empty_transfer();

CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER transfers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- A hold and its resolution are written before their transfer, which locks the balances: it comes last.
CREATE TABLE holds (
  transaction_id  uuid PRIMARY KEY REFERENCES transactions,
  account_id      uuid NOT NULL REFERENCES accounts,
  amount          bigint NOT NULL CHECK (amount > 0),
  transfer_id     uuid NOT NULL REFERENCES transfers DEFERRABLE INITIALLY DEFERRED
);
-- The primary key is the rule: one resolution per hold.
CREATE TABLE hold_resolutions (
  transaction_id  uuid PRIMARY KEY REFERENCES holds,
  resolution      text COLLATE "C" NOT NULL CHECK (resolution IN ('taken', 'released')),
  transfer_id     uuid NOT NULL REFERENCES transfers DEFERRABLE INITIALLY DEFERRED
);
CREATE TRIGGER holds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON holds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER hold_resolutions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON hold_resolutions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
