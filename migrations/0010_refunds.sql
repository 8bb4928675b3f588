-- Refunds: payouts to whoever paid, each bound to one payment. Their columns are those of transactions.

ALTER TABLE transactions ADD FOREIGN KEY (refund_of, refund_payment) REFERENCES bill_receipts (transaction_id, number);
CREATE INDEX transactions_refunds ON transactions (refund_of, created_at) WHERE refund_of IS NOT NULL;

-- The refunds of a payment that are not failed, cancelled or returned are never worth more than the payment: a push, or
-- one accepted payment of a bill or QR code. The lock lets them in one after the other.
CREATE FUNCTION refuse_excessive_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  payment transactions;
  worth bigint;
  refunded bigint;
BEGIN
  SELECT * INTO payment FROM transactions WHERE id = NEW.refund_of FOR NO KEY UPDATE;
  IF payment.account_id <> NEW.account_id OR payment.currency <> NEW.currency THEN
    RAISE EXCEPTION 'refund % is of another account or currency than its payment %', NEW.id, NEW.refund_of;
  END IF;
  IF payment.mode IN ('billpay', 'qr', 'number') THEN
    SELECT amount INTO worth FROM bill_receipts
    WHERE transaction_id = NEW.refund_of AND number = NEW.refund_payment AND outcome = 'accepted';
  ELSIF payment.type = 'payment' AND NEW.refund_payment IS NULL THEN
    -- Whether it is completed is the service's to decide: a restored Postgres may have lost that, and not the refund.
    worth := payment.amount;
  END IF;
  SELECT sum(amount) INTO refunded FROM transactions
  WHERE refund_of = NEW.refund_of AND refund_payment IS NOT DISTINCT FROM NEW.refund_payment AND status IN ('pending', 'paid')
    AND returned_at IS NULL;
  IF refunded > coalesce(worth, 0) THEN
    RAISE EXCEPTION 'the refunds of % are worth %, more than the % that was paid', NEW.refund_of, refunded, coalesce(worth, 0);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER transactions_refund_no_more_than_was_paid AFTER INSERT OR UPDATE OF amount, refund_of, refund_payment ON transactions
  FOR EACH ROW WHEN (NEW.refund_of IS NOT NULL) EXECUTE FUNCTION refuse_excessive_refund();
