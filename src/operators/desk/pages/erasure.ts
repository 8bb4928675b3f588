import { type Html, html } from '../../../platform/http/html.ts';
import { FORGETTABLE_AFTER_DAYS } from '../../../transactions/care/forget.ts';
import type { Answer, Desk } from '../desk.ts';
import { form } from '../form.ts';
import { merchantField, merchantTyped } from '../merchant-field.ts';
import type { Act, Form, Page } from '../page.ts';
import { requireNumber } from '../typed.ts';

const { usually, atLeast } = FORGETTABLE_AFTER_DAYS;

const reason = {
  name: 'reason',
  label: 'Why so early',
  kind: 'area',
  isOptional: true,
  hint:
    `Needed for data younger than ${usually} days; nothing younger than ${atLeast} is erased. ` +
    'It is kept forever, so write no names and numbers',
} as const;

/** The page counts first, then erases (docs/operations/growth.md). */
export const erasurePage: Page = {
  path: 'erasure',
  title: 'Erase names and numbers',
  menu: ['Merchants', 'Erasure'],
  isFor: (desk) => desk.may('erasePayers'),
  async show(desk) {
    if (!desk.may('erasePayers')) return html`<p>This needs the role admin.</p>`;
    return html`<p>Money, references and keys do not change, and unfinished transactions are kept. You see the numbers before anything is erased.</p>
<h2>One person, in all accounts</h2>${form(desk, { act: 'count-person', label: 'Count them', fields: [numberField, reason] })}
<h2>Old transactions of a merchant</h2>${form(desk, {
      act: 'count-merchant',
      label: 'Count them',
      fields: [
        merchantField,
        { name: 'days', label: 'Older than this many days', value: String(usually) },
        reason,
      ],
    })}`;
  },
  acts: {
    'count-person': decide(ofPerson, true),
    'count-merchant': decide(ofMerchant, true),
    erase: decide(ofEither, false),
  },
};

const numberField = {
  name: 'number',
  label: 'Phone number or bank account',
  hint: 'A phone number in any form, or the number of a bank account',
} as const;

type Whose = { number?: string; account_id?: string; older_than_days?: number };

async function ofPerson(_: Desk, form: Form): Promise<Whose> {
  return { number: form.get('number') ?? '' };
}

async function ofMerchant(desk: Desk, form: Form): Promise<Whose> {
  const older_than_days = requireNumber(form.get('days'), 'days');
  return { account_id: await merchantTyped(desk, form), older_than_days };
}

function ofEither(desk: Desk, form: Form): Promise<Whose> {
  return form.get('number') === undefined ? ofMerchant(desk, form) : ofPerson(desk, form);
}

function decide(whose: (desk: Desk, form: Form) => Promise<Whose>, isCount: boolean): Act {
  return async (desk, form) => {
    const asked = await whose(desk, form);
    const [why, after] = [form.get('reason'), form.get('after')];
    const answer = await desk.ask('erasePayers', {
      body: { ...asked, reason: why, after, dry_run: isCount },
    });
    const keep = { ...kept(asked), ...(why && { reason: why }) };
    return html`${saidOf(answer)}${nextOf(desk, answer, { keep, isCount })}<p><a href="/desk/erasure">Back</a></p>`;
  };
}

const kept = ({ number, account_id, older_than_days }: Whose): Record<string, string> =>
  number === undefined ? { merchant: account_id ?? '', days: String(older_than_days) } : { number };

function saidOf({ transactions, kept, erased, next }: Answer<'erasePayers'>): Html {
  const many = next !== null && !erased ? `At least ${transactions}` : transactions;
  return html`<p class="done" role="status">${many} transactions ${erased ? 'were erased' : 'would be erased: nothing has changed yet'}.</p>${
    kept > 0 && html`<p>${kept} are too young or not finished: they are kept.</p>`
  }`;
}

/** One click erases a few thousand transactions. */
function nextOf(
  desk: Desk,
  { transactions, next }: Answer<'erasePayers'>,
  { keep, isCount }: { keep: Record<string, string>; isCount: boolean },
): Html | null {
  if (isCount && transactions === 0 && next === null) return null;
  if (!isCount && next === null) return null;
  const more = next !== null && !isCount ? { after: next } : {};
  const label = isCount ? 'Erase them, for good' : 'There are more: erase the next part';
  return form(desk, { act: 'erase', label, keep: { ...keep, ...more } });
}
