-- What merchants are told, and every attempt to tell them.

-- The bytes of a callback are fixed in the transaction that settles and never change.
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
