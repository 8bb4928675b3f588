-- Whether a channel can be used: what its newest answers were, what follows from them, and what people closed.

-- How a channel answered within ten seconds. A row belongs to one process, so no two of them wait for each other. Losing
-- some costs nothing but a later judgement.
CREATE TABLE channel_results (
  -- the time of its beginning, in tens of seconds since 1970
  slot      bigint NOT NULL,
  channel   text COLLATE "C" NOT NULL,
  service   text COLLATE "C" NOT NULL CHECK (service IN ('payments', 'payouts')),
  process   uuid NOT NULL,
  answered  integer NOT NULL CHECK (answered >= 0),
  failed    integer NOT NULL CHECK (failed >= 0),
  PRIMARY KEY (slot, channel, service, process)
);

-- A channel that was down once: since when it is, and which request may probe it next.
CREATE TABLE channel_breakers (
  channel      text COLLATE "C" NOT NULL,
  service      text COLLATE "C" NOT NULL CHECK (service IN ('payments', 'payouts')),
  -- null while it works
  down_since   timestamptz,
  -- older results judge it no more
  recovered_at timestamptz,
  -- from then on one request may be sent to it all the same
  probe_at     timestamptz NOT NULL DEFAULT now(),
  -- the transaction that may be sent
  probe_of     uuid,
  probes       integer NOT NULL DEFAULT 0,
  PRIMARY KEY (channel, service)
);

-- What operators closed: one service of a channel, or of every channel.
CREATE TABLE closures (
  -- null: every channel
  channel    text COLLATE "C",
  service    text COLLATE "C" NOT NULL CHECK (service IN ('payments', 'payouts')),
  closed_by  text COLLATE "C" NOT NULL,
  reason     text NOT NULL,
  closed_at  timestamptz NOT NULL DEFAULT now() CHECK (closed_at BETWEEN '2000-01-01Z' AND '9999-01-01Z'),
  -- the proposal that opened it; null as long as it is closed
  opened_by  text COLLATE "C" REFERENCES proposals,
  -- that the process opened it which carried out what two operators agreed on (src/platform/db/proofs.ts)
  mac        text COLLATE "C",
  UNIQUE NULLS NOT DISTINCT (channel, service, closed_at)
);
CREATE UNIQUE INDEX closures_now ON closures (channel, service) NULLS NOT DISTINCT WHERE opened_by IS NULL;

CREATE TRIGGER closures_opened_once BEFORE UPDATE ON closures
  FOR EACH ROW WHEN (OLD.opened_by IS NOT NULL) EXECUTE FUNCTION refuse_later_end();
