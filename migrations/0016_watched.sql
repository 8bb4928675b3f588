-- What metrics read every few seconds: never the ledger, nor all transactions.

-- The oldest pending ones by kind and channel. Bills and QR codes wait for a customer, by the million, and are left out.
CREATE INDEX transactions_waiting ON transactions (mode, channel, created_at)
  WHERE status = 'pending' AND mode NOT IN ('billpay', 'qr');

-- The sum of the entries of each account of the service up to one of them (src/ledger/sums.ts). The sweep adds what came
-- since, so that nobody reads all of them.
CREATE TABLE ledger_sums (
  ledger_account_id  bigint PRIMARY KEY REFERENCES ledger_accounts,
  amount             bigint NOT NULL
);
CREATE TABLE ledger_sums_head (
  only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- the last entry that is in the sums
  counted     bigint NOT NULL DEFAULT 0,
  -- The next ones up to here are added once every transaction before this number has ended: an entry takes its id before
  -- its transaction commits.
  until       bigint NOT NULL DEFAULT 0 CHECK (until >= counted),
  until_xid   xid8 NOT NULL DEFAULT '0'
);
INSERT INTO ledger_sums_head DEFAULT VALUES;
