import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { type FlowTiming, flowTiming, type GatewayTiming } from '../../src/domain/timing.ts';
import { getSuspenseItem } from '../../src/ledger/suspense.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { openPayback } from '../../src/transactions/acceptance/paybacks.ts';
import { plantProposal } from './decision.ts';
import { CONNECTION, channelTiming } from './merchant.ts';
import type { Database } from './queryable.ts';
import { suspend } from './suspend.ts';

export const PAYBACK_VALUE = minor(500_00);

/** What two operators agreed on is in Postgres; no workflow knows it. */
export async function plantPayback(
  database: Database,
  {
    connection = CONNECTION,
    msisdn = '255754000999',
    timing = 'normal' as GatewayTiming,
    times = {} as Partial<FlowTiming>,
  } = {},
): Promise<{ id: string; isOpen(): Promise<boolean> }> {
  const item = await suspend(database, { amount: PAYBACK_VALUE, connection });
  const id = await inTransaction(database, async (db) =>
    openPayback(db, {
      item,
      payer: { msisdn, fullName: null },
      connection,
      timing: { ...flowTiming('payback', channelTiming, timing), ...times },
      proposalId: await plantProposal(db, 'suspense.to-payer'),
      note: 'a test',
    }),
  );
  assert.ok(id);
  return { id, isOpen: async () => (await getSuspenseItem(database, item.id))?.release === null };
}
