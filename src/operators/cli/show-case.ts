import type { z } from 'zod';
import { countOf } from '../../domain/count-of.ts';
import type { listedEntry } from '../api/case-schemas.ts';

type ShownCase = NonNullable<z.output<typeof listedEntry>['about']>;

export function lineOfCase(one: ShownCase): string {
  const { created_at, id, amount, currency, merchant, party, state } = one;
  return [created_at, id, `${amount} ${currency}`, merchant ?? 'of the service', party, state].join('  ');
}

export function linesOfCase(one: ShownCase): string[] {
  return [
    `${one.id}  ${one.type} (${one.mode})  ${one.status}`,
    `  ${one.state}`,
    ...some('money', one.money),
    ...some('why', one.why),
    ...some('next', one.next),
    `  merchant  ${ownerOf(one)}${orderOf(one)}`,
    `  party     ${one.party}, ${one.amount} ${one.currency}, fee ${one.fee}`,
    `  channel   ${one.channel} as ${one.reference}` +
      `${one.channel_reference === null ? '' : `, the channel's reference ${one.channel_reference}`}, ` +
      `created ${one.created_at}, handed over ${one.handed_over_at ?? 'never'}`,
    ...one.channel_words.map(({ at, words }) => `    ${at}  ${words}`),
    ...one.payments.map(
      ({ at, channel, receipt, amount, currency, party, outcome, reason }) =>
        `    ${at}  ${channel} notified ${notifiedWords(amount, currency)} from ${party} (${receipt}): ` +
        `${outcome}${reason === null ? '' : `, ${reason}`}`,
    ),
    ...one.callbacks.map((callback) => `  callback  ${callbackWords(callback)}`),
    ...(one.decision === null ? [] : [`  decided   ${decisionWords(one.decision)}`]),
    ...one.proposals.map(
      ({ id, action, proposed_by, reason }) => `  proposed  ${action} (${id}) by ${proposed_by}: ${reason}`,
    ),
    `  workflow  ${one.workflow_url ?? one.workflow_id}`,
  ];
}

function notifiedWords(amount: string, currency: string): string {
  return amount === '0.00' ? 'an unreadable amount' : `${amount} ${currency}`;
}

function some(what: string, sentences: string[]): string[] {
  return sentences.map((sentence, index) => `  ${(index === 0 ? what : '').padEnd(8)}  ${sentence}`);
}

/** A payback belongs to no merchant. */
function ownerOf({ merchant, account_id }: ShownCase): string {
  return account_id === null ? 'none: it belongs to the service' : `${merchant} (${account_id})`;
}

function orderOf({ metadata }: ShownCase): string {
  const items = Object.entries(metadata).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return items.length === 0 ? '' : `, ${items.join(', ')}`;
}

function callbackWords(callback: ShownCase['callbacks'][number]): string {
  const { event, event_id, state, attempts, last_at, last_answer, next_attempt_at } = callback;
  const last =
    last_at === null ? '' : `, ${countOf(attempts, 'attempt')}, the last at ${last_at}: ${last_answer}`;
  const next = state === 'pending' && next_attempt_at !== null ? `, next at ${next_attempt_at}` : '';
  return `${event} (${event_id}) ${state}${last}${next}`;
}

function decisionWords({
  decided_at,
  outcome,
  proposed_by,
  approved_by,
  note,
  answer,
}: NonNullable<ShownCase['decision']>): string {
  const said = answer === null ? '' : `; the channel's answer since then: ${answer}`;
  return `${outcome} by ${proposed_by} and ${approved_by} at ${decided_at}: ${note}${said}`;
}
