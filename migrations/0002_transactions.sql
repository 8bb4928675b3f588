-- What merchants ask for, and what happened to it at the channel.

CREATE TABLE transactions (
  id                  uuid PRIMARY KEY,
  -- null for a payback: money out of suspense that goes back to its payer, which is no merchant's
  account_id          uuid REFERENCES accounts,
  api_key_id          text COLLATE "C" REFERENCES api_keys,
  submission_id       uuid NOT NULL,
  type                text COLLATE "C" NOT NULL,
  mode                text COLLATE "C" NOT NULL,
  status              text COLLATE "C" NOT NULL DEFAULT 'pending',
  event               text COLLATE "C" NOT NULL,
  amount              bigint NOT NULL CHECK (amount > 0),
  currency            text COLLATE "C" NOT NULL,
  fee                 bigint NOT NULL CHECK (fee >= 0),
  fee_version         text COLLATE "C" NOT NULL,
  settled             bigint,
  channel             text COLLATE "C" NOT NULL,
  -- of the channels file: it is asked about where it was sent to; null for what customers pay by a number of ours
  connection          text COLLATE "C",
  reference           text COLLATE "C" NOT NULL UNIQUE,
  channel_reference   text COLLATE "C",
  -- channel_reference is the receipt of the money that moved; else it is, at most, the channel's number of our request
  is_receipt          boolean NOT NULL DEFAULT false,
  msisdn              text COLLATE "C",
  full_name           text,
  bic                 text COLLATE "C",
  account_number      text COLLATE "C",
  -- that a process of ours wrote whom it is with (src/transactions/rows/row-mac.ts)
  mac                 text COLLATE "C",
  -- json text, not jsonb: echoed exactly as it was sent, key order and number forms included
  metadata            text NOT NULL DEFAULT '{}',
  -- X-Request-Id of the request that it was accepted for: merchants quote it; null where none asked for it
  request_id          text COLLATE "C",
  failure_code        text COLLATE "C",
  -- of a refund: the payment that it gives back, which payment of a bill (its number in bill_receipts), and the
  -- merchant's words
  refund_of           uuid REFERENCES transactions,
  refund_payment      smallint,
  refund_reason       text,
  -- of a payback: the item that it gives back (0011_suspense.sql)
  suspense_item       text COLLATE "C",
  timing              jsonb NOT NULL,
  handed_over_at      timestamptz,
  prompt_expires_at   timestamptz,
  next_enquiry_at     timestamptz,
  -- it waits for its channel, which is down or closed, until then at most, in Temporal's clock
  waits_until         timestamptz,
  -- since when every enquiry has said "not found", in Temporal's clock
  not_found_since     timestamptz,
  hinted_at           timestamptz,
  -- When its workflow makes its next step at the latest: an enquiry, the end of a bill's time. The sweep looks only at what
  -- is past it, and sets the moment from which it looks again.
  due_at              timestamptz NOT NULL DEFAULT now(),
  -- From then on a person has to look, whatever its workflow says.
  overdue_at          timestamptz NOT NULL DEFAULT now() + interval '1 day',
  paid_at             timestamptz,
  returned_at         timestamptz,
  return_reason       text,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now(),
  status_at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT type_of_mode CHECK ((type, mode) IN
    (('payment', 'ussd'), ('payment', 'qr'), ('payment', 'number'), ('bill', 'billpay'), ('payout', 'mobile'), ('payout', 'bank'), ('payout', 'refund'), ('payout', 'settlement'),
     ('payback', 'payback'))),
  CHECK (status IN ('pending', 'failed', 'cancelled')
         OR (status = 'completed' AND type <> 'payout') OR (status = 'paid' AND type IN ('payout', 'payback'))),
  CHECK ((status = 'failed') = (failure_code IS NOT NULL)),
  -- A transaction has whom its mode needs; whoever reads the row relies on it (that a bill has its row: 0003_bills.sql).
  CONSTRAINT bank_payout_has_its_account CHECK (mode <> 'bank' OR
    (bic IS NOT NULL AND account_number IS NOT NULL AND full_name IS NOT NULL)),
  CONSTRAINT settlement_has_its_account CHECK (mode <> 'settlement' OR CASE WHEN msisdn IS NULL
    THEN bic IS NOT NULL AND account_number IS NOT NULL AND full_name IS NOT NULL ELSE account_number IS NULL END),
  CONSTRAINT phone_has_its_number CHECK (mode NOT IN ('ussd', 'mobile', 'refund', 'payback') OR msisdn IS NOT NULL),
  CONSTRAINT sent_over_a_connection CHECK (mode IN ('billpay', 'qr', 'number') OR connection IS NOT NULL),
  CONSTRAINT refund_has_its_payment CHECK ((mode = 'refund') = (refund_of IS NOT NULL)),
  CONSTRAINT all_but_paybacks_have_a_merchant CHECK ((mode = 'payback') = (account_id IS NULL)),
  CONSTRAINT all_but_paybacks_have_a_key CHECK ((mode = 'payback') = (api_key_id IS NULL)),
  CONSTRAINT payback_has_its_item CHECK ((mode = 'payback') = (suspense_item IS NOT NULL)),
  CHECK (mode = 'refund' OR (refund_payment IS NULL AND refund_reason IS NULL))
);

-- A merchant quotes the request_id of an answer, and nothing else.
CREATE INDEX transactions_request ON transactions (request_id) WHERE request_id IS NOT NULL;

-- What the sweep looks for. Bills that are open for months lie at the far end of both, and cost it nothing.
CREATE INDEX transactions_due ON transactions (due_at) WHERE status = 'pending';
CREATE INDEX transactions_overdue ON transactions (overdue_at) WHERE status = 'pending';

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
-- kept under a key (src/transactions/acceptance/refusals.ts) have a row here and no transaction. A bill's identity is its
-- payment number; an Idempotency-Key that is sent with it means the bill too. A bill that is sent again with another key
-- has a row for that key as well.
CREATE TABLE idempotency_keys (
  account_id      uuid NOT NULL REFERENCES accounts,
  key             text COLLATE "C",
  payment_number  text COLLATE "C",
  transaction_id  uuid NOT NULL,
  submission_id   uuid NOT NULL,
  operation       text COLLATE "C" NOT NULL,
  fingerprint     text COLLATE "C" NOT NULL,
  -- the code of the refusal, which the HTTP status follows from; null where a transaction was accepted
  refused         text COLLATE "C" CHECK (refused IN ('limit_exceeded', 'duplicate_suspected', 'insufficient_balance',
                    'submission_expired', 'not_refundable', 'refund_exceeds_payment')),
  -- what the sentences of its answer are written in: it is repeated as it was first given
  language        text COLLATE "C" NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'sw')),
  -- when the answer was given: its bytes lie in stored_answers, in the partition of this moment
  answered_at     timestamptz NOT NULL DEFAULT now(),
  created_at      timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account_id, key),
  UNIQUE (account_id, payment_number),
  CHECK (key IS NOT NULL OR payment_number IS NOT NULL)
);
CREATE INDEX idempotency_keys_transaction ON idempotency_keys (transaction_id);
-- A key that could vanish could be accepted twice.
CREATE TRIGGER idempotency_keys_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON idempotency_keys
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- The bytes of each answer. Keys stay for ever; answers for years (data/retention.json), and their partitions go as a whole
-- (0008_growth.sql). No foreign key leads to or from a partitioned table: it would keep a partition from being dropped.
CREATE TABLE stored_answers (
  submission_id  uuid NOT NULL,
  answered_at    timestamptz NOT NULL,
  body           text NOT NULL,
  PRIMARY KEY (submission_id, answered_at)
) PARTITION BY RANGE (answered_at);

-- Submissions whose workflow ended before it answered (terminated in the first moments): the sweep stores a refusal
-- for their key, so that the merchant gets an answer and nothing happens late.
CREATE TABLE abandoned_submissions (
  transaction_id   uuid PRIMARY KEY,
  account_id       uuid NOT NULL REFERENCES accounts,
  idempotency_key  text COLLATE "C" NOT NULL,
  operation        text COLLATE "C" NOT NULL,
  fingerprint      text COLLATE "C" NOT NULL,
  request_id       text COLLATE "C" NOT NULL,
  noticed_at       timestamptz NOT NULL DEFAULT now(),
  resolved_at      timestamptz
);

CREATE INDEX abandoned_submissions_open ON abandoned_submissions (noticed_at) WHERE resolved_at IS NULL;

CREATE TABLE previews (
  id            text COLLATE "C" NOT NULL,
  account_id    uuid NOT NULL,
  -- what a payout must agree with to use it: its operation, network or bank (BIC), recipient and amount
  operation     text COLLATE "C" NOT NULL,
  network       text COLLATE "C" NOT NULL,
  recipient     text COLLATE "C" NOT NULL,
  amount        bigint NOT NULL,
  fee           bigint NOT NULL,
  fee_version   text COLLATE "C" NOT NULL,
  full_name     text,
  expires_at    timestamptz NOT NULL,
  -- the transaction that used it: unique by being one column, set once under the row lock
  used_by       uuid,
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (id, expires_at)
) PARTITION BY RANGE (expires_at);

-- One row per request that may reach a channel, committed before its first byte leaves.
CREATE TABLE sends (
  transaction_id  uuid NOT NULL REFERENCES transactions,
  number          smallint NOT NULL CHECK (number BETWEEN 1 AND 1000),
  handed_over_at  timestamptz NOT NULL DEFAULT now(),
  -- null: in flight or unclear. not_sent: proven that nothing was processed. not_found: held its settle time.
  outcome         text COLLATE "C" CHECK (outcome IN ('accepted', 'succeeded', 'failed', 'not_sent', 'not_found', 'unknown')),
  PRIMARY KEY (transaction_id, number)
);

-- What became of a send only becomes surer: after one of which nothing was processed another may leave, and money goes back. That it
-- is so the worker says alone, which asks the channel; a door shows that one arrived.
CREATE FUNCTION refuse_less_sure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (coalesce(OLD.outcome, 'unknown') = 'unknown' AND has_table_privilege(TG_RELID, 'INSERT')
    OR coalesce(OLD.outcome, 'unknown') IN ('unknown', 'not_found', 'not_sent') AND coalesce(NEW.outcome IN ('accepted', 'succeeded'), false)) THEN
    RAISE EXCEPTION 'send % of % was % and does not become %', OLD.number, OLD.transaction_id, OLD.outcome, NEW.outcome USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER sends_become_surer BEFORE UPDATE OF outcome ON sends
  FOR EACH ROW WHEN (NEW.outcome IS DISTINCT FROM OLD.outcome) EXECUTE FUNCTION refuse_less_sure();

-- What a channel answered when it was asked what became of a transaction, for people to read: the same answer again only
-- counts, so that a day of polls is a row. Nothing is decided from it.
CREATE TABLE enquiries (
  transaction_id  uuid NOT NULL REFERENCES transactions,
  number          integer NOT NULL,
  answer          text NOT NULL,
  first_at        timestamptz NOT NULL DEFAULT now(),
  last_at         timestamptz NOT NULL DEFAULT now(),
  times           integer NOT NULL DEFAULT 1,
  PRIMARY KEY (transaction_id, number)
);

CREATE TABLE notifications (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel         text COLLATE "C" NOT NULL,
  event_key       text COLLATE "C" NOT NULL,
  transaction_id  uuid NOT NULL REFERENCES transactions,
  content         jsonb NOT NULL,
  -- unapplied: the end will read it. applied: it was read. contradicting: money to suspense, a person looks.
  state           text COLLATE "C" NOT NULL CHECK (state IN ('unapplied', 'applied', 'contradicting', 'ignored')),
  received_at     timestamptz NOT NULL DEFAULT now(),
  -- that a door of ours took it (src/platform/db/proofs.ts)
  mac             text COLLATE "C",
  UNIQUE (channel, event_key)
);
-- What was read or passed over is not read again.
CREATE FUNCTION refuse_reading_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'notification % was read', OLD.id USING ERRCODE = '42501';
END $$;
CREATE TRIGGER notifications_stay_read BEFORE UPDATE OF state ON notifications
  FOR EACH ROW WHEN (NEW.state = 'unapplied' AND OLD.state <> 'unapplied') EXECUTE FUNCTION refuse_reading_again();
CREATE INDEX notifications_transaction ON notifications (transaction_id);
CREATE INDEX notifications_unapplied ON notifications (received_at) WHERE state = 'unapplied';
-- What was really sent to us, byte for byte. It goes after its retention; that it was received, and what it said, stays.
CREATE TABLE notification_bodies (
  notification_id  bigint NOT NULL,
  received_at      timestamptz NOT NULL,
  raw              bytea NOT NULL,
  PRIMARY KEY (notification_id, received_at)
) PARTITION BY RANGE (received_at);

-- What a person has to look at. One open row per transaction, reason and thing. Money that came in for no bill of ours belongs
-- to no transaction; then `subject` says what to look at.
CREATE TABLE attention (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transaction_id  uuid REFERENCES transactions,
  subject         text COLLATE "C",
  reason          text COLLATE "C" NOT NULL,
  -- which of several: an item of suspense (the entry stays as long as its money is open), a receipt
  thing           text COLLATE "C" NOT NULL DEFAULT '',
  detail          text NOT NULL DEFAULT '',
  raised_at       timestamptz NOT NULL DEFAULT now(),
  resolved_at     timestamptz,
  CHECK (transaction_id IS NOT NULL OR subject IS NOT NULL)
);
CREATE UNIQUE INDEX attention_open ON attention (transaction_id, reason, thing) WHERE resolved_at IS NULL;
CREATE UNIQUE INDEX attention_open_subject ON attention (subject, reason, thing) WHERE resolved_at IS NULL AND transaction_id IS NULL;
