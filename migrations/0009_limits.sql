-- What operators bound, and what counts against it. A row without a key holds for the account, one with a key for what
-- that key sends; both hold at once. The newest row with a proof counts. NULL: no limit. Money is minor units.
CREATE TABLE limits (
  account_id               uuid NOT NULL REFERENCES accounts,
  api_key_id               text COLLATE "C" REFERENCES api_keys,
  payout_max               bigint CHECK (payout_max BETWEEN 1 AND 9007199254740991),
  payout_daily_max         bigint CHECK (payout_daily_max BETWEEN 1 AND 9007199254740991),
  payouts_per_day          integer CHECK (payouts_per_day > 0),
  recipient_daily_max      bigint CHECK (recipient_daily_max BETWEEN 1 AND 9007199254740991),
  new_recipient_cooloff_s  integer CHECK (new_recipient_cooloff_s BETWEEN 1 AND 2592000),
  duplicate_window_s       integer CHECK (duplicate_window_s BETWEEN 1 AND 604800),
  set_at                   timestamptz NOT NULL CHECK (set_at BETWEEN '2000-01-01Z' AND '9999-01-01Z'),
  -- that a process of ours set them (src/platform/db/proofs.ts)
  mac                      text COLLATE "C" NOT NULL,
  UNIQUE NULLS NOT DISTINCT (account_id, api_key_id, set_at)
);
CREATE TRIGGER limits_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON limits
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- The payouts of one day in Dar es Salaam, counted as they are accepted and taken back when they fail or are cancelled:
-- a sum over the day's transactions would take longer with each of them. The row of the account is also the lock that
-- lets its payouts pass one by one. Every payout is counted, limits or none, so that a limit set at noon knows the morning.
CREATE TABLE payout_days (
  account_id  uuid NOT NULL REFERENCES accounts,
  api_key_id  text COLLATE "C" REFERENCES api_keys,
  day         date NOT NULL,
  value       bigint NOT NULL CHECK (value >= 0),
  payouts     integer NOT NULL CHECK (payouts >= 0),
  UNIQUE NULLS NOT DISTINCT (account_id, api_key_id, day)
) WITH (fillfactor = 50);

-- Whom an account pays: since when, and how much on the last day on which it did. One row per recipient, for ever: that
-- somebody was paid before is what makes him known.
CREATE TABLE payout_recipients (
  account_id   uuid NOT NULL REFERENCES accounts,
  -- a number (2557…), or BIC/account number
  recipient    text COLLATE "C" NOT NULL,
  known_since  timestamptz NOT NULL,
  day          date NOT NULL,
  value        bigint NOT NULL CHECK (value >= 0),
  PRIMARY KEY (account_id, recipient)
) WITH (fillfactor = 80);

-- Twins of a bank payout; those to and from phones are found by transactions_phone.
CREATE INDEX transactions_bank_account ON transactions (account_id, account_number, created_at)
  WHERE account_number IS NOT NULL;
