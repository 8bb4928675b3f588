import type { Route } from '../channels/registry.ts';
import { pushAnswer } from '../contract/answer-schemas.ts';
import type { Database } from '../db/pool.ts';
import { kinds } from '../domain/kinds.ts';
import { networkNameOf } from '../domain/network.ts';
import type { PushRequest } from '../domain/operation.ts';
import { flowTiming, type GatewayTiming } from '../domain/timing.ts';
import type { Gate } from '../traffic/gate.ts';
import type { Endpoint, Handler } from './http/endpoint.ts';
import { acceptFields, readFields } from './http/fields.ts';
import { unavailable } from './http/middleware/envelope.ts';
import { pushAnswers, pushBodies } from './reference/examples/payment.ts';
import {
  amountWithin,
  currencyField,
  metadataField,
  networkField,
  phoneField,
} from './requests/request-fields.ts';
import { amountProblems, chooseNetwork, type RouteOf, widestOf } from './requests/request-rules.ts';
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

type PushDeps = { start: Start; timing: GatewayTiming; routeOf: RouteOf; database: Database; gate: PushGate };
type PushGate = Pick<Gate, 'view' | 'mayTry'>;

export function createUssdPush(deps: PushDeps): Handler {
  return (request) =>
    deps.start(request, 'ussd', async (transactionId) => {
      const { push, route } = readPush(request.known, deps.routeOf);
      await requireOpen(deps, { transactionId, push });
      return { request: push, timing: flowTiming('ussd', route, deps.timing) };
    });
}

/** A customer is waiting, so nothing waits for a network that is down or closed: nothing is started. */
async function requireOpen(
  { database, gate }: PushDeps,
  { transactionId, push }: { transactionId: string; push: PushRequest },
): Promise<void> {
  const passenger = { id: transactionId, channel: push.channel, direction: kinds.ussd.direction };
  if (await gate.mayTry(database, await gate.view(), passenger)) return;
  throw unavailable(
    `Payments over ${networkNameOf(push.channel)} are not available at the moment, and this request started nothing. Send it again with the same Idempotency-Key; GET /networks shows whether they work`,
  );
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
