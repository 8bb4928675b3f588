import type { KeyEnvironment } from '../../src/accounts/key-format.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import { say } from '../../src/domain/messages.ts';
import { createActions } from '../../src/operators/actions/action-table.ts';
import type { LiveRouteOf } from '../../src/operators/actions/live-send-action.ts';
import type { StatementAccounts } from '../../src/reconciliation/groups.ts';
import { ringOf } from './key-rings.ts';
import { routeWith } from './settlement.ts';
import { statementAccounts } from './statements-of-accounts.ts';

/** What settings of callbacks are kept with. */
export const callbackDeps = {
  encryptionKeys: ringOf(Buffer.alloc(32, 9)),
  urlPolicy: {
    check: (url: string) => (url.startsWith('http') ? null : say('must_be_address')),
  },
};

/** The least that the scripted channel takes and gives: TZS 1,000. */
export const liveRouteOf: LiveRouteOf = (channel) =>
  channel === 'halopesa' ? undefined : routeWith(1_000_000, 1_000);

/** What needs two operators, where every network but Halotel's carries payouts over the scripted channel. */
export const actionsWith = (
  hashSecrets: KeyRing,
  environment: KeyEnvironment = 'test',
  accounts: StatementAccounts = statementAccounts,
) =>
  createActions({
    hashSecrets,
    environment,
    payoutRouteOf: (channel) => liveRouteOf(channel, 'payout', ''),
    liveRouteOf,
    timing: 'fast',
    callbacks: callbackDeps,
    statementAccounts: accounts,
  });

export const actions = actionsWith(ringOf());
