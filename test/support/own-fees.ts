import { randomUUID } from 'node:crypto';
import { setFees } from '../../src/accounts/fees.ts';
import type { OwnRows } from '../../src/domain/fees.ts';
import type { Database } from './queryable.ts';

/** One tier for every amount, whole shillings. */
export const flat = (fixed: number, basis_points = 0) => ({
  tiers: [{ from: 0, to: null, fixed, basis_points, min: 0, max: null }],
});

/** Sets an account's own fees, as an approved proposal does, and returns the name of their version. */
export async function setOwnFees(
  database: Database,
  accountId: string,
  { rows, effectiveFrom = null }: { rows: OwnRows; effectiveFrom?: string | null },
): Promise<string> {
  const { rows: last } = await database.query(
    `SELECT version FROM account_fees WHERE account_id = $1 AND version NOT IN
       (SELECT replaces FROM account_fees WHERE replaces IS NOT NULL)`,
    [accountId],
  );
  const proposalId = `prop_${randomUUID()}`;
  const replaces = last[0]?.version ?? null;
  const fees = { accountId, rows, effectiveFrom, replaces, proposalId, actor: 'test' };
  if (!(await setFees(database, fees))) throw new Error('others were set meanwhile');
  return proposalId;
}
