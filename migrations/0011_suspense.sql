-- Money in suspense, item by item, and what two operators may do with the books.

-- One movement at a channel that fits no transaction, by its receipt: whoever reports it second adds nothing.
CREATE TABLE suspense_items (
  id              text COLLATE "C" PRIMARY KEY DEFAULT 'si_' || left(replace(gen_random_uuid()::text, '-', ''), 12),
  -- whose books have it
  channel         text COLLATE "C" NOT NULL,
  -- the number space of its connection (receipt_spaces)
  space           text COLLATE "C" NOT NULL,
  -- the channel's number of it, or what we call it where the channel named none: what they named since is a name of its movement
  receipt         text COLLATE "C" NOT NULL,
  -- whose money it is; null: that of no transaction of ours, or nobody has said yet whose
  transaction_id  uuid REFERENCES transactions,
  -- positive: the channel has it for us and we owe it to somebody; negative: it left, and we miss it; zero: nobody could
  -- read how much, and nothing is posted before two operators name it
  amount          bigint NOT NULL,
  currency        text COLLATE "C" NOT NULL,
  detail          text NOT NULL,
  transfer_id     uuid UNIQUE REFERENCES transfers DEFERRABLE INITIALLY DEFERRED,
  -- by which two operators named the amount that nobody could read; it stays zero where nothing had come
  named_by        text COLLATE "C" REFERENCES proposals,
  -- the transfer that took it out of suspense; null while it is open, and again when its payback failed. Two items that
  -- are the halves of a sweep leave by one transfer
  left_by         uuid REFERENCES transfers DEFERRABLE INITIALLY DEFERRED,
  is_open         boolean GENERATED ALWAYS AS (left_by IS NULL AND (amount <> 0 OR named_by IS NULL)) STORED,
  -- what told it counts no more: it was taken back, and its receipt is free
  is_void         boolean NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CHECK ((amount = 0) = (transfer_id IS NULL))
);
-- People look for a number without knowing its space, so it stands first.
CREATE UNIQUE INDEX suspense_items_receipt ON suspense_items (receipt, space) WHERE NOT is_void;
-- Those of no transaction may be many, and nobody looks for all of them.
CREATE INDEX suspense_items_transaction ON suspense_items (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX suspense_items_left_by ON suspense_items (left_by);
-- Those that have left stay for ever, and cost nobody who looks at the open ones.
CREATE INDEX suspense_items_open ON suspense_items (created_at, id) WHERE is_open;
CREATE TRIGGER suspense_items_kept BEFORE DELETE OR TRUNCATE ON suspense_items
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- What an item is never changes; an amount that nobody could read, the transfer by which it left, and the transaction of money that
-- a line showed as nobody's are written once. Only a
-- payback that failed puts its item back, and only an item that was taken back is void.
CREATE FUNCTION guard_suspense_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.channel, NEW.space, NEW.receipt, NEW.detail, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.channel, OLD.space, OLD.receipt, OLD.detail, OLD.created_at)
     OR NEW.transaction_id IS DISTINCT FROM coalesce(OLD.transaction_id, NEW.transaction_id)
     OR ((NEW.amount, NEW.currency, NEW.transfer_id, NEW.named_by) IS DISTINCT FROM (OLD.amount, OLD.currency, OLD.transfer_id, OLD.named_by)
       AND NOT (OLD.amount = 0 AND OLD.named_by IS NULL AND NEW.named_by IS NOT NULL))
     OR (NEW.is_void <> OLD.is_void AND (OLD.is_void OR NOT EXISTS (SELECT FROM transfers WHERE id = OLD.left_by AND kind = 'void')))
     OR (OLD.left_by IS NOT NULL AND NEW.left_by IS DISTINCT FROM OLD.left_by AND NOT (NEW.left_by IS NULL AND EXISTS (
       SELECT 1 FROM transfers went JOIN transfers back ON back.transaction_id = went.transaction_id
       WHERE went.id = OLD.left_by AND went.kind = 'payback' AND back.kind = 'payback_failed'))) THEN
    RAISE EXCEPTION 'suspense_items is append-only: item % cannot be changed', OLD.id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER suspense_items_guarded BEFORE UPDATE ON suspense_items
  FOR EACH ROW EXECUTE FUNCTION guard_suspense_item();

-- Two operators name an amount that nobody could read, once. Runs as the owner, so that no process may change an amount. False
-- where it was named before.
CREATE FUNCTION name_amount(item text, its_amount bigint, its_currency text, transfer uuid, proposal text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE suspense_items SET amount = its_amount, currency = its_currency, transfer_id = transfer, named_by = proposal
  WHERE id = item AND amount = 0 AND named_by IS NULL;
  RETURN FOUND;
END $$;

-- What moves by the word of people names the proposal that two of them agreed on; only the owner posts what came to or left our bank
-- account without one (the demo account is older than its operators). What is made void without them has given its line to another movement
-- (0034_movements.sql).
ALTER TABLE transfers ADD COLUMN proposal_id text COLLATE "C" REFERENCES proposals;
ALTER TABLE transfers ADD CONSTRAINT two_operators_agreed
  CHECK (kind NOT IN ('suspense_release', 'suspense_return', 'write_off', 'correction', 'payback', 'own') OR proposal_id IS NOT NULL);
CREATE FUNCTION refuse_funding_by_nobody() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_owner_of(TG_RELID) THEN RETURN NEW; END IF;
  RAISE EXCEPTION '% moves what two operators did not agree on', NEW.dedupe_key USING ERRCODE = '42501';
END $$;
CREATE TRIGGER transfers_agreed BEFORE INSERT ON transfers FOR EACH ROW
  WHEN (NEW.kind IN ('top_up', 'withdrawal') AND NEW.proposal_id IS NULL) EXECUTE FUNCTION refuse_funding_by_nobody();
-- One agreement moves money once. Whether it was one, `ledger check` sees by its proof (src/reconciliation/agreed-transfers.ts).
CREATE UNIQUE INDEX transfers_agreed_once ON transfers (proposal_id) WHERE kind IN ('top_up', 'withdrawal', 'correction');
CREATE INDEX transfers_agreed ON transfers (proposal_id)
  WHERE kind IN ('top_up', 'withdrawal', 'correction', 'suspense_release') AND proposal_id IS NOT NULL;

-- Paybacks: money of an item that goes back to its payer, as a payout of ours.
ALTER TABLE transactions ADD FOREIGN KEY (suspense_item) REFERENCES suspense_items;
CREATE INDEX transactions_paybacks ON transactions (suspense_item) WHERE suspense_item IS NOT NULL;
-- Whether there is money in this item, or on its way back to its payer.
CREATE FUNCTION is_unresolved(item text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM suspense_items i WHERE i.id = item AND (i.is_open
    OR EXISTS (SELECT FROM transactions b WHERE b.suspense_item = i.id AND b.status = 'pending')))
$$;
-- One at a time, and none after one that was paid, whoever calls open_payback.
CREATE UNIQUE INDEX transactions_payback_once ON transactions (suspense_item)
  WHERE mode = 'payback' AND status IN ('pending', 'paid');

-- What is on its way back to payers, for the people who look after it.
CREATE INDEX transactions_on_their_way ON transactions (created_at, id)
  WHERE status = 'pending' AND mode IN ('refund', 'payback');

-- Writes down a payback of an open item: its amount, currency and channel are the item's. Runs as the owner, so that the
-- process that lets operators approve needs no right to write transactions. False where the item is not open, or has a
-- payback already. It moves nothing: none is sent before the transfer of its approval is posted (src/transactions/channel/sends.ts).
CREATE FUNCTION open_payback(new_id uuid, item text, its_reference text, to_msisdn text, to_name text, over text,
  its_mac text, its_timing jsonb, late interval) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO transactions (id, submission_id, type, mode, event, amount, currency, fee, fee_version, channel, connection,
    reference, msisdn, full_name, mac, suspense_item, timing, overdue_at)
  SELECT new_id, new_id, 'payback', 'payback', 'payout.pending', i.amount, i.currency, 0, '', i.channel, over,
    its_reference, to_msisdn, to_name, its_mac, i.id, its_timing, now() + late
  FROM suspense_items i WHERE i.id = item AND i.left_by IS NULL AND i.amount > 0
  ON CONFLICT (suspense_item) WHERE mode = 'payback' AND status IN ('pending', 'paid') DO NOTHING;
  RETURN FOUND;
END $$;
