import { z } from 'zod';
import { displayNameOf, setDisplayName } from '../../accounts/display-name.ts';
import { requireAccount } from '../../accounts/store.ts';
import { accountIdField, changedSince, declare, exampleAccount, seen, sentenceField } from './actions.ts';
import { fact, subjectNamed } from './facts.ts';

/** Customers see this name above the amount. A wrong name collects money in somebody else's name. */
export const displayNameAction = declare({
  title: 'Set the name that customers see',
  command: 'accounts display-name <account_id> <display_name>',
  example: [
    'as its certificate of registration says, ticket 901',
    { account_id: exampleAccount, display_name: 'Shule ya Msingi Uhuru' },
  ],
  role: 'admin',
  payload: z.strictObject({
    account_id: accountIdField,
    display_name: sentenceField(60).meta({
      title: 'Name',
      description: 'Customers see it on the pages where they pay',
    }),
    before: sentenceField(255).meta(seen('The current name')).optional(),
  }),
  async describe(change, view) {
    const { display_name: name, before = '' } = change;
    const summary =
      `Show customers ${JSON.stringify(name)} on the pages of ` + `${await subjectNamed(view, change)}`;
    return { summary, facts: [fact('display_name', name, before)] };
  },
  async seen(db, { account_id }) {
    const { id } = await requireAccount(db, account_id);
    return { before: await displayNameOf(db, id) };
  },
  async execute(db, { account_id: accountId, display_name: name, before = '' }, { actor, proposalId }) {
    if (!(await setDisplayName(db, { accountId, name, before, actor, proposalId })))
      throw changedSince('before');
    return { outcome: `customers now see ${name}` };
  },
});
