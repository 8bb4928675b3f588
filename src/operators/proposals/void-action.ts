import { z } from 'zod';
import { audit } from '../../db/audit.ts';
import type { Queryable } from '../../db/pool.ts';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { lockAccounts } from '../../reconciliation/closed-days.ts';
import { accountsBeside, type StatementAccounts } from '../../reconciliation/groups.ts';
import {
  findStatement,
  type ImportedStatement,
  lockItemsOf,
  voidStatement,
} from '../../reconciliation/void.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import { type Action, action, sentenceField } from './actions.ts';
import { fact } from './facts.ts';

type Void = { statement: string; note: string };

/**
 * A statement that was wrong or forged counts no more: what its lines booked by themselves is taken back, and the file may be
 * imported again. The last one of its account first, because each goes on from the one before it.
 */
export function voidAction(accounts: StatementAccounts): Action {
  const known = async (db: Queryable, id: string): Promise<ImportedStatement> => {
    const found = await findStatement(db, id, (account) => accountsBeside(accounts, account));
    if (!found) throw new GatewayError('not_found', `There is no statement ${id}`);
    return found;
  };
  return action<Void>({
    role: 'finance',
    payload: z.strictObject({
      statement: z.string().regex(/^st_[0-9a-f]{16}$/, 'must be the id of a statement'),
      note: sentenceField(255),
    }),
    async describe({ statement, note }, { db, isOpen }) {
      const found = await known(db, statement);
      const span = `${found.from} to ${found.to}`;
      const summary = `Statement ${statement} of ${found.account} (${span}) is void: ${note}`;
      if (!isOpen) return { summary };
      const before = `${found.lines} lines, imported by ${found.importedBy}`;
      return {
        summary,
        facts: [fact(`statement ${statement}`, 'void: what its lines booked is taken back', before)],
      };
    },
    async check(db, { statement }) {
      await requireRecovered(db);
      requireVoidable(await known(db, statement));
    },
    async execute(db, { statement, note }, { actor, proposalId }) {
      // An import explains lines under the same locks.
      await lockAccounts(db, accounts.keys());
      await requireRecovered(db);
      // People may decide about one of them at this moment.
      await lockItemsOf(db, statement);
      const found = await known(db, statement);
      requireVoidable(found);
      const done = await voidStatement(db, statement, { proposalId, note });
      if (!done) throw conflict(`${statement} was void before`);
      const detail = {
        account: found.account,
        from: found.from,
        to: found.to,
        ...done,
        note,
        proposal: proposalId,
      };
      await audit(db, { actor, action: 'statements.void', subject: statement, detail });
      return { outcome: `${statement} is void: ${done.takenBack} movements are taken back` };
    },
  });
}

function requireVoidable({ id, isVoid, next, closed, decided }: ImportedStatement): void {
  if (isVoid) throw conflict(`${id} is void already`);
  if (next !== null)
    throw conflict(`${next} was imported after it and goes on from it: that one is made void first`);
  if (closed !== null)
    throw conflict(`${closed}, which it helps to prove, is closed: open that day again first`);
  if (decided.length > 0)
    throw conflict(
      `People have decided about ${decided.join(', ')}, so it stays: what is wrong is corrected by itself`,
    );
}
