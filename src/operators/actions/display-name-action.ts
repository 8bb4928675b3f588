import { z } from 'zod';
import { displayNameOf, setDisplayName } from '../../accounts/display-name.ts';
import { requireAccount } from '../../accounts/store.ts';
import { accountIdField, changedSince, declare, exampleAccount, seen, sentenceField } from './actions.ts';
import { fact, subjectNamed } from './facts.ts';

/** Customers see this name above the amount: a wrong one collects money in somebody else's name. */
export const displayNameAction = declare({
  title: 'Its name to customers',
  command: 'accounts display-name <account_id> <display_name>',
  example: [
    'as its certificate of registration says, ticket 901',
    { account_id: exampleAccount, display_name: 'Shule ya Msingi Uhuru' },
  ],
  role: 'admin',
  payload: z.strictObject({
    account_id: accountIdField,
    display_name: sentenceField(60).meta({
      title: 'As its customers know it',
      description: 'On the pages where they pay',
    }),
    before: sentenceField(255).meta(seen('Left out: what it is now')).optional(),
  }),
  async describe(change, view) {
    const { display_name: name, before = '' } = change;
    const summary =
      `Customers read ${JSON.stringify(name)} on the pages of ` + `${await subjectNamed(view, change)}`;
    return { summary, facts: [fact('display_name', name, before)] };
  },
  async seen(db, { account_id }) {
    const { id } = await requireAccount(db, account_id);
    return { before: await displayNameOf(db, id) };
  },
  async execute(db, { account_id: accountId, display_name: name, before = '' }, { actor, proposalId }) {
    if (!(await setDisplayName(db, { accountId, name, before, actor, proposalId })))
      throw changedSince('before');
    return { outcome: `its customers read ${name}` };
  },
});
