import { randomBytes } from 'node:crypto';
import type { CallOptions, NotSent } from '../../domain/channel.ts';
import { type Minor, minorSaid } from '../../domain/money.ts';
import { withoutMark } from '../kit/clean-json.ts';
import { type HttpClient, type HttpResult, saysNothing } from '../kit/http.ts';
import type { SelcomSettings } from './settings.ts';
import {
  balanceSchema,
  envelopeSchema,
  firstOf,
  SELCOM_PATHS,
  type SelcomFields,
  signedHeaders,
  timestampOf,
  type WireEnvelope,
} from './wire.ts';

export type SelcomAnswer =
  | { kind: 'envelope'; status: number; envelope: WireEnvelope }
  /** Selcom processed nothing: no byte left us, or it refused our signature or rate */
  | NotSent
  | ({ kind: 'unclear' } & Pick<NotSent, 'detail' | 'refused'>);

export type SelcomClient = {
  /** Makes one signed call, never repeated. Never rejects. */
  post(path: string, fields: SelcomFields, call: CallOptions): Promise<SelcomAnswer>;
  get(path: string, fields: SelcomFields, call: CallOptions): Promise<SelcomAnswer>;
};

type Keys = Pick<SelcomSettings, 'url' | 'apiKey' | 'apiSecret'>;

/** There is no session: every request is signed with its time. */
export function createSelcomClient(
  settings: Keys,
  http: HttpClient,
  now: () => number = Date.now,
): SelcomClient {
  async function send(method: 'GET' | 'POST', path: string, fields: SelcomFields, call: CallOptions) {
    const query = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const result = await http.send({
      method,
      url: `${settings.url}${path}${method === 'GET' ? `?${query}` : ''}`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...signedHeaders(settings, fields, timestampOf(now())),
      },
      body: method === 'POST' ? JSON.stringify(fields) : undefined,
      ...call,
    });
    return answerOf(result);
  }

  return {
    post: (path, fields, call) => send('POST', path, fields, call),
    get: (path, fields, call) => send('GET', path, fields, call),
  };
}

/**
 * A 5xx or 408 proves nothing. The envelope decides, because Selcom uses result codes as HTTP statuses too.
 */
function answerOf(result: HttpResult): SelcomAnswer {
  if (result.kind === 'not_sent') return result;
  if (result.kind === 'broken') return { ...result, kind: 'unclear' };
  const { status } = result;
  if (saysNothing(status)) return { kind: 'unclear', detail: `HTTP ${status}` };
  const envelope = readEnvelope(result.body);
  return envelope
    ? { kind: 'envelope', status, envelope }
    : { kind: 'unclear', detail: `HTTP ${status}, unreadable` };
}

function readEnvelope(body: Buffer): WireEnvelope | null {
  const parsed = envelopeSchema.safeParse(readJson(body));
  return parsed.success ? parsed.data : null;
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(withoutMark(body.toString('utf8')), cleanly);
  } catch {
    return undefined;
  }
}

/** Drops NUL and half surrogate pairs, which Postgres cannot store: a bad name must not block its payment. */
function cleanly(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/[^\P{Cc}\n]|\p{Surrogate}/gu, '') : value;
}

export function newQuestionId(): string {
  return `Q${randomBytes(9).toString('hex').toUpperCase()}`;
}

/** Returns minor units. Rejects without an answer. Payouts do not use it. */
export async function floatBalance(
  client: SelcomClient,
  { floatVendor, vendor, floatPin }: Pick<SelcomSettings, 'floatVendor' | 'vendor' | 'floatPin'>,
  call: CallOptions,
): Promise<Minor> {
  const fields = { vendor: floatVendor ?? vendor, pin: floatPin ?? '', transid: newQuestionId() };
  const answer = await client.post(SELCOM_PATHS.balance, fields, call);
  const why =
    answer.kind === 'envelope' ? `HTTP ${answer.status}, code ${answer.envelope.resultcode}` : answer.detail;
  const isDone = answer.kind === 'envelope' && answer.envelope.resultcode === '000';
  const said = isDone ? firstOf(balanceSchema, answer.envelope.data)?.balance : undefined;
  const amount = minorSaid(said ?? '');
  if (amount === null) throw new Error(`does not tell the balance of the float: ${why}`);
  return amount;
}
