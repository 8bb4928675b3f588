import assert from 'node:assert/strict';
import { startBatch } from '../../src/batches/batch-start.ts';
import { close, open } from '../../src/channels/traffic/closures.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import { createSessions } from '../../src/operators/people/sessions.ts';
import { macOfDay, togetherOf } from '../../src/reconciliation/fixed-day.ts';
import { accept } from '../support/accept.ts';
import { draftOf } from '../support/batches.ts';
import { controlNumberOf, payBill, paymentOf } from '../support/bill-customer.ts';
import { plantDecision, plantProposal } from '../support/decision.ts';
import { frozenAndLifted } from '../support/freeze.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { keyOf } from '../support/key-rings.ts';
import { createTestKeys } from '../support/keys.ts';
import { limitTo } from '../support/limits.ts';
import { billRequest, createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { plantPaidPush } from '../support/paid-push.ts';
import type { Database } from '../support/queryable.ts';
import { setRule } from '../support/settlement.ts';

export const hashSecrets = [keyOf('hash')] as const;

/** Each table with a proof has one row of ours at the least, which decides. */
export async function plantProven(database: Database) {
  const merchant = await createMerchant(database, { balance: 5_000_000 });
  const operators = createOperators({ database, hashSecrets });
  const keys = createTestKeys({ database, hashSecrets });
  const made = { accountId: merchant.accountId, scopes: ['payments:read' as const], actor: 'test' };
  const { apiKey } = await keys.createKey(made);
  for (const name of ['asha', 'juma', 'neema'])
    await operators.create({ name, email: `${name}@example.com`, roles: ['admin'], actor: 'test' });
  const { token } = await operators.issueToken({ operator: 'asha', days: 9, actor: 'test' });
  await operators.issueToken({ operator: 'juma', days: 9, actor: 'test' });
  const caller = await operators.authenticate(token);
  assert.ok(caller);
  const sessions = createSessions({ database, hashSecrets });
  const session = (await sessions.open({ caller, address: '192.0.2.1', actor: 'test' })).secret;
  const lift = await plantProposal(database, 'fence.lift', { payload: { missing: 1 } });
  const day = await plantProposal(database, 'days.close');
  const taken = async (request: MoneyRequest) => {
    const submission = submissionFor(merchant, request);
    await accept(database, submission);
    return submission.transactionId;
  };
  const push = await plantPaidPush(database, merchant, { msisdn: '255754123456' });
  const bill = await taken(billRequest(12_000));
  await payBill(database, paymentOf(await controlNumberOf(database, bill), 12_000));
  const payout = await taken(mobilePayoutRequest());
  const decided = await taken(mobilePayoutRequest());
  await plantDecision(database, decided, 'failed');
  await setRule(database, merchant);
  await frozenAndLifted(database, { ...merchant, apiKeyId: null });
  await limitTo(database, merchant, { payout_max: 4_000_000_00 });
  await limitTo(database, merchant, { payout_max: 4_500_000_00 });
  const closed = { channel: 'm-pesa', services: ['payouts'] as const, actor: 'test' };
  await close(database, { ...closed, reason: 'a test' });
  await open(database, { ...closed, proposalId: await plantProposal(database, 'channels.open') });
  const batch = await draftOf(database, merchant, [{}, {}]);
  await startBatch(database, batch.run);
  const { id: told } = await handedOver(database, mobilePayoutRequest());
  await notify(database, told, { kind: 'failed', code: 'network_error', channelReference: null });
  await closeDay(database, day);
  return { merchant, apiKey, token, session, lift, day, push, bill, payout, decided, told, batch };
}

export const CLOSED = { id: 'm-pesa', proves: [], connections: null, graceMs: 0 } as const;

async function closeDay(database: Database, closedBy: string) {
  const figures = {
    lines: 1,
    matched: 1,
    booked: 1,
    opening: 0,
    closing: 0,
    clearing: 0,
    unbooked: 0,
    unseen: 0,
  };
  const day = { account: CLOSED.id, day: '2026-10-01', ...figures, together: togetherOf([CLOSED as never]) };
  const mac = macOfDay(database, { ...day, closedBy } as never);
  await database.query(
    `INSERT INTO statements (id, account, sha256, from_at, to_at, currency, is_first, outcome, data_key, imported_by)
     VALUES ('s', 'm-pesa', '', '2026-10-01T00:00+03', '2026-10-02T00:00+03', 'TZS', true, '{}', '', 'test')`,
  );
  const columns = [...Object.keys(day), 'closed_by', 'mac'];
  await database.query(
    `INSERT INTO closed_days (${columns}) VALUES (${columns.map((_, at) => `$${at + 1}`)})`,
    [...Object.values(day), closedBy, mac],
  );
}
