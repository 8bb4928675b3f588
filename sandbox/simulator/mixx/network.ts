import type { Context, Next } from 'koa';
import { z } from 'zod';
import { toDecimal } from '../../../src/domain/money.ts';
import { parseMsisdn } from '../../../src/domain/msisdn.ts';
import { readBody, readJson } from '../core/body.ts';
import { notifyBy } from '../core/notify.ts';
import { movedBy, type NewOrder } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { takeOrder } from '../core/take.ts';
import { createTokens } from '../core/tokens.ts';
import { addMixxCommands } from './command.ts';
import {
  MIXX_BILLER_CODE,
  MIXX_BILLER_MSISDN,
  MIXX_PATHS,
  MIXX_RAIL,
  type MixxOptions,
  sentenceOf,
} from './common.ts';
import { referenceOfPush } from './wire.ts';

const TOKEN_LIFE_MS = 86_399_000;
const REFERENCE_LENGTH_MAX = 20;

/** Clients write amounts as numbers and as text. */
const pushSchema = z.object({
  CustomerMSISDN: z.coerce.string().default(''),
  BillerMSISDN: z.coerce.string().default(''),
  Amount: z.coerce.number(),
  Remarks: z.string().optional(),
  ReferenceID: z.coerce.string().default(''),
});

export function addMixx(rail: RailContext, options: MixxOptions): void {
  const { router, orders } = rail;
  const gate = createGate(options);
  const billerCode = options.billerCode ?? MIXX_BILLER_CODE;
  orders.attach(MIXX_RAIL, notify);
  router.post(MIXX_PATHS.token, gate.issue);
  router.post(MIXX_PATHS.push, gate.guard, push);
  addMixxCommands(rail, { ...options, billerCode });

  async function push(context: Context): Promise<void> {
    const read = pushSchema.safeParse(await readJson(context));
    const parsed = read.success ? read.data : null;
    const refusal = parsed ? wrongIn(context, parsed) : 'DebitMandate-10-5000-E';
    if (parsed === null || refusal !== null) return answer(context, refusal, parsed?.ReferenceID ?? '');
    const { ReferenceID: reference } = parsed;
    await takeOrder(context, rail, {
      wanted: orderOf(parsed, billerCode, options),
      say: {
        duplicate: () => answer(context, 'DuplicateRefID', reference),
        broken() {
          context.status = 500;
          answer(context, 'DebitMandate-10-5000-E', reference);
        },
        taken: () => answer(context, null, reference),
      },
    });
  }

  /** Returns null if the push is right. */
  function wrongIn(context: Context, wanted: z.infer<typeof pushSchema>): string | null {
    const [username, password] = [context.get('Username'), context.get('Password')];
    if (username === '' || password === '') return 'DebitMandate-10-2001-E';
    if (!gate.knows(username, password)) return 'DebitMandate-10-3000-E';
    if (wanted.BillerMSISDN === '') return 'DebitMandate-10-2038-V';
    if (wanted.BillerMSISDN !== (options.billerMsisdn ?? MIXX_BILLER_MSISDN)) return 'BILLER-18-3040-E';
    if (wanted.CustomerMSISDN === '') return 'DebitMandate-10-2002-E';
    if (!/^255[67]\d{8}$/.test(wanted.CustomerMSISDN)) return 'DebitMandate-10-2004-V';
    const { ReferenceID: reference } = wanted;
    if (!reference.startsWith(billerCode) || reference.length > REFERENCE_LENGTH_MAX)
      return 'DebitMandate-10-2020-V';
    return wanted.Amount > 0 ? null : 'BILLER-18-3019-E';
  }
}

const notify = notifyBy((order) => {
  // A payout has its result in its answer and gets no callback.
  if (order.direction === 'out') return null;
  const callback = {
    Status: order.state === 'succeeded',
    Description: order.state === 'succeeded' ? 'Transaction successful' : sentenceOf(order),
    MFSTransactionID: order.receipt,
    ReferenceID: order.clientId,
    Amount: toDecimal(movedBy(order)),
  };
  return { body: JSON.stringify(callback) };
});

/** A null code means that the prompt was sent. */
function answer(context: Context, code: string | null, reference: string): void {
  context.body = {
    ResponseCode: code ?? 'BILLER-18-0000-S',
    ResponseStatus: code === null,
    ResponseDescription: code === null ? 'Request sent to user' : 'The request is not accepted',
    ReferenceID: reference,
  };
}

function orderOf(wanted: z.infer<typeof pushSchema>, billerCode: string, options: MixxOptions): NewOrder {
  return {
    rail: MIXX_RAIL,
    clientId: wanted.ReferenceID,
    reference: referenceOfPush(wanted.ReferenceID, billerCode),
    direction: 'in',
    network: 'tigo-pesa',
    party: parseMsisdn(wanted.CustomerMSISDN) ?? wanted.CustomerMSISDN,
    amount: wanted.Amount,
    callbackUrl: options.callbackUrl ?? null,
  };
}

/** A push needs the token that we gave for user name and password. */
function createGate({ username, password }: MixxOptions) {
  const tokens = createTokens(TOKEN_LIFE_MS);
  const knows = (name: string | null, word: string | null) =>
    username === undefined || (name === username && word === password);

  function refuse(context: Context, status: number, error: string, description: string): void {
    context.status = status;
    context.body = { error, error_description: description };
  }

  return {
    knows,

    async guard(context: Context, next: Next): Promise<void> {
      const token = /^bearer (.+)$/i.exec(context.get('Authorization'))?.[1];
      if (tokens.isGood(token)) return next();
      refuse(context, 401, 'invalid_token', 'The access token is not valid');
    },

    async issue(context: Context): Promise<void> {
      const form = new URLSearchParams((await readBody(context)).toString('utf8'));
      if (form.get('grant_type') !== 'password')
        return refuse(context, 400, 'unsupported_grant_type', 'Only password is supported');
      if (!knows(form.get('username'), form.get('password')))
        return refuse(context, 400, 'invalid_grant', 'The user name or password is incorrect');
      context.body = {
        access_token: tokens.give(),
        token_type: 'bearer',
        expires_in: TOKEN_LIFE_MS / 1000,
      };
    },
  };
}
