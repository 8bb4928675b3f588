-- Bills and dynamic QR codes: what a customer pays by a number of ours, over any network.

-- Serials of control numbers (domain/control-number.ts). Numbers that a rolled back transaction took are never used.
CREATE SEQUENCE control_number_serials INCREMENT BY 100 MINVALUE 0 START WITH 0;

-- The numbers of an account: a block is drawn from the sequence and handed out one by one, so that no account can take the
-- space of the others in single numbers, and a number of a rolled back transaction is given to the next.
CREATE TABLE control_number_blocks (
  first       bigint PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES accounts,
  prefix      text COLLATE "C" NOT NULL,
  next        bigint NOT NULL,
  CHECK (next BETWEEN first AND first + 100)
);
CREATE INDEX control_number_blocks_open ON control_number_blocks (account_id, prefix, first) WHERE next < first + 100;

-- What is to be paid by control number. A dynamic QR code is an exact bill without a payment number.
CREATE TABLE bills (
  transaction_id      uuid PRIMARY KEY REFERENCES transactions,
  account_id          uuid NOT NULL REFERENCES accounts,
  control_number      text COLLATE "C" NOT NULL UNIQUE,
  payment_number      text COLLATE "C",
  mode                text COLLATE "C" NOT NULL CHECK (mode IN ('exact', 'flexible')),
  description         text,
  expires_at          timestamptz NOT NULL,
  paid                bigint NOT NULL DEFAULT 0 CHECK (paid >= 0),
  payments            smallint NOT NULL DEFAULT 0 CHECK (payments BETWEEN 0 AND 500),
  -- A validated payment of an exact bill is on its way: nobody else is let in meanwhile. Its receipt, and its payer where
  -- the network names one.
  claimed_by          text[] COLLATE "C",
  claimed_until       timestamptz,
  UNIQUE (account_id, payment_number),
  CHECK ((claimed_by IS NULL) = (claimed_until IS NULL)),
  CHECK ((paid > 0) = (payments > 0)),
  CHECK (mode = 'flexible' OR payments <= 1)
);

-- A bill or a QR code has its row here, and nothing else has one: seen at the end of the transaction that stores either.
CREATE FUNCTION refuse_missing_bill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM bills WHERE transaction_id = NEW.id) THEN
    RAISE EXCEPTION 'transaction % is a % and has no row in bills', NEW.id, NEW.mode;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER transactions_have_their_bill AFTER INSERT ON transactions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.mode IN ('billpay', 'qr')) EXECUTE FUNCTION refuse_missing_bill();

CREATE FUNCTION refuse_foreign_bill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM transactions WHERE id = NEW.transaction_id AND mode IN ('billpay', 'qr')) THEN
    RAISE EXCEPTION 'transaction % is no bill and no QR code', NEW.transaction_id;
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER bills_are_of_bills AFTER INSERT ON bills
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_foreign_bill();

-- In which number space a connection's receipts are: its own, or that of a connection with the same short code. Written once,
-- when a process first reads the connection in the channels file: what was counted in one space must not count again in another.
CREATE TABLE receipt_spaces (
  connection  text COLLATE "C" PRIMARY KEY,
  space       text COLLATE "C" NOT NULL,
  noted_at    timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER receipt_spaces_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON receipt_spaces
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- A connection that nobody has noted numbers for itself.
CREATE FUNCTION receipt_space(connection_id text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT space FROM receipt_spaces WHERE connection = connection_id), connection_id)
$$;

-- Every notified payment and what was decided about it, for ever: the same receipt again gets the same answer and
-- posts nothing. transaction_id is null where the control number belongs to no bill, and where a payment of a standing number
-- was not taken. The receipt of one that was taken is there before its transaction, which is made from it.
CREATE TABLE bill_receipts (
  -- in which the receipt is a number; one that contradicts its space is kept beside it
  space           text COLLATE "C" NOT NULL,
  receipt         text COLLATE "C" NOT NULL,
  channel         text COLLATE "C" NOT NULL,
  transaction_id  uuid REFERENCES transactions DEFERRABLE INITIALLY DEFERRED,
  control_number  text COLLATE "C" NOT NULL,
  amount          bigint NOT NULL,
  currency        text COLLATE "C" NOT NULL,
  msisdn          text COLLATE "C",
  full_name       text,
  -- of the channels file: who notified it
  connection      text COLLATE "C" NOT NULL,
  outcome         text COLLATE "C" NOT NULL CHECK (outcome IN ('accepted', 'refused', 'suspended')),
  reason          text COLLATE "C",
  -- place among the accepted payments of its bill, from 1
  number          smallint,
  fee             bigint NOT NULL DEFAULT 0 CHECK (fee >= 0 AND fee <= amount),
  received_at     timestamptz NOT NULL DEFAULT now(),
  -- the push of a page whose money it is: under whatever name its channel tells of that again, it counts once. It may be lost by
  -- a restore that its payment survived
  prompt_id       uuid,
  -- since when Temporal knows this accepted payment: a copy of Postgres that lacks it gets it back from there
  signalled_at    timestamptz,
  -- that a process of ours wrote who paid what (src/transactions/rows/row-mac.ts)
  mac             text COLLATE "C",
  PRIMARY KEY (space, receipt),
  UNIQUE (transaction_id, number),
  CHECK ((outcome = 'accepted') = (number IS NOT NULL)),
  CHECK ((outcome = 'accepted') = (reason IS NULL)),
  CHECK (outcome <> 'accepted' OR (transaction_id IS NOT NULL AND amount > 0))
);
-- What a network has to be told about a payment with a message of ours, written by the commit that decides the payment, and
-- deleted once the network has taken it.
CREATE TABLE owed_results (
  id              uuid NOT NULL UNIQUE,
  connection      text COLLATE "C" NOT NULL,
  channel         text COLLATE "C" NOT NULL,
  receipt         text COLLATE "C" NOT NULL,
  reply           text COLLATE "C" NOT NULL,
  transaction_id  uuid REFERENCES transactions,
  -- by what the network knows its request
  request         jsonb NOT NULL,
  owed_since      timestamptz NOT NULL DEFAULT now(),
  swept_at        timestamptz,
  PRIMARY KEY (connection, receipt)
);

-- The sweep signals these until Temporal knows them.
CREATE INDEX bill_receipts_unsignalled ON bill_receipts (received_at) WHERE outcome = 'accepted' AND signalled_at IS NULL;
-- What came in lately: the sweep adds it up. Rows lie in the order of their time, so this stays small.
CREATE INDEX bill_receipts_received ON bill_receipts USING brin (received_at) WITH (pages_per_range = 32, autosummarize = on);
CREATE UNIQUE INDEX bill_receipts_prompt ON bill_receipts (prompt_id) WHERE prompt_id IS NOT NULL;
CREATE INDEX bill_receipts_receipt ON bill_receipts (receipt) WHERE outcome = 'accepted';
-- What operators have in hand when a customer asks, beside the receipt: the number that paid, or a control number that is
-- no bill's.
CREATE INDEX bill_receipts_payer ON bill_receipts (msisdn, received_at) WHERE msisdn IS NOT NULL;
CREATE INDEX bill_receipts_unknown ON bill_receipts (control_number) WHERE transaction_id IS NULL;
-- A receipt that could vanish could be accepted twice.
CREATE TRIGGER bill_receipts_append_only
  BEFORE UPDATE OF space, receipt, channel, transaction_id, control_number, amount, currency, connection, outcome, reason, number, fee,
    received_at, mac, prompt_id OR DELETE OR TRUNCATE ON bill_receipts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Who paid may be erased (0008_growth.sql), and nothing else may become of it.
CREATE FUNCTION refuse_another_payer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.full_name IS NOT NULL OR NEW.msisdn IS DISTINCT FROM (CASE WHEN OLD.msisdn IS NOT NULL THEN '255000000000' END) THEN
    RAISE EXCEPTION 'bill_receipts is append-only: who paid can only be erased';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER bill_receipts_payer_stays BEFORE UPDATE OF msisdn, full_name ON bill_receipts
  FOR EACH ROW EXECUTE FUNCTION refuse_another_payer();

-- Whether this role may do what no process does: it owns the tables (erasure runs as the owner, and so does a restore).
CREATE FUNCTION is_owner_of(relation oid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT pg_has_role(current_user, relowner, 'MEMBER') FROM pg_class WHERE oid = relation
$$;

-- Where a transaction's money goes to or came from stays as it was written, whatever code has the password of a process.
-- A channel may name the person when it succeeds; a bill says who paid last, which is what its newest receipt says. The
-- time of a status is that of its change: an earlier one would let people be erased too soon.
CREATE FUNCTION refuse_another_party() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_same boolean := (NEW.msisdn, NEW.full_name, NEW.channel, NEW.fee) IS NOT DISTINCT FROM (OLD.msisdn, OLD.full_name, OLD.channel, OLD.fee);
  is_named boolean := OLD.full_name IS NULL AND OLD.status = 'pending' AND NEW.status IN ('completed', 'paid')
    AND (NEW.msisdn, NEW.channel, NEW.fee) IS NOT DISTINCT FROM (OLD.msisdn, OLD.channel, OLD.fee);
BEGIN
  IF NEW.status_at <> OLD.status_at AND (NEW.status = OLD.status OR NEW.status_at < date_trunc('milliseconds', now()))
    AND NOT is_owner_of(TG_RELID) THEN
    RAISE EXCEPTION 'the status of transaction % changes now or not at all', OLD.id USING ERRCODE = '42501';
  END IF;
  IF is_same OR (OLD.mode NOT IN ('billpay', 'qr', 'number') AND is_named) OR is_owner_of(TG_RELID) THEN RETURN NEW; END IF;
  IF OLD.mode IN ('billpay', 'qr', 'number') AND OLD.status = 'pending' AND EXISTS (
    SELECT FROM bill_receipts r
    WHERE r.transaction_id = OLD.id AND r.receipt = NEW.channel_reference
      AND r.number = (SELECT max(number) FROM bill_receipts WHERE transaction_id = OLD.id)
      AND (r.channel, r.msisdn, r.full_name) IS NOT DISTINCT FROM (NEW.channel, NEW.msisdn, NEW.full_name))
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'whom transaction % pays, or who paid it, does not change', OLD.id USING ERRCODE = '42501';
END $$;
CREATE TRIGGER transactions_party_stays BEFORE UPDATE OF msisdn, full_name, channel, fee, status_at ON transactions
  FOR EACH ROW EXECUTE FUNCTION refuse_another_party();
