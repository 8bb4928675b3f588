import { settlementAnswer } from '../../contract/answer-schemas.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { acceptFields, readFields } from '../../platform/http/fields.ts';
import { plannedSettlement, waitsOf } from '../../settlements/accept-settlement.ts';
import { settlementRuleOf } from '../../settlements/settlement-rules.ts';
import { type ApiRequest, callerOf } from '../kit/call.ts';
import { requireOpen } from '../kit/fence-watch.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import { amountField, metadataField } from '../kit/request-fields.ts';

const fields = {
  amount: amountField
    .meta({ description: 'Whole shillings; default: all that your rule does not keep, at most its cap' })
    .optional(),
  metadata: metadataField,
};

/** The accepting transaction reads the rule and the balance again, and decides the amount. */
export const settle = call(
  {
    method: 'POST',
    paths: ['payouts/settlement'],
    summary: 'Send a part of the balance to your own account now',
    purpose:
      'Send your money now to your own bank account or wallet, which two of our people have set at your ' +
      'request. A sum too large for one payout goes in several, which are all accepted or none.',
    scopes: ['payouts:write'],
    body: fields,
    idempotencyKey: 'required',
    answer: settlementAnswer,
    links: { to: ['getPayout', 'checkPayout', 'getTransaction', 'getEntries'], at: '/settlement/id' },
    refusals: ['not_settleable', 'insufficient_balance', 'submission_expired'],
  },
  (request, deps) => deps.start(request, 'settlement', () => planOf(request, deps)),
);

async function planOf(request: ApiRequest, { database, payoutsOver, timing: speed }: Deps) {
  const { amount = null } = acceptFields(readFields(fields, request.known));
  const { accountId } = callerOf(request);
  const rule = await settlementRuleOf(database, accountId);
  const route = rule && payoutsOver(accountId)(rule.to.channel);
  const waits = waitsOf(rule) ?? (route ? null : say('settlement_not_carried'));
  if (!rule || !route || waits) throw await notSettleable(database, waits ?? say('settlement_no_rule'));
  return plannedSettlement(rule, { route, amount, day: null, speed });
}

/** A restore may have lost the rule, so until `recover` has run the answer is `unavailable`. */
async function notSettleable(database: Deps['database'], why: Message): Promise<GatewayError> {
  await requireOpen(database);
  return new GatewayError('not_settleable', why);
}
