import type { KeyEnvironment } from '../../accounts/key-format.ts';
import type { KeyRing } from '../../base/key-ring.ts';
import type { SettingsDeps } from '../../callbacks/settings.ts';
import type { GatewayTiming } from '../../domain/timing.ts';
import type { StatementAccounts } from '../../reconciliation/groups.ts';
import { LIFT_ACTION } from '../../transactions/care/fence.ts';
import type { Actions } from './actions.ts';
import { batchesAction } from './batches-action.ts';
import { callbackActions } from './callback-actions.ts';
import { closeAttentionAction } from './close-attention-action.ts';
import { correctLineAction } from './correction-action.ts';
import { dayActions } from './day-actions.ts';
import { decideAction } from './decide-action.ts';
import { displayNameAction } from './display-name-action.ts';
import { endAccessActions } from './end-access-actions.ts';
import { setFeesAction } from './fees-action.ts';
import { liftFenceAction } from './fence-action.ts';
import { fundingActions } from './funding-actions.ts';
import { keyActions } from './key-actions.ts';
import { setLimitsAction } from './limits-action.ts';
import { lineActions } from './line-actions.ts';
import { createLiveSendAction, LIVE_SEND, type LiveRouteOf } from './live-send-action.ts';
import { NAME_AMOUNT, nameAmountAction } from './name-amount-action.ts';
import { createPaybackAction, PAYBACK, type PayoutRouteOf } from './payback-action.ts';
import { createRolesAction } from './roles-action.ts';
import { setSettlementAction } from './settlement-action.ts';
import { suspenseActions } from './suspense-actions.ts';
import { TO_BILL, toBillAction } from './to-bill-action.ts';
import { createTogetherAction, TOGETHER } from './together-action.ts';
import { operatorTokenAction } from './token-action.ts';
import { closeChannelAction, openChannelAction } from './traffic-actions.ts';
import { freezeAction, unfreezeAction } from './unfreeze-action.ts';
import { voidAction } from './void-action.ts';

/**
 * To add an action, add a row to `createActions`.
 * `payoutRouteOf`: the payout route of this installation; `liveRouteOf`: the route of one account;
 * `hashSecrets`: KEY_HASH_SECRET, which hashes new tokens and keys.
 */
type Deps = {
  payoutRouteOf: PayoutRouteOf;
  liveRouteOf: LiveRouteOf;
  timing: GatewayTiming;
  hashSecrets: KeyRing;
  environment: KeyEnvironment;
  callbacks: SettingsDeps;
  statementAccounts: StatementAccounts;
};

export function createActions(deps: Deps): Actions {
  const toPayer = createPaybackAction(deps);
  const actions: Actions = {
    ...fundingActions(deps.statementAccounts),
    'attention.close': closeAttentionAction,
    'attention.decide': decideAction,
    ...callbackActions(deps.callbacks),
    'channels.close': closeChannelAction,
    'channels.open': openChannelAction,
    'limits.set': setLimitsAction,
    'fees.set': setFeesAction,
    'settlement.set': setSettlementAction,
    'accounts.batches': batchesAction,
    'accounts.display-name': displayNameAction,
    'accounts.freeze': freezeAction,
    'accounts.unfreeze': unfreezeAction,
    ...keyActions(deps),
    [LIFT_ACTION]: liftFenceAction,
    ...endAccessActions,
    'operators.roles': createRolesAction(() => actions),
    'statements.correct': correctLineAction,
    ...suspenseActions,
    [TO_BILL]: toBillAction,
    'statements.void': voidAction(deps.statementAccounts),
    ...lineActions(deps.statementAccounts),
    ...dayActions(deps.statementAccounts),
    [PAYBACK]: toPayer,
    [TOGETHER]: createTogetherAction({
      'to-merchant': suspenseActions['suspense.to-merchant'],
      'write-off': suspenseActions['suspense.write-off'],
      'to-payer': toPayer,
    }),
    [LIVE_SEND]: createLiveSendAction(deps),
    [NAME_AMOUNT]: nameAmountAction,
    'operators.token': operatorTokenAction(deps.hashSecrets),
  };
  return actions;
}
