import { kinds, modes } from '../domain/kinds.ts';
import type { Database } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { queryUnlisted } from '../platform/db/unlisted.ts';

export const BREACHES_MAX = 1_000;
const TIMEOUT_MS = 600_000;

const COUNTED_MODES = modes.filter((mode) => kinds[mode].limits === 'payout').map((mode) => `'${mode}'`);

export const BOOK = `book AS (
  SELECT e.id, e.transfer_id, e.amount, e.movement_id, t.kind, t.transaction_id, a.kind AS account,
    a.account_id, a.currency
  FROM entries e LEFT JOIN transfers t ON t.id = e.transfer_id
  LEFT JOIN ledger_accounts a ON a.id = e.ledger_account_id)`;

/** Joins each numbered entry of merchants' accounts with the one before it. */
const LINES = `lines AS (
  SELECT e.ledger_account_id, e.line, e.amount, e.balance, e.at, a.code,
    lag(e.balance, 1, 0::bigint) OVER each AS before, lag(e.at) OVER each AS at_before
  FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE e.line IS NOT NULL
  WINDOW each AS (PARTITION BY e.ledger_account_id ORDER BY e.line))`;

/** Checks the counts of the days that `which` chooses. An item counts on its batch's start day. */
export const payoutDays = (which: string) => `
   SELECT format('account %s, key %s has %s in %s payouts on %s but its payouts say %s in %s', d.account_id,
     coalesce(d.api_key_id, '(all)'), d.value, d.payouts, d.day, p.value, p.payouts)
   FROM payout_days d CROSS JOIN LATERAL (
     SELECT d.day::timestamp AT TIME ZONE 'Africa/Dar_es_Salaam' AS begins,
       (d.day + 1)::timestamp AT TIME ZONE 'Africa/Dar_es_Salaam' AS ends) its
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(amount), 0) AS value, count(*) AS payouts FROM (
       SELECT t.amount, t.api_key_id FROM transactions t
       WHERE t.account_id = d.account_id AND t.created_at >= its.begins AND t.created_at < its.ends
         AND t.batch_id IS NULL AND t.mode IN (${COUNTED_MODES.join(', ')})
         AND t.status NOT IN ('failed', 'cancelled')
       UNION ALL SELECT t.amount, t.api_key_id FROM batches b JOIN transactions t ON t.batch_id = b.id
       WHERE b.account_id = d.account_id AND b.started_at >= its.begins AND b.started_at < its.ends
         AND t.status NOT IN ('failed', 'cancelled')
       UNION ALL SELECT i.amount, b.api_key_id FROM batches b JOIN batch_items i ON i.batch_id = b.id
       WHERE b.account_id = d.account_id AND b.started_at >= its.begins AND b.started_at < its.ends
         AND b.held > 0 AND NOT EXISTS (SELECT FROM transactions t WHERE t.id = i.transaction_id)) counted
     WHERE d.api_key_id IS NULL OR api_key_id = d.api_key_id) p
   WHERE ${which} AND (d.value <> p.value OR d.payouts <> p.payouts)`;

/** Each rule returns a sentence for each row that breaks it. Amounts are minor units. */

const rulesOfTheWhole: readonly string[] = [
  `SELECT format('ledger account %s has the balance %s but its entries sum to %s',
     a.code, a.balance, coalesce(sum(e.amount), 0))
   FROM ledger_accounts a LEFT JOIN entries e ON e.ledger_account_id = a.id
   WHERE a.balance IS NOT NULL GROUP BY a.id HAVING a.balance <> coalesce(sum(e.amount), 0)`,

  `SELECT format('ledger account %s is negative: %s', code, balance) FROM ledger_accounts WHERE balance < 0`,

  `SELECT format('ledger account %s has %s lines but counts %s', a.code, count(e.id), a.lines)
   FROM ledger_accounts a LEFT JOIN entries e ON e.ledger_account_id = a.id WHERE a.lines IS NOT NULL
   GROUP BY a.id
   HAVING count(e.id) <> a.lines OR coalesce(min(e.line), 1) <> 1 OR coalesce(max(e.line), 0) <> a.lines`,

  `SELECT format('line %s of ledger account %s says %s after %s and %s', line, code, balance, before, amount)
   FROM lines WHERE balance <> before + amount`,

  `SELECT format('line %s of ledger account %s is older than the one before it', line, code) FROM lines
   WHERE at < at_before`,

  `SELECT format('ledger account %s has the balance %s but its last line says %s',
     a.code, a.balance, l.balance)
   FROM ledger_accounts a JOIN lines l ON l.ledger_account_id = a.id AND l.line = a.lines
   WHERE l.balance <> a.balance`,

  `SELECT format('merchants have %s %s but the accounts of the service say %s',
     sum(e.amount) FILTER (WHERE e.line IS NOT NULL),
     a.currency, -sum(e.amount) FILTER (WHERE e.line IS NULL))
   FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id GROUP BY a.currency
   HAVING sum(e.amount) <> 0 OR bool_or((e.line IS NULL) <> (a.balance IS NULL))`,

  `SELECT format('ledger account %s is %s but its open holds sum to %s',
     a.code, a.balance, coalesce(open.amount, 0))
   FROM ledger_accounts a LEFT JOIN (
     SELECT account_id, currency, sum(amount) AS amount FROM (
       SELECT h.account_id, t.currency, h.amount FROM holds h JOIN transactions t ON t.id = h.transaction_id
       WHERE NOT EXISTS (SELECT 1 FROM hold_resolutions r WHERE r.transaction_id = h.transaction_id)
       UNION ALL SELECT account_id, currency, held FROM batches) held
     GROUP BY account_id, currency) open ON open.account_id = a.account_id AND open.currency = a.currency
   WHERE a.kind = 'held' AND a.balance <> coalesce(open.amount, 0)`,

  `SELECT format('suspense is %s %s but its open items sum to %s',
     coalesce(b.amount, 0), coalesce(b.currency, i.currency), coalesce(i.amount, 0))
   FROM (SELECT currency, sum(amount) AS amount FROM book WHERE account = 'suspense' GROUP BY currency) b
   FULL JOIN (SELECT currency, sum(amount) AS amount FROM suspense_items i
     WHERE left_by IS NULL GROUP BY currency) i USING (currency)
   WHERE coalesce(b.amount, 0) <> coalesce(i.amount, 0)`,

  `SELECT format('payable is %s %s but no payback is on its way', sum(amount), currency) FROM book b
   WHERE account = 'payable' GROUP BY currency HAVING sum(amount) <> (
     SELECT coalesce(sum(t.amount), 0) FROM transactions t
     WHERE t.type = 'payback' AND t.status = 'pending' AND t.currency = b.currency)`,

  payoutDays('true'),

  `SELECT format('ledger account %s was added up to %s, but its entries so far sum to %s',
     a.code, s.amount, coalesce(sum(e.amount), 0))
   FROM ledger_sums s JOIN ledger_accounts a ON a.id = s.ledger_account_id
   LEFT JOIN entries e ON e.ledger_account_id = a.id AND e.id <= (SELECT counted FROM ledger_sums_head)
   GROUP BY a.code, s.amount HAVING s.amount <> coalesce(sum(e.amount), 0)`,

  `SELECT format('checkpoint %s says %s of ledger account %s up to entry %s but its entries sum to %s',
     c.id, c.said, c.code, c.entry, c.sum)
   FROM (SELECT l.id, l.entry, a.code, coalesce((l.sums->>a.id::text)::numeric, 0) AS said,
           (SELECT coalesce(sum(e.amount), 0) FROM entries e
             WHERE e.ledger_account_id = a.id AND e.id <= l.entry) AS sum
         FROM (SELECT * FROM ledger_checkpoints ORDER BY id DESC LIMIT 1) l, ledger_accounts a
         WHERE a.balance IS NULL) c
   WHERE c.said <> c.sum`,
];

/**
 * Rules for each transfer, hold, transaction and receipt. check.ts runs them over some rows, under the
 * tables' names, so look-ups of other rows use `public.`.
 */
export const rulesOfEach: readonly string[] = [
  `SELECT format('transfer %s does not balance in %s: %s', transfer_id, currency, sum(amount))
   FROM book GROUP BY transfer_id, currency HAVING sum(amount) <> 0`,

  `SELECT format('transfer %s has no entries', t.id) FROM transfers t
   WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.transfer_id = t.id)`,

  `SELECT format('entry %s belongs to no transfer or no ledger account', id)
   FROM book WHERE kind IS NULL OR account IS NULL`,

  `SELECT format(
     'entry %s of transfer %s has no movement, or has one that is none of money at a network or bank',
     id, transfer_id)
   FROM book WHERE (account IN ('clearing', 'settlement')) <> (movement_id IS NOT NULL)`,

  `SELECT format('movement %s is %s %s but its entries sum to %s', m.id, m.amount, m.currency, e.sum)
   FROM (SELECT movement_id, -sum(amount) AS sum FROM public.entries
     WHERE movement_id IN (SELECT movement_id FROM book WHERE movement_id IS NOT NULL) GROUP BY movement_id) e
   JOIN public.movements m ON m.id = e.movement_id WHERE e.sum NOT IN (0, m.amount)`,

  `SELECT format('transaction %s has %s transfers of the kind %s', transaction_id, count(*), kind)
   FROM transfers
   WHERE transaction_id IS NOT NULL
     AND kind IN ('hold', 'release', 'payout', 'reversal', 'collection', 'payback', 'payback_paid',
       'payback_failed')
     AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.id = transaction_id AND t.type = 'bill')
   GROUP BY transaction_id, kind HAVING count(*) > 1`,

  `SELECT format('the hold of %s was resolved %s times', transaction_id, count(*))
   FROM hold_resolutions GROUP BY transaction_id HAVING count(*) > 1`,

  `SELECT format('the resolution of %s has no hold', r.transaction_id) FROM hold_resolutions r
   WHERE NOT EXISTS (SELECT 1 FROM holds h WHERE h.transaction_id = r.transaction_id)`,

  `SELECT format('the hold of %s is %s but its transfer held %s',
     coalesce(h.transaction_id, h.batch_id), h.amount, coalesce(sum(b.amount), 0))
   FROM holds h
   LEFT JOIN book b ON b.transfer_id = h.transfer_id AND b.account = 'held' AND b.account_id = h.account_id
   WHERE h.carved_from IS NULL GROUP BY h.transaction_id, h.batch_id, h.amount
   HAVING h.amount <> coalesce(sum(b.amount), 0)`,

  `SELECT format('the hold of %s is %s but its resolution took %s',
     h.transaction_id, h.amount, coalesce(-sum(b.amount), 0))
   FROM holds h JOIN hold_resolutions r ON r.transaction_id = h.transaction_id
   LEFT JOIN book b ON b.transfer_id = r.transfer_id AND b.account = 'held' AND b.account_id = h.account_id
   GROUP BY h.transaction_id, h.amount, r.transfer_id HAVING h.amount <> coalesce(-sum(b.amount), 0)`,

  `SELECT format('batch %s held %s, its items took %s, %s went back, and %s is left',
     b.id, h.amount, coalesce(c.taken, 0), coalesce(r.released, 0), b.held)
   FROM batches b JOIN public.holds h ON h.batch_id = b.id
   LEFT JOIN LATERAL (SELECT sum(amount) AS taken FROM public.holds i WHERE i.carved_from = b.id) c ON true
   LEFT JOIN LATERAL (SELECT sum(-e.amount) AS released
     FROM public.transfers t JOIN public.entries e ON e.transfer_id = t.id
     JOIN public.ledger_accounts a ON a.id = e.ledger_account_id
     WHERE t.dedupe_key = 'release:batch:' || b.id AND a.kind = 'held') r ON true
   WHERE h.amount <> coalesce(c.taken, 0) + coalesce(r.released, 0) + b.held`,

  `SELECT format('item %s was carved from batch %s, whose item it is not', h.transaction_id, h.carved_from)
   FROM holds h JOIN public.transactions t ON t.id = h.transaction_id
   WHERE h.carved_from IS DISTINCT FROM t.batch_id`,

  `SELECT format('payout %s is %s but its hold is %s', t.id, t.status,
     CASE WHEN h.transaction_id IS NULL THEN 'missing' ELSE coalesce(r.resolution, 'open') END)
   FROM transactions t LEFT JOIN holds h ON h.transaction_id = t.id
   LEFT JOIN hold_resolutions r ON r.transaction_id = t.id
   WHERE t.type = 'payout' AND (h.transaction_id IS NULL OR coalesce(r.resolution, 'open') <>
     CASE t.status WHEN 'pending' THEN 'open' WHEN 'paid' THEN 'taken' ELSE 'released' END)`,

  `SELECT format('the hold of payout %s is %s, not its amount and fee %s', t.id, h.amount, t.amount + t.fee)
   FROM transactions t JOIN holds h ON h.transaction_id = t.id WHERE h.amount <> t.amount + t.fee`,

  `SELECT format('payment %s is %s but %s was credited for it', t.id, t.status, coalesce(sum(b.amount), 0))
   FROM transactions t LEFT JOIN book b
     ON b.transaction_id = t.id AND b.kind = 'collection' AND b.account = 'available'
       AND b.account_id = t.account_id
   WHERE t.type = 'payment' AND t.pays IS NULL GROUP BY t.id, t.status, t.amount, t.fee
   HAVING coalesce(sum(b.amount), 0) <> CASE t.status WHEN 'completed' THEN t.amount - t.fee ELSE 0 END`,

  `SELECT format('%s credits a payment that there is not: no transaction or receipt says it', x.dedupe_key)
   FROM transfers x
   WHERE x.kind = 'collection' AND NOT EXISTS (SELECT FROM public.transactions t WHERE t.id = x.transaction_id
     AND (t.type = 'payment' AND t.pays IS NULL AND t.status = 'completed'
       OR EXISTS (SELECT FROM public.bill_receipts r
         WHERE r.transaction_id = t.id AND r.outcome = 'accepted')))`,

  `SELECT format('%s (%s) moves money of a merchant, and nothing of ours says why', t.dedupe_key, t.kind)
   FROM transfers t
   WHERE t.kind NOT IN ('collection', 'top_up', 'withdrawal', 'suspense_release', 'correction')
     AND EXISTS (SELECT FROM book b WHERE b.transfer_id = t.id AND b.account = 'available')
     AND NOT EXISTS (SELECT FROM holds h WHERE h.transfer_id = t.id)
     AND NOT EXISTS (SELECT FROM hold_resolutions r WHERE r.transfer_id = t.id AND r.resolution = 'released')
     AND NOT EXISTS (SELECT FROM batches b WHERE t.dedupe_key = 'release:batch:' || b.id)
     AND NOT EXISTS (SELECT FROM transactions x
       WHERE t.dedupe_key = 'return:' || x.id AND x.returned_at IS NOT NULL)`,

  `SELECT format('transfer %s (%s) moves more than the money of one merchant', transfer_id, kind) FROM book
   WHERE kind IN ('hold', 'release') GROUP BY transfer_id, kind, account_id HAVING sum(amount) <> 0`,

  `SELECT format('push %s of a page took %s, which is neither a payment of %s nor in suspense',
     t.id, t.amount, t.pays)
   FROM transactions t WHERE t.pays IS NOT NULL AND t.status = 'completed'
     AND NOT EXISTS (SELECT FROM public.bill_receipts r
       WHERE (r.prompt_id = t.id OR r.space = receipt_space(t.connection)
         AND r.receipt IN (t.channel_reference, t.reference)) AND r.outcome <> 'refused'
         AND r.amount = t.amount)`,

  `SELECT format('bill %s says that %s was paid in %s payments but its receipts say %s in %s',
     b.transaction_id, b.paid, b.payments, coalesce(sum(r.amount), 0), count(r.receipt))
   FROM bills b LEFT JOIN bill_receipts r ON r.transaction_id = b.transaction_id AND r.outcome = 'accepted'
   GROUP BY b.transaction_id, b.paid, b.payments
   HAVING b.paid <> coalesce(sum(r.amount), 0) OR b.payments <> count(r.receipt)`,

  `SELECT format('receipts of bill %s are worth %s but %s was credited for them',
     b.transaction_id, b.worth, coalesce(c.credited, 0))
   FROM (SELECT transaction_id, sum(amount - fee) AS worth FROM bill_receipts WHERE outcome = 'accepted'
     GROUP BY transaction_id) b
   LEFT JOIN (SELECT transaction_id, sum(amount) AS credited FROM book
     WHERE kind = 'collection' AND account = 'available'
              GROUP BY transaction_id) c ON c.transaction_id = b.transaction_id
   WHERE b.worth <> coalesce(c.credited, 0)`,

  `SELECT format('payment %s of a number is %s less %s but its receipt says %s less %s',
     t.id, t.amount, t.fee, r.amount, r.fee)
   FROM transactions t LEFT JOIN bill_receipts r ON r.transaction_id = t.id AND r.outcome = 'accepted'
   WHERE t.mode = 'number' AND (r.amount, r.fee) IS DISTINCT FROM (t.amount, t.fee)`,

  `SELECT format('payment %s of a number is not of its account or currency', t.id)
   FROM transactions t JOIN public.numbers n ON n.id = t.number_id
   WHERE (t.account_id, t.currency) IS DISTINCT FROM (n.account_id, n.currency)`,

  `SELECT format('bill %s is %s although %s of %s was paid', t.id, t.status, b.paid, t.amount)
   FROM transactions t JOIN bills b ON b.transaction_id = t.id
   WHERE (t.status = 'completed') <> (b.paid >= t.amount)`,

  `SELECT format('the refunds of %s are worth %s but %s was paid',
     r.refund_of, r.worth, coalesce(b.amount, p.amount))
   FROM (SELECT refund_of, refund_payment, sum(amount) AS worth FROM transactions
         WHERE refund_of IS NOT NULL AND status IN ('pending', 'paid') AND returned_at IS NULL
         GROUP BY refund_of, refund_payment) r
   JOIN transactions p ON p.id = r.refund_of
   LEFT JOIN bill_receipts b ON b.transaction_id = r.refund_of AND b.number = r.refund_payment
   WHERE r.worth > coalesce(b.amount, p.amount)`,

  `SELECT format('receipt %s of %s was taken to suspense but has no item there', r.receipt, r.channel)
   FROM bill_receipts r WHERE r.outcome = 'suspended'
     AND (r.space, plain_name(r.receipt)) NOT IN (
       SELECT space, plain_name(receipt) FROM public.suspense_items
       UNION SELECT n.space, n.plain
         FROM public.suspense_items i JOIN public.entries e ON e.transfer_id = i.transfer_id
         JOIN public.movement_names n ON n.movement_id = e.movement_id)
     AND NOT (r.reason = 'receipt_of_another'
       AND EXISTS (SELECT FROM public.suspense_items i
         WHERE i.space = r.space AND starts_with(r.receipt, i.receipt || ' over ')))`,

  `SELECT format('item %s in suspense is %s but its transfer posted %s',
     i.id, i.amount, coalesce(sum(b.amount), 0))
   FROM suspense_items i
   LEFT JOIN book b ON b.transfer_id = i.transfer_id AND b.account = 'suspense' AND b.currency = i.currency
   GROUP BY i.id, i.amount HAVING i.amount <> coalesce(sum(b.amount), 0)`,

  `SELECT format('%s took %s %s from suspense, not its item', dedupe_key, taken, currency)
   FROM (SELECT t.id, t.dedupe_key, b.currency, -sum(b.amount) AS taken
         FROM book b JOIN transfers t ON t.id = b.transfer_id
         WHERE b.account = 'suspense' AND b.kind <> 'suspense' AND b.kind NOT LIKE 'payback%'
         GROUP BY t.id, t.dedupe_key, b.currency) r
   WHERE r.taken IS DISTINCT FROM (SELECT sum(i.amount) FROM public.suspense_items i
     WHERE i.left_by = r.id AND i.currency = r.currency)`,

  `SELECT format('%s (%s) belongs to no line of a statement', t.dedupe_key, t.kind) FROM transfers t
   WHERE (t.kind IN ('charge', 'sweep', 'own') OR t.line_id IS NOT NULL)
     AND NOT EXISTS (SELECT FROM public.entries e JOIN public.line_matches m ON m.entry_id = e.id
       WHERE e.transfer_id = t.id)
     AND NOT EXISTS (SELECT FROM public.suspense_items i WHERE i.left_by = t.id)`,

  `SELECT format('line %s shows entry %s, which entry %s undoes: neither moved', m.line_id, m.entry_id, u.id)
   FROM entries u JOIN public.line_matches m ON m.entry_id IN (u.id, u.undoes) AND NOT m.is_freed
   JOIN public.statement_lines l ON l.id = m.line_id AND NOT l.is_void WHERE u.undoes IS NOT NULL`,

  `SELECT format('%s takes back a line that counts', t.dedupe_key) FROM transfers t
   WHERE t.kind = 'void' AND NOT EXISTS (SELECT FROM entries u JOIN public.entries was ON was.id = u.undoes
       JOIN public.transfers b ON b.id = was.transfer_id
       JOIN public.statement_lines l ON l.id = b.line_id
     WHERE u.transfer_id = t.id
       AND (l.is_void OR EXISTS (SELECT FROM public.line_matches m JOIN public.entries e ON e.id = m.entry_id
         WHERE m.line_id = l.id AND NOT m.is_freed AND e.transfer_id <> b.id)))`,

  `SELECT format('payback %s is %s but %s of it is on payable, %s in clearing and %s in suspense',
     t.id, t.status, coalesce(b.payable, 0), coalesce(b.clearing, 0), coalesce(b.suspense, 0))
   FROM transactions t LEFT JOIN (
     SELECT transaction_id, sum(amount) FILTER (WHERE account = 'payable')::bigint AS payable,
       sum(amount) FILTER (WHERE account = 'clearing')::bigint AS clearing,
       sum(amount) FILTER (WHERE account = 'suspense')::bigint AS suspense
     FROM book WHERE kind LIKE 'payback%' GROUP BY transaction_id) b ON b.transaction_id = t.id
   WHERE t.type = 'payback'
     AND ARRAY[coalesce(b.payable, 0), coalesce(b.clearing, 0), coalesce(b.suspense, 0)] <>
     CASE WHEN t.status = 'pending' THEN ARRAY[t.amount, 0, -t.amount]
       WHEN t.status = 'paid' AND NOT EXISTS (SELECT
         FROM public.transfers r JOIN public.suspense_items i ON i.left_by = r.id
         WHERE r.kind = 'payback_paid' AND r.transaction_id = t.id) THEN ARRAY[0, t.amount, -t.amount]
       ELSE ARRAY[0, 0, 0]::bigint[] END`,

  `SELECT format('item %s is %s %s but its payback %s is %s %s and %s',
     i.id, i.amount, i.currency, t.id, t.amount, t.currency, t.status)
   FROM transactions t JOIN public.suspense_items i ON i.id = t.suspense_item
   LEFT JOIN public.transfers r ON r.id = i.left_by
   WHERE t.amount <> i.amount OR t.currency <> i.currency
     OR (t.status IN ('pending', 'paid')) <> (r.kind IS NOT DISTINCT FROM 'payback'
       AND r.transaction_id = t.id)`,

  `SELECT format('the fee of %s %s is %s but %s was posted', t.type, t.id, t.fee, coalesce(sum(b.amount), 0))
   FROM transactions t
   LEFT JOIN book b ON b.transaction_id = t.id AND b.account = 'fees' AND b.kind <> 'correction'
   WHERE t.type <> 'bill' AND t.status IN ('completed', 'paid') GROUP BY t.id, t.type, t.fee
   HAVING coalesce(sum(b.amount), 0) <> t.fee`,
];

/**
 * Finds wrong sums, and statuses that contradict the money: one sentence per breach. One SQL statement, so it
 * sees one moment. Reads the whole ledger, so never call it in a request. check.ts checks what is new.
 */
export async function checkInvariants(database: Database): Promise<string[]> {
  return inTransaction(database, async (db) => {
    await db.query(`SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
    const union = [...rulesOfTheWhole, ...rulesOfEach]
      .map((check) => `SELECT * FROM (${check}) AS found (breach)`)
      .join(' UNION ALL ');
    const { rows } = await queryUnlisted<{ breach: string }>(
      db,
      'the rules of the books',
      `WITH ${BOOK}, ${LINES} ${union} LIMIT ${BREACHES_MAX}`,
    );
    return rows.map((row) => row.breach);
  });
}
