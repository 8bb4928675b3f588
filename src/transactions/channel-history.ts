import type { Queryable } from '../db/pool.ts';
import type { NotificationContent } from '../domain/channel.ts';
import { formatMoney } from '../domain/money.ts';
import type { SendOutcome } from './sends.ts';

/** One thing that we sent to a channel or that it notified to us, in words for an operator. */
export type ChannelWord = { at: string; words: string };

/**
 * Sends and notifications of a transaction, oldest first, as an operator passes them to the channel's support. It
 * contains no names of people.
 */
export async function channelHistory(db: Queryable, transactionId: string): Promise<ChannelWord[]> {
  const { rows } = await db.query(
    `SELECT handed_over_at AS at, number, outcome, NULL::jsonb AS content, NULL AS state FROM sends WHERE transaction_id = $1
     UNION ALL
     SELECT received_at, NULL, NULL, content, state FROM notifications WHERE transaction_id = $1
     ORDER BY at, number`,
    [transactionId],
  );
  return rows.map(({ at, number, outcome, content, state }) => ({
    at,
    words: content === null ? sendWords(number, outcome) : `notified ${contentWords(content)} (${state})`,
  }));
}

function sendWords(number: number, outcome: SendOutcome | null): string {
  return `sent (${number}): ${outcome ?? 'in flight or unclear'}`;
}

function contentWords(content: NotificationContent): string {
  if (content.kind === 'pending') return content.kind;
  if (content.kind === 'ask') return 'something that has to be asked about';
  const what =
    content.kind === 'failed' ? content.code : `${formatMoney(content.amount)} ${content.currency}`;
  return [content.kind, what, content.channelReference].filter(Boolean).join(' ');
}
