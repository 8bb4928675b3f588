import { freeze, frozenSince, unfreeze } from '../../src/accounts/freeze.ts';
import type { LimitSubject } from '../../src/accounts/limits.ts';
import { plantProposal } from './decision.ts';
import type { Database } from './queryable.ts';

/** Freezes the account, or its key, and lifts that as two operators would. */
export async function frozenAndLifted(database: Database, of: LimitSubject): Promise<void> {
  const subject = { ...of, actor: 'test' };
  await freeze(database, { ...subject, reason: 'theft' });
  const frozenAt = (await frozenSince(database, subject)) ?? '';
  const proposalId = await plantProposal(database, 'accounts.unfreeze');
  await unfreeze(database, { ...subject, frozenAt, proposalId });
}
