import type { NotificationContent } from '../../domain/channel.ts';
import { formatMoney } from '../../domain/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { SendOutcome } from './sends.ts';

export type ChannelWord = { at: string; words: string };

/** newest entries kept per kind; a channel may notify any number of times */
const KEPT = 20;

/** Lists sends, enquiries and notifications, oldest first, for the channel's support. Names no person. */
export async function channelHistories(
  db: Queryable,
  transactionIds: readonly string[],
): Promise<Map<string, ChannelWord[]>> {
  const { rows } = await db.query(
    `SELECT wanted.id, said.* FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
       (SELECT handed_over_at AS at, number, outcome, NULL AS answer, NULL AS times,
         NULL::timestamptz AS last_at,
          NULL::jsonb AS content, NULL AS state
        FROM sends WHERE transaction_id = wanted.id ORDER BY number DESC LIMIT ${KEPT})
       UNION ALL
       (SELECT first_at, NULL, NULL, answer, times, last_at, NULL, NULL
        FROM enquiries WHERE transaction_id = wanted.id ORDER BY number DESC LIMIT ${KEPT})
       UNION ALL
       (SELECT received_at, NULL, NULL, NULL, NULL, NULL, content, state
        FROM notifications WHERE transaction_id = wanted.id ORDER BY id DESC LIMIT ${KEPT})) said
     ORDER BY wanted.id, said.at, said.number /* never null: id, at */`,
    [transactionIds],
  );
  const histories = new Map<string, ChannelWord[]>(transactionIds.map((id) => [id, []]));
  for (const row of rows) histories.get(row.id)?.push({ at: row.at, words: wordsOf(row as unknown as Said) });
  return histories;
}

type Said = { number: number; times: number; last_at: string } & (
  | { content: NotificationContent; state: string }
  | { content: null; answer: string | null; outcome: SendOutcome | null }
);

function wordsOf(said: Said): string {
  if (said.content !== null) return `notified ${contentWords(said.content)} (${said.state})`;
  if (said.answer === null) return `sent (${said.number}): ${said.outcome ?? 'in flight or unclear'}`;
  return (
    `asked${said.times === 1 ? '' : ` ${said.times} times, the last at ${said.last_at}`}: ` + `${said.answer}`
  );
}

function contentWords(content: NotificationContent): string {
  if (content.kind === 'pending') return content.kind;
  if (content.kind === 'ask') return 'something that has to be asked about';
  const what =
    content.kind === 'failed' ? content.code : `${formatMoney(content.amount)} ${content.currency}`;
  return [content.kind, what, content.channelReference].filter(Boolean).join(' ');
}
