import { createHash, randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import {
  createSchema,
  GSMA_OAUTH_PREFIX,
  GSMA_PREFIXES,
  GSMA_SDK_TOKEN_PATH,
  type WireAccountName,
  type WireCreate,
  type WireHeartbeat,
  type WireResponse,
  type WireToken,
} from '../../../src/channels/gsma/wire.ts';
import { isUuid } from '../../../src/domain/ids.ts';
import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import { networkById, networkOfNumber } from '../../../src/domain/network.ts';
import { readBody, readJson } from '../core/body.ts';
import { notifyBy } from '../core/notify.ts';
import type { NewOrder } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { isSlow, ownerOf } from '../core/scenario.ts';
import { pause, takeOrder } from '../core/take.ts';
import { createTokens } from '../core/tokens.ts';
import { type ErrorCategory, errorObject, failureOf, requestStateOf, transactionOf } from './messages.ts';
import { addGsmaStatements } from './statement.ts';

export type GsmaOptions = {
  /** required with Basic (and for tokens) if set; otherwise every caller is accepted */
  username?: string | undefined;
  password?: string | undefined;
};

const RAIL = 'gsma';
const TOKEN_LIFE_MS = 3_600_000;

const statusOfCategory: Record<ErrorCategory, number> = {
  businessRule: 400,
  validation: 400,
  authorisation: 401,
  identification: 404,
  internal: 500,
  serviceUnavailable: 503,
};

export function addGsma(rail: RailContext, options: GsmaOptions): void {
  const { router, orders, timing } = rail;
  const gate = createGate(options);
  orders.attach(RAIL, notify);

  router.post(GSMA_SDK_TOKEN_PATH, gate.basic, gate.issue);
  for (const prefix of GSMA_PREFIXES) {
    const guarded = prefix === GSMA_OAUTH_PREFIX ? gate.bearer : gate.basic;
    router.post(`${prefix}/accesstoken`, gate.basic, gate.issue);
    router.post(`${prefix}/transactions/type/:type`, guarded, create);
    router.get(`${prefix}/transactions/:reference`, guarded, showTransaction);
    router.get(`${prefix}/requeststates/:id`, guarded, showRequestState);
    router.get(`${prefix}/responses/:id`, guarded, showResponse);
    router.get(`${prefix}/accounts/:identifierType/:identifier/accountname`, guarded, showName);
    addGsmaStatements(rail, { prefix, guard: guarded });
    router.get(`${prefix}/heartbeat`, (context: Context) => {
      context.body = { serviceStatus: 'available' } satisfies WireHeartbeat;
    });
  }

  async function create(context: Context): Promise<void> {
    const wanted = readOrder(context, await readJson(context));
    if (!wanted) return;
    const seen = 'X-CorrelationID or reference was seen before';
    await takeOrder(context, rail, {
      wanted,
      say: {
        duplicate: () => refuse(context, 'businessRule', 'duplicateRequest', seen),
        broken: () => refuse(context, 'internal', 'genericError', 'Simulated failure'),
        taken(order) {
          context.status = 202;
          context.body = requestStateOf({ ...order, state: 'pending', refusal: null });
        },
      },
    });
  }

  async function showTransaction(context: Context): Promise<void> {
    const order = orders.byReceipt(RAIL, String(context.params.reference));
    if (order?.state !== 'succeeded') return refuseUnknown(context, 'Unknown transaction');
    context.body = transactionOf(order);
  }

  async function showRequestState(context: Context): Promise<void> {
    const order = orders.byId(String(context.params.id));
    if (order?.rail !== RAIL) return refuseUnknown(context, 'Unknown request state');
    context.body = requestStateOf(order);
    if (order.state === 'failed') await orders.noteFailureSeen(order);
  }

  async function showResponse(context: Context): Promise<void> {
    const order = orders.byClientId(RAIL, String(context.params.id));
    if (!order) return refuseUnknown(context, 'Never received');
    const link =
      order.state === 'succeeded' ? `/transactions/${order.receipt}` : `/requeststates/${order.id}`;
    context.body = { link } satisfies WireResponse;
  }

  async function showName(context: Context): Promise<void> {
    const { identifierType, identifier } = context.params as Record<string, string>;
    const number = identifierType === 'msisdn' ? parseMsisdn(identifier ?? '') : null;
    const owner = number === null ? null : ownerOf(number);
    if (number !== null && isSlow(number)) await pause(timing.slowAnswerMs);
    if (owner === null) return refuseUnknown(context, 'Unknown account');
    context.body = { name: { fullName: owner } } satisfies WireAccountName;
  }
}

const notify = notifyBy((order) => {
  const body = JSON.stringify(order.state === 'succeeded' ? transactionOf(order) : failureOf(order));
  const headers = {
    'x-correlationid': order.clientId,
    'x-date': new Date().toISOString(),
    'x-content-hash': createHash('sha256').update(body).digest('hex'),
  };
  return { method: 'PUT', headers, body };
});

/** Reads a create call; null if it was refused and answered. */
function readOrder(context: Context, body: unknown): NewOrder | null {
  const type = String(context.params.type);
  const no = (code: string, why: string) => {
    refuse(context, 'validation', code, why);
    return null;
  };
  if (type !== 'merchantpay' && type !== 'disbursement') return no('transactionTypeError', `no ${type} here`);
  const parsed = createSchema.safeParse(body);
  if (!parsed.success) return no('formatError', parsed.error.issues[0]?.message ?? 'unreadable');
  const correlationId = context.get('X-CorrelationID') || randomUUID();
  if (!isUuid(correlationId)) return no('formatError', 'X-CorrelationID must be a UUID');
  const create: WireCreate = parsed.data;
  const parties = type === 'merchantpay' ? create.debitParty : create.creditParty;
  const party = parseMsisdn(parties?.find((item) => item.key === 'msisdn')?.value ?? '');
  if (party === null) return no('mandatoryValueNotSupplied', 'an msisdn is required');
  if (!(Number(create.amount) > 0)) return no('negativeValue', 'nothing to move');
  const named = networkById(context.get('X-Account-Holding-Institution-Identifier'));
  return {
    rail: RAIL,
    clientId: correlationId.toLowerCase(),
    reference: create.requestingOrganisationTransactionReference ?? correlationId,
    direction: type === 'merchantpay' ? 'in' : 'out',
    network: (named ?? networkOfNumber(party))?.id ?? 'unknown',
    party,
    amount: Number(create.amount),
    currency: create.currency,
    callbackUrl: context.get('X-Callback-URL') || null,
    detail: { type, create },
  };
}

function refuse(context: Context, category: ErrorCategory, code: string, description: string): void {
  context.status = statusOfCategory[category];
  context.body = errorObject(category, code, description);
}

const refuseUnknown = (context: Context, description: string) =>
  refuse(context, 'identification', 'identifierError', description);

/** Accepts Basic with the configured credentials, or our token if OAuth is used. */
function createGate({ username, password }: GsmaOptions) {
  const tokens = createTokens(TOKEN_LIFE_MS);
  const expected = `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`;

  const allow = (context: Context, next: Next, allowed: boolean) => {
    if (allowed) return next();
    return refuse(context, 'authorisation', 'clientAuthorisationError', 'Credentials are not accepted');
  };

  return {
    basic: (context: Context, next: Next) =>
      allow(context, next, !username || context.get('Authorization') === expected),

    bearer(context: Context, next: Next) {
      const token = /^Bearer(?:Token)? (.+)$/.exec(context.get('Authorization'))?.[1];
      return allow(context, next, tokens.isGood(token));
    },

    async issue(context: Context): Promise<void> {
      const form = new URLSearchParams((await readBody(context)).toString('utf8'));
      if (form.get('grant_type') !== 'client_credentials')
        return context.throw(400, 'unsupported_grant_type');
      context.body = {
        access_token: tokens.give(),
        expires_in: TOKEN_LIFE_MS / 1000,
        token_type: 'BearerToken',
      } satisfies WireToken & { token_type: string };
    },
  };
}
