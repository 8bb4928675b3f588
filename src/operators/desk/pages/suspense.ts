import { conflict } from '../../../domain/errors.ts';
import { CURRENCY } from '../../../domain/money.ts';
import { channelIds, networkNameOf } from '../../../domain/network.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { merchantAt, transactionAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { choice, folded, form } from '../form.ts';
import { listOf } from '../list.ts';
import { merchantField, merchantTyped } from '../merchant-field.ts';
import { type Act, type Form, listPage, type Page } from '../page.ts';
import { requireAmount } from '../typed.ts';
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
      ({ id, amount, currency }) => ({
        ...money(amount, currency),
        shown: link(itemAt(id), `${amount} ${currency}`).shown,
      }),
    ],
    ['Currency', ({ currency }) => text(currency)],
    ['Network', ({ channel }) => text(channel)],
    ['Receipt', ({ receipt }) => text(receipt)],
    ['What it is', ({ detail }) => said(detail)],
    ['Age', ({ age_days }) => text(days(age_days))],
    ['Since', ({ created_at }) => time(created_at)],
    ['Item', ({ id }) => text(id)],
  ],
  none: 'Nothing is in suspense.',
});

export const suspensePage = listPage('listSuspense', () => list, {
  path: 'suspense',
  title: 'Money in suspense',
  menu: 'Suspense',
});

/** Another operator approves each way out of suspense that is proposed here. */
export const suspenseItemPage: Page = {
  path: 'suspense/{id}',
  title: 'Money in suspense',
  async show(desk) {
    const { item, pays } = await desk.ask('getSuspenseItem', { id: desk.id });
    return html`${itemShown(item, pays)}${item.release === null && desk.mayPropose('suspense.to-merchant') ? waysOut(desk, item, pays) : null}`;
  },
  acts: {
    bill: release('suspense.to-bill', async (_desk, form) => ({ bill: form.get('bill') ?? '' })),
    own: release('suspense.to-merchant', async (_desk, _form, item) => ({ account_id: item.account_id })),
    merchant: release('suspense.to-merchant', async (desk, form) => ({
      account_id: await merchantTyped(desk, form),
    })),
    payer: release('suspense.to-payer'),
    'given-back': release('suspense.given-back', async (_desk, form) => ({
      return_receipt: form.get('return_receipt') ?? '',
    })),
    'write-off': release('suspense.write-off'),
    name: release('suspense.name-amount', async (_desk, form) => ({
      amount: requireAmount(form.get('amount'), 'amount', { orZero: true }),
      currency: CURRENCY,
    })),
  },
};

function release(
  action: string,
  more: (desk: Desk, form: Form, item: Item) => Promise<Record<string, unknown>> = async () => ({}),
): Act {
  return async (desk, form) => {
    const { item } = await desk.ask('getSuspenseItem', { id: desk.id });
    if (form.get('seen') !== `${item.amount_minor} ${item.currency}`)
      throw conflict('The item is another amount by now: look at it again');
    const { id, receipt, amount_minor: amount, currency } = item;
    const note = form.get('note') ?? '';
    const payload = { item: id, receipt, amount, currency, note, ...(await more(desk, form, item)) };
    return desk.propose(action, payload, note);
  };
}

function itemShown(item: Item, pays: Pays): Html {
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
    ['Merchant', item.account_id && link(merchantAt(item.account_id), item.account_id)],
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
              html`<li><a href="${transactionAt(transaction_id)}">payback</a> ${status}${failure_code && html` (${spaced(failure_code)})`}, ${timeOf(at)}</li>`,
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

const noteField = {
  name: 'note',
  label: 'Why',
  kind: 'area',
  hint: 'The merchant reads it on the statement',
} as const;

function waysOut(desk: Desk, item: Item, pays: Pays): Html {
  const seen = `${item.amount_minor} ${item.currency}`;
  if (item.amount_minor === 0)
    return html`<h2>Say how much it is</h2>${form(desk, {
      act: 'name',
      label: 'Propose this amount',
      keep: { seen },
      fields: [
        { name: 'amount', label: `Amount in ${CURRENCY}`, hint: '0 where nothing had come' },
        { ...noteField, label: 'Who says so', hint: 'What the network said, and where' },
      ],
    })}`;
  const [verb, gone] = item.amount_minor > 0 ? ['Credit', 'keep it'] : ['Debit', 'bear it'];
  const credit =
    item.account_id !== null &&
    form(desk, {
      act: 'own',
      label: `${verb} the merchant of its transaction`,
      keep: { seen },
      fields: [noteField],
    });
  const back = { act: 'payer', label: 'Propose to pay it back', keep: { seen }, fields: [noteField] };
  return html`<h2>Ways out</h2>${pays && (pays.refused === null ? asPayment(desk, pays, seen) : form(desk, back))}${pays?.refused === null ? null : credit}
${folded(desk, `${verb} ${item.account_id === null ? 'a' : 'another'} merchant`, { act: 'merchant', label: `Propose to ${verb.toLowerCase()} this merchant`, keep: { seen }, fields: [merchantField, noteField] })}
${item.amount_minor > 0 && !pays?.refused && folded(desk, 'Pay it back to whoever paid', back)}
${folded(desk, 'Its network has moved it the other way', { act: 'given-back', label: 'Propose that it was given back', keep: { seen }, fields: [{ name: 'return_receipt', label: 'The receipt of that movement' }, noteField] })}
${folded(desk, `Write it off: we ${gone}`, { act: 'write-off', label: 'Propose to write it off', keep: { seen }, fields: [noteField] })}`;
}

/** Credited as an adjustment, this money would leave the bill or number unpaid. */
const asPayment = (desk: Desk, { control_number: bill }: NonNullable<Pays>, seen: string) =>
  form(desk, {
    act: 'bill',
    label: `Propose to take it as a payment of ${bill}`,
    keep: { seen, bill },
    fields: [noteField],
    note: 'With its receipt, its fee and its callback',
  });
