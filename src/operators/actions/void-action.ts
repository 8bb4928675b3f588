import { z } from 'zod';
import { countOf } from '../../domain/count-of.ts';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { lockAccounts } from '../../reconciliation/closed-days.ts';
import { accountsBeside, type StatementAccounts } from '../../reconciliation/groups.ts';
import {
  findStatement,
  type ImportedStatement,
  LATER_MAX,
  lockItemsOf,
  voidStatement,
} from '../../reconciliation/void.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import { type Declared, declare, documented, seen, sentenceField } from './actions.ts';
import { fact } from './facts.ts';

const statementId = z.string().regex(/^st_[0-9a-f]{16}$/, 'must be the id of a statement');

/**
 * The file can be imported again. Later statements become void too, the last one first, because each
 * continues the one before.
 */
export function voidAction(accounts: StatementAccounts): Declared {
  const known = async (db: Queryable, id: string): Promise<ImportedStatement> => {
    const found = await findStatement(db, id, (account) => accountsBeside(accounts, account));
    if (!found) throw new GatewayError('not_found', `There is no statement ${id}`);
    return found;
  };
  return declare({
    title: 'Void a statement that is wrong or forged',
    command: 'statements void <statement>',
    example: [
      'it was made in a spreadsheet',
      { statement: 'st_0f1e2d3c4b5a6978', note: 'not the file of the portal' },
    ],
    role: 'finance',
    payload: z.strictObject({
      statement: statementId.meta(documented('The id of the statement, from the answer of its import')),
      note: sentenceField(255).meta({ title: 'What was wrong' }),
      later: z
        .array(statementId)
        .max(LATER_MAX)
        .optional()
        .meta(seen('The later statements, the last one first; fixed when it is proposed')),
    }),
    async describe({ statement, note, later = [] }, { db, isOpen }) {
      const found = await known(db, statement);
      const span = `${found.from} to ${found.to}`;
      const after = later.length === 0 ? '' : ` and the ${later.length} after it`;
      const summary = `Void statement ${statement} of ${found.account} (${span})${after}: ${note}`;
      if (!isOpen) return { summary };
      const before = `${countOf(found.lines, 'line')}, imported by ${found.importedBy}`;
      return {
        summary,
        facts: [
          fact(`statement ${statement}`, 'void: the bookings of its lines are taken back', before),
          ...later.map((id) => fact(`statement ${id}`, 'void too')),
        ],
      };
    },
    seen: async (db, asked) => ({ later: (await known(db, asked.statement)).later.slice(0, LATER_MAX) }),
    async lock(db, { statement, later = [] }) {
      // An import takes the same locks. `account` is added: the channels file may no longer name it.
      const { account } = await known(db, statement);
      await lockAccounts(db, new Set([...accounts.keys(), account]));
      // Operators may be deciding on an item now.
      await lockItemsOf(db, [statement, ...later]);
    },
    async check(db, { statement }) {
      await requireRecovered(db);
      return requireVoidable(await known(db, statement));
    },
    async execute(db, { statement, note, later = [] }, { actor, proposalId }, found) {
      let takenBack = 0;
      const counts = new Map<string, number>();
      for (const id of [...later, statement]) {
        const done = await voidStatement(db, id, { proposalId, note });
        if (!done) throw conflict(`${id} was void before`);
        counts.set(id, done.takenBack);
        takenBack += done.takenBack;
      }
      for (const [id, count] of counts) {
        const detail = { account: found.account, takenBack: count, note, proposal: proposalId };
        await audit(db, { actor, action: 'statements.void', subject: id, detail });
      }
      const after = later.length === 0 ? 'is' : `and ${later.length} after it are`;
      return { outcome: `${statement} ${after} void: ${countOf(takenBack, 'movement')} taken back` };
    },
  });
}

function requireVoidable(found: ImportedStatement): ImportedStatement {
  const { id, isVoid, later, closed, decided } = found;
  if (isVoid) throw conflict(`${id} is void already`);
  if (later.length > LATER_MAX)
    throw conflict(`More than ${LATER_MAX} statements were imported after it: void one of those first`);
  if (closed !== null)
    throw conflict(`${closed} is closed, and this statement helps to prove it: reopen that day first`);
  if (decided.length > 0)
    throw conflict(
      `Operators have decided about ${decided.join(', ')}, so it stays: correct each wrong line instead`,
    );
  return found;
}
