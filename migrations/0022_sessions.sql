-- Browsers of operators at the desk: a short session stands for a token, and ends with it.

CREATE TABLE operator_sessions (
  id            text COLLATE "C" PRIMARY KEY,
  -- of what the browser keeps, keyed with the service's own secret, as that of a token
  hash          bytea NOT NULL UNIQUE,
  token_id      text COLLATE "C" NOT NULL REFERENCES operator_tokens,
  address       text COLLATE "C" NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_seen_at  timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz,
  -- that a process of ours opened it, as it is (src/platform/db/proofs.ts)
  mac           text COLLATE "C"
);
CREATE INDEX operator_sessions_token ON operator_sessions (token_id);
CREATE TRIGGER operator_sessions_end_stays BEFORE UPDATE OF ended_at ON operator_sessions
  FOR EACH ROW WHEN (coalesce(NEW.ended_at, 'infinity') > OLD.ended_at) EXECUTE FUNCTION refuse_later_end();
-- Forgets those that ended long ago, at their eighth hour at the latest. As the owner: no process makes another one forgotten.
CREATE FUNCTION drop_old_sessions() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM operator_sessions WHERE created_at < now() - interval '2 days'
$$;
