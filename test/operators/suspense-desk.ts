import assert from 'node:assert/strict';
import { serviceBalances } from '../../src/ledger/balances.ts';
import { getSuspenseItem, type SuspenseItem } from '../../src/ledger/suspense.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { actions } from '../support/actions.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { by, hire } from '../support/finance.ts';
import { handedOver } from '../support/handed-over.ts';
import { type Merchant, pushRequest } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { suspend } from '../support/suspend.ts';

type Proposed = { id: string; payloadHash: string };

/** Two operators of finance, money in suspense, and what they do about it. The ledger is checked after every test. */
export function openSuspenseDesk() {
  const test = useTestDatabase({ poolMax: 10 });
  before(() => hire(test.database));
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const desk = (database: Database = asRole(test.database, 'api')) =>
    createProposals({ database, actions, fourEyes: true });
  const named = ({ id, receipt, amount, currency }: SuspenseItem) => ({
    item: id,
    receipt,
    amount,
    currency,
    note: 'cleared up with the network',
  });
  const propose = (action: string, item: SuspenseItem, more: object = {}) =>
    desk().propose({ action, payload: { ...named(item), ...more }, reason: 'r' }, by('asha'));

  return {
    get database() {
      return test.database;
    },
    /** 500 TZS that fit no state of a merchant's push. */
    async suspended(
      changes: Parameters<typeof suspend>[1] = {},
    ): Promise<{ item: SuspenseItem; merchant: Merchant }> {
      const { id, merchant } = await handedOver(test.database, pushRequest());
      return { item: await suspend(test.database, { transactionId: id, ...changes }), merchant };
    },
    propose,
    toMerchant: (item: SuspenseItem, accountId = item.accountId ?? '') =>
      propose('suspense.to-merchant', item, { account_id: accountId }),
    writeOff: (item: SuspenseItem) => propose('suspense.write-off', item),
    givenBack: (item: SuspenseItem) =>
      propose('suspense.given-back', item, { return_receipt: `RV-${item.id}` }),
    toPayer: (item: SuspenseItem) => propose('suspense.to-payer', item),
    approve: ({ id, payloadHash }: Proposed, database?: Database) =>
      desk(database).approve({ id, payloadHash }, by('juma')),
    itemOf: async ({ id }: SuspenseItem): Promise<SuspenseItem> => {
      const item = await getSuspenseItem(test.database, id);
      assert.ok(item);
      return item;
    },
    /** minor units, of all accounts of this kind */
    async onAccount(kind: string, currency = 'TZS'): Promise<number> {
      const all = await serviceBalances(test.database);
      return all
        .filter((one) => one.kind === kind && one.currency === currency)
        .reduce((sum, { amount }) => sum + amount, 0);
    },
  };
}
