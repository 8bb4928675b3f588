import type { Route } from '../../channels/kit/registry.ts';
import { pushAnswer } from '../../contract/answer-schemas.ts';
import { kinds } from '../../domain/kinds.ts';
import { say } from '../../domain/messages.ts';
import { networkNameOf } from '../../domain/network.ts';
import type { PushRequest } from '../../domain/operation.ts';
import { flowTiming } from '../../domain/timing.ts';
import { unavailable } from '../../platform/http/envelope.ts';
import { acceptFields, readFields } from '../../platform/http/fields.ts';
import { callerOf } from '../kit/call.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import {
  amountWithin,
  currencyField,
  metadataField,
  networkField,
  phoneField,
} from '../kit/request-fields.ts';
import { amountProblems, chooseNetwork, type RouteOf, widestOf } from '../kit/request-rules.ts';

const anyLimits = widestOf((network) => network.pushLimits);

const fields = {
  amount: amountWithin(anyLimits),
  currency: currencyField,
  phone_number: phoneField,
  transaction_channel: networkField,
  metadata: metadataField,
};

export const initiateUssdPush = call(
  {
    method: 'POST',
    paths: ['payments/ussd'],
    summary: "Ask a customer's phone to confirm a payment",
    purpose:
      'Collect money from a customer who stands in front of you or shops online: ' +
      'the phone shows a prompt, and the customer confirms it with the PIN of the wallet. ' +
      'The answer only says that the request was taken; ' +
      'wait for the callback, or look the payment up, to learn how it ended.',
    scopes: ['payments:write'],
    body: fields,
    idempotencyKey: 'required',
    answer: pushAnswer,
    links: { to: ['getPayment', 'cancelPayment', 'getTransaction', 'getEntries'], at: '/transaction_id' },
    refusals: [
      'unsupported_currency',
      'unsupported_network',
      'amount_out_of_range',
      'submission_expired',
      'duplicate_suspected',
    ],
  },
  (request, deps) =>
    deps.start(request, 'ussd', (transactionId) =>
      planPush(deps, { transactionId, known: request.known, accountId: callerOf(request).accountId }),
    ),
);

export type PushDeps = Pick<Deps, 'database' | 'gate' | 'paymentsOver' | 'timing'>;

/** Throws one error that names every wrong field, or `unavailable`. */
export async function planPush(
  deps: PushDeps,
  asked: { transactionId: string; known: Record<string, unknown>; accountId: string },
) {
  const { push, route } = readPush(asked.known, deps.paymentsOver(asked.accountId));
  await requireOpen(deps, { transactionId: asked.transactionId, push, connection: route.connection });
  return { request: push, timing: flowTiming('ussd', route, deps.timing) };
}

/** A customer is waiting, so a push is refused if its network is down or closed. */
async function requireOpen(
  { database, gate }: PushDeps,
  { transactionId, push, connection }: { transactionId: string; push: PushRequest; connection: string },
): Promise<void> {
  const { direction } = kinds.ussd;
  const passenger = { id: transactionId, channel: push.channel, connection, direction };
  if (await gate.mayTry(database, await gate.view(), passenger)) return;
  throw unavailable(say('network_not_available', { network: networkNameOf(push.channel) }));
}

export function readPush(
  known: Record<string, unknown>,
  routeOf: RouteOf,
): { push: PushRequest; route: Route } {
  const read = readFields(fields, known);
  const { network, route, problems } = chooseNetwork(read.values, { known, routeOf });
  const subject = network ? say('a_payment_over', { network: network.name }) : say('a_payment');
  const limits = route?.limits ?? anyLimits;
  read.problems.push(...problems, ...amountProblems(read.values.amount, limits, subject));
  const { amount, currency, phone_number: msisdn } = acceptFields(read);
  if (!network || !route) throw new Error('there is no network although no problem was found');
  return {
    push: { mode: 'ussd', amount, currency, msisdn, channel: network.id, connection: route.connection },
    route,
  };
}
