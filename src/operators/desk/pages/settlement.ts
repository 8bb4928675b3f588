import { weekdays } from '../../../domain/day.ts';
import { CURRENCY } from '../../../domain/money.ts';
import { networks } from '../../../domain/network.ts';
import { html } from '../../../platform/http/html.ts';
import type { Desk } from '../desk.ts';
import { choice, form, reasonField } from '../form.ts';
import { type Form, type Page, proposes } from '../page.ts';
import { requireAmount } from '../typed.ts';
import { backTo, settlementShown } from './merchants.ts';

/** A proposal replaces the whole rule, with its account. */
export const settlementPage: Page = {
  path: 'merchants/{id}/settlement',
  title: 'Settlement to its own account',
  async show(desk) {
    const answer = await desk.ask('getAccount', { id: desk.id });
    const { days = weekdays, keep, smallest, cap } = answer.settlement?.rule ?? {};
    const optional = (name: string, label: string) => ({ name, label, isOptional: true });
    const amount = (name: string, label: string, value = '') => ({
      ...{ name, label: `${label}, in ${CURRENCY}`, value },
    });
    return html`${backTo(desk)}<p>${settlementShown(answer)}</p>${
      desk.mayPropose('settlement.set') &&
      html`<h2>Its rule</h2>${form(desk, {
        act: 'set',
        label: 'Propose it',
        fields: [
          optional('bic', 'Its bank, by BIC'),
          optional('account_number', 'Number of its account there'),
          optional('full_name', 'Owner of the account'),
          optional('phone_number', 'Or a wallet: its number'),
          choice('network', 'Network of the wallet', 'that of its prefix', {
            names: networks.map(({ name }) => name),
            words: (name) => name,
          }),
          {
            ...{ name: 'days', label: 'Days on which it settles by itself', kind: 'boxes' },
            ...{ options: weekdays.map((day) => [day, day] as const), value: days.join(' ') },
          },
          amount('keep', 'What stays in the balance', keep),
          amount('smallest', 'The least at once', smallest),
          amount('cap', 'The most at once', cap),
          reasonField,
        ],
        note: 'Another account than before waits 48 hours, and the merchant is told.',
      })}`
    }`;
  },
  acts: { set: proposes('settlement.set', ruleTyped) },
};

function ruleTyped({ id }: Desk, typed: Form) {
  const amountOf = (name: string) => requireAmount(typed.get(name), name, { orZero: name === 'keep' });
  const some = (names: string[]) => {
    const given = names.map((name) => [name, typed.get(name)] as const);
    return given.some(([, value]) => value !== undefined) ? Object.fromEntries(given) : undefined;
  };
  return {
    account_id: id,
    bank: some(['bic', 'account_number', 'full_name']),
    wallet: some(['phone_number', 'network']),
    days: typed.all('days'),
    ...{ keep: amountOf('keep'), smallest: amountOf('smallest'), cap: amountOf('cap') },
  };
}
