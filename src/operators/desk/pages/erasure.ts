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
  label: 'Why already',
  kind: 'area',
  isOptional: true,
  hint:
    `Needed for what is younger than ${usually} days; nothing younger than ${atLeast} is erased. ` +
    'It is kept for ever: no names and numbers',
} as const;

/** It counts first, then erases (docs/operations/growth.md). */
export const erasurePage: Page = {
  path: 'erasure',
  title: 'Erase names and numbers',
  menu: ['Merchants', 'Erasure'],
  isFor: (desk) => desk.may('erasePayers'),
  async show(desk) {
    if (!desk.may('erasePayers')) return html`<p>This needs the role admin.</p>`;
    return html`<p>Money, references and keys stay as they are; so does what is not over yet. Nothing is erased before you have seen how much it is.</p>
<h2>Of one person, everywhere</h2>${form(desk, { act: 'count-person', label: 'Count them', fields: [numberField, reason] })}
<h2>Of a merchant’s old transactions</h2>${form(desk, {
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
    return html`${saidOf(answer)}${nextOf(desk, answer, { keep, isCount })}<p><a href="/desk/erasure">To the page before</a></p>`;
  };
}

const kept = ({ number, account_id, older_than_days }: Whose): Record<string, string> =>
  number === undefined ? { merchant: account_id ?? '', days: String(older_than_days) } : { number };

function saidOf({ transactions, kept, erased, next }: Answer<'erasePayers'>): Html {
  const many = next !== null && !erased ? `At least ${transactions}` : transactions;
  return html`<p class="done" role="status">${many} transactions ${erased ? 'name nobody any more' : 'would name nobody any more: nothing is changed yet'}.</p>${
    kept > 0 && html`<p>${kept} are too young, or not over: they are kept.</p>`
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
