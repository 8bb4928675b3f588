import type { Network } from '../domain/network.ts';
import type { PushRequest } from '../domain/operation.ts';
import { flowTiming, type GatewayTiming } from '../domain/timing.ts';
import { pushAnswer } from './answer-schemas.ts';
import type { Endpoint, Handler } from './endpoint.ts';
import { pushAnswers, pushBodies } from './examples/payment.ts';
import { acceptFields, readFields } from './fields.ts';
import { amountWithin, currencyField, metadataField, networkField, phoneField } from './request-fields.ts';
import { amountProblems, chooseNetwork, type IsOffered, widestOf } from './request-rules.ts';
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
  refusals: ['unsupported_currency', 'unsupported_network', 'amount_out_of_range', 'submission_expired'],
} as const satisfies Endpoint;

export function createUssdPush(deps: { start: Start; timing: GatewayTiming; isOffered: IsOffered }): Handler {
  return (request) =>
    deps.start(request, 'payments/ussd', () => {
      const { push, network } = readPush(request.known, deps.isOffered);
      return { request: push, timing: flowTiming('push', network, deps.timing) };
    });
}

/** Throws with every wrong field. */
function readPush(
  known: Record<string, unknown>,
  isOffered: IsOffered,
): { push: PushRequest; network: Network } {
  const read = readFields(fields, known);
  const { network, problems } = chooseNetwork(read.values, { known, isOffered });
  const subject = network ? `A payment over ${network.name}` : 'A payment';
  const limits = network?.pushLimits ?? anyLimits;
  read.problems.push(...problems, ...amountProblems(read.values.amount, limits, subject));
  const { amount, currency, phone_number: msisdn } = acceptFields(read);
  if (!network) throw new Error('there is no network although no problem was found');
  return {
    push: { operation: 'payments/ussd', amount, currency, msisdn, channel: network.id },
    network,
  };
}
