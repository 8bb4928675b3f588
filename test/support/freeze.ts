import { freeze, frozenSince, unfreeze } from '../../src/accounts/freeze.ts';
import { plantProposal } from './decision.ts';
import type { Merchant } from './merchant.ts';
import type { Database } from './queryable.ts';

/** Freezes the account, and lifts that as two operators would. */
export async function frozenAndLifted(database: Database, { accountId }: Merchant): Promise<void> {
  const subject = { accountId, apiKeyId: null, actor: 'test' };
  await freeze(database, { ...subject, reason: 'theft' });
  const frozenAt = (await frozenSince(database, subject)) ?? '';
  const proposalId = await plantProposal(database, 'accounts.unfreeze');
  await unfreeze(database, { ...subject, frozenAt, proposalId });
}
