import type { KeyEnvironment } from '../../src/accounts/key-format.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import { say } from '../../src/domain/messages.ts';
import { minor } from '../../src/domain/money.ts';
import { createActions } from '../../src/operators/actions/action-table.ts';
import type { LiveRouteOf } from '../../src/operators/actions/live-send-action.ts';
import type { StatementAccounts } from '../../src/reconciliation/groups.ts';
import { ringOf } from './key-rings.ts';
import { CONNECTION } from './merchant.ts';
import { statementAccounts } from './statement-accounts.ts';

/** What settings of callbacks are kept with. */
export const callbackDeps = {
  encryptionKeys: ringOf(Buffer.alloc(32, 9)),
  urlPolicy: {
    check: (url: string) => (url.startsWith('http') ? null : say('must_be_address')),
  },
};

const timing = {
  promptTtlMs: 0,
  promptEnquiriesMs: [],
  firstEnquiryAfterMs: 1_000,
  settleTimeMs: 2_000,
  sendTimeoutMs: 4_000,
};

/** The least that the scripted channel takes and gives: TZS 1,000. */
export const liveRouteOf: LiveRouteOf = (channel, _direction, _accountId) =>
  channel === 'halopesa'
    ? undefined
    : {
        ...timing,
        connection: CONNECTION,
        enquires: true,
        deduplicates: true,
        limits: { minimum: minor(100_000), maximum: minor(100_000_000) },
      };

/** What needs two operators, where every network but Halotel's carries payouts over the scripted channel. */
export const actionsWith = (
  hashSecrets: KeyRing,
  environment: KeyEnvironment = 'test',
  accounts: StatementAccounts = statementAccounts,
) =>
  createActions({
    hashSecrets,
    environment,
    payoutRouteOf: (channel) =>
      channel === 'halopesa'
        ? undefined
        : { ...timing, connection: CONNECTION, enquires: true, deduplicates: true },
    liveRouteOf,
    timing: 'fast',
    callbacks: callbackDeps,
    statementAccounts: accounts,
  });

export const actions = actionsWith(ringOf());
