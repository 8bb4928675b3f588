import { type Queryable, sqlOf } from '../support/queryable.ts';

/** Each movement at a channel: who told it, its kind, whole shillings, how often it is booked by now, its names. */
export async function movementsOf(database: Queryable): Promise<string[]> {
  const rows = await sqlOf(
    database,
  )`SELECT m.told_by, m.kind, m.amount, m.part, m.gives_back IS NOT NULL AS gives_back,
       (SELECT sum(CASE WHEN e.takes_back THEN -1 ELSE 1 END) FROM entries e WHERE e.movement_id = m.id)::int AS stands,
       ARRAY(SELECT n.name || CASE WHEN n.freed_at IS NOT NULL THEN ' (freed)' WHEN n.is_receipt THEN '' ELSE ' (points)' END
         FROM movement_names n WHERE n.movement_id = m.id ORDER BY n.id) AS names
     FROM movements m JOIN ledger_accounts a ON a.id = m.ledger_account_id WHERE a.kind = 'clearing' ORDER BY m.created_at, m.kind`;
  return rows.map(({ told_by, kind, amount, part, gives_back, stands, names }) =>
    [told_by, kind, amount / 100, part && `part ${part}`, gives_back && 'gives back', `×${stands}`, ...names]
      .filter(Boolean)
      .join(' '),
  );
}

/** All that a word about a transaction may change, but for the messages at the door themselves. */
export async function booksOf(database: Queryable, id: string): Promise<unknown> {
  const rows = await sqlOf(database)`SELECT status, failure_code, channel_reference, returned_at,
       ARRAY(SELECT event FROM callback_events e WHERE e.transaction_id = ${id} ORDER BY sequence) AS events,
       ARRAY(SELECT reason FROM attention a WHERE a.transaction_id = ${id} AND resolved_at IS NULL ORDER BY reason) AS asks,
       ARRAY(SELECT a.code || sum(e.amount) FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id GROUP BY a.code ORDER BY 1) AS sums,
       (SELECT count(*) FROM suspense_items WHERE is_open) AS open
     FROM transactions WHERE id = ${id}`;
  return rows;
}
