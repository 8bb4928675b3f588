import { z } from 'zod';
import { freeze, frozenSince, unfreeze } from '../../accounts/freeze.ts';
import { conflict } from '../../domain/errors.ts';
import { accountIdField, declare, exampleAccount, keyIdField, seen, sentenceField } from './actions.ts';
import { fact, requireSubject, type Subject, subjectNamed } from './facts.ts';

const subjectFields = {
  account_id: accountIdField,
  key_id: keyIdField.meta({ description: 'Default: the whole account' }).optional(),
};

/** One person stops new requests; accepted ones go on. */
export const freezeAction = declare({
  title: 'Freeze it: accept no new requests, at once',
  command: 'accounts freeze <account_id>',
  note: 'Accepted transactions go on. To lift the freeze needs two operators.',
  example: [
    'the key was in a repository, ticket 229',
    { account_id: exampleAccount, key_id: '4Fq81ZbnR0tx' },
  ],
  role: 'admin',
  alone: ['support', 'finance', 'admin'],
  payload: z.strictObject(subjectFields),
  async execute(db, asked, { actor, reason }) {
    const subject = await requireSubject(db, asked);
    if (!(await freeze(db, { ...subject, actor, reason })))
      throw conflict(`${nameOf(asked)} is frozen already`);
    return { outcome: `${nameOf(asked)} is frozen; to lift the freeze, propose accounts.unfreeze` };
  },
});

/** One person may freeze; two agree to unfreeze. */
export const unfreezeAction = declare({
  title: 'Lift the freeze',
  command: 'accounts unfreeze <account_id>',
  example: [
    'the stolen laptop was found, ticket 230',
    { account_id: exampleAccount, key_id: '4Fq81ZbnR0tx' },
  ],
  role: 'admin',
  payload: z.strictObject({
    ...subjectFields,
    frozen_at: sentenceField(40).meta(seen('The time of the freeze. Default: the current freeze')).optional(),
  }),
  async describe(asked, view) {
    const summary = `Lift the freeze of ${await subjectNamed(view, asked)}, frozen ${asked.frozen_at}`;
    return { summary, facts: [fact('state', 'not frozen', `frozen since ${asked.frozen_at}`)] };
  },
  /** A later freeze has its own reason, so compare the times. */
  async seen(db, asked) {
    const since = await frozenSince(db, await requireSubject(db, asked));
    if (since === null) throw notFrozen(asked);
    return { frozen_at: since };
  },
  async execute(db, asked, { actor, proposalId }) {
    const subject = await requireSubject(db, asked);
    const { frozen_at: frozenAt = '' } = asked;
    if (!(await unfreeze(db, { ...subject, frozenAt, actor, proposalId }))) throw notFrozen(asked);
    return { outcome: `${nameOf(asked)} is not frozen any more` };
  },
});

const notFrozen = (asked: Subject) => conflict(`${nameOf(asked)} is not frozen`);

function nameOf({ account_id, key_id }: Subject): string {
  return key_id === undefined ? `Account ${account_id}` : `Key ${key_id} of account ${account_id}`;
}
