import { z } from 'zod';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { isBilled } from '../../domain/transaction.ts';
import { audit } from '../../platform/db/audit.ts';
import { resolveSubject } from '../../transactions/care/attention.ts';
import { getTransaction } from '../../transactions/rows/store.ts';
import { declare, documented, sentenceField } from './actions.ts';

export const closeAttentionAction = declare({
  title: 'Take a finished transaction, or what is none, off the list',
  command: 'attention close <subject>',
  note: 'Only the entry on the list is closed: no money moves.',
  example: [
    'ticket 123: the channel did pay',
    { subject: '0e8b1f52-3c0d-4a55-9d7e-61c2a4f0b7d9', note: 'ticket 123: the channel did pay' },
  ],
  role: 'finance',
  alone: ['support', 'finance'],
  payload: z.strictObject({
    subject: sentenceField(200).meta(documented('A transaction, or whatever else the entry is about')),
    note: sentenceField(500).meta({
      title: 'What was done about it',
      description: 'Kept for ever: no names and numbers of customers',
    }),
  }),
  async execute(db, { subject, note }, { actor }) {
    const transaction = isUuid(subject) ? await getTransaction(db, subject) : null;
    // Leave bills out: a bill stays open for months, even if one of its payments has a problem.
    if (transaction?.status === 'pending' && !isBilled(transaction))
      throw conflict('It is pending: decide what became of it, or wait for its channel');
    const { closed, kept } = await resolveSubject(db, transaction?.id ?? subject);
    if (closed > 0) {
      await audit(db, { actor, action: 'attention.close', subject, detail: { note } });
      return { outcome: `${closed} closed` };
    }
    if (kept > 0) throw conflict('Its money is in suspense: the entry closes when that has left');
    if (!transaction) throw new GatewayError('not_found', `Nothing about ${subject} is on the list`);
    return { outcome: 'it is not on the list' };
  },
});
