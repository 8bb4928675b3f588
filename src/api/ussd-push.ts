import { formatMoney, type Minor, minor } from '../domain/money.ts';
import { type Network, networkOfNumber, networks } from '../domain/network.ts';
import type { PushRequest } from '../domain/operation.ts';
import { flowTiming, type GatewayTiming } from '../domain/timing.ts';
import { pushAnswer } from './answer-schemas.ts';
import type { Endpoint, Handler } from './endpoint.ts';
import { pushAnswers, pushBodies } from './examples/payment.ts';
import { type Problem, readFields, refuseProblems } from './fields.ts';
import { amountWithin, currencyField, metadataField, networkField, phoneField } from './request-fields.ts';
import type { Start } from './start.ts';

/** While the network is not known yet, the widest limits of any apply. */
const widest = {
  minimum: minor(Math.min(...networks.map((network) => network.pushLimits.minimum))),
  maximum: minor(Math.max(...networks.map((network) => network.pushLimits.maximum))),
};

const fields = {
  amount: amountWithin(widest.minimum, widest.maximum),
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
  links: ['getPayment', 'cancelPayment', 'getTransaction', 'getEntries'],
  refusals: ['unsupported_currency', 'unsupported_network', 'amount_out_of_range', 'submission_expired'],
} as const satisfies Endpoint;

export function createUssdPush(deps: {
  start: Start;
  timing: GatewayTiming;
  /** whether the channel is configured here */
  isOffered: (channelId: string) => boolean;
}): Handler {
  return (request) =>
    deps.start(request, 'payments/ussd', () => {
      const { push, network } = readPush(request.known, deps.isOffered);
      return { request: push, timing: flowTiming('push', network, deps.timing) };
    });
}

/** Throws with every wrong field. */
export function readPush(
  known: Record<string, unknown>,
  isOffered: (channelId: string) => boolean,
): { push: PushRequest; network: Network } {
  const { values, problems } = readFields(fields, known);
  const { amount, currency, phone_number: msisdn } = values;
  const network = values.transaction_channel ?? (msisdn ? networkOfNumber(msisdn) : undefined);
  const named = known.transaction_channel !== undefined;
  if (network ? !isOffered(network.id) : msisdn !== undefined && !named) {
    problems.push(unsupportedNetwork(named ? 'transaction_channel' : 'phone_number'));
  }
  if (amount !== undefined) problems.push(...outOfRange(amount, network));
  refuseProblems(problems);
  if (amount === undefined || currency === undefined || msisdn === undefined || !network) {
    throw new Error('a field is missing although no problem was found');
  }
  return {
    push: { operation: 'payments/ussd', amount, currency, msisdn, channel: network.id },
    network,
  };
}

export function unsupportedNetwork(field: string): Problem {
  return {
    field,
    message: 'belongs to no network that is offered here',
    code: 'unsupported_network',
    sentence:
      'This number belongs to no network that is offered here; if it was ported, name its network in transaction_channel',
  };
}

function outOfRange(amount: Minor, network: Network | undefined): Problem[] {
  const subject = network ? `A payment over ${network.name}` : 'A payment';
  return amountProblems(amount, network?.pushLimits ?? widest, subject);
}

/** `amount_out_of_range`, limits inclusive. */
export function amountProblems(
  amount: Minor,
  limits: { minimum: Minor; maximum: Minor },
  subject: string,
): Problem[] {
  const whole = (value: Minor) => formatMoney(value).replace(/\.00$/, '');
  const code = 'amount_out_of_range';
  if (amount < limits.minimum) {
    const least = whole(limits.minimum);
    const sentence = `${subject} is at least ${least} TZS`;
    return [{ field: 'amount', message: `must be at least ${least}`, code, sentence }];
  }
  if (amount > limits.maximum) {
    const most = whole(limits.maximum);
    const sentence = `${subject} is at most ${most} TZS`;
    return [{ field: 'amount', message: `must be at most ${most}`, code, sentence }];
  }
  return [];
}
