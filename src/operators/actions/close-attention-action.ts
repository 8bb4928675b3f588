import { z } from 'zod';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { isBilled } from '../../domain/transaction.ts';
import { audit } from '../../platform/db/audit.ts';
import { resolveSubject } from '../../transactions/care/attention.ts';
import { getTransaction } from '../../transactions/rows/store.ts';
import { declare, documented, sentenceField } from './actions.ts';

export const closeAttentionAction = declare({
  title: 'Close an attention entry (but not of a pending transaction)',
  command: 'attention close <subject>',
  note: 'This only closes the entry: no money moves.',
  example: [
    'ticket 123: the channel did pay',
    { subject: '0e8b1f52-3c0d-4a55-9d7e-61c2a4f0b7d9', note: 'ticket 123: the channel did pay' },
  ],
  role: 'finance',
  alone: ['support', 'finance'],
  payload: z.strictObject({
    subject: sentenceField(200).meta(documented('The transaction, or what else the entry is about')),
    note: sentenceField(500).meta({
      title: 'What was done about it',
      description: 'It is kept for ever: write no names or numbers of customers',
    }),
  }),
  async execute(db, { subject, note }, { actor }) {
    const transaction = isUuid(subject) ? await getTransaction(db, subject) : null;
    // Bills are exempt: a bill stays pending for months, also if one of its payments has a problem.
    if (transaction?.status === 'pending' && !isBilled(transaction))
      throw conflict('The transaction is pending: decide how it ended, or wait for its channel');
    const { closed, kept } = await resolveSubject(db, transaction?.id ?? subject);
    if (closed > 0) {
      await audit(db, { actor, action: 'attention.close', subject, detail: { note } });
      return { outcome: `closed entries: ${closed}` };
    }
    if (kept > 0) throw conflict('Its money is in suspense: release the money, and the entry closes');
    if (!transaction) throw new GatewayError('not_found', `There is no attention entry about ${subject}`);
    return { outcome: 'there is no attention entry about it' };
  },
});
