import { needsAnother } from '../../accounts/batches.ts';
import { createAccount, listAccounts, requireAccount } from '../../accounts/store.ts';
import { CURRENCY } from '../../domain/money.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { headOf } from '../../settlements/settlement-rules.ts';
import { type Caller, mayAct, READS_PEOPLE } from '../people/roles.ts';
import { type Call, call } from './call.ts';
import { pageQuery, plainText, text } from './fields.ts';
import { presentAccount, presentAccountAnswer, presentPage } from './present.ts';
import { accountAnswer, accountList } from './schemas.ts';

export const accountCalls = {
  listAccounts: call(
    {
      method: 'GET',
      paths: ['accounts'],
      summary: 'Merchant accounts, or those whose name has these letters in it, oldest first',
      roles: ['support', 'finance', 'admin'],
      query: { ...pageQuery, name: text(200, 'Letters that the name has, in any case').optional() },
      answer: accountList,
    },
    async ({ page, per_page, name }, { deps }) => {
      const asked = { page, perPage: per_page };
      return presentPage(await listAccounts(deps.database, { ...asked, name }), asked, presentAccount);
    },
  ),
  createAccount: call(
    {
      method: 'POST',
      paths: ['accounts'],
      summary: 'Open a merchant account, with the limits of the configuration',
      roles: ['admin'],
      body: { name: plainText(200).meta({ description: 'How people call it' }) },
      answer: accountAnswer,
    },
    async ({ name }, { deps, actor, caller }) => {
      const { id } = await createAccount(deps.database, { name, limits: deps.newAccountLimits, actor });
      return showAccount(deps.database, { id, caller });
    },
  ),
  getAccount: call(
    {
      method: 'GET',
      paths: ['accounts/{id}'],
      id: 'of the account',
      summary: 'One account: name, balances, who starts its batches, and its settlement rule in force',
      roles: ['support', 'finance', 'admin'],
      answer: accountAnswer,
    },
    (_input, { deps, id, caller }) => showAccount(deps.database, { id, caller }),
  ),
} satisfies Record<string, Call>;

async function showAccount(database: Queryable, { id, caller }: { id: string; caller: Caller }) {
  const account = await requireAccount(database, id);
  return presentAccountAnswer(account, {
    balance: await balanceOf(database, account.id, CURRENCY),
    needsAnother: await needsAnother(database, account.id),
    head: await headOf(database, account.id),
    showsPeople: mayAct(caller, READS_PEOPLE),
  });
}
