import { conflict } from '../../domain/errors.ts';
import { CURRENCY } from '../../domain/money.ts';
import { networkNameOf } from '../../domain/network.ts';
import { type ChannelTiming, flowTiming, type GatewayTiming } from '../../domain/timing.ts';
import type { SuspenseItem } from '../../ledger/suspense.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { openPayback, type Payer, payerOf } from '../../transactions/acceptance/paybacks.ts';
import { declare, seen, sentenceField } from './actions.ts';
import { payerWords } from './facts.ts';
import {
  exampleItem,
  hasLeft,
  itemSeen,
  itemShown,
  lockItem,
  nameOf,
  openItem,
  refuseBesideOpposite,
  releasePayload,
  sizeOf,
} from './suspense-items.ts';

/** `paid_by`: the row that named the payer. The approved hash covers it. */
const paybackPayload = releasePayload({
  paid_by: sentenceField(600)
    .optional()
    .meta(seen('The row that named the payer; fixed when it is proposed')),
});

type Route = ChannelTiming & { connection: string };
type Way = { item: SuspenseItem; payer: Payer; route: Route };

/** Returns undefined if no connection carries payouts over the channel. */
export type PayoutRouteOf = (channelId: string) => Route | undefined;

/**
 * The approval takes the item out of suspense and stores a payout to its payer over the same network; a
 * workflow sends it. If it fails, the money is in suspense again.
 */
export function createPaybackAction(deps: { payoutRouteOf: PayoutRouteOf; timing: GatewayTiming }) {
  const { payoutRouteOf, timing } = deps;

  async function wayOf(db: Queryable, item: SuspenseItem): Promise<Way> {
    if (item.amount <= 0) throw conflict(`${item.id} is missing money: there is nothing to pay back`);
    if (item.currency !== CURRENCY)
      throw conflict(`Payouts are in ${CURRENCY} only: the network has to return it`);
    await refuseBesideOpposite(db, item, { to: 'payer' });
    const payer = await payerOf(db, item);
    if (payer === null) throw conflict(`The payer of ${item.id} is not known: the network has to return it`);
    const route = payoutRouteOf(item.channel);
    if (!route) throw conflict(`Nothing carries payouts over ${item.channel}: the network has to return it`);
    return { item, payer, route };
  }

  return declare({
    title: 'Pay it back to the payer',
    command: 'suspense to-payer <item>',
    example: ['the payer called, ticket 812', exampleItem],
    role: 'finance',
    payload: paybackPayload,
    async describe(asked, view) {
      const { item, facts } = await itemShown(view, asked, 'on its way back as our payout');
      const payer = await payerOf(view.db, item);
      const who = payer === null ? 'a payer who is no longer known' : payerWords(payer, view);
      return {
        summary:
          `Pay ${sizeOf(asked)} back to ${who} over ` +
          `${networkNameOf(item.channel)} (${nameOf(asked)}): ` +
          `${asked.note}`,
        facts,
        people: [item.id],
      };
    },
    async seen(db, asked) {
      const payer = await payerOf(db, await openItem(db, asked));
      return { ...(await itemSeen(db, asked)), ...(payer && { paid_by: payer.row }) };
    },
    lock: lockItem,
    check: async (db, asked) => wayOf(db, await openItem(db, asked)),
    async execute(db, asked, { actor, proposalId }, { item, payer, route }) {
      const { connection } = route;
      const times = flowTiming('payback', route, timing);
      const { note } = asked;
      const id = await openPayback(db, { item, payer, connection, timing: times, proposalId, note });
      if (id === null) throw hasLeft(item);
      const { amount, currency, receipt } = item;
      const detail = { amount, currency, receipt, note, proposal: proposalId, transaction: id };
      await audit(db, { actor, action: PAYBACK, subject: item.id, detail });
      return { outcome: `${item.id} (${sizeOf(asked)}) is on its way back to its payer: ${id}`, begin: id };
    },
  });
}

export const PAYBACK = 'suspense.to-payer';
