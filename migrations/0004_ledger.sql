-- The truth about money. Every rule that protects it is stated here as well as in the code, because the database
-- is the last to be asked: no negative merchant balance, no unbalanced transfer, no hold resolved twice,
-- no entry changed after it was written.

-- available and held carry a balance and belong to a merchant; clearing (one per channel), fees, suspense
-- and settlement carry none: theirs is the sum of their entries, so no row of the service is hot.
CREATE TABLE ledger_accounts (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('available', 'held', 'clearing', 'fees', 'suspense', 'settlement')),
  account_id  uuid REFERENCES accounts,
  channel     text COLLATE "C",
  currency    text NOT NULL,
  balance     bigint,
  -- how transfers name an account: `available:<account>:TZS`, `clearing:m-pesa:TZS`, `fees::TZS`
  code        text COLLATE "C" NOT NULL UNIQUE GENERATED ALWAYS AS (kind || ':' || coalesce(account_id::text, channel, '') || ':' || currency) STORED,
  CHECK ((kind IN ('available', 'held')) = (account_id IS NOT NULL)),
  CHECK ((kind IN ('available', 'held')) = (balance IS NOT NULL)),
  CHECK ((kind = 'clearing') = (channel IS NOT NULL)),
  CONSTRAINT merchant_balance_not_negative CHECK (balance >= 0)
);

CREATE TABLE transfers (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind            text NOT NULL CHECK (kind IN ('hold', 'release', 'payout', 'collection', 'suspense', 'reversal', 'top_up', 'withdrawal')),
  transaction_id  uuid REFERENCES transactions,
  -- what makes this movement happen once: `hold:<id>`, `collection:<id>`, `suspense:<channel>:<receipt>` …
  dedupe_key      text COLLATE "C" NOT NULL UNIQUE,
  note            text,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX transfers_transaction ON transfers (transaction_id);

CREATE TABLE entries (
  id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transfer_id        uuid NOT NULL REFERENCES transfers,
  ledger_account_id  bigint NOT NULL REFERENCES ledger_accounts,
  amount             bigint NOT NULL CHECK (amount <> 0),
  created_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX entries_transfer ON entries (transfer_id);
CREATE INDEX entries_account ON entries (ledger_account_id);

-- Shillings do not balance dollars, and a transfer that was posted takes no more entries.
CREATE FUNCTION refuse_unbalanced_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
             WHERE e.transfer_id IN (SELECT transfer_id FROM added)
             GROUP BY e.transfer_id, a.currency HAVING sum(e.amount) <> 0)
    OR (SELECT count(*) FROM added) <>
       (SELECT count(*) FROM entries WHERE transfer_id IN (SELECT transfer_id FROM added)) THEN
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

CREATE TABLE holds (
  transaction_id  uuid PRIMARY KEY REFERENCES transactions,
  account_id      uuid NOT NULL REFERENCES accounts,
  amount          bigint NOT NULL CHECK (amount > 0),
  transfer_id     uuid NOT NULL REFERENCES transfers
);
-- The primary key is the rule: one resolution per hold.
CREATE TABLE hold_resolutions (
  transaction_id  uuid PRIMARY KEY REFERENCES holds,
  resolution      text NOT NULL CHECK (resolution IN ('taken', 'released')),
  transfer_id     uuid NOT NULL REFERENCES transfers
);
CREATE TRIGGER holds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON holds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER hold_resolutions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON hold_resolutions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
