import type { Route } from '../channels/registry.ts';
import { pushAnswer } from '../contract/answer-schemas.ts';
import type { PushRequest } from '../domain/operation.ts';
import { flowTiming, type GatewayTiming } from '../domain/timing.ts';
import type { Endpoint, Handler } from './http/endpoint.ts';
import { acceptFields, readFields } from './http/fields.ts';
import { pushAnswers, pushBodies } from './reference/examples/payment.ts';
import { amountWithin, currencyField, metadataField, networkField, phoneField } from './request-fields.ts';
import { amountProblems, chooseNetwork, type RouteOf, widestOf } from './request-rules.ts';
import type { Start } from './start.ts';

const anyLimits = widestOf((network) => network.pushLimits);

const fields = {
  amount: amountWithin(anyLimits),
  currency: currencyField,
  phone_number: phoneField,
  transaction_channel: networkField,
  metadata: metadataField,
};

export const initiateUssdPush = {
  method: 'POST',
  paths: ['payments/ussd'],
  summary: "Ask a customer's phone to confirm a payment",
  scopes: ['payments:write'],
  body: fields,
  idempotencyKey: 'required',
  answer: pushAnswer,
  examples: { body: pushBodies, answer: pushAnswers },
  links: { to: ['getPayment', 'cancelPayment', 'getTransaction', 'getEntries'], at: '/transaction_id' },
  refusals: [
    'unsupported_currency',
    'unsupported_network',
    'amount_out_of_range',
    'submission_expired',
    'duplicate_suspected',
  ],
} as const satisfies Endpoint;

export function createUssdPush(deps: { start: Start; timing: GatewayTiming; routeOf: RouteOf }): Handler {
  return (request) =>
    deps.start(request, 'ussd', () => {
      const { push, route } = readPush(request.known, deps.routeOf);
      return { request: push, timing: flowTiming('ussd', route, deps.timing) };
    });
}

/** Throws with every wrong field. */
function readPush(known: Record<string, unknown>, routeOf: RouteOf): { push: PushRequest; route: Route } {
  const read = readFields(fields, known);
  const { network, route, problems } = chooseNetwork(read.values, { known, routeOf });
  const subject = network ? `A payment over ${network.name}` : 'A payment';
  const limits = route?.limits ?? anyLimits;
  read.problems.push(...problems, ...amountProblems(read.values.amount, limits, subject));
  const { amount, currency, phone_number: msisdn } = acceptFields(read);
  if (!network || !route) throw new Error('there is no network although no problem was found');
  return {
    push: { mode: 'ussd', amount, currency, msisdn, channel: network.id, connection: route.connection },
    route,
  };
}
