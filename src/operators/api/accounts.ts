import { needsAnother } from '../../accounts/batches.ts';
import { keyStates } from '../../accounts/keys.ts';
import { limitsOf } from '../../accounts/limits.ts';
import { createAccount, listAccounts, requireAccount } from '../../accounts/store.ts';
import { CURRENCY } from '../../domain/money.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { headOf } from '../../settlements/settlement-rules.ts';
import { requireSubject } from '../actions/facts.ts';
import { type Caller, mayAct, READS_PEOPLE } from '../people/roles.ts';
import { type Call, call } from './call.ts';
import { keyIdField, only, pageQuery, plainText, text, uuidField } from './fields.ts';
import { presentAccount, presentAccountAnswer, presentKey, presentLimits, presentPage } from './present.ts';
import { accountAnswer, accountList, keyList, limitsAnswer } from './schemas.ts';

export const accountCalls = {
  listAccounts: call(
    {
      method: 'GET',
      paths: ['accounts'],
      summary: 'Merchant accounts, oldest first; all, or those with these letters in the name',
      roles: ['support', 'finance', 'admin'],
      query: { ...pageQuery, name: text(200, 'Letters of the name, in any case').optional() },
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
      body: { name: plainText(200).meta({ description: 'Its name for people' }) },
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
      id: 'The id of the account',
      summary: 'One account: name, balances, who may start its batches, and its settlement rule in force',
      roles: ['support', 'finance', 'admin'],
      answer: accountAnswer,
    },
    (_input, { deps, id, caller }) => showAccount(deps.database, { id, caller }),
  ),
  listKeys: call(
    {
      method: 'GET',
      paths: ['keys'],
      summary: 'API keys of all accounts, or of one, oldest first',
      roles: ['support', 'finance', 'admin'],
      query: {
        ...pageQuery,
        account: uuidField.optional().meta({ description: 'Only keys of this merchant' }),
        state: only(keyStates),
      },
      answer: keyList,
    },
    async ({ page, per_page, account, state }, { deps }) => {
      if (account !== undefined) await requireAccount(deps.database, account);
      const asked = { page, perPage: per_page };
      return presentPage(
        await deps.keys.listKeys({ ...asked, accountId: account, state }),
        asked,
        presentKey,
      );
    },
  ),
  getLimits: call(
    {
      method: 'GET',
      paths: ['accounts/{id}/limits'],
      id: 'The id of the account',
      summary: 'The limits of an account, or of one of its keys (`key_id`); money in minor units',
      roles: ['support', 'finance', 'admin'],
      query: {
        key_id: keyIdField
          .optional()
          .meta({ description: 'The limits of this key. Default: the limits of the account' }),
      },
      answer: limitsAnswer,
    },
    async ({ key_id }, { deps, id }) => {
      const subject = await requireSubject(deps.database, { account_id: id, key_id });
      return presentLimits(await limitsOf(deps.database, subject));
    },
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
