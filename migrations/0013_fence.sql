-- What Postgres must not decide alone after a restore or a failover that lost commits. Temporal keeps the last mark
-- (src/transactions/fence.ts): a database that is behind it, or another one, is fenced until somebody ran `recover`.

CREATE TABLE fence (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- grows with every sweep and every start of a worker
  progress   bigint NOT NULL DEFAULT 0,
  closed_at  timestamptz,
  reason     text,
  -- When it was last lifted: what was accepted before may have been sent, whatever the tables say.
  lifted_at  timestamptz,
  -- How often it was lifted. Event ids are made with it, so that no id is used for two different bodies.
  epoch      integer NOT NULL DEFAULT 0,
  CHECK ((closed_at IS NULL) = (reason IS NULL))
);
INSERT INTO fence DEFAULT VALUES;
