-- An item that pays something leaves suspense as that payment. Where a door had told of it, its receipt is there and says that it was
-- kept in suspense: that word alone may change, once, to accepted.
DROP TRIGGER bill_receipts_append_only ON bill_receipts;
CREATE TRIGGER bill_receipts_append_only
  BEFORE UPDATE OF space, receipt, channel, control_number, amount, currency, connection, prompt_id OR DELETE OR TRUNCATE ON bill_receipts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER bill_receipts_decided_once
  BEFORE UPDATE OF transaction_id, outcome, reason, number, fee, received_at, mac ON bill_receipts
  FOR EACH ROW WHEN (OLD.outcome <> 'suspended' OR NEW.outcome <> 'accepted' OR OLD.transaction_id <> NEW.transaction_id)
  EXECUTE FUNCTION refuse_rewriting_history();

-- As the owner, and only while its money is an open item, which the caller takes after it. False where it
-- is no receipt in suspense. `moment`: of the decision, as of every payment of its bill.
CREATE FUNCTION accept_suspended(its_space text, its_receipt text, payment uuid, place smallint, its_fee bigint, its_mac text,
  moment timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE bill_receipts r SET outcome = 'accepted', reason = NULL, transaction_id = payment, number = place, fee = its_fee, mac = its_mac,
    received_at = moment
  WHERE space = its_space AND receipt = its_receipt AND outcome = 'suspended' AND EXISTS (SELECT FROM suspense_items i
    WHERE i.id IN (SELECT items_called(r.space, r.receipt)) AND i.is_open AND i.amount = r.amount AND i.currency = r.currency);
  RETURN FOUND;
END $$;
