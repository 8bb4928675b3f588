-- When each value of a secret last proved or opened something, at most a minute late: an old one may go once nothing has
-- used it for long enough (cli secrets status). `name` is the name of a key, or digits of a hash; never a value.
CREATE TABLE secret_uses (
  secret        text COLLATE "C" NOT NULL,
  name          text COLLATE "C" NOT NULL,
  last_used_at  timestamptz NOT NULL,
  PRIMARY KEY (secret, name)
);
