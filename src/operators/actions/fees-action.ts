import { z } from 'zod';
import { feesOf, setFees } from '../../accounts/fees.ts';
import { requireAccount } from '../../accounts/store.ts';
import { tiersField } from '../../domain/data/fees.ts';
import { conflict } from '../../domain/errors.ts';
import { feeServices, forEachService, servicesWithFee } from '../../domain/fee-services.ts';
import { writeTiers } from '../../domain/fee-words.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import {
  accountIdField,
  changedSince,
  declare,
  exampleAccount,
  orRequired,
  seen,
  sentenceField,
  timeField,
} from './actions.ts';
import { type Fact, fact, merchantNamed, type View } from './facts.ts';

const row = z.strictObject({ tiers: tiersField });

const ownFeesField = z
  .strictObject(
    forEachService((service) =>
      row.optional().meta({ title: servicesWithFee[service].noun, face: { unit: 'fee' } }),
    ),
    orRequired('must be an object'),
  )
  .meta({
    description: "All of the merchant's own fees, in whole shillings; a missing service has the usual fees",
  });

const payload = z.strictObject({
  account_id: accountIdField,
  fees: ownFeesField,
  effective_from: timeField.optional().meta({
    title: 'Valid from (day or time)',
    description: 'Default, also if this time has passed: from the approval on',
  }),
  replaces: sentenceField(100).nullable().optional().meta(seen('The latest version when this was proposed')),
});
type Change = z.output<typeof payload>;

/** Replaces the standard fees for one account. Accepted transactions keep their fee. */
export const setFeesAction = declare({
  title: 'Set the fees of this merchant',
  command: 'fees propose <account_id>',
  note:
    'Write a fee like "300" or "0-4,999: 300; 5,000-: 1.5 % min 500 max 2,000". ' +
    'An empty field means the usual fees.',
  example: [
    'the contract of this year, ticket 512',
    {
      account_id: exampleAccount,
      fees: { ussd: { tiers: [{ from: 0, to: null, fixed: 0, basis_points: 150, min: 10, max: 5_000 }] } },
      effective_from: '2027-01-01T00:00:00+03:00',
    },
  ],
  role: 'finance',
  payload,
  async describe(change, view) {
    const from = change.effective_from ?? 'the approval';
    const own = feeServices.filter((service) => change.fees[service]).length;
    const what = own === 0 ? 'The usual fees' : 'Fees';
    return {
      summary: `${what} of ${await merchantNamed(view, change.account_id)} from ${from} on`,
      facts: await factsOf(change, view),
    };
  },
  async seen(db, { account_id }) {
    const { id } = await requireAccount(db, account_id);
    return { replaces: (await feesOf(db, id)).last };
  },
  check: refuseBefore,
  async execute(db, change, { actor, proposalId }) {
    const { account_id: accountId, fees: rows, effective_from = null, replaces = null } = change;
    const set = { accountId, rows, effectiveFrom: effective_from, replaces, proposalId, actor };
    if (!(await setFees(db, set))) throw changedSince('replaces');
    return { outcome: 'the fees are set; accepted transactions keep their fee' };
  },
});

async function factsOf({ account_id, fees }: Change, { db, isOpen }: View): Promise<Fact[]> {
  const { inForce, own, announced } = await feesOf(db, account_id);
  const replaced = announced?.rows ?? own;
  return feeServices
    .filter((service) => fees[service] || (isOpen && replaced[service]))
    .map((service) => {
      const next = fees[service];
      const after = next ? writeTiers(next.tiers) : 'the usual fees';
      const { tiers } = replaced[service] ?? inForce.services[service];
      return fact(servicesWithFee[service].noun, after, isOpen ? writeTiers(tiers) : null);
    });
}

/** Announced fees may only be replaced from the same moment: other fees would cut them short unnoticed. */
async function refuseBefore(db: Queryable, change: Change): Promise<void> {
  const { account_id: accountId, effective_from: from = null } = change;
  const { announced } = await feesOf(db, accountId);
  if (announced === null || (from !== null && Date.parse(from) === Date.parse(announced.effectiveFrom)))
    return;
  throw conflict(
    `Other fees of this merchant begin on ${announced.effectiveFrom}: ` +
      'propose fees from that moment, which replace them, or wait until then',
  );
}
