import { GatewayError } from '../../src/domain/errors.ts';
import {
  type Action,
  type Approval,
  bindSeen,
  type Executed,
  prepare,
} from '../../src/operators/actions/actions.ts';
import type { Queryable } from '../../src/platform/db/pool.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { actions } from '../support/actions.ts';
import { plantProposal } from '../support/decision.ts';
import type { Database } from '../support/queryable.ts';

/** Proposed, approved and carried out in one transaction. */
export async function carryOut(
  db: Queryable,
  { action, payload, proposalId }: { action: Action; payload: object; proposalId: string },
): Promise<Executed> {
  const asked = await bindSeen(db, action, action.payload.parse(payload));
  const actor = { operator: 'juma', address: '127.0.0.1', requestId: 'a test' };
  const approval: Approval = { actor, proposalId, proposedBy: 'asha', reason: 'r', agreed: 2 };
  return action.execute(db, asked, approval, await prepare(db, action, asked));
}

/** What two people agree on is carried out. Null where a rule of ours refuses it: then nothing happens. */
export async function agree(
  database: Database,
  name: string,
  payload: object,
  known: Record<string, Action> = actions,
): Promise<Executed | null> {
  const action = known[name];
  if (!action) throw new Error(name);
  try {
    const proposalId = await plantProposal(database, name);
    return await inTransaction(database, (db) => carryOut(db, { action, payload, proposalId }));
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}
