import { dayOf } from '../../../domain/day.ts';
import { type FeeService, feeServices, servicesWithFee } from '../../../domain/fee-services.ts';
import { sayTiers, writeTiers } from '../../../domain/fee-words.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import { merchantAt } from '../case.ts';
import type { Answer } from '../desk.ts';
import { listPage, type Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { facts, sentences, timeOf } from '../words.ts';
import { backTo } from './merchants.ts';

export const feesPage: Page = {
  path: 'merchants/{id}/fees',
  title: 'Fees',
  async show(desk) {
    const answer = await desk.ask('getFees', { id: desk.id });
    const { own, next, announced } = answer;
    const replaced = announced ?? answer;
    const values = Object.fromEntries(
      replaced.own.map((name) => [`fees.${name}`, writeTiers(replaced.fees[name].tiers)]),
    );
    const effective_from = announced?.effective_from;
    const seen = { account_id: desk.id, ...(announced && { effective_from }) };
    return html`${backTo(desk)}<p><a href="${merchantAt(desk.id)}/fees/statement">Fees of a month</a></p><h2>Since ${timeOf(answer.effective_from)}</h2>${shown(answer, own)}${
      next && html`<h2>From ${timeOf(next.effective_from)} on</h2>${shown(next)}`
    }<p>A transaction that was accepted before a change keeps its fees.</p>${
      announced && html`<p class="note">New fees replace the announced fees from that moment on.</p>`
    }${proposing(desk, 'fees.set', { seen, values, isUsual: true })}`;
  },
};

export const feeStatementPage = listPage(lists.feeStatement, {
  path: 'merchants/{id}/fees/statement',
  title: 'Fees of a month',
  more: ({ id }) => ({ id, values: { month: dayOf(new Date()).slice(0, 7) } }),
});

type Shown = Pick<Answer<'getFees'>, 'fees'>;

function shown({ fees }: Shown, own: readonly FeeService[] = []): Html {
  return facts(
    feeServices.map((service) => [
      servicesWithFee[service].noun,
      html`${own.includes(service) && 'Its own:'}${sentences(sayTiers(fees[service].tiers))}`,
    ]),
  );
}
