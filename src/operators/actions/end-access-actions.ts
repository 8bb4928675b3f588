import { z } from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { disableOperator, revokeToken } from '../people/operators.ts';
import { endSession } from '../people/sessions.ts';
import { type Actions, declare, documented, sentenceField } from './actions.ts';

/** One admin can end access at once: a stolen token must not wait for a second admin. */
const byOne = { role: 'admin', alone: ['admin'] } as const;

const disable = declare({
  title: "End a person's access, at once and for good",
  command: 'operators disable <operator>',
  note: 'This also withdraws the open proposals of this person.',
  example: ['left the company', { operator: 'neema' }],
  ...byOne,
  payload: z.strictObject({ operator: sentenceField(40).meta(documented('The name of the operator')) }),
  async execute(db, { operator: name }, { actor, reason }) {
    if (await disableOperator(db, { name, actor, reason })) return { outcome: `${name} is disabled` };
    throw new GatewayError('not_found', `There is no operator ${name}`);
  },
});

const revoke = declare({
  title: 'End one token, at once',
  command: 'operators revoke <token_id>',
  note: 'Every session that was opened with it ends, too.',
  example: ['it was in a mail, ticket 231', { token_id: '7Hs20KpmQ4wy' }],
  ...byOne,
  payload: z.strictObject({ token_id: sentenceField(100).meta(documented('The public part of the token')) }),
  async execute(db, { token_id: tokenId }, { actor, reason }) {
    if (await revokeToken(db, { tokenId, actor, reason })) return { outcome: `${tokenId} is revoked` };
    throw new GatewayError('not_found', `There is no live token ${tokenId}`);
  },
});

const endOne = declare({
  title: 'End one session at the desk, at once',
  command: 'operators end-session <session_id>',
  note: 'The token stays valid.',
  example: ['a browser was left open', { session_id: '5Gr91LbnS1uy' }],
  ...byOne,
  payload: z.strictObject({ session_id: sentenceField(100).meta(documented('The id of the session')) }),
  async execute(db, { session_id: id }, { actor, reason }) {
    if (await endSession(db, { id, actor, reason })) return { outcome: `${id} has ended` };
    throw new GatewayError('not_found', `There is no live session ${id}`);
  },
});

export const endAccessActions: Actions = {
  'operators.disable': disable,
  'operators.revoke': revoke,
  'operators.end-session': endOne,
};
