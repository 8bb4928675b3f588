-- Where a merchant's own money goes, as two operators agreed. An account's newest rule holds; none is ever changed.
CREATE TABLE settlement_rules (
  -- the proposal that two operators agreed on
  version         text COLLATE "C" PRIMARY KEY,
  account_id      uuid NOT NULL REFERENCES accounts,
  -- whose callbacks tell of the daily ones
  api_key_id      text COLLATE "C" NOT NULL REFERENCES api_keys,
  channel         text COLLATE "C" NOT NULL,
  msisdn          text COLLATE "C",
  bic             text COLLATE "C",
  account_number  text COLLATE "C",
  full_name       text COLLATE "C",
  -- of the daily ones: 1 is Monday; without a day there are none
  days            smallint[] NOT NULL CHECK (days <@ '{1,2,3,4,5,6,7}'::smallint[]),
  currency        text COLLATE "C" NOT NULL,
  -- minor units: what stays in the balance, and the least and the most that goes at once
  keep            bigint NOT NULL CHECK (keep >= 0),
  smallest        bigint NOT NULL CHECK (smallest > 0),
  cap             bigint NOT NULL CHECK (cap >= smallest),
  -- an account that was changed waits
  pays_from       timestamptz NOT NULL,
  -- the version that stood last when this one was proposed
  replaces        text COLLATE "C" REFERENCES settlement_rules,
  -- that a process of ours wrote whom it pays (src/transactions/rows/row-mac.ts)
  mac             text COLLATE "C" NOT NULL,
  set_at          timestamptz NOT NULL DEFAULT now(),
  CHECK (CASE WHEN msisdn IS NULL THEN bic IS NOT NULL AND account_number IS NOT NULL AND full_name IS NOT NULL
    ELSE account_number IS NULL END)
);
-- One after the other: of two that were proposed at once the second has to be looked at again.
CREATE UNIQUE INDEX settlement_rules_replaced_once ON settlement_rules (account_id, replaces) NULLS NOT DISTINCT;
CREATE TRIGGER settlement_rules_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settlement_rules
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
