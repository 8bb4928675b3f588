-- Fees of one account, in the place of those of data/fees.json. A transaction freezes the name of the version that it was
-- accepted by, and payments of a bill come months later: a version is never changed and never goes.
CREATE TABLE account_fees (
  -- the proposal that two operators agreed on
  version         text COLLATE "C" PRIMARY KEY,
  account_id      uuid NOT NULL REFERENCES accounts,
  -- service → its tiers, as in data/fees.json; a service that is missing has the file's
  rows            jsonb NOT NULL,
  -- NULL: only known by its name, because a transaction that came back after a restore was accepted by it
  effective_from  timestamptz,
  -- the version that stood last when this one was proposed
  replaces        text COLLATE "C" REFERENCES account_fees,
  set_at          timestamptz NOT NULL DEFAULT now()
);
-- One after the other: of two that were proposed at once the second has to be looked at again.
CREATE UNIQUE INDEX account_fees_replaced_once ON account_fees (account_id, replaces) NULLS NOT DISTINCT
  WHERE effective_from IS NOT NULL;
CREATE INDEX account_fees_in_force ON account_fees (account_id, effective_from, set_at);
CREATE TRIGGER account_fees_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account_fees
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
