import { requireAccount } from '../../accounts/store.ts';
import { DAY_MS, startOfDay } from '../../domain/day.ts';
import { validationFailed } from '../../domain/errors.ts';
import { CURRENCY } from '../../domain/money.ts';
import { readStatement } from '../../ledger/statement.ts';
import { type Call, call } from './call.ts';
import { dayField, pageQuery, perPage } from './fields.ts';
import { presentStatement } from './present.ts';
import { statementAnswer } from './schemas.ts';

const LINES_MAX = 1_000;

export const statementCalls = {
  getStatement: call(
    {
      method: 'GET',
      paths: ['accounts/{id}/statement'],
      id: 'The id of the account',
      summary: "Every change of a merchant's balance in a time range, oldest first",
      roles: ['finance', 'admin'],
      query: {
        ...pageQuery,
        per_page: perPage(LINES_MAX, 50),
        from: dayField.optional(),
        to: dayField.optional(),
      },
      answer: statementAnswer,
    },
    async ({ page, per_page, ...asked }, { deps, id, noteRead }) => {
      const { id: accountId } = await requireAccount(deps.database, id);
      noteRead(`account:${accountId}`);
      const today = startOfDay(new Date());
      const { from = today, to = new Date(Date.parse(today) + DAY_MS).toISOString() } = asked;
      if (to <= from) throw validationFailed([{ field: 'to', message: 'must be after from' }]);
      const range = { accountId, currency: CURRENCY, from, to };
      const lines = { offset: (page - 1) * per_page, count: per_page };
      const statement = await readStatement(deps.database, range, lines);
      return presentStatement(statement, { from, to, page, perPage: per_page });
    },
  ),
} satisfies Record<string, Call>;
