import { CURRENCY } from '../../../domain/money.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { TOGETHER, ITEMS_MAX as TOGETHER_MAX } from '../../actions/together-action.ts';
import { lists } from '../../list-table.ts';
import { views } from '../../view-table.ts';
import type { Answer, Desk } from '../desk.ts';
import { listPage, type Page } from '../page.ts';
import { drawnOf, picture } from '../picture.ts';
import { proposing } from '../proposing.ts';
import { viewAt } from '../view.ts';
import { dayIn } from '../words.ts';

type Item = Answer<'getSuspenseItem'>['item'];
type Pays = Answer<'getSuspenseItem'>['pays'];

export const suspensePage = listPage(lists.suspense, {
  more: () => ({
    totals: ['Amount'],
    head: () =>
      html`<p class="note">Above zero: money came, and we owe it to somebody. Below zero: money left, and we miss it.</p>`,
  }),
  above: (desk) => drawnOf(desk.ask('figureOfSuspense'), (figure) => picture(DRAWN, figure)),
  path: 'suspense',
  title: 'Money in suspense',
  menu: ['Money', 'Suspense'],
});

const DRAWN = `Money in suspense by its age, in ${CURRENCY}`;

/** Another operator approves every way out of suspense. */
export const suspenseItemPage: Page = {
  path: 'suspense/{id}',
  title: 'Money in suspense',
  async show(desk) {
    const answer = await desk.ask('getSuspenseItem', { id: desk.id });
    const { item, pays } = answer;
    return html`${viewAt(desk, views.suspenseItem, { answer })}${item.release === null && desk.mayAsk('suspense.to-merchant') && html`${waysOut(desk, item, pays)}${await together(desk, item)}`}`;
  },
};

/** Finds similar items: same network, direction and reason. Amounts and receipts may differ. */
async function together(desk: Desk, item: Item): Promise<Html | null> {
  const reasonOf = ({ detail, amount_minor, currency }: Item) => {
    const words = detail.split(' ').filter((word) => !/\d/.test(word));
    return [...words, currency, Math.sign(amount_minor)].join(' ');
  };
  const { data } = await desk.ask('listSuspense', { query: { channel: item.channel, per_page: 100 } });
  const alike = data.filter((one) => reasonOf(one) === reasonOf(item)).slice(0, TOGETHER_MAX);
  if (alike.length < 2 || item.amount_minor === 0) return null;
  const were = alike.map(({ id, receipt, amount_minor: amount, currency }) => {
    return { item: id, receipt, amount, currency };
  });
  const words = ({ amount, currency, receipt, created_at }: Item) =>
    `${amount} ${currency}, ${receipt}, since ${dayIn(created_at)}`;
  return proposing(desk, TOGETHER, {
    seen: { were },
    values: { items: alike.map(({ id }) => id).join(' ') },
    options: { items: alike.map((one) => [one.id, words(one)] as const) },
    title: `Answer it together with ${alike.length - 1} like it`,
  });
}

function waysOut(desk: Desk, item: Item, pays: Pays): Html {
  const { id, receipt, amount_minor: amount, currency, account_id } = item;
  const head = html`<h2>Ways out</h2>`;
  if (amount === 0)
    return html`${head}<p>Nobody could read the amount.</p>${proposing(desk, 'suspense.name-amount', { seen: { item: id, receipt }, isUsual: true })}`;
  const seen = { item: id, receipt, amount, currency };
  const way = (name: string, more: Parameters<typeof proposing>[2] = {}) =>
    proposing(desk, `suspense.${name}`, { ...more, seen: { ...seen, ...more.seen } });
  const [verb, gone] = amount > 0 ? ['Credit', 'keep it'] : ['Debit', 'bear it'];
  const usual = { isUsual: true };
  const own = { title: `${verb} the merchant of its transaction`, seen: { account_id }, ...usual };
  const other = `${verb} ${account_id === null ? 'a' : 'another'} merchant`;
  const bill = pays?.refused === null ? pays.control_number : null;
  // An adjustment would credit the merchant but leave the bill or number unpaid.
  return html`${head}${
    bill === null
      ? account_id !== null && way('to-merchant', own)
      : way('to-bill', { title: `Take it as a payment of ${bill}`, seen: { bill }, ...usual })
  }${way('to-merchant', { title: other })}
${amount > 0 && way('to-payer', { isUsual: Boolean(pays?.refused) })}${way('given-back')}${way('write-off', { title: `Write it off: we ${gone}` })}`;
}
