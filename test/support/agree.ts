import { GatewayError } from '../../src/domain/errors.ts';
import type { Action, Executed } from '../../src/operators/actions/actions.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { actions } from './actions.ts';
import { plantProposal } from './decision.ts';
import type { Database } from './queryable.ts';

/** What two people agree on is carried out. Null where a rule of ours refuses it: then nothing happens. */
export async function agree(
  database: Database,
  name: string,
  payload: object,
  known: Record<string, Action> = actions,
): Promise<Executed | null> {
  const action = known[name];
  if (!action) throw new Error(name);
  const asked = action.payload.parse(payload);
  const actor = { operator: 'juma', address: '127.0.0.1', requestId: 'a test' };
  try {
    const proposalId = await plantProposal(database, name);
    return await inTransaction(database, (db) =>
      action.execute(db, asked, { actor, proposalId, proposedBy: 'asha' }),
    );
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}
