import { validationFailed } from '../../../domain/errors.ts';
import { type FeeService, feeServices, servicesWithFee } from '../../../domain/fee-services.ts';
import { readTiers, writeTiers } from '../../../domain/fee-words.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import type { Answer } from '../desk.ts';
import { form, reasonField } from '../form.ts';
import type { Page } from '../page.ts';
import { facts, timeOf } from '../words.ts';
import { backTo } from './merchants.ts';

export const feesPage: Page = {
  path: 'merchants/{id}/fees',
  title: 'Fees',
  async show(desk) {
    const answer = await desk.ask('getFees', { id: desk.id });
    const { own, next, announced } = answer;
    const replaced = announced ?? answer;
    const fields = feeServices.map((name) => ({
      name,
      label: servicesWithFee[name].noun,
      value: replaced.own.includes(name) ? writeTiers(replaced.fees[name].tiers) : '',
      isOptional: true,
    }));
    return html`${backTo(desk)}<h2>Since ${timeOf(answer.effective_from)}</h2>${shown(answer, own)}${
      next && html`<h2>From ${timeOf(next.effective_from)} on</h2>${shown(next)}`
    }<p>In whole shillings. What was accepted before a change keeps its fees.</p>${
      desk.mayPropose('fees.set') &&
      html`<h2>Fees of its own</h2>${form(desk, {
        act: 'set',
        label: 'Propose these',
        fields: [
          ...fields,
          ...(announced
            ? []
            : [{ name: 'from', label: 'From this day on', kind: 'day', isOptional: true } as const]),
          reasonField,
        ],
        note: `${announced ? 'They replace those that begin later, from the same moment on. ' : ''}Like "300" or "0-4,999: 300; 5,000-: 1.5 % min 500 max 2,000". What is left empty has the usual fees; without a day they begin when they are approved.`,
      })}`
    }`;
  },
  acts: {
    async set(desk, form) {
      const fees = feeServices.flatMap((name) => {
        const typed = form.get(name);
        return typed === undefined ? [] : [[name, tiersTyped(typed, name)] as const];
      });
      const { announced } = await desk.ask('getFees', { id: desk.id });
      const payload = {
        account_id: desk.id,
        fees: Object.fromEntries(fees),
        effective_from: announced?.effective_from ?? form.get('from'),
      };
      return desk.propose('fees.set', payload, form.get('reason') ?? '');
    },
  },
};

type Shown = Pick<Answer<'getFees'>, 'fees'>;

function shown({ fees }: Shown, own: readonly FeeService[] = []): Html {
  return facts(
    feeServices.map((service) => [
      servicesWithFee[service].noun,
      `${writeTiers(fees[service].tiers)}${own.includes(service) ? ' (its own)' : ''}`,
    ]),
  );
}

function tiersTyped(typed: string, field: FeeService) {
  const tiers = readTiers(typed);
  if (tiers) return { tiers };
  throw validationFailed([
    { field, message: 'must be a fee, like 300, or 0-4999: 300; 5000-: 1.5 % min 500' },
  ]);
}
