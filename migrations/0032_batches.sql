-- Batches of payouts: checked together, started by another key than made them, paid from one hold. An item is an ordinary payout.

ALTER TABLE accounts ADD COLUMN batches_need_another boolean NOT NULL DEFAULT true;
-- Who has the key: keys of one holder are one person. Null counts as one holder, too.
ALTER TABLE api_keys ADD COLUMN holder text COLLATE "C";

CREATE TABLE batches (
  id             uuid PRIMARY KEY,
  account_id     uuid NOT NULL REFERENCES accounts,
  -- that made it, and that its items are of
  api_key_id     text COLLATE "C" NOT NULL REFERENCES api_keys,
  batch_number   text COLLATE "C" NOT NULL,
  status         text COLLATE "C" NOT NULL DEFAULT 'draft'
                 CHECK (status IN ('draft', 'scheduled', 'running', 'paused', 'finished', 'cancelled')),
  -- a message and its values, said in the language of whoever reads it
  status_reason  jsonb,
  items_hash     text COLLATE "C" NOT NULL,
  currency       text COLLATE "C" NOT NULL,
  -- of all items; the rows of a batch with errors are not kept
  items          integer NOT NULL CHECK (items BETWEEN 1 AND 10000),
  amount         bigint NOT NULL CHECK (amount >= 0),
  fees           bigint NOT NULL CHECK (fees >= 0),
  fee_version    text COLLATE "C" NOT NULL,
  allow_twins    boolean NOT NULL,
  quiet          boolean NOT NULL,
  metadata       text NOT NULL DEFAULT '{}',
  -- of a CSV: its header, in the merchant's own words and order
  columns        text[],
  errors         jsonb NOT NULL DEFAULT '[]',
  -- by channel: the connection that carries its items, and their durations
  routes         jsonb NOT NULL DEFAULT '{}',
  start_at       timestamptz,
  started_by     text COLLATE "C" REFERENCES api_keys,
  -- when its money was held: its items count on this day
  started_at     timestamptz,
  -- that a process of ours started it so, by the word of its approver (src/platform/db/proofs.ts); null for a draft
  mac            text COLLATE "C",
  -- what is left of its hold
  held           bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  finished_at    timestamptz,
  -- how its items ended, counted at its end: nothing changes after it
  paid           integer NOT NULL DEFAULT 0,
  failed         integer NOT NULL DEFAULT 0,
  cancelled      integer NOT NULL DEFAULT 0,
  -- false once those that never became payouts are dropped
  rows_kept      boolean NOT NULL DEFAULT true,
  -- the sweep looks for its flow from then on
  due_at         timestamptz NOT NULL DEFAULT now(),
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account_id, batch_number),
  CHECK (status <> 'finished' OR finished_at IS NOT NULL),
  CHECK (finished_at IS NULL OR held = 0),
  CHECK (held = 0 OR started_at IS NOT NULL),
  -- No role but the worker's writes these: who may only say that it runs or waits has started nothing.
  CHECK (status NOT IN ('running', 'paused') OR started_at IS NOT NULL),
  CHECK (status <> 'scheduled' OR started_by IS NOT NULL)
);
CREATE INDEX batches_newest ON batches (account_id, created_at, id);
CREATE INDEX batches_open ON batches (due_at) WHERE finished_at IS NULL;
CREATE INDEX batches_with_people ON batches (finished_at) WHERE cancelled > 0 AND rows_kept;

CREATE TABLE batch_items (
  batch_id        uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
  position        integer NOT NULL CHECK (position BETWEEN 1 AND 10000),
  -- made from account, batch and position: whoever starts it starts the same one
  transaction_id  uuid NOT NULL UNIQUE,
  mode            text COLLATE "C" NOT NULL CHECK (mode IN ('mobile', 'bank')),
  channel         text COLLATE "C" NOT NULL,
  msisdn          text COLLATE "C",
  bic             text COLLATE "C",
  account_number  text COLLATE "C",
  full_name       text,
  -- whether the channel knew the recipient by this name at the check; null where it was not asked, or did not say
  name_match      boolean,
  -- as payout_recipients names whom money goes to
  recipient       text COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(msisdn, bic || '/' || account_number)) STORED,
  amount          bigint NOT NULL CHECK (amount > 0),
  reference       text,
  metadata        text NOT NULL DEFAULT '{}',
  -- of a CSV: the row as it was sent
  cells           text[],
  -- that a process of ours wrote it for this batch with these items (src/platform/db/proofs.ts)
  mac             text COLLATE "C" NOT NULL,
  -- when its flow was started last
  begun_at        timestamptz,
  PRIMARY KEY (batch_id, position)
);
CREATE INDEX batch_items_twins ON batch_items (recipient, amount);

ALTER TABLE transactions ADD COLUMN batch_id uuid REFERENCES batches;
ALTER TABLE transactions ADD CONSTRAINT only_payouts_are_items CHECK (batch_id IS NULL OR mode IN ('mobile', 'bank'));
CREATE INDEX transactions_batch ON transactions (batch_id) WHERE batch_id IS NOT NULL;

-- A hold is of a payout or of a batch. That of an item is carved from its batch's (`carved_from`) without a movement of money:
-- `batches.held` says what is left there, and the end of the batch releases it.
ALTER TABLE hold_resolutions DROP CONSTRAINT hold_resolutions_transaction_id_fkey;
ALTER TABLE holds DROP CONSTRAINT holds_pkey;
ALTER TABLE holds ALTER COLUMN transaction_id DROP NOT NULL;
ALTER TABLE holds ADD UNIQUE (transaction_id);
ALTER TABLE hold_resolutions ADD FOREIGN KEY (transaction_id) REFERENCES holds (transaction_id);
ALTER TABLE holds ADD COLUMN batch_id uuid UNIQUE REFERENCES batches;
ALTER TABLE holds ADD COLUMN carved_from uuid REFERENCES batches;
ALTER TABLE holds ADD CONSTRAINT of_one_thing CHECK ((transaction_id IS NULL) <> (batch_id IS NULL));
ALTER TABLE holds ADD CONSTRAINT only_items_are_carved CHECK (carved_from IS NULL OR transaction_id IS NOT NULL);
CREATE INDEX holds_carved ON holds (carved_from) WHERE carved_from IS NOT NULL;

-- Whoever is erased from a payout is erased from the row that it was made of.
CREATE FUNCTION erase_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE batch_items SET msisdn = NEW.msisdn, account_number = NEW.account_number, full_name = NULL, reference = NULL, cells = NULL
    WHERE transaction_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER transactions_erase_item AFTER UPDATE OF msisdn, account_number ON transactions FOR EACH ROW
  WHEN (NEW.batch_id IS NOT NULL AND (NEW.msisdn, NEW.account_number) IS DISTINCT FROM (OLD.msisdn, OLD.account_number))
  EXECUTE FUNCTION erase_item();

-- A process writes drafts only: each start goes through the flow, which the approver's hash is in.
CREATE FUNCTION refuse_started_batch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_owner_of(TG_RELID) THEN RAISE EXCEPTION 'batch % begins as a draft', NEW.id USING ERRCODE = '42501'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER batches_begin_as_drafts BEFORE INSERT ON batches FOR EACH ROW
  WHEN (NEW.status <> 'draft' OR NEW.started_by IS NOT NULL OR NEW.started_at IS NOT NULL OR NEW.held <> 0)
  EXECUTE FUNCTION refuse_started_batch();

-- A batch goes on, and never back: none that was cancelled, or is over, begins again. A restore takes one back, as the owner.
CREATE FUNCTION refuse_batch_going_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_owner_of(TG_RELID) THEN RAISE EXCEPTION 'batch % is %', OLD.id, OLD.status USING ERRCODE = '42501'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER batches_go_on BEFORE UPDATE OF status, finished_at ON batches FOR EACH ROW
  WHEN ((NEW.status <> OLD.status AND (OLD.status IN ('cancelled', 'finished') OR NEW.status = 'draft'
      OR (NEW.status = 'scheduled' AND OLD.status <> 'draft')))
    OR NEW.finished_at IS DISTINCT FROM coalesce(OLD.finished_at, NEW.finished_at))
  EXECUTE FUNCTION refuse_batch_going_back();

-- Items carry proofs, so no process deletes one. A draft goes that nobody can start (a check found errors in it, or finds them in this
-- very transaction), or that nobody started in time: never one of today.
CREATE FUNCTION forget_draft(draft uuid) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM batches WHERE id = draft AND status = 'draft' AND started_by IS NULL
    AND (errors <> '[]' OR xmin = pg_current_xact_id()::xid OR created_at < now() - interval '1 day')
$$;

-- Rows that never became payouts name people and no money: those of one batch go, older than their retention. As the owner: no
-- process shortens it.
CREATE FUNCTION drop_old_batch_rows() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  old uuid;
BEGIN
  UPDATE batches SET rows_kept = false WHERE id = (
    SELECT id FROM batches WHERE cancelled > 0 AND rows_kept
      AND finished_at < now() - make_interval(days => (SELECT kept_days FROM retention WHERE name = 'batch_rows'))
    ORDER BY finished_at LIMIT 1) RETURNING id INTO old;
  DELETE FROM batch_items i WHERE i.batch_id = old AND NOT EXISTS (SELECT FROM transactions t WHERE t.id = i.transaction_id);
END $$;
