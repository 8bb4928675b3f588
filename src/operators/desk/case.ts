import { type Html, html } from '../../platform/http/html.ts';
import type { Answer } from './desk.ts';
import { facts, link, money, said, segment, sentences, spaced, text, time, timeOf } from './words.ts';

type Case = Answer<'listReturns'>['data'][number];

export const transactionAt = (id: string) => `/desk/transactions/${segment(id)}`;
export const merchantAt = (id: string) => `/desk/merchants/${segment(id)}`;

export const ownerOf = ({ merchant, account_id }: Pick<Case, 'merchant' | 'account_id'>) =>
  account_id === null ? text('of the service') : link(merchantAt(account_id), merchant ?? account_id);

export function storyOf(one: Case): Html {
  return html`<p><strong>${said(one.state).shown}</strong></p>${facts([
    ['Amount', money(one.amount, one.currency)],
    ['Fee', money(one.fee, one.currency)],
    ['Merchant', ownerOf(one)],
    ['Party', one.party],
    ['Where the money is', sentences(one.money)],
    ['Why', sentences(one.why)],
    ['What happens next', sentences(one.next)],
    [
      'What it is',
      `${one.type} (${one.mode}), ${one.status}` +
        `${one.failure_code === null ? '' : `: ${spaced(one.failure_code)}`}`,
    ],
    ['Accepted', time(one.created_at)],
    ['Handed over', time(one.handed_over_at, 'never')],
    ['Network', one.channel],
    ['Our reference', one.reference],
    ["The network's reference", one.channel_reference],
    ['From the merchant', metadataOf(one.metadata)],
    ['Id', html`<code>${one.id}</code>`],
    ['Workflow', workflowOf(one)],
  ])}`;
}

export function historyOf(one: Case): Html {
  return html`${section(
    'Messages to and from its network',
    one.channel_words.map(({ at, words }) => html`${timeOf(at)} ${words}`),
  )}
${section(
  'Payments that networks notified',
  one.payments.map(
    ({ at, channel, receipt, amount, currency, party, outcome, reason }) =>
      html`${timeOf(at)} ${amount === '0.00' ? 'an unreadable amount' : `${amount} ${currency}`}
from ${party} over ${channel} (${receipt}): ${outcome}${reason && html`, ${reason}`}`,
  ),
)}
${section(
  'What two operators decided',
  one.decision === null
    ? []
    : [
        html`${one.decision.outcome} by ${one.decision.proposed_by} and ${one.decision.approved_by},
${timeOf(one.decision.decided_at)}: ${one.decision.note}${
          one.decision.answer && html`; the answer of its network since then: ${one.decision.answer}`
        }`,
      ],
)}
${section(
  'Proposals about it',
  one.proposals.map(
    ({ id, action, proposed_by, reason }) =>
      html`<a href="/desk/proposals/${segment(id)}">${action}</a> by ${proposed_by}: ${reason}`,
  ),
)}`;
}

function section(title: string, lines: readonly Html[]): Html | null {
  return lines.length === 0
    ? null
    : html`<h2>${title}</h2><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function metadataOf(metadata: Record<string, unknown>): Html | null {
  const members = Object.entries(metadata);
  if (members.length === 0) return null;
  return html`<ul>${members.map(
    ([name, value]) => html`<li>${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}</li>`,
  )}</ul>`;
}

function workflowOf({ workflow_id, workflow_url }: Case): Html {
  return workflow_url === null
    ? html`<code>${workflow_id}</code>`
    : html`<a href="${workflow_url}" rel="noreferrer">Open it in Temporal</a>`;
}
