import assert from 'node:assert/strict';
import type { z } from 'zod';
import type { lineList } from '../../src/operators/api/reconciliation.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { bankAccount, walletAccount } from '../support/statements-of-accounts.ts';

/**
 * A desk for every test of a `describe`, which ends with books that add up, a wallet and a bank of ours, and what people do
 * about their lines.
 */
export function useReconciliation(options: Parameters<typeof useOperatorDesk>[0] = {}) {
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));
  const { test, desk } = useOperatorDesk({ each: true, ...options });
  const json = async (...args: string[]) => JSON.parse((await desk.cli('asha', '--json', ...args)).join(''));
  const lines = async (...args: string[]): Promise<z.output<typeof lineList>['lines']> =>
    (await json('lines', ...args)).lines;
  const propose = (id: string, way: string) => desk.cli('asha', 'lines', way, id, '--note', 'n');
  return {
    test,
    desk,
    wallet: walletAccount(),
    bank: bankAccount(),
    json,
    lines,
    async lineOf(receipt: string, state = 'open') {
      const found = (await lines('--state', state)).find((one) => one.receipt === receipt);
      return found ?? assert.fail(`${receipt} is not ${state}`);
    },
    propose,
    decide: async (id: string, way: string) => desk.approve('juma', await propose(id, way)),
    voided: async (id: string) =>
      (await desk.agree('statements', 'void', id, '--note', 'it is forged')).join('\n'),
    /** minor units, of all accounts of this kind */
    async sumOf(kind: string): Promise<number> {
      const rows = await test.sql`SELECT coalesce(sum(e.amount), 0)::bigint AS sum
          FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE a.kind = ${kind}`;
      return rows[0].sum;
    },
  };
}
