import { CURRENCY } from '../../../domain/money.ts';
import { channelIds, networkNameOf } from '../../../domain/network.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { merchantAt, transactionAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { choice } from '../form.ts';
import { listOf, table } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { drawnOf, numbersOf, picture } from '../picture.ts';
import { proposing } from '../proposing.ts';
import { days, facts, link, money, said, segment, spaced, text, time, timeOf } from '../words.ts';

type Item = Answer<'getSuspenseItem'>['item'];
type Pays = Answer<'getSuspenseItem'>['pays'];

const itemAt = (id: string) => `/desk/suspense/${segment(id)}`;

const list = listOf({
  call: 'listSuspense',
  filters: [choice('channel', 'Network', 'every network', { names: channelIds, words: networkNameOf })],
  columns: [
    [
      'Amount',
      ({ id, amount, currency }) => money(amount, currency, itemAt(id)),
      ['Currency', ({ currency }) => currency],
    ],
    ['Network', ({ channel }) => text(channel)],
    ['Receipt', ({ receipt }) => text(receipt)],
    ['What it is', ({ detail }) => said(detail)],
    ['Age', ({ age_days }) => text(days(age_days))],
    ['Since', ({ created_at }) => time(created_at)],
    ['Item', ({ id }) => text(id)],
  ],
  totals: ['Amount'],
  head: () =>
    html`<p class="note">Above zero it came, and we owe it to somebody; below zero it left, and we miss it.</p>`,
  none: 'Nothing is in suspense.',
});

export const suspensePage = listPage('listSuspense', () => list, {
  show: async (desk) =>
    html`${await drawnOf(desk.ask('figureOfSuspense'), ageShown)}${await table(desk, list)}`,
  path: 'suspense',
  title: 'Money in suspense',
  menu: ['Money', 'Suspense'],
});

const ageShown = (figure: Answer<'figureOfSuspense'>): Html =>
  html`${numbersOf(figure.numbers)}${picture({
    ...figure,
    title: `Money in suspense by its age, in ${CURRENCY}`,
    mark: 'bar',
  })}`;

/** Another operator approves each way out of suspense that is proposed here. */
export const suspenseItemPage: Page = {
  path: 'suspense/{id}',
  title: 'Money in suspense',
  async show(desk) {
    const { item, pays } = await desk.ask('getSuspenseItem', { id: desk.id });
    const merchant = item.account_id && (await desk.ask('getAccount', { id: item.account_id })).account.name;
    return html`${itemShown(item, pays, merchant)}${item.release === null && desk.mayPropose('suspense.to-merchant') ? waysOut(desk, item, pays) : null}`;
  },
};

function itemShown(item: Item, pays: Pays, merchant: string | null): Html {
  const { release: left, paybacks } = item;
  return facts([
    [
      'Amount',
      item.amount_minor === 0 ? 'nobody could read how much it is' : money(item.amount, item.currency),
    ],
    ['What it is', said(item.detail)],
    ['Network', item.channel],
    ['Receipt', item.receipt],
    ['Known there as', item.known_as],
    ['In suspense since', html`${timeOf(item.created_at)} (${days(item.age_days)})`],
    ['Transaction', item.transaction_id && link(transactionAt(item.transaction_id), item.transaction_id)],
    ['Merchant', item.account_id && link(merchantAt(item.account_id), merchant ?? item.account_id)],
    [
      'What it pays',
      pays &&
        html`${link(`/desk?q=${segment(pays.control_number)}`, pays.control_number).shown}${pays.refused && html`: ${pays.refused}`}`,
    ],
    [
      'Paid back',
      paybacks.length > 0
        ? html`<ul>${paybacks.map(
            ({ transaction_id, status, failure_code, at }) =>
              html`<li><a href="${transactionAt(transaction_id)}">payback</a> ${status}${failure_code && html` (${spaced(failure_code)})`}, ${timeOf(at)}${status === 'failed' && left === null && ': the item is open again'}</li>`,
          )}</ul>`
        : null,
    ],
    [
      'How it left',
      left &&
        html`${spaced(left.kind)}, ${timeOf(left.at)}, by ${left.proposed_by} and ${left.approved_by} (<a href="/desk/proposals/${segment(left.proposal_id)}">proposal</a>): ${left.note}`,
    ],
    ['Item', html`<code>${item.id}</code>`],
  ]);
}

function waysOut(desk: Desk, item: Item, pays: Pays): Html {
  const { id, receipt, amount_minor: amount, currency, account_id } = item;
  const head = html`<h2>Ways out</h2>`;
  if (amount === 0)
    return html`${head}${proposing(desk, 'suspense.name-amount', { seen: { item: id, receipt }, isUsual: true })}`;
  const seen = { item: id, receipt, amount, currency };
  const way = (name: string, more: Parameters<typeof proposing>[2] = {}) =>
    proposing(desk, `suspense.${name}`, { ...more, seen: { ...seen, ...more.seen } });
  const [verb, gone] = amount > 0 ? ['Credit', 'keep it'] : ['Debit', 'bear it'];
  const usual = { isUsual: true };
  const own = { title: `${verb} the merchant of its transaction`, seen: { account_id }, ...usual };
  const other = `${verb} ${account_id === null ? 'a' : 'another'} merchant`;
  const bill = pays?.refused === null ? pays.control_number : null;
  // Credited as an adjustment, this money would leave the bill or number unpaid.
  return html`${head}${
    bill === null
      ? account_id !== null && way('to-merchant', own)
      : way('to-bill', { title: `Take it as a payment of ${bill}`, seen: { bill }, ...usual })
  }${way('to-merchant', { title: other })}
${amount > 0 && way('to-payer', { isUsual: Boolean(pays?.refused) })}${way('given-back')}${way('write-off', { title: `Write it off: we ${gone}` })}`;
}
