import { GatewayError } from '../../../domain/errors.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Answer, Desk } from '../desk.ts';
import { folded } from '../form.ts';
import { listAt } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { facts, segment, time, timeOf } from '../words.ts';

type Operator = Answer<'listOperators'>['data'][number];
const at = (name: string) => `/desk/operators/${segment(name)}`;

const newPerson = [
  { name: 'name', label: 'Name', hint: 'Lower-case letters, digits, dots and dashes; never used again' },
  { name: 'email', label: 'E-mail' },
] as const;

export const operatorsPage = listPage('listOperators', (desk) => listAt(desk, lists.operators), {
  path: 'operators',
  title: 'Operators',
  menu: ['Service', 'Operators'],
  below: (desk) =>
    folded(desk, 'Add a person', {
      act: 'create',
      label: 'Add',
      fields: newPerson,
      note: 'Who may do nothing until a role and a token are approved.',
    }),
  acts: {
    async create(desk, form) {
      const body = { name: form.get('name'), email: form.get('email') };
      const { name } = await desk.ask('createOperator', { body });
      return at(name);
    },
  },
});

export const operatorPage: Page = {
  path: 'operators/{id}',
  title: 'Operator',
  async show(desk) {
    const one = (await desk.ask('listOperators')).data.find(({ name }) => name === desk.id);
    if (!one) throw new GatewayError('not_found', `There is no operator ${desk.id}`);
    return html`${facts([
      ['Name', one.name],
      ['E-mail', one.email],
      ['May', one.roles.join(', ') || 'nothing yet'],
      ['Since', time(one.created_at)],
      ['Disabled', one.disabled_at && timeOf(one.disabled_at)],
    ])}${tokensOf(desk, one)}${sessionsOf(desk, one)}${one.disabled_at === null && changesOf(desk, one)}`;
  },
};

function tokensOf(desk: Desk, { tokens }: Operator): Html | null {
  if (tokens.length === 0) return null;
  return html`<h2>Tokens</h2><ul>${tokens.map(
    ({ id, expires_at, last_used_at, issued_by }) =>
      html`<li><code>${id}</code>, until ${timeOf(expires_at)}, ${last_used_at === null ? 'never used' : html`used ${timeOf(last_used_at)}`}, let in by ${issued_by}${proposing(desk, 'operators.revoke', { seen: { token_id: id } })}</li>`,
  )}</ul>`;
}

function sessionsOf(desk: Desk, { sessions }: Operator): Html | null {
  if (sessions.length === 0) return null;
  return html`<h2>Sessions at the desk</h2><ul>${sessions.map(
    ({ id, token_id, address, created_at, last_seen_at }) =>
      html`<li><code>${id}</code> with the token <code>${token_id}</code> from ${address}, since ${timeOf(created_at)}, last seen ${timeOf(last_seen_at)}${proposing(desk, 'operators.end-session', { seen: { session_id: id } })}</li>`,
  )}</ul>`;
}

function changesOf(desk: Desk, one: Operator): Html {
  const seen = { operator: one.name };
  return html`${proposing(desk, 'operators.roles', { seen: { ...seen, before: one.roles.toSorted() }, values: { roles: one.roles.join(' ') } })}
${proposing(desk, 'operators.token', { seen })}
${proposing(desk, 'operators.disable', { seen })}`;
}
