-- Merchants, their API keys and where their callbacks go. Text that names something (ids, keys, receipts, references) is
-- COLLATE "C" in every file: it is compared byte by byte, alike on every machine and after every update of its libraries.

CREATE TABLE accounts (
  id          uuid PRIMARY KEY,
  name        text NOT NULL,
  -- what its customers read on a page to pay on, set by two operators; null: its name
  display_name text,
  created_at  timestamptz NOT NULL DEFAULT now()
);
-- Operators find a merchant by words of its name.
CREATE INDEX accounts_words ON accounts USING gin (to_tsvector('simple', name));

-- What ended stays so, or ended earlier: nothing lives again, whoever has the password of a process.
CREATE FUNCTION refuse_later_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what ended of % stays so, or ends earlier', TG_TABLE_NAME USING ERRCODE = '42501';
END $$;

-- A key's id is public (it is part of the key); only keyed hashes of its secrets are stored. Callback address and
-- passphrases belong to the id, so that they survive the rotation of a secret.
CREATE TABLE api_keys (
  id                        text COLLATE "C" PRIMARY KEY,
  account_id                uuid NOT NULL REFERENCES accounts,
  label                     text NOT NULL DEFAULT '',
  scopes                    text[] COLLATE "C" NOT NULL,
  allowed_ips               text[] COLLATE "C" NOT NULL DEFAULT '{}',
  expires_at                timestamptz,
  revoked_at                timestamptz,
  created_at                timestamptz NOT NULL DEFAULT now(),
  -- to the minute
  last_used_at              timestamptz,
  callback_url              text,
  callback_disabled_reason  text COLLATE "C" CHECK (callback_disabled_reason IN ('gone', 'not_accepted')),
  callback_disabled_at      timestamptz,
  -- the first failed attempt since the last success, or since the address was set; null while it works
  callback_failing_since    timestamptz,
  -- Which events are sent; a ping always is.
  subscribed_events         text[] COLLATE "C" NOT NULL
    DEFAULT '{batch.finished,payment.failed,payment.received,payout.completed,payout.failed,payout.returned}',
  callback_updated_at       timestamptz NOT NULL DEFAULT now(),
  -- since when there is an address that operators set for the merchant
  callback_url_operator_at  timestamptz,
  -- that a process of ours let it in, as it is (src/platform/db/proofs.ts)
  mac                       text COLLATE "C",
  CONSTRAINT subscribed_events_exist CHECK (subscribed_events <@
    '{batch.finished,payment.failed,payment.received,payout.completed,payout.failed,payout.returned}'::text[])
);
CREATE TRIGGER api_keys_end_stays BEFORE UPDATE OF revoked_at ON api_keys
  FOR EACH ROW WHEN (coalesce(NEW.revoked_at, 'infinity') > OLD.revoked_at) EXECUTE FUNCTION refuse_later_end();
CREATE INDEX api_keys_account ON api_keys (account_id);
CREATE INDEX api_keys_callback_disabled ON api_keys (callback_disabled_at) WHERE callback_disabled_reason IS NOT NULL;

-- Accounts, and keys, with which nothing new is accepted.
CREATE TABLE freezes (
  account_id  uuid NOT NULL REFERENCES accounts,
  -- null: the whole account
  api_key_id  text COLLATE "C" REFERENCES api_keys,
  frozen_by   text COLLATE "C" NOT NULL,
  reason      text NOT NULL,
  frozen_at   timestamptz NOT NULL DEFAULT now() CHECK (frozen_at BETWEEN '2000-01-01Z' AND '9999-01-01Z'),
  -- the proposal that lifted it (0007_operators.sql); null as long as it is frozen
  lifted_by   text COLLATE "C",
  -- that the process lifted it which carried out what two operators agreed on (src/platform/db/proofs.ts)
  mac         text COLLATE "C",
  UNIQUE NULLS NOT DISTINCT (account_id, api_key_id, frozen_at)
);
CREATE UNIQUE INDEX freezes_now ON freezes (account_id, api_key_id) NULLS NOT DISTINCT WHERE lifted_by IS NULL;
CREATE TRIGGER freezes_lifted_once BEFORE UPDATE ON freezes
  FOR EACH ROW WHEN (OLD.lifted_by IS NOT NULL) EXECUTE FUNCTION refuse_later_end();

CREATE TABLE api_key_secrets (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id       text COLLATE "C" NOT NULL REFERENCES api_keys,
  hash         bytea NOT NULL,
  -- the name of the service's own secret that keyed the hash
  hashed_with  text COLLATE "C" NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- a rotated secret opens its key until then
  retires_at   timestamptz
);
-- One that was retired is not added again, for no hash ever leaves.
CREATE UNIQUE INDEX api_key_secrets_key ON api_key_secrets (key_id, hash);
CREATE TRIGGER api_key_secrets_end_stays BEFORE UPDATE OF retires_at ON api_key_secrets
  FOR EACH ROW WHEN (coalesce(NEW.retires_at, 'infinity') > OLD.retires_at) EXECUTE FUNCTION refuse_later_end();

-- Encrypted (AES-256-GCM) by the key whose name the ciphertext begins with. A replaced passphrase keeps signing beside the new one until retires_at.
CREATE TABLE callback_passphrases (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id      text COLLATE "C" NOT NULL REFERENCES api_keys,
  ciphertext  bytea NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  retires_at  timestamptz
);
CREATE INDEX callback_passphrases_key ON callback_passphrases (key_id);
CREATE TRIGGER callback_passphrases_end_stays BEFORE UPDATE OF retires_at ON callback_passphrases
  FOR EACH ROW WHEN (coalesce(NEW.retires_at, 'infinity') > OLD.retires_at) EXECUTE FUNCTION refuse_later_end();
-- Forgets those that sign nothing since yesterday. As the owner: no process makes one forgotten that signs.
CREATE FUNCTION drop_retired_passphrases() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM callback_passphrases WHERE retires_at < now() - interval '1 day'
$$;

-- Who did what. Each line carries the hash of the one before, so that one that was changed or taken out is found
-- (cli audit verify). Number, time and hash are given by the trigger below, whoever inserts.
CREATE TABLE audit_log (
  id          bigint PRIMARY KEY,
  at          timestamptz NOT NULL,
  actor       text COLLATE "C" NOT NULL,
  -- where an operator's call came from, and its id
  address     text COLLATE "C",
  request_id  text COLLATE "C",
  action      text COLLATE "C" NOT NULL,
  subject     text COLLATE "C" NOT NULL,
  detail      jsonb NOT NULL DEFAULT '{}',
  hash        bytea NOT NULL
);
-- What the last start of a process was told about its channels.
CREATE INDEX audit_log_channels ON audit_log (id) WHERE action = 'channels.configured';
-- Where the chain ends: its row lock lets one line follow another, and it is missed when the last lines are cut off.
CREATE TABLE audit_head (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id        bigint NOT NULL,
  hash      bytea NOT NULL
);
INSERT INTO audit_head (id, hash) VALUES (0, '');

-- What is hashed of a line: one text, the same on every machine and in an export.
CREATE FUNCTION audit_line(line audit_log) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(line.id, to_char(line.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), line.actor,
    line.address, line.request_id, line.action, line.subject, line.detail)::text
$$;
-- As the owner: a process may add lines, and has no other way to the end of the chain.
CREATE FUNCTION chain_audit_log() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE head audit_head;
BEGIN
  SELECT * INTO head FROM audit_head FOR UPDATE;
  NEW.id := head.id + 1;
  NEW.at := clock_timestamp();
  NEW.hash := sha256(head.hash || convert_to(audit_line(NEW), 'UTF8'));
  UPDATE audit_head SET id = NEW.id, hash = NEW.hash;
  RETURN NEW;
END $$;
CREATE TRIGGER audit_log_chain BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit_log();

-- For every table that is only added to.
CREATE FUNCTION refuse_rewriting_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: a correction is a new row', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Counts that several API processes share when RATE_LIMIT_STORE=postgres. UNLOGGED: they are worth a second at most, a
-- crash of Postgres may empty them, and no write-ahead log is spent on them.

-- One token bucket per API key. full_at is when the bucket will be full again, so that one timestamp is its whole state.
CREATE UNLOGGED TABLE rate_limit_buckets (
  key_id   text COLLATE "C" PRIMARY KEY,
  full_at  timestamptz NOT NULL,
  -- what the last lease was given: it comes back with the statement that gave it
  granted  integer NOT NULL
) WITH (fillfactor = 50);

-- Failed authentications; the columns are those of the library rate-limiter-flexible, which reads and writes them.
CREATE UNLOGGED TABLE failed_authentications (
  key     varchar(255) COLLATE "C" PRIMARY KEY,
  points  integer NOT NULL DEFAULT 0,
  expire  bigint
) WITH (fillfactor = 50);

-- How often an account has done what it may do only so often a day, or an hour, that begins at `since`.
CREATE UNLOGGED TABLE uses (
  account_id  uuid NOT NULL REFERENCES accounts,
  use         text COLLATE "C" NOT NULL,
  since       timestamptz NOT NULL,
  uses        integer NOT NULL,
  PRIMARY KEY (account_id, use, since)
) WITH (fillfactor = 50);
