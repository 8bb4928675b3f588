-- Callbacks a merchant can rely on: attempts that are noted before they are made, resending, the delivery log, and the
-- end of addresses that never answer.

-- A resend is a new round: the schedule starts anew, counted by the attempts of this round. Round 0 belongs to the
-- transaction's own workflow, every later one to a workflow of its own (`callback/<event>/<round>`), so that an event
-- never has two senders.
ALTER TABLE callback_events
  ADD COLUMN account_id  uuid REFERENCES accounts,
  ADD COLUMN round       integer NOT NULL DEFAULT 0 CHECK (round >= 0),
  ADD COLUMN swept_at    timestamptz;
UPDATE callback_events e SET account_id = k.account_id FROM api_keys k WHERE k.id = e.api_key_id;
ALTER TABLE callback_events ALTER COLUMN account_id SET NOT NULL;

-- The account is the key's, whoever writes the event: said once, here. It stands in the row because the log is read
-- per account, newest first, and an account has several keys.
CREATE FUNCTION fill_callback_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT account_id INTO NEW.account_id FROM api_keys WHERE id = NEW.api_key_id;
  RETURN NEW;
END $$;
CREATE TRIGGER callback_events_account BEFORE INSERT ON callback_events
  FOR EACH ROW EXECUTE FUNCTION fill_callback_account();

CREATE INDEX callback_events_log ON callback_events (account_id, created_at DESC, id DESC);
CREATE INDEX callback_events_undelivered ON callback_events (account_id, created_at DESC, id DESC)
  WHERE state <> 'delivered';
CREATE INDEX callback_events_resent ON callback_events (coalesce(swept_at, created_at))
  WHERE state = 'pending' AND round > 0;
-- What its transaction's own workflow has not come to yet: the sweep looks whether that one is asleep.
CREATE INDEX callback_events_behind ON callback_events (created_at)
  WHERE state = 'pending' AND round = 0 AND sequence > 1;

-- An attempt is written before its first byte leaves. Without a duration it is under way, or its process ended: one
-- that lasts notes every few seconds that it is alive.
ALTER TABLE callback_attempts
  ADD COLUMN round integer NOT NULL DEFAULT 0,
  ADD COLUMN alive_at timestamptz,
  ALTER COLUMN duration_ms DROP NOT NULL;

ALTER TABLE api_keys
  -- the first failed attempt since the last success, or since the address was set; null while it works
  ADD COLUMN callback_failing_since    timestamptz,
  ADD COLUMN callback_disabled_at      timestamptz,
  -- whether payout.returned is sent: an event that not every receiver knows
  ADD COLUMN callback_payout_returned  boolean NOT NULL DEFAULT false;
CREATE INDEX api_keys_callback_disabled ON api_keys (callback_disabled_at) WHERE callback_disabled_reason IS NOT NULL;
