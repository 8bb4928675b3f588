-- People who run the service, what they may do, and what two of them have to agree on.

CREATE TABLE operators (
  -- short and never used again: the audit log and proposals name people by it
  name         text COLLATE "C" PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9.-]{1,39}$'),
  email        text COLLATE "C" NOT NULL UNIQUE,
  roles        text[] COLLATE "C" NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  disabled_at  timestamptz,
  -- of the roles, which their proof covers (src/platform/db/proofs.ts): it only grows, so that no roles of before prove anything
  version      integer NOT NULL DEFAULT 1,
  mac          text COLLATE "C",
  CONSTRAINT roles_exist CHECK (roles <@ '{viewer,support,finance,admin}'::text[])
);
CREATE TRIGGER operators_end_stays BEFORE UPDATE OF disabled_at ON operators
  FOR EACH ROW WHEN (coalesce(NEW.disabled_at, 'infinity') > OLD.disabled_at) EXECUTE FUNCTION refuse_later_end();
CREATE FUNCTION refuse_earlier_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'version % of % is over', NEW.version, TG_TABLE_NAME USING ERRCODE = '42501';
END $$;
CREATE TRIGGER operators_go_on BEFORE UPDATE OF roles, version, mac ON operators
  FOR EACH ROW WHEN (NEW.version <= OLD.version) EXECUTE FUNCTION refuse_earlier_version();

-- Only the keyed hash of a token's fingerprint is stored, so that who lets a token in never sees it. Every token ends.
CREATE TABLE operator_tokens (
  id            text COLLATE "C" PRIMARY KEY,
  operator      text COLLATE "C" NOT NULL REFERENCES operators,
  hash          bytea NOT NULL,
  -- the name of the service's own secret that keyed the hash
  hashed_with   text COLLATE "C" NOT NULL,
  -- who let it in: a proposal, its owner, or who held the database's credentials
  issued_by     text COLLATE "C" NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  revoked_at    timestamptz,
  -- to the minute
  last_used_at  timestamptz,
  -- that a process of ours let it in, as it is (src/platform/db/proofs.ts)
  mac           text COLLATE "C"
);
CREATE INDEX operator_tokens_operator ON operator_tokens (operator);
CREATE TRIGGER operator_tokens_end_stays BEFORE UPDATE OF revoked_at ON operator_tokens
  FOR EACH ROW WHEN (coalesce(NEW.revoked_at, 'infinity') > OLD.revoked_at) EXECUTE FUNCTION refuse_later_end();

-- What moves money or lowers a guard: proposed by one operator, approved by another, carried out in the transaction that
-- notes the approval. One that is too old stays `proposed` here; readers see it as expired, and nothing carries it out.
CREATE TABLE proposals (
  id            text COLLATE "C" PRIMARY KEY,
  action        text COLLATE "C" NOT NULL,
  -- json text, not jsonb: the hash is of these bytes
  payload       text COLLATE "C" NOT NULL,
  payload_hash  text COLLATE "C" NOT NULL,
  reason        text NOT NULL,
  proposed_by   text COLLATE "C" NOT NULL REFERENCES operators,
  proposed_at   timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  -- approved: only within the transaction that carries it out
  state         text COLLATE "C" NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'approved', 'rejected', 'executed', 'failed')),
  decided_by    text COLLATE "C" REFERENCES operators,
  decided_at    timestamptz,
  -- what came of it, or why it was rejected
  outcome       text COLLATE "C",
  -- FOUR_EYES=off, never in production: who proposed may approve
  alone         boolean NOT NULL DEFAULT false,
  -- that a process of ours wrote it for whom it names (src/platform/db/proofs.ts)
  mac           text COLLATE "C",
  CHECK ((state = 'proposed') = (decided_by IS NULL)),
  CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
  CONSTRAINT two_operators CHECK (alone OR state = 'rejected' OR decided_by <> proposed_by)
);
CREATE INDEX proposals_newest ON proposals (proposed_at, id);
CREATE INDEX proposals_open ON proposals (proposed_at, id) WHERE state = 'proposed';

-- What was proposed is what is approved; what was decided stays decided.
CREATE FUNCTION guard_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.action, NEW.payload, NEW.payload_hash, NEW.reason, NEW.proposed_by, NEW.proposed_at, NEW.expires_at)
     IS DISTINCT FROM
     (OLD.id, OLD.action, OLD.payload, OLD.payload_hash, OLD.reason, OLD.proposed_by, OLD.proposed_at, OLD.expires_at) THEN
    RAISE EXCEPTION 'proposal % cannot be changed', OLD.id;
  END IF;
  IF (OLD.state, NEW.state) NOT IN (('proposed', 'approved'), ('proposed', 'rejected'), ('approved', 'executed'), ('approved', 'failed')) THEN
    RAISE EXCEPTION 'proposal % is % and cannot become %', OLD.id, OLD.state, NEW.state;
  END IF;
  IF NEW.state = 'approved' AND OLD.expires_at <= now() THEN
    RAISE EXCEPTION 'proposal % has expired', OLD.id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER proposals_guarded BEFORE UPDATE ON proposals FOR EACH ROW EXECUTE FUNCTION guard_proposal();
CREATE TRIGGER proposals_kept BEFORE DELETE OR TRUNCATE ON proposals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Who approved what, by which token: what a proposal allows looks for this, whatever its state says.
CREATE TABLE approvals (
  proposal_id   text COLLATE "C" PRIMARY KEY REFERENCES proposals,
  payload_hash  text COLLATE "C" NOT NULL,
  approved_by   text COLLATE "C" NOT NULL REFERENCES operators,
  token_id      text COLLATE "C" NOT NULL,
  approved_at   timestamptz NOT NULL,
  -- made after the token was proven (src/platform/db/proofs.ts)
  mac           text COLLATE "C" NOT NULL
);
CREATE TRIGGER approvals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON approvals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

ALTER TABLE freezes ADD FOREIGN KEY (lifted_by) REFERENCES proposals;

-- What people decided about a transaction whose channel could not be brought to answer: the only place where settle reads
-- a decision. The channel is asked on afterwards; its answer, if it ever comes, is noted here.
CREATE TABLE decisions (
  transaction_id  uuid PRIMARY KEY REFERENCES transactions,
  outcome         text COLLATE "C" NOT NULL CHECK (outcome IN ('paid', 'failed')),
  note            text NOT NULL,
  proposal_id     text COLLATE "C" NOT NULL UNIQUE REFERENCES proposals,
  -- that the process wrote it which carried out what two operators agreed on (src/platform/db/proofs.ts)
  mac             text COLLATE "C" NOT NULL,
  decided_at      timestamptz NOT NULL DEFAULT now(),
  -- when it ended the transaction; null for ever where the channel was faster
  applied_at      timestamptz,
  answer          text COLLATE "C" CHECK (answer IN ('confirmed', 'contradicted', 'none')),
  answered_at     timestamptz,
  CHECK ((answer IS NULL) = (answered_at IS NULL)),
  CHECK (answer IS NULL OR applied_at IS NOT NULL)
);
-- What the sweep looks for: not yet applied, or applied and not yet answered.
CREATE INDEX decisions_unanswered ON decisions (decided_at) WHERE answer IS NULL;

CREATE FUNCTION guard_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.transaction_id, NEW.outcome, NEW.note, NEW.proposal_id, NEW.mac, NEW.decided_at)
     IS DISTINCT FROM (OLD.transaction_id, OLD.outcome, OLD.note, OLD.proposal_id, OLD.mac, OLD.decided_at)
     OR (OLD.applied_at IS NOT NULL AND NEW.applied_at IS DISTINCT FROM OLD.applied_at)
     OR OLD.answer IS NOT NULL THEN
    RAISE EXCEPTION 'the decision about % cannot be changed', OLD.transaction_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER decisions_guarded BEFORE UPDATE ON decisions FOR EACH ROW EXECUTE FUNCTION guard_decision();
CREATE TRIGGER decisions_kept BEFORE DELETE OR TRUNCATE ON decisions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Only who keeps operators says what one of them did: the API, and the owner. A worker's own lines have other actors.
CREATE FUNCTION refuse_borrowed_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT has_table_privilege('public.operators', 'INSERT') THEN
    RAISE EXCEPTION '% is an operator, and this role speaks for none', NEW.actor USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER audit_log_speaks_for_nobody BEFORE INSERT ON audit_log
  FOR EACH ROW WHEN (starts_with(NEW.actor, 'operator:')) EXECUTE FUNCTION refuse_borrowed_name();
