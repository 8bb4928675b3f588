import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { feesOf } from '../accounts/fees.ts';
import { workAtOnce } from '../base/at-once.ts';
import type { KeyRing } from '../base/key-ring.ts';
import { weekdayOf } from '../domain/day.ts';
import type { FlowResult } from '../domain/ending.ts';
import type { Submission } from '../domain/operation.ts';
import type { SettleReport } from '../domain/settle-report.ts';
import type { GatewayTiming } from '../domain/timing.ts';
import { balanceOf } from '../ledger/accounts.ts';
import type { Database } from '../platform/db/pool.ts';
import {
  amountOf,
  plannedSettlement,
  raiseUnsettled,
  type SettlementRoute,
  subjectOfSettlement,
  UNPROVEN,
} from '../settlements/accept-settlement.ts';
import { accountsToSettle, headOf } from '../settlements/settlement-rules.ts';
import {
  dailyKeyOf,
  findStored,
  fingerprintsOf,
  transactionIdOf,
} from '../transactions/acceptance/idempotency.ts';
import { raiseAttention, subjectsWith } from '../transactions/care/attention.ts';
import { requireOpenFence } from '../transactions/care/fence.ts';
import { getTransaction } from '../transactions/rows/store.ts';
import { signSubmission } from '../transactions/rows/submission-mac.ts';
import { startOfFirst, startOfSubmission } from '../workflows/start-flow.ts';

type Deps = {
  database: Database;
  client: Client;
  routeOf(channelId: string, direction: 'payout', accountId: string): SettlementRoute | undefined;
  timing: GatewayTiming;
  /** keys that sign the schedule's submissions, as the API signs a merchant's */
  submissionKeys: KeyRing;
};

const ALL = 'settlements';

export function createSettlements({ database, client, routeOf, timing, submissionKeys }: Deps) {
  /** Starts a day's settlement, whose id is made from account and day. Returns true if it is new. */
  async function settleAccount(accountId: string, day: string): Promise<boolean> {
    const head = await headOf(database, accountId);
    const key = dailyKeyOf(day);
    if (!head || (await findStored(database, accountId, { key, paymentNumber: null }))) return false;
    const { rule } = head;
    if (rule?.waits) return false;
    const route = rule && routeOf(rule.to.channel, 'payout', accountId);
    if (!route) {
      const why = rule ? `no connection carries payouts over ${rule.to.channel}` : UNPROVEN;
      await raiseUnsettled(database, { accountId, day, why });
      return false;
    }
    const planned = plannedSettlement(rule, { route, amount: null, day, speed: timing });
    // Too little money is not a refusal: the money waits for another day.
    const { current } = await balanceOf(database, accountId, rule.currency);
    const fees = (await feesOf(database, accountId)).inForce;
    if (typeof amountOf(planned.request, { rule, current, fees }) !== 'number') return false;
    const submission: Submission = {
      ...planned,
      transactionId: transactionIdOf(accountId, key),
      accountId,
      apiKeyId: rule.apiKeyId,
      idempotencyKey: key,
      fingerprint: fingerprintsOf('settlement', { day })[0],
      submissionId: randomUUID(),
      requestId: `settlement-${day}`,
      receivedAt: new Date().toISOString(),
      metadata: '{}',
    };
    const start = startOfSubmission(signSubmission(submissionKeys, submission));
    return (
      (await startOnce(start)) ||
      ((await wasRefused(client, start.workflowId)) && startOnce(start, 'ALLOW_DUPLICATE'))
    );
  }

  async function startOnce(
    { workflowType, ...start }: Start,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE' = 'REJECT_DUPLICATE',
  ): Promise<boolean> {
    const policies = { workflowIdReusePolicy, workflowIdConflictPolicy: 'FAIL' } as const;
    try {
      await client.workflow.start(workflowType, { ...start, ...policies });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }

  return {
    /**
     * `day`: `2026-11-27`, in Dar es Salaam. `isAgain`: only accounts refused on that day. A failing account
     * delays no other. Throws FenceClosed; a later attempt settles.
     */
    async settle(day: string, isAgain = false): Promise<SettleReport> {
      await requireOpenFence(database);
      const reason = 'settlement_failed' as const;
      const failed = isAgain ? await subjectsWith(database, { thing: day, reason }) : null;
      const isDue = (id: string) => !failed || failed.has(ALL) || failed.has(subjectOfSettlement(id));
      const accounts = (await accountsToSettle(database, weekdayOf(day))).filter(isDue);
      const report: SettleReport = { started: 0 };
      const errors: unknown[] = [];
      await workAtOnce(accounts, async (accountId) => {
        try {
          if (await settleAccount(accountId, day)) report.started += 1;
        } catch (error) {
          errors.push(new Error(`${accountId} could not be settled`, { cause: error }));
        }
      });
      if (errors.length === 0) return report;
      throw new AggregateError(errors, `${errors.length} accounts could not be settled`, {
        cause: errors[0],
      });
    },
    async noteGivenUp(day: string): Promise<void> {
      const detail =
        `some accounts were not settled on ${day}: the workflow of that day says why. ` +
        'They are tried again every hour of that day';
      await raiseAttention(database, {
        subject: ALL,
        thing: day,
        reason: 'settlement_failed',
        detail,
      });
    },
    /** Best effort: the sweep starts parts that have no flow. */
    async beginParts(ids: readonly string[]): Promise<void> {
      await workAtOnce(ids, async (id) => {
        const part = await getTransaction(database, id);
        if (part?.status === 'pending') await startOnce(startOfFirst(part));
      });
    },
  };
}

/** Returns true if its flow ended without a settlement. */
async function wasRefused(client: Client, workflowId: string): Promise<boolean> {
  const handle = client.workflow.getHandle<() => Promise<FlowResult>>(workflowId);
  const { status } = await handle.describe();
  return status.name === 'COMPLETED' && (await handle.result()).status === 'refused';
}

type Start = ReturnType<typeof startOfSubmission> | ReturnType<typeof startOfFirst>;
