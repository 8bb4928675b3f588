import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import { views } from '../../view-table.ts';
import type { Answer, Desk } from '../desk.ts';
import { folded } from '../form.ts';
import { listPage, type Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { viewAt } from '../view.ts';
import { segment } from '../words.ts';

type Operator = Answer<'getOperator'>;
const at = (name: string) => `/desk/operators/${segment(name)}`;

const newPerson = [
  { name: 'name', label: 'Name', hint: 'Lower-case letters, digits, dots and dashes; never used again' },
  { name: 'email', label: 'E-mail' },
] as const;

export const operatorsPage = listPage(lists.operators, {
  path: 'operators',
  title: 'Operators',
  menu: ['Service', 'Operators'],
  below: (desk) =>
    folded(desk, 'Add a person', {
      act: 'create',
      label: 'Add',
      fields: newPerson,
      note: 'The person can do nothing until a role and a token are approved.',
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
    const one = await desk.ask('getOperator', { id: desk.id });
    const below = {
      tokens: ({ id }: Operator['tokens'][number]) =>
        proposing(desk, 'operators.revoke', { seen: { token_id: id } }),
      sessions: ({ id }: Operator['sessions'][number]) =>
        proposing(desk, 'operators.end-session', { seen: { session_id: id } }),
    };
    return html`${viewAt(desk, views.operator, { answer: one, below })}${
      one.disabled_at === null && changesOf(desk, one)
    }`;
  },
};

function changesOf(desk: Desk, one: Operator): Html {
  const seen = { operator: one.name };
  return html`${proposing(desk, 'operators.roles', {
    seen: { ...seen, before: one.roles.toSorted() },
    values: { roles: one.roles.join(' ') },
  })}
${proposing(desk, 'operators.token', { seen })}
${proposing(desk, 'operators.disable', { seen })}`;
}
