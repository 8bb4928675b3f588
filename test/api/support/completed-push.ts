import assert from 'node:assert/strict';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import type { Database } from '../../support/queryable.ts';
import { succeeded } from '../../support/scripted-channel.ts';
import { freshKey, type TestApi } from './api.ts';
import { push } from './bodies.ts';

/** A USSD push that a customer has paid. `amount`: TZS; `receipt`: the network's. */
export async function completedPush(
  database: Database,
  api: Pick<TestApi, 'call'>,
  { amount = 5_000, receipt = null, key }: { amount?: number; receipt?: string | null; key?: string } = {},
): Promise<string> {
  const sent = { headers: freshKey(), body: { ...push, amount } };
  const created = await api.call('POST', 'payments/ussd', key === undefined ? sent : { ...sent, key });
  assert.equal(created.status, 200, created.text);
  const id = created.body.transaction_id;
  await tryToEnd(database, id, { kind: 'answer', result: succeeded(amount, receipt) });
  return id;
}
