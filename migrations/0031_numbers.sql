-- Standing numbers: control numbers that are paid again and again. Each payment is a transaction of its own.

CREATE TABLE numbers (
  id                  uuid PRIMARY KEY,
  account_id          uuid NOT NULL REFERENCES accounts,
  -- whose callbacks tell of its payments
  api_key_id          text COLLATE "C" NOT NULL REFERENCES api_keys,
  control_number      text COLLATE "C" NOT NULL UNIQUE,
  customer_reference  text COLLATE "C" NOT NULL,
  purpose             text COLLATE "C" NOT NULL CHECK (purpose IN ('collect', 'top_up', 'link')),
  currency            text COLLATE "C" NOT NULL,
  description         text,
  -- of each payment
  minimum             bigint CHECK (minimum > 0),
  maximum             bigint CHECK (maximum >= coalesce(minimum, 1)),
  metadata            text NOT NULL DEFAULT '{}',
  -- of a top-up: from whom money is the merchant's own; anybody else's costs what a customer's does
  payers              jsonb CHECK (payers IS NULL OR purpose = 'top_up' AND jsonb_array_length(payers) BETWEEN 1 AND 20),
  -- of a payment link: its control number is its code, which no wallet takes, and each of its payers gets a bill
  quantity            text COLLATE "C" CHECK (quantity IN ('once', 'many')),
  expires_at          timestamptz,
  status              text COLLATE "C" NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  created_at          timestamptz NOT NULL,
  UNIQUE (account_id, customer_reference),
  CHECK ((purpose = 'link') = (quantity IS NOT NULL)),
  CHECK (purpose = 'link' OR expires_at IS NULL)
);
CREATE INDEX numbers_newest ON numbers (account_id, created_at, id);

ALTER TABLE transactions ADD COLUMN number_id uuid REFERENCES numbers;
ALTER TABLE transactions ADD CONSTRAINT payment_has_its_number CHECK ((mode = 'number') = (number_id IS NOT NULL));
CREATE INDEX transactions_numbers ON transactions (number_id, created_at, id) WHERE number_id IS NOT NULL;

-- The bill, QR code or standing number that a push pays, whose customer asked for it on a page. Its money is that one's.
ALTER TABLE transactions ADD COLUMN pays uuid;
ALTER TABLE transactions ADD CONSTRAINT only_pushes_pay CHECK (pays IS NULL OR (mode = 'ussd' AND fee = 0));
CREATE INDEX transactions_prompts ON transactions (pays, created_at) WHERE pays IS NOT NULL;
CREATE INDEX transactions_prompts_of_phone ON transactions (msisdn, created_at) WHERE pays IS NOT NULL;
CREATE INDEX transactions_prompts_of_account ON transactions (account_id, created_at) WHERE pays IS NOT NULL;

-- Writes down the transaction of an accepted payment of a number, from its receipt, which was stored by the same Postgres
-- transaction. Runs as the owner, so that the process with the doors needs no right to write transactions.
CREATE FUNCTION open_number_payment(receipt_space text, receipt_number text, its_version text, its_reference text,
  its_mac text, its_timing jsonb) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, event, amount, currency, fee, fee_version,
    channel, reference, metadata, timing, number_id, mac, created_at, updated_at, status_at)
  SELECT r.transaction_id, n.account_id, n.api_key_id, r.transaction_id, 'payment', 'number', 'payment.pending', r.amount,
    r.currency, r.fee, its_version, r.channel, its_reference, n.metadata, its_timing, n.id, its_mac, r.received_at, r.received_at,
    r.received_at
  FROM bill_receipts r JOIN numbers n ON n.control_number = r.control_number
  WHERE r.space = receipt_space AND r.receipt = receipt_number AND r.outcome = 'accepted';
  RETURN FOUND;
END $$;
