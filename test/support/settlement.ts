import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import type { OwnAccount, SettlementRequest, Submission } from '../../src/domain/operation.ts';
import { plannedSettlement } from '../../src/settlements/accept-settlement.ts';
import { headOf, insertRule, settlementRuleOf } from '../../src/settlements/settlement-rules.ts';
import { dailyKeyOf } from '../../src/transactions/acceptance/idempotency.ts';
import { CONNECTION, channelTiming, type Merchant, submissionFor } from './merchant.ts';
import type { Database } from './queryable.ts';

export const bankAccount = {
  channel: 'bank',
  bic: 'CORUTZTZ',
  accountNumber: '0150123456789',
  fullName: 'Duka la Mama Asha',
} as const satisfies OwnAccount;

/** Sets a rule as an approved proposal does; amounts in whole TZS. It keeps 100,000 unless said otherwise. */
export async function setRule(
  database: Database,
  { accountId, apiKeyId }: Merchant,
  {
    keep = 100_000,
    smallest = 1_000,
    cap = 10_000_000,
    to = bankAccount as OwnAccount,
    days = [1, 2, 3, 4, 5, 6, 7],
    waits = false,
  } = {},
): Promise<string> {
  const version = `prop_${randomUUID()}`;
  const before = await headOf(database, accountId);
  const replaces = before?.version ?? null;
  const amounts = { keep: minor(keep * 100), smallest: minor(smallest * 100), cap: minor(cap * 100) };
  const rule = { version, accountId, apiKeyId, to, currency: 'TZS', days, replaces, ...amounts };
  const pays = { waits, notBefore: before?.rule?.paysFrom ?? null };
  if (!(await insertRule(database, rule, pays))) throw new Error('another rule was set meanwhile');
  return version;
}

/** The last rule again with another account, by somebody who has Postgres and no key. */
export async function forgeRule(database: Database, { accountId }: { accountId: string }): Promise<void> {
  await database.query(
    `INSERT INTO settlement_rules SELECT 'forged', account_id, api_key_id, channel, msisdn, bic, '666000666', full_name, days,
       currency, keep, smallest, cap, pays_from, version, mac FROM settlement_rules WHERE account_id = $1`,
    [accountId],
  );
}

export const routeWith = (partMax: number, partMin = 100) => ({
  ...channelTiming,
  connection: CONNECTION,
  promptTtlMs: 0,
  limits: { minimum: minor(partMin * 100), maximum: minor(partMax * 100) },
});

/** What the API, or for a `day` the schedule, hands to the flow. Amounts in whole TZS. */
export async function settlementFor(
  database: Database,
  merchant: Merchant,
  {
    amount = undefined as number | undefined,
    day = null as string | null,
    partMax = 1_000_000,
    partMin = Math.min(100, partMax),
    key = undefined as string | undefined,
  } = {},
): Promise<Submission<SettlementRequest>> {
  const rule = await settlementRuleOf(database, merchant.accountId);
  if (!rule) throw new Error('there is no rule');
  const asked = amount === undefined ? null : minor(amount * 100);
  const route = routeWith(partMax, partMin);
  const planned = plannedSettlement(rule, { route, amount: asked, day, speed: 'normal' });
  const idempotencyKey = day === null ? key : dailyKeyOf(day);
  return submissionFor(merchant, planned.request, {
    timing: planned.timing,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
}
