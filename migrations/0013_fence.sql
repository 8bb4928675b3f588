-- What Postgres must not decide alone after a restore or a failover that lost commits. Temporal keeps the last mark
-- (src/transactions/care/fence.ts): a database that is behind it, or another one, is fenced until somebody ran `recover`.

CREATE TABLE fence (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- grows with every sweep and every start of a worker
  progress   bigint NOT NULL DEFAULT 0,
  closed_at  timestamptz,
  reason     text,
  -- When it was last lifted: what was accepted before may have been sent, whatever the tables say.
  lifted_at  timestamptz,
  -- Grows whenever it is lifted. Event ids are made with it, so that no id is used for two different bodies.
  epoch      bigint NOT NULL DEFAULT 0,
  -- The timeline of the log when it was made or last lifted: where another one is written, a standby took over.
  timeline   integer NOT NULL DEFAULT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int,
  -- when a sweep last did all of its duties
  swept_at   timestamptz NOT NULL DEFAULT now(),
  CHECK ((closed_at IS NULL) = (reason IS NULL))
);
INSERT INTO fence DEFAULT VALUES;

-- A process may close the fence. Only lifting opens it, and lifting counts an epoch, which no process may write.
CREATE FUNCTION refuse_opening_the_fence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.progress < OLD.progress THEN
    RAISE EXCEPTION 'the fence at step % does not go back to %', OLD.progress, NEW.progress;
  END IF;
  IF NEW.epoch = OLD.epoch AND OLD.closed_at IS NOT NULL
    AND (NEW.closed_at, NEW.reason) IS DISTINCT FROM (OLD.closed_at, OLD.reason) THEN
    RAISE EXCEPTION 'the fence stays closed until it is lifted';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER fence_stays_closed BEFORE UPDATE ON fence
  FOR EACH ROW EXECUTE FUNCTION refuse_opening_the_fence();
