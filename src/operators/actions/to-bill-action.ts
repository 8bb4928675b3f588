import type { z } from 'zod';
import { conflict } from '../../domain/errors.ts';
import { networkNameOf } from '../../domain/network.ts';
import { holdItem, type SuspenseItem } from '../../ledger/suspense.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { payerOf } from '../../transactions/acceptance/paybacks.ts';
import {
  billOfItem,
  type ItemOfBill,
  payWithItem,
  type Unpayable,
} from '../../transactions/ending/to-bill.ts';
import { lookUpBill } from '../../transactions/rows/bill-store.ts';
import { lookUpNumber } from '../../transactions/rows/number-store.ts';
import { declare, seen, sentenceField } from './actions.ts';
import { fact, payerWords, shillings, type View } from './facts.ts';
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

export const TO_BILL = 'suspense.to-bill';

/** `bill`: the control number, as it was at the proposal. */
const payload = releasePayload({
  bill: sentenceField(64)
    .optional()
    .meta(seen('The control number that it pays. Default: the one of its transaction or receipt')),
});
type ToBill = z.output<typeof payload>;

const why: Record<Unpayable, string> = {
  paid: 'it was paid meanwhile',
  cancelled: 'it was cancelled',
  expired: 'it has expired',
  full: 'it has the maximum number of payments',
  in_progress: 'another payment of it is in progress: try again when that has ended',
  amount_too_low: 'the amount is less than what is due',
  amount_too_high: 'the amount is more than what is due',
  amount_invalid: 'it cannot be paid with this amount',
  told_for_another: 'its receipt was also reported for another payment',
};

export function refusedByBill({ payment, refused }: ItemOfBill): string | null {
  return refused === null ? null : `${payment.controlNumber} cannot take it: ${why[refused]}`;
}

/** The item becomes a payment of a bill, QR code or standing number, with receipt, fee and callback. */
export const toBillAction = declare({
  title: 'Take it as a payment of its bill or number, with receipt, fee and callback',
  command: 'suspense to-bill <item>',
  example: ['paid on the page while the bill was open, ticket 812', exampleItem],
  role: 'finance',
  payload,
  isWhole: true,
  async describe(asked, view) {
    const what = await whatIsPaid(view.db, asked.bill);
    const { item, facts } = await itemShown(view, asked, `a payment of ${what}`);
    const payer = await payerOf(view.db, item);
    const of = payer === null ? '' : ` of ${payerWords(payer, view)}`;
    return {
      summary:
        `Take ${sizeOf(asked)}${of} from suspense as a payment of ${what}, ` +
        `over ${networkNameOf(item.channel)} (${nameOf(asked)}): ${asked.note}`,
      facts: [...facts, ...(await paidFacts(view, asked, item))],
      people: [item.id],
    };
  },
  async seen(db, asked) {
    const paid = await billOfItem(db, await openItem(db, asked));
    return { ...(await itemSeen(db, asked)), ...(paid && { bill: paid.payment.controlNumber ?? '' }) };
  },
  lock: lockItem,
  check: takeable,
  async execute(db, asked, { actor, proposalId }, { item, paid }) {
    const { note } = asked;
    const taken = await payWithItem(db, paid, { item: item.id, proposalId, note });
    if (taken === null) throw conflict(`${item.id} has changed meanwhile: look at it again`);
    const { amount, currency, receipt } = item;
    const detail = {
      amount,
      currency,
      receipt,
      note,
      proposal: proposalId,
      transaction: taken.transactionId,
    };
    await audit(db, { actor, action: TO_BILL, subject: item.id, detail });
    return { outcome: `${item.id} (${sizeOf(asked)}) is a payment of ${taken.transactionId}`, paid: taken };
  },
});

type Takeable = { item: SuspenseItem; paid: ItemOfBill };

/** Locks the item and its bill. Throws `conflict` with the reason if the item cannot pay the bill. */
async function takeable(db: Queryable, asked: ToBill): Promise<Takeable> {
  const item = await openItem(db, asked);
  await refuseBesideOpposite(db, item, { to: 'bill' });
  const paid = await billOfItem(db, item);
  if (paid === null) throw conflict(`${item.id} belongs to no existing bill or number`);
  const refused = refusedByBill(paid);
  if (refused !== null)
    throw conflict(`${refused}. Pay it back to its payer, or credit the merchant with it`);
  if (!(await holdItem(db, item.id))) throw hasLeft(item);
  return { item, paid };
}

async function whatIsPaid(db: Queryable, bill: string | undefined): Promise<string> {
  const found = bill === undefined ? null : await viewOf(db, bill);
  return found === null ? `${bill}` : `${bill} of ${found.merchantName} (${found.transactionId})`;
}

const viewOf = async (db: Queryable, bill: string) =>
  (await lookUpBill(db, bill)) ?? (await lookUpNumber(db, bill));

async function paidFacts({ db, isOpen }: View, { bill = '', amount }: ToBill, item: SuspenseItem) {
  const found = isOpen ? await viewOf(db, bill) : null;
  const push = item.transactionId;
  return [
    ...(push === null || push === found?.transactionId ? [] : [fact('its transaction', push)]),
    ...(found === null || found.outstanding === null
      ? []
      : [
          fact(
            'paid of the bill',
            `${shillings(found.paid + amount)} of ${shillings(found.amount)}`,
            shillings(found.paid),
          ),
        ]),
  ];
}
