import { z } from 'zod';
import { needsAnother, setNeedsAnother } from '../../accounts/batches.ts';
import { requireAccount } from '../../accounts/store.ts';
import { startersOf } from '../../domain/batch.ts';
import { conflict } from '../../domain/errors.ts';
import { accountIdField, declare, exampleAccount } from './actions.ts';
import { fact, subjectNamed } from './facts.ts';

/** Says if a second person must start a merchant's batches. If not, one person alone can pay anyone. */
export const batchesAction = declare({
  title: 'Set who may start its batches',
  command: 'accounts batches <account_id> <need_another>',
  note: 'If a batch needs no second holder, one person of the merchant can pay anyone.',
  example: [
    'one person does the books there, ticket 907',
    { account_id: exampleAccount, need_another: false },
  ],
  role: 'admin',
  payload: z.strictObject({
    account_id: accountIdField,
    need_another: z
      .boolean('must be true or false')
      .meta({ title: 'A batch needs the key of a second holder to start' }),
  }),
  async describe(change, view) {
    const { need_another: needed } = change;
    const summary = `Batches of ${await subjectNamed(view, change)} are started by ${startersOf(needed)}`;
    return { summary, facts: [fact('need_another', startersOf(needed), startersOf(!needed))] };
  },
  async check(db, { account_id, need_another }) {
    const { id } = await requireAccount(db, account_id);
    if ((await needsAnother(db, id)) === need_another) throw conflict('This is the setting already');
  },
  async execute(db, { account_id: accountId, need_another: needed }, { actor, proposalId }) {
    await setNeedsAnother(db, { accountId, needed, actor, proposalId });
    return { outcome: `its batches are started by ${startersOf(needed)}` };
  },
});
