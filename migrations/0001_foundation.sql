-- The truth about money. Every rule that protects it is stated here as well as in the code, because the database
-- is the last to be asked: no negative merchant balance, no unbalanced transfer, no hold resolved twice,
-- no entry changed after it was written.

CREATE TABLE accounts (
  id          uuid PRIMARY KEY,
  name        text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now()
);

-- A key's id is public (it is part of the key); only keyed hashes of its secrets are stored. Callback address and
-- passphrases belong to the id, so that they survive the rotation of a secret.
CREATE TABLE api_keys (
  id                        text PRIMARY KEY,
  account_id                uuid NOT NULL REFERENCES accounts,
  label                     text NOT NULL DEFAULT '',
  scopes                    text[] NOT NULL DEFAULT '{payments:write,payments:read,payouts:write,payouts:read,callbacks:write}',
  allowed_ips               text[] NOT NULL DEFAULT '{}',
  expires_at                timestamptz,
  revoked_at                timestamptz,
  created_at                timestamptz NOT NULL DEFAULT now(),
  callback_url              text,
  callback_disabled_reason  text,
  callback_updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_account ON api_keys (account_id);

CREATE TABLE api_key_secrets (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id      text NOT NULL REFERENCES api_keys,
  hash        bytea NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  retired_at  timestamptz
);
CREATE INDEX api_key_secrets_key ON api_key_secrets (key_id) WHERE retired_at IS NULL;

-- Encrypted (AES-256-GCM). A replaced passphrase keeps signing beside the new one until retires_at.
CREATE TABLE callback_passphrases (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id      text NOT NULL REFERENCES api_keys,
  ciphertext  bytea NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  retires_at  timestamptz
);
CREATE INDEX callback_passphrases_key ON callback_passphrases (key_id);

CREATE TABLE audit_log (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now(),
  actor    text NOT NULL,
  action   text NOT NULL,
  subject  text NOT NULL,
  detail   jsonb NOT NULL DEFAULT '{}'
);

CREATE TABLE transactions (
  id                  uuid PRIMARY KEY,
  account_id          uuid NOT NULL REFERENCES accounts,
  api_key_id          text NOT NULL REFERENCES api_keys,
  submission_id       uuid NOT NULL,
  type                text NOT NULL CHECK (type IN ('payment', 'bill', 'payout')),
  mode                text NOT NULL CHECK (mode IN ('ussd', 'billpay', 'qr', 'mobile', 'bank')),
  status              text NOT NULL DEFAULT 'pending',
  event               text NOT NULL,
  amount              bigint NOT NULL CHECK (amount > 0),
  currency            text NOT NULL,
  fee                 bigint NOT NULL CHECK (fee >= 0),
  fee_version         text NOT NULL,
  settled             bigint,
  channel             text NOT NULL,
  reference           text NOT NULL UNIQUE,
  channel_reference   text,
  msisdn              text,
  full_name           text,
  bic                 text,
  account_number      text,
  -- json text, not jsonb: echoed exactly as it was sent, key order and number forms included
  metadata            text NOT NULL DEFAULT '{}',
  failure_code        text,
  timing              jsonb NOT NULL,
  handed_over_at      timestamptz,
  prompt_expires_at   timestamptz,
  next_enquiry_at     timestamptz,
  -- since when every enquiry has said "not found", in Temporal's clock
  not_found_since     timestamptz,
  hinted_at           timestamptz,
  swept_at            timestamptz,
  paid_at             timestamptz,
  returned_at         timestamptz,
  return_reason       text,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now(),
  status_at           timestamptz NOT NULL DEFAULT now(),
  CHECK (status IN ('pending', 'failed', 'cancelled')
         OR (status = 'completed' AND type <> 'payout') OR (status = 'paid' AND type = 'payout')),
  CHECK ((status = 'failed') = (failure_code IS NOT NULL))
);
CREATE INDEX transactions_account_newest ON transactions (account_id, created_at DESC, id DESC);
CREATE INDEX transactions_pending ON transactions (coalesce(swept_at, created_at)) WHERE status = 'pending';

-- A final state never changes: whatever the code does, the row says no.
CREATE FUNCTION refuse_final_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'pending' AND NEW.status <> OLD.status THEN
    RAISE EXCEPTION 'transaction % is % and cannot become %', OLD.id, OLD.status, NEW.status;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER transactions_final BEFORE UPDATE OF status ON transactions
  FOR EACH ROW EXECUTE FUNCTION refuse_final_change();

-- The lasting guard of idempotency: Temporal forgets after its retention, this row does not. Refusals that are
-- kept under a key (insufficient_balance, submission_expired) have a row here and no transaction.
CREATE TABLE idempotency_keys (
  account_id      uuid NOT NULL REFERENCES accounts,
  key             text NOT NULL,
  transaction_id  uuid NOT NULL UNIQUE,
  submission_id   uuid NOT NULL,
  operation       text NOT NULL,
  fingerprint     text NOT NULL,
  http_status     smallint NOT NULL,
  body            text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key)
);

-- Submissions whose workflow ended before it answered (terminated in the first moments): the sweep stores a refusal
-- for their key, so that the merchant gets an answer and nothing happens late.
CREATE TABLE abandoned_submissions (
  transaction_id   uuid PRIMARY KEY,
  account_id       uuid NOT NULL REFERENCES accounts,
  idempotency_key  text NOT NULL,
  operation        text NOT NULL,
  fingerprint      text NOT NULL,
  request_id       text NOT NULL,
  noticed_at       timestamptz NOT NULL DEFAULT now(),
  resolved_at      timestamptz
);

-- One row per request that may reach a channel, committed before its first byte leaves.
CREATE TABLE sends (
  transaction_id  uuid NOT NULL REFERENCES transactions,
  number          smallint NOT NULL CHECK (number BETWEEN 1 AND 1000),
  handed_over_at  timestamptz NOT NULL DEFAULT now(),
  -- null: in flight or unclear. not_sent: proven that nothing was processed. not_found: held its settle time.
  outcome         text CHECK (outcome IN ('accepted', 'succeeded', 'failed', 'not_sent', 'not_found', 'unknown')),
  PRIMARY KEY (transaction_id, number)
);

CREATE TABLE notifications (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel         text NOT NULL,
  event_key       text NOT NULL,
  transaction_id  uuid NOT NULL REFERENCES transactions,
  content         jsonb NOT NULL,
  raw             bytea NOT NULL,
  -- unapplied: settle will read it. applied: it was read. contradicting: money to suspense, a person looks.
  state           text NOT NULL CHECK (state IN ('unapplied', 'applied', 'contradicting', 'ignored')),
  received_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (channel, event_key)
);
CREATE INDEX notifications_transaction ON notifications (transaction_id);
CREATE INDEX notifications_unapplied ON notifications (received_at) WHERE state = 'unapplied';

-- What a person has to look at. One open row per transaction and reason.
CREATE TABLE attention (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transaction_id  uuid NOT NULL REFERENCES transactions,
  reason          text NOT NULL,
  detail          text NOT NULL DEFAULT '',
  raised_at       timestamptz NOT NULL DEFAULT now(),
  resolved_at     timestamptz
);
CREATE UNIQUE INDEX attention_open ON attention (transaction_id, reason) WHERE resolved_at IS NULL;

-- Ledger. available and held carry a balance and belong to a merchant; clearing (one per channel), fees, suspense
-- and settlement carry none: theirs is the sum of their entries, so no row of the service is hot.
CREATE TABLE ledger_accounts (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('available', 'held', 'clearing', 'fees', 'suspense', 'settlement')),
  account_id  uuid REFERENCES accounts,
  channel     text,
  currency    text NOT NULL,
  balance     bigint,
  -- how transfers name an account: `available:<account>:TZS`, `clearing:m-pesa:TZS`, `fees::TZS`
  code        text NOT NULL UNIQUE GENERATED ALWAYS AS (kind || ':' || coalesce(account_id::text, channel, '') || ':' || currency) STORED,
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
  dedupe_key      text NOT NULL UNIQUE,
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

CREATE FUNCTION refuse_unbalanced_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM entries e WHERE e.transfer_id IN (SELECT transfer_id FROM added)
             GROUP BY e.transfer_id HAVING sum(e.amount) <> 0) THEN
    RAISE EXCEPTION 'unbalanced transfer: all entries of a transfer are written in one statement and sum to zero';
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

CREATE FUNCTION refuse_rewriting_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: a correction is a new transfer', TG_TABLE_NAME;
END $$;
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

CREATE TABLE previews (
  id            text PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES accounts,
  operation     text NOT NULL,
  fingerprint   text NOT NULL,
  fee           bigint NOT NULL,
  fee_version   text NOT NULL,
  full_name     text,
  expires_at    timestamptz NOT NULL,
  -- the transaction that used it: unique by being one column, set once under the row lock
  used_by       uuid,
  created_at    timestamptz NOT NULL DEFAULT now()
);

-- The bytes of a callback are fixed in the transaction that settles and never change.
CREATE TABLE callback_events (
  id               text PRIMARY KEY,
  transaction_id   uuid REFERENCES transactions,
  api_key_id       text NOT NULL REFERENCES api_keys,
  event            text NOT NULL,
  sequence         integer,
  body             text NOT NULL,
  state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'no_url')),
  next_attempt_at  timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now(),
  UNIQUE (transaction_id, sequence)
);
CREATE INDEX callback_events_pending ON callback_events (transaction_id) WHERE state = 'pending';

CREATE TABLE callback_attempts (
  event_id     text NOT NULL REFERENCES callback_events,
  number       integer NOT NULL,
  sent_at      timestamptz NOT NULL,
  http_status  smallint,
  error        text,
  duration_ms  integer NOT NULL,
  PRIMARY KEY (event_id, number)
);
