import { z } from 'zod';
import { conflict } from '../../domain/errors.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { FENCE, LIFT_ACTION, type Lift, whenFenced } from '../../transactions/care/fence.ts';
import { declare, sentenceField } from './actions.ts';

const MISSING_MAX = 1_000_000;

/** Lets `recover` lift the fence with up to `missing` records missing. Only `recover` can count them. */
export const liftFenceAction = declare({
  title: 'Lift the fence although records are missing',
  command: 'fence lift',
  example: [
    'three top-ups are made again by hand, ticket 900',
    { closed_at: '2030-01-31T08:15:00.000000Z', missing: 3 },
  ],
  role: 'admin',
  payload: z.strictObject({
    closed_at: sentenceField(40).meta({
      description: 'When the fence was closed, as recover prints it',
    }),
    missing: z
      .int('must be the number of missing records that recover printed')
      .min(1, 'must be at least 1: if nothing is missing, recover lifts the fence')
      .max(MISSING_MAX)
      .meta({ description: 'The number of missing records that recover printed' }),
  }),
  describe: ({ closed_at, missing }) =>
    `Lift the fence of ${closed_at} although ${missing} records could not be restored: ` +
    'merchants may spend that money a second time',
  check: requireFence,
  async execute(db, lift, { actor, proposalId }) {
    const detail = { ...lift, proposal: proposalId };
    await audit(db, { actor, action: LIFT_ACTION, subject: FENCE, detail });
    return { outcome: `recover --lift-anyway ${proposalId} may lift the fence, ${lift.missing} missing` };
  },
});

async function requireFence(db: Queryable, { closed_at }: Lift): Promise<void> {
  const closedAt = await whenFenced(db);
  if (closedAt === null) throw conflict('The fence is not closed');
  if (closedAt !== closed_at) throw conflict(`The fence was closed at ${closedAt}: look at it again`);
}
