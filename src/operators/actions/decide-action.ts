import { z } from 'zod';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { networkNameOf } from '../../domain/network.ts';
import { kindOf, type Transaction } from '../../domain/transaction.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import {
  checkDecidable,
  refusePaidTwice,
  refuseSentSince,
  writeDecision,
} from '../../transactions/care/decisions.ts';
import { sweepSoon } from '../../transactions/rescue/orphans.ts';
import { isLine, shownBy } from '../../transactions/rows/moved.ts';
import { getTransaction, lockTransaction } from '../../transactions/rows/store.ts';
import { casesOf } from '../search/cases.ts';
import { declare, documented, sentenceField } from './actions.ts';
import { fact, partyFor, shillings } from './facts.ts';

/** Stores how a transaction ends if its channel does not answer; the workflow applies it. */
export const decideAction = declare({
  title: 'Decide how it ended, if its network gives no answer',
  command: 'attention decide <transaction_id> <outcome>',
  note: 'Another operator has to approve it. Until then nothing changes.',
  example: [
    'the bank answered by e-mail, ticket 701',
    { transaction_id: '0b5f6d1c-3a77-5e21-9c40-8d2e6f4a1b93', outcome: 'paid', note: 'ticket 701' },
  ],
  role: 'finance',
  payload: z.strictObject({
    transaction_id: z
      .uuid('must be the id of a transaction')
      .transform((id) => id.toLowerCase())
      .meta(documented('The id of the transaction')),
    outcome: z.enum(['paid', 'failed'], 'must be paid or failed').meta({ title: 'Outcome' }),
    note: sentenceField(500).meta({ title: 'How you know' }),
  }),
  async describe({ transaction_id, outcome, note }, view) {
    const [one] = await casesOf(view.db, [transaction_id]);
    const { transaction, merchant, explained } = known(transaction_id, one ?? null);
    const { amount, fee, currency, channel, status } = transaction;
    const { direction, success } = kindOf(transaction);
    const [what, to] = direction === 'payout' ? ['payout', 'to'] : ['payment', 'from'];
    const money = `${shillings(amount, currency)}, fee ${shillings(fee, currency)},`;
    const whose = `${merchant ?? 'the service'} ${to} ${partyFor(transaction, view)}`;
    const shown = view.isOpen ? await shownBy(view.db, transaction_id) : null;
    return {
      summary:
        `The ${what} of ${money} of ${whose} over ${networkNameOf(channel)} ` +
        `(${transaction_id}) is ${outcome}: ${note}`,
      facts: view.isOpen
        ? [
            fact(
              'state',
              outcome === 'paid' ? success : 'failed',
              `${status}. ${explained.money.join('. ')}`,
            ),
            ...(shown === null ? [] : [fact('statement', `${shown} shows that the money moved`)]),
          ]
        : [],
      people: [transaction_id],
    };
  },
  lock: (db, { transaction_id }) => lockTransaction(db, transaction_id),
  async check(db, { transaction_id, outcome }) {
    await requireDecidable(db, known(transaction_id, await getTransaction(db, transaction_id)), outcome);
  },
  async execute(db, { transaction_id: id, outcome, note }, { actor, proposalId }) {
    await refuseSentSince(db, { transactionId: id, proposalId });
    await writeDecision(db, { transactionId: id, outcome, note, proposalId });
    // If the workflow is gone, the next sweep starts it again.
    await sweepSoon(db, id);
    const detail = { outcome, note, proposal: proposalId };
    await audit(db, { actor, action: 'attention.decide', subject: id, detail });
    return { outcome: `${id} is decided: ${outcome}`, wake: id };
  },
});

async function requireDecidable(
  db: Queryable,
  transaction: Transaction,
  outcome: 'paid' | 'failed',
): Promise<void> {
  await checkDecidable(db, transaction);
  if (outcome === 'paid') return refusePaidTwice(db, transaction.id);
  const shown = await shownBy(db, transaction.id);
  if (shown !== null)
    throw conflict(
      `A statement (${shown}) shows that the money moved: ` +
        `${isLine(shown) ? 'wait until this line is matched' : 'release this item first'}, then decide`,
    );
}

function known<T>(id: string, transaction: T | null): T {
  if (transaction === null) throw new GatewayError('not_found', `There is no transaction ${id}`);
  return transaction;
}
