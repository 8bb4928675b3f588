import type { GatewayTiming } from '../domain/timing.ts';
import type { Actions } from './actions.ts';
import { correctLineAction } from './correction-action.ts';
import { decideAction } from './decide-action.ts';
import { topUpAction, withdrawAction } from './funding-actions.ts';
import { setLimitsAction } from './limits-action.ts';
import { createPaybackAction, PAYBACK, type PayoutRouteOf } from './payback-action.ts';
import { operatorRolesAction } from './roles-action.ts';
import { suspenseActions } from './suspense-actions.ts';
import { openChannelAction, unfreezeAccountAction } from './traffic-actions.ts';

/**
 * Everything that needs two operators, by the name that a proposal gives it. A new action is a row. `payoutRouteOf`: what
 * carries payouts here.
 */
export const createActions = (deps: { payoutRouteOf: PayoutRouteOf; timing: GatewayTiming }): Actions => ({
  'accounts.top-up': topUpAction,
  'accounts.withdraw': withdrawAction,
  'accounts.unfreeze': unfreezeAccountAction,
  'attention.decide': decideAction,
  'channels.open': openChannelAction,
  'limits.set': setLimitsAction,
  'operators.roles': operatorRolesAction,
  'statements.correct': correctLineAction,
  ...suspenseActions,
  [PAYBACK]: createPaybackAction(deps),
});
