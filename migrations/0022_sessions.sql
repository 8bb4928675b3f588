-- Browsers of operators at the desk: a short session stands for a token, and ends with it.

CREATE TABLE operator_sessions (
  id            text COLLATE "C" PRIMARY KEY,
  -- SHA-256 of what the browser keeps: random bits, which no key has to protect
  hash          bytea NOT NULL UNIQUE,
  token_id      text COLLATE "C" NOT NULL REFERENCES operator_tokens,
  address       text COLLATE "C" NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_seen_at  timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz
);
CREATE INDEX operator_sessions_token ON operator_sessions (token_id);
