import { setLimits } from '../../src/accounts/limits.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { Queryable } from './queryable.ts';

/** Sets limits of an account, as two operators may. */
export function limitTo(db: Queryable, { accountId }: { accountId: string }, limits: Partial<Limits>) {
  return setLimits(db, { accountId, apiKeyId: null, limits, actor: 'test' }, { mayRaise: true });
}
