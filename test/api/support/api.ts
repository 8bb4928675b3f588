import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { createKeys, type NewKey } from '../../../src/accounts/keys.ts';
import { errorAnswer } from '../../../src/api/answer-schemas.ts';
import { createApp } from '../../../src/api/app.ts';
import { createBillDoors } from '../../../src/api/bill-door.ts';
import { createDoors } from '../../../src/api/channel-notification.ts';
import { createDocs } from '../../../src/api/docs-page.ts';
import type { Flows } from '../../../src/api/flows.ts';
import { listen } from '../../../src/api/listen.ts';
import { createLog } from '../../../src/api/log.ts';
import { createMetrics } from '../../../src/api/metrics.ts';
import { type ClientAddress, createClientAddress } from '../../../src/api/middleware/client-address.ts';
import type { RateLimits } from '../../../src/api/middleware/rate-limits.ts';
import { openApiText } from '../../../src/api/openapi.ts';
import { createRoutes, endpoints, type OfferedChannel, type RouteDeps } from '../../../src/api/routes.ts';
import { createHealthCheck } from '../../../src/api/status.ts';
import { getCallbackSettings, saveCallbackSettings } from '../../../src/callbacks/settings.ts';
import type { NotificationDoor } from '../../../src/channels/registry.ts';
import type { Database } from '../../../src/db/pool.ts';
import type { Channel } from '../../../src/domain/channel.ts';
import { networks } from '../../../src/domain/network.ts';
import type { Submission } from '../../../src/domain/operation.ts';
import { accept } from '../../../src/transactions/accept.ts';
import type { Round } from '../../../src/workflows/messages.ts';
import { assertAsDocumented } from '../../support/contract.ts';
import { createMerchant, payee } from '../../support/merchant.ts';

const hashSecret = Buffer.alloc(32, 7);

/** How bills and QR codes are made here, as the defaults of the configuration have it. */
const bills: RouteDeps['bills'] = {
  controlNumberPrefix: '77',
  billExpiryDays: 90,
  qrExpirySeconds: 900,
  payee,
};

export type TestFlows = Flows & { submissions: Submission[]; signals: [string, string][]; rounds: Round[] };

/** Stands in for Temporal and the worker: it accepts in the real database, or does what the test says. */
export function flowsThatAccept(database: Database, overrides: Partial<Flows> = {}): TestFlows {
  const submissions: Submission[] = [];
  const signals: [string, string][] = [];
  const rounds: Round[] = [];
  return {
    submissions,
    signals,
    rounds,
    submit: async (submission) => {
      submissions.push(submission);
      return { kind: 'answered', accepted: await accept(database, submission) };
    },
    cancel: async () => ({ kind: 'answered', cancelled: false }),
    signal: async (transactionId, news) => {
      signals.push([transactionId, news]);
    },
    deliver: async (round) => {
      rounds.push(round);
      return true;
    },
    isReachable: async () => true,
    ...overrides,
  };
}

const unlimited: RateLimits = { admit: async () => ({}), countFailure: async () => {} };

export type Answer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes and compare them
  body: any;
};
type Sent = {
  headers?: Record<string, string | string[]>;
  body?: unknown;
  raw?: string | Buffer;
  key?: string | null;
};

/** Every network's, by its id. */
export const billTokenOf = (network: string) => `${network}-${'t'.repeat(24)}`;
const billTokens = networks.map(({ id }) => ({ network: id, token: billTokenOf(id) }));

export type TestApi = Awaited<ReturnType<typeof startTestApi>>;

/** The real app on a free port, with a merchant, a key and a balance. */
export async function startTestApi(options: {
  database: Database;
  flows?: Flows;
  balance?: number;
  channelOf?: RouteDeps['channelOf'];
  byDoor?: (door: NotificationDoor) => Channel | undefined;
  now?: () => Date;
  limits?: RateLimits;
  addressOf?: ClientAddress;
  docs?: { demoKey?: string; tryItOut?: boolean };
  /** another database behind the bill doors only */
  billDatabase?: Database;
  billAnswerMsMax?: number;
}) {
  const { database } = options;
  const merchant = await createMerchant(database, { balance: options.balance ?? 2_000_000 });
  const keys = createKeys({ database, hashSecret, environment: 'test' });
  const createKey = (key: Partial<NewKey> = {}) =>
    keys.createKey({ accountId: merchant.accountId, actor: 'test', ...key });
  const { id: keyId, apiKey } = await createKey();
  const flows = options.flows ?? flowsThatAccept(database);
  const offered: OfferedChannel = { channel: {}, firstEnquiryAfterMs: 60_000, settleTimeMs: 60_000 };
  const routes = createRoutes({
    database,
    flows,
    timing: 'normal',
    bills,
    channelOf: options.channelOf ?? (() => offered),
    callbackSettings: {
      get: (id) => getCallbackSettings(database, id),
      save: (change) =>
        saveCallbackSettings(database, change, {
          encryptionKey: Buffer.alloc(32, 9),
          urlPolicy: {
            check: (url) => (url.startsWith('http') ? null : 'must be an absolute http(s) address'),
          },
        }),
    },
    isHealthy: createHealthCheck({ database, flows }),
    ...(options.now ? { now: options.now } : {}),
  });
  const { limits = unlimited, addressOf = createClientAddress([]) } = options;
  const app = createApp({
    routes,
    doors: [
      ...createBillDoors({
        database: options.billDatabase ?? database,
        flows,
        tokens: billTokens,
        failures: { ...limits, addressOf },
        answerMsMax: options.billAnswerMsMax ?? 4_500,
      }),
      ...createDoors({ database, flows, byDoor: options.byDoor ?? (() => undefined), serves: () => true }),
      ...createDocs({ document: openApiText(endpoints), demoKey: null, tryItOut: true, ...options.docs }),
    ],
    keys,
    limits,
    addressOf,
    log: createLog({ level: 'silent', name: 'test' }),
    ...(options.now ? { now: options.now } : {}),
    metrics: createMetrics(),
  });
  const { port, close } = await listen(app.callback(), { port: 0, host: '127.0.0.1' });

  /** `path` is below /api/v1 unless it begins with a slash. A body is sent as JSON; `raw` as it is. */
  function call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const payload = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
    const key = sent.key === undefined ? apiKey : sent.key;
    return send(port, method, path.startsWith('/') ? path : `/api/v1/${path}`, payload, {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...sent.headers,
    });
  }

  return {
    ...merchant,
    keyId,
    apiKey,
    port,
    keys,
    createKey,
    flows,
    call,
    stop: () => close(0),
  };
}

function send(
  port: number,
  method: string,
  path: string,
  payload: string | Buffer | undefined,
  headers: Record<string, string | string[]>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = String(response.headers['content-type']).includes('json') && text !== '';
        const body = isJson ? JSON.parse(text) : null;
        const answer = { status: response.statusCode ?? 0, headers: response.headers, text, body };
        try {
          assertAsDocumented(method, path, answer);
          resolve(answer);
        } catch (error) {
          reject(error);
        }
      });
    });
    request.on('error', reject);
    request.end(payload);
  });
}

let keysMade = 0;

/** The header of a request that nobody sent before. */
export function freshKey(): Record<string, string> {
  keysMade += 1;
  return { 'idempotency-key': `key-${keysMade}` };
}

/** The error envelope, whole: status, code, headers and, if given, the names of the wrong fields. */
export function assertRefused(answer: Answer, status: number, code: string, fields?: string[]): void {
  assert.equal(answer.status, status, answer.text);
  const body = errorAnswer.parse(answer.body);
  assert.equal(body.code, code, answer.text);
  assert.equal(body.request_id, answer.headers['x-request-id']);
  assert.equal(body.retryable, [429, 500, 503].includes(status));
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  if (!fields) return;
  assert.deepEqual(
    body.errors?.map((error) => error.field),
    fields,
  );
}
