-- What merchants are told, and every attempt to tell them.

-- The bytes of a callback are fixed in the transaction that ends the payment and never change.
CREATE TABLE callback_events (
  id               text COLLATE "C" PRIMARY KEY,
  transaction_id   uuid REFERENCES transactions,
  api_key_id       text COLLATE "C" NOT NULL REFERENCES api_keys,
  -- the key's, because the log is read per account, newest first, and an account has several keys
  account_id       uuid NOT NULL REFERENCES accounts,
  event            text COLLATE "C" NOT NULL,
  sequence         integer,
  body             text NOT NULL,
  state            text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'no_url')),
  -- A resend is a new round: the schedule starts anew, counted by the attempts of this round. Round 0 belongs to the
  -- transaction's own workflow, every later one to a workflow of its own (`callback/<event>/<round>`), so that an event
  -- never has two senders.
  round            integer NOT NULL DEFAULT 0 CHECK (round >= 0),
  next_attempt_at  timestamptz,
  swept_at         timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now(),
  -- Of an event that goes to an address that its key has no longer: the address, and what signed for it then, sealed.
  old_url          text COLLATE "C",
  old_passphrases  bytea[],
  -- that a process of ours wrote it (src/platform/db/proofs.ts); without it nothing is signed
  mac              text COLLATE "C",
  UNIQUE (transaction_id, sequence)
);
CREATE INDEX callback_events_pending ON callback_events (transaction_id) WHERE state = 'pending';
CREATE INDEX callback_events_log ON callback_events (account_id, created_at DESC, id DESC);
CREATE INDEX callback_events_undelivered ON callback_events (account_id, created_at DESC, id DESC)
  WHERE state <> 'delivered';
-- What the sweep looks for, by when it has to (greatest() passes over nulls): of the events that a transaction's own
-- workflow has come to, the due ones; those that it has not come to yet, in turn; and resends that are due.
CREATE INDEX callback_events_due ON callback_events (greatest(created_at, next_attempt_at, swept_at))
  WHERE state = 'pending' AND round = 0 AND (sequence = 1 OR next_attempt_at IS NOT NULL);
CREATE INDEX callback_events_behind ON callback_events (greatest(created_at, swept_at))
  WHERE state = 'pending' AND round = 0 AND sequence > 1 AND next_attempt_at IS NULL;
CREATE INDEX callback_events_resent ON callback_events (greatest(created_at, next_attempt_at, swept_at))
  WHERE state = 'pending' AND round > 0;

-- The account is the key's, whoever writes the event: said once, here.
CREATE FUNCTION fill_callback_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT account_id INTO NEW.account_id FROM api_keys WHERE id = NEW.api_key_id;
  RETURN NEW;
END $$;
CREATE TRIGGER callback_events_account BEFORE INSERT ON callback_events
  FOR EACH ROW EXECUTE FUNCTION fill_callback_account();

-- An attempt is written before its first byte leaves. Without a duration it is under way, or its process ended: one
-- that lasts notes every few seconds that it is alive. All attempts of an event lie in the partition of the event's own
-- moment, so that its numbers stay unique: two who begin at once write the same one.
CREATE TABLE callback_attempts (
  event_id     text COLLATE "C" NOT NULL,
  -- created_at of the event
  event_at     timestamptz NOT NULL,
  number       integer NOT NULL,
  round        integer NOT NULL DEFAULT 0,
  sent_at      timestamptz NOT NULL,
  alive_at     timestamptz,
  http_status  smallint,
  error        text,
  duration_ms  integer,
  PRIMARY KEY (event_id, number, event_at)
) PARTITION BY RANGE (event_at);

-- A process ends a transaction, or a payment of a bill, only whole: the status with its event and exactly its money, all in one
-- Postgres transaction (src/transactions/ending/ending.ts). Looked at when that commits: the status comes first.
CREATE FUNCTION require_whole_ending() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_billed boolean := NEW.mode IN ('billpay', 'qr', 'number');
  is_paid_in_part boolean := NEW.status = 'pending' AND NEW.mode IN ('billpay', 'qr');
  is_success boolean := NEW.status IN ('completed', 'paid') OR is_paid_in_part;
  movement text := CASE
    WHEN NEW.mode = 'payback' THEN CASE WHEN is_success THEN 'payback_paid' ELSE 'payback_failed' END
    WHEN NEW.type = 'payout' THEN CASE WHEN is_success THEN 'payout' ELSE 'release' END
    WHEN is_success AND NEW.pays IS NULL THEN 'collection' END;
  worth bigint := NEW.amount;
  cost bigint := NEW.fee;
  due jsonb;
  moved jsonb;
BEGIN
  IF is_owner_of(TG_RELID) THEN RETURN NULL; END IF;
  -- Each payment of a bill or number is a receipt.
  IF is_billed THEN
    SELECT coalesce(sum(amount), 0), coalesce(sum(fee), 0) INTO worth, cost FROM bill_receipts WHERE transaction_id = NEW.id AND outcome = 'accepted';
  END IF;
  -- The money of every ending, by account. In the place of clearing stands suspense, where a line showed it first: then an item leaves by it.
  due := jsonb_strip_nulls(CASE movement
    WHEN 'collection' THEN jsonb_build_object('clearing', -worth, 'available', nullif(worth - cost, 0), 'fees', nullif(cost, 0))
    WHEN 'payout' THEN jsonb_build_object('held', -(worth + cost), 'clearing', worth, 'fees', nullif(cost, 0))
    WHEN 'release' THEN jsonb_build_object('held', -(worth + cost), 'available', worth + cost)
    WHEN 'payback_paid' THEN jsonb_build_object('payable', -worth, 'clearing', worth)
    WHEN 'payback_failed' THEN jsonb_build_object('payable', -worth, 'suspense', worth) END);
  SELECT jsonb_object_agg(booked.kind, booked.amount) INTO moved FROM (
    SELECT CASE WHEN EXISTS (SELECT FROM suspense_items i WHERE i.left_by = x.id AND a.kind = 'suspense' AND i.amount = -e.amount)
      THEN 'clearing' ELSE a.kind END AS kind, sum(e.amount) AS amount
    FROM transfers x JOIN entries e ON e.transfer_id = x.id JOIN ledger_accounts a ON a.id = e.ledger_account_id
    WHERE x.transaction_id = NEW.id AND x.kind = movement AND a.currency = NEW.currency
      AND (is_billed OR x.dedupe_key IN ('collection:' || NEW.id, 'resolve:' || NEW.id))
      AND coalesce(a.account_id, NEW.account_id) IS NOT DISTINCT FROM NEW.account_id AND (is_billed OR coalesce(a.channel, NEW.channel) = NEW.channel)
    GROUP BY 1 HAVING sum(e.amount) <> 0) booked;
  IF NEW.status = 'pending' AND NOT is_paid_in_part
    OR is_success <> (NEW.event IN ('payment.received', 'payout.completed'))
    OR is_billed AND (NEW.status = 'completed') <> (worth >= NEW.amount)
    OR movement = 'collection' AND cost <> NEW.fee
    OR moved IS DISTINCT FROM due
    -- The money of a push that pays a bill or number is a payment of that one (0031_numbers.sql), or in suspense.
    OR NEW.pays IS NOT NULL AND is_success AND NOT EXISTS (SELECT FROM bill_receipts r WHERE r.space = receipt_space(NEW.connection)
      AND (r.prompt_id = NEW.id OR r.receipt IN (NEW.channel_reference, NEW.reference)) AND r.outcome <> 'refused' AND r.amount = NEW.amount)
    OR NEW.pays IS NULL AND NOT EXISTS (SELECT FROM callback_events WHERE transaction_id = NEW.id AND event = NEW.event)
      AND NOT EXISTS (SELECT FROM batches WHERE id = NEW.batch_id AND quiet)
      AND EXISTS (SELECT FROM api_keys WHERE id = NEW.api_key_id AND NEW.event = ANY(subscribed_events)) THEN
    RAISE EXCEPTION 'transaction % becomes % (%) only with its event and its money', NEW.id, NEW.status, NEW.event
      USING ERRCODE = '42501', DETAIL = format('%s, not %s', moved, due);
  END IF;
  RETURN NULL;
END $$;
-- Every payment of a bill is another receipt.
CREATE CONSTRAINT TRIGGER transactions_end_whole AFTER UPDATE OF status, event, channel_reference ON transactions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN ((NEW.status, NEW.event) IS DISTINCT FROM (OLD.status, OLD.event)
    OR NEW.mode IN ('billpay', 'qr') AND NEW.channel_reference IS DISTINCT FROM OLD.channel_reference)
  EXECUTE FUNCTION require_whole_ending();

-- A payout came back once and for ever, and only with its money: to its merchant, or out of suspense by the word of two.
CREATE FUNCTION require_whole_return() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_owner_of(TG_RELID) OR OLD.returned_at IS NULL AND NEW.status = 'paid' AND (
    EXISTS (SELECT FROM transfers x JOIN entries e ON e.transfer_id = x.id JOIN ledger_accounts a ON a.id = e.ledger_account_id
      WHERE x.dedupe_key = 'return:' || NEW.id AND x.kind = 'reversal' AND x.transaction_id = NEW.id
        AND (a.kind, a.account_id, a.currency, e.amount) = ('available', NEW.account_id, NEW.currency, NEW.amount))
    OR EXISTS (SELECT FROM suspense_items i JOIN transfers x ON x.id = i.left_by
      WHERE abs(i.amount) = NEW.amount AND i.currency = NEW.currency AND x.proposal_id IS NOT NULL))
  THEN RETURN NULL; END IF;
  RAISE EXCEPTION 'payout % comes back once, and only with its money', NEW.id USING ERRCODE = '42501';
END $$;
CREATE CONSTRAINT TRIGGER transactions_return_whole AFTER UPDATE OF returned_at ON transactions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.returned_at IS DISTINCT FROM OLD.returned_at) EXECUTE FUNCTION require_whole_return();

-- A merchant is told of a state only by who writes that state, and as it is; of what is no transaction's there are four events.
CREATE FUNCTION require_state_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told jsonb;
BEGIN
  IF is_owner_of(TG_RELID) THEN RETURN NEW; END IF;
  told := NEW.body::jsonb;
  IF (NEW.event, NEW.id) IS NOT DISTINCT FROM (told->>'event', told->>'event_id')
    AND NEW.transaction_id::text IS NOT DISTINCT FROM told->>'transaction_id'
    AND (CASE WHEN NEW.transaction_id IS NULL
      THEN NEW.event IN ('batch.finished', 'callbacks.address_changed', 'settlement.account_changed', 'ping')
      ELSE EXISTS (SELECT FROM transactions t WHERE t.id = NEW.transaction_id AND t.xmin = pg_current_xact_id()::xid AND CASE NEW.event
        WHEN 'payout.returned' THEN t.status = 'paid' AND t.returned_at IS NOT NULL
        WHEN 'payment.received' THEN t.status = 'completed' OR t.mode IN ('billpay', 'qr') AND t.channel_reference IS NOT NULL
        WHEN 'payout.completed' THEN t.status = 'paid'
        ELSE t.status IN ('failed', 'cancelled') END) END)
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'transaction % is not what % says', NEW.transaction_id, NEW.event USING ERRCODE = '42501';
END $$;
CREATE TRIGGER callback_events_tell_states BEFORE INSERT ON callback_events
  FOR EACH ROW EXECUTE FUNCTION require_state_of_event();
