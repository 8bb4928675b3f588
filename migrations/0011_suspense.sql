-- Money in suspense, item by item, and what two operators may do with the books.

-- One movement at a channel that fits no transaction, by its receipt: whoever reports it second adds nothing.
CREATE TABLE suspense_items (
  id              text COLLATE "C" PRIMARY KEY DEFAULT 'si_' || left(replace(gen_random_uuid()::text, '-', ''), 12),
  channel         text COLLATE "C" NOT NULL,
  receipt         text COLLATE "C" NOT NULL,
  -- the channel's own number of the movement, where it named none at first and we named it
  known_as        text COLLATE "C",
  -- who reported it first; null: money for no transaction of ours
  transaction_id  uuid REFERENCES transactions,
  -- positive: the channel has it for us and we owe it to somebody; negative: it left, and we miss it
  amount          bigint NOT NULL CHECK (amount <> 0),
  currency        text COLLATE "C" NOT NULL,
  detail          text NOT NULL,
  transfer_id     uuid NOT NULL UNIQUE REFERENCES transfers DEFERRABLE INITIALLY DEFERRED,
  -- the transfer that took it out of suspense; null while it is open
  left_by         uuid UNIQUE REFERENCES transfers DEFERRABLE INITIALLY DEFERRED,
  created_at      timestamptz NOT NULL DEFAULT now(),
  UNIQUE (channel, receipt),
  UNIQUE (channel, known_as)
);
CREATE INDEX suspense_items_transaction ON suspense_items (transaction_id);
-- Those that have left stay for ever, and cost nobody who looks at the open ones.
CREATE INDEX suspense_items_open ON suspense_items (created_at, id) WHERE left_by IS NULL;
CREATE TRIGGER suspense_items_kept BEFORE DELETE OR TRUNCATE ON suspense_items
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- What an item is never changes; the channel's number of it, and the transfer by which it left, are written once.
CREATE FUNCTION guard_suspense_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.channel, NEW.receipt, NEW.transaction_id, NEW.amount, NEW.currency, NEW.detail, NEW.transfer_id, NEW.created_at)
     IS DISTINCT FROM
     (OLD.id, OLD.channel, OLD.receipt, OLD.transaction_id, OLD.amount, OLD.currency, OLD.detail, OLD.transfer_id, OLD.created_at)
     OR (OLD.known_as IS NOT NULL AND NEW.known_as IS DISTINCT FROM OLD.known_as)
     OR (OLD.left_by IS NOT NULL AND NEW.left_by IS DISTINCT FROM OLD.left_by) THEN
    RAISE EXCEPTION 'suspense_items is append-only: item % cannot be changed', OLD.id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER suspense_items_guarded BEFORE UPDATE ON suspense_items
  FOR EACH ROW EXECUTE FUNCTION guard_suspense_item();

-- What moves by the word of people names the proposal that two of them agreed on; what came to or left our bank account
-- may be older than its operators (the demo account).
ALTER TABLE transfers ADD COLUMN proposal_id text COLLATE "C" REFERENCES proposals;
ALTER TABLE transfers ADD CONSTRAINT two_operators_agreed
  CHECK (kind NOT IN ('suspense_release', 'suspense_return', 'write_off', 'correction') OR proposal_id IS NOT NULL);
