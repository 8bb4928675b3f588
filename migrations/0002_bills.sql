-- Bills and dynamic QR codes: what a customer pays by a number of ours, over any network.

-- Serials of control numbers (domain/control-number.ts). Numbers that a rolled back transaction took are never used.
CREATE SEQUENCE control_number_serials MINVALUE 1;

-- What is to be paid by control number. A dynamic QR code is an exact bill without a payment number.
CREATE TABLE bills (
  transaction_id    uuid PRIMARY KEY REFERENCES transactions,
  account_id        uuid NOT NULL REFERENCES accounts,
  control_number    text NOT NULL UNIQUE,
  payment_number    text,
  mode              text NOT NULL CHECK (mode IN ('exact', 'flexible')),
  description       text,
  expires_at        timestamptz NOT NULL,
  paid              bigint NOT NULL DEFAULT 0 CHECK (paid >= 0),
  payments          smallint NOT NULL DEFAULT 0 CHECK (payments BETWEEN 0 AND 500),
  -- payments that its workflow has been told of; the sweep tells again of the others
  payments_heard    smallint NOT NULL DEFAULT 0,
  -- false once its transaction is final
  open              boolean NOT NULL DEFAULT true,
  -- a validated payment of an exact bill that is on its way: nobody else is let in meanwhile
  -- its receipt, and its payer where the network names one
  claimed_by        text[],
  claimed_until     timestamptz,
  UNIQUE (account_id, payment_number),
  CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  CHECK ((paid > 0) = (payments > 0)),
  CHECK (mode = 'flexible' OR payments <= 1)
);
CREATE INDEX bills_expiring ON bills (expires_at) WHERE open;
CREATE INDEX bills_unheard ON bills (transaction_id) WHERE payments_heard < payments;

-- Every notified payment and what was decided about it, for ever: the same receipt again gets the same answer and
-- posts nothing. transaction_id is null where the control number belongs to no bill.
CREATE TABLE bill_receipts (
  channel         text NOT NULL,
  receipt         text NOT NULL,
  transaction_id  uuid REFERENCES bills,
  control_number  text NOT NULL,
  amount          bigint NOT NULL,
  currency        text NOT NULL,
  msisdn          text,
  full_name       text,
  outcome         text NOT NULL CHECK (outcome IN ('accepted', 'refused', 'suspended')),
  reason          text,
  -- place among the accepted payments of its bill, from 1
  number          smallint,
  fee             bigint NOT NULL DEFAULT 0 CHECK (fee >= 0 AND fee <= amount),
  received_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (channel, receipt),
  UNIQUE (transaction_id, number),
  CHECK ((outcome = 'accepted') = (number IS NOT NULL)),
  CHECK ((outcome = 'accepted') = (reason IS NULL)),
  CHECK (outcome <> 'accepted' OR (transaction_id IS NOT NULL AND amount > 0))
);
CREATE INDEX bill_receipts_receipt ON bill_receipts (receipt) WHERE outcome = 'accepted';

-- A bill's identity is its payment number; an Idempotency-Key that is sent with it means the bill too. A bill that is
-- sent again with another key has a row for that key as well.
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey;
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_transaction_id_key;
CREATE INDEX idempotency_keys_transaction ON idempotency_keys (transaction_id);
ALTER TABLE idempotency_keys ALTER COLUMN key DROP NOT NULL;
ALTER TABLE idempotency_keys ADD COLUMN payment_number text;
ALTER TABLE idempotency_keys ADD UNIQUE (account_id, key);
ALTER TABLE idempotency_keys ADD UNIQUE (account_id, payment_number);
ALTER TABLE idempotency_keys ADD CHECK (key IS NOT NULL OR payment_number IS NOT NULL);

-- Money that came in for no bill of ours belongs to no transaction; `subject` says what a person has to look at.
ALTER TABLE attention ALTER COLUMN transaction_id DROP NOT NULL;
ALTER TABLE attention ADD COLUMN subject text;
ALTER TABLE attention ADD CHECK (transaction_id IS NOT NULL OR subject IS NOT NULL);
CREATE UNIQUE INDEX attention_open_subject ON attention (subject, reason) WHERE resolved_at IS NULL AND transaction_id IS NULL;

-- Bills are pending for months: kept apart, so that they hold up nobody in the sweep.
DROP INDEX transactions_pending;
CREATE INDEX transactions_pending ON transactions (coalesce(swept_at, created_at)) WHERE status = 'pending' AND mode <> 'billpay';
CREATE INDEX transactions_pending_bills ON transactions (coalesce(swept_at, created_at)) WHERE status = 'pending' AND mode = 'billpay';

-- The other books are as append-only as entries and transfers: what was held and how it ended, what was decided about a
-- receipt and about a key, and who did what. A receipt or a key that could vanish could be accepted twice.
CREATE TRIGGER holds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON holds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER hold_resolutions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON hold_resolutions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER bill_receipts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON bill_receipts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER idempotency_keys_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON idempotency_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Shillings do not balance dollars, and a transfer that was posted takes no more entries.
CREATE OR REPLACE FUNCTION refuse_unbalanced_entries() RETURNS trigger LANGUAGE plpgsql AS $$
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
