import type { BilledMode, ModeWith, OrderMode } from '../../domain/kinds.ts';
import { inSql } from '../../platform/db/literals.ts';
import type { RowOf } from '../../platform/db/pool.ts';

/** SQL lists of modes: those with a row in `bills`, and all that a customer pays by a number. */
export const ORDER_MODES = inSql<OrderMode>()(['billpay', 'qr']);
export const BILLED_MODES = inSql<BilledMode>()(['billpay', 'qr', 'number']);

/** Columns of a payout (domain/payout.ts) in a row of `transactions` or `batch_items`. */
export const payoutColumns = <const T extends string>(t: T) =>
  `${t}.msisdn, ${t}.bic, ${t}.account_number AS "accountNumber", ${t}.full_name AS "fullName"` as const;

/** A Transaction needs these columns; `t` is the alias. */
export const transactionColumns =
  `t.id, t.account_id, t.api_key_id, t.mode, t.status, t.event, t.amount, t.currency, t.fee,
  t.fee_version, t.settled, t.channel, t.connection, t.reference, t.channel_reference, ${payoutColumns('t')},
  t.metadata, t.failure_code, t.timing, t.handed_over_at, t.prompt_expires_at, t.next_enquiry_at,
  t.waits_until, t.paid_at, t.returned_at,
  t.return_reason, t.refund_of, t.refund_reason, t.suspense_item, t.pays, t.batch_id, t.created_at,
  t.updated_at, t.status_at, t.status = 'pending' AND CASE WHEN t.handed_over_at IS NULL
    THEN coalesce(t.created_at <= (SELECT lifted_at FROM fence), false)
    ELSE coalesce((
      SELECT bool_or(coalesce(s.outcome = 'unknown', s.handed_over_at < now() - interval '1 minute'))
      FROM sends s WHERE s.transaction_id = t.id), false) END AS unclear,
  EXISTS (SELECT 1 FROM attention a WHERE a.transaction_id = t.id AND a.resolved_at IS NULL) AS attention
  /* never null: unclear, attention */, CASE WHEN t.number_id IS NOT NULL THEN (
    SELECT json_build_object('controlNumber', n.control_number, 'paymentNumber', n.customer_reference,
      'mode', 'flexible',
      'description', n.description, 'paid', t.amount, 'payments', 1, 'numberId', n.id, 'purpose', n.purpose,
      'expiresAt', to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    FROM numbers n WHERE n.id = t.number_id)
  WHEN t.mode IN (${ORDER_MODES}) THEN (
    SELECT json_build_object('controlNumber', b.control_number, 'paymentNumber', b.payment_number,
      'mode', b.mode, 'description', b.description, 'paid', b.paid, 'payments', b.payments,
      'expiresAt', to_char(b.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    FROM bills b WHERE b.transaction_id = t.id) END AS bill,
  CASE WHEN t.mode IN (${inSql<ModeWith<{ isRefundable: true }>>()(['ussd', 'billpay', 'qr', 'number'])})
    THEN (
      SELECT coalesce(sum(r.amount) FILTER (WHERE r.status IN ('pending', 'paid')
        AND r.returned_at IS NULL), 0)::bigint
      FROM transactions r WHERE r.refund_of = t.id HAVING count(*) > 0) END AS refunded` as const;

export type TransactionRow = RowOf<`SELECT ${typeof transactionColumns} FROM transactions t WHERE t.id = $1`>;
