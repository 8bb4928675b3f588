import assert from 'node:assert/strict';
import { scopes } from '../../../src/accounts/keys.ts';
import { createBillDoors } from '../../../src/api/doors/bill-door.ts';
import { createDoors } from '../../../src/api/doors/notifications.ts';
import { createApp } from '../../../src/api/kit/app.ts';
import { createFenceWatch } from '../../../src/api/kit/fence-watch.ts';
import type { Flows } from '../../../src/api/kit/flows.ts';
import { counted, createOperations, createTally } from '../../../src/api/kit/operations.ts';
import { withPages } from '../../../src/api/numbers/pages.ts';
import { createDocs } from '../../../src/api/reference/docs-page.ts';
import { openApiOf } from '../../../src/api/reference/openapi.ts';
import { calls, createRoutes, type RouteDeps } from '../../../src/api/routes.ts';
import { startBatch } from '../../../src/batches/batch-start.ts';
import { signCallback } from '../../../src/callbacks/signed.ts';
import type { PlainDoor } from '../../../src/channels/kit/protocol.ts';
import type { BillConnection, DoorConnections } from '../../../src/channels/kit/registry.ts';
import { errorAnswer } from '../../../src/contract/error-schema.ts';
import type { Channel } from '../../../src/domain/channel.ts';
import type { Round } from '../../../src/domain/event.ts';
import { bankPayoutLimits, networkById } from '../../../src/domain/network.ts';
import type { Submission } from '../../../src/domain/operation.ts';
import { type ClientAddress, createClientAddress } from '../../../src/platform/http/client-address.ts';
import type { RateLimits } from '../../../src/platform/http/rate-limits.ts';
import { createHealthCheck } from '../../../src/platform/process/health.ts';
import { listen } from '../../../src/platform/process/listen.ts';
import { createLog, type Log } from '../../../src/platform/process/log.ts';
import { createMetrics } from '../../../src/platform/process/metrics.ts';
import { makeNumbers } from '../../../src/transactions/acceptance/numbers.ts';
import { accept } from '../../support/accept.ts';
import { callbackDeps } from '../../support/actions.ts';
import { asRole } from '../../support/database.ts';
import { gateOf } from '../../support/gate.ts';
import { ringOf } from '../../support/key-rings.ts';
import { createTestKeys, type KeyToMake } from '../../support/keys.ts';
import { CONNECTION, channelTiming, createMerchant, payee } from '../../support/merchant.ts';
import type { Database } from '../../support/queryable.ts';
import { billConnectionsWith, billCredentials, type OfNetwork } from './bill-networks.ts';
import { type Answer, send } from './send.ts';

export type { Answer };

const hashSecrets = ringOf(Buffer.alloc(32, 7));
/** Of the pages to pay on. */
export const tokenKeys = ringOf(Buffer.alloc(32, 9));

/** How bills and QR codes are made here, as the defaults of the configuration have it. */
export const bills = withPages(
  {
    controlNumberPrefix: '77',
    billExpiryDays: 90,
    qrExpirySeconds: 900,
    perDay: 0,
    payee,
    payUrl: 'https://lipa.example.com',
  },
  tokenKeys,
);

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
      return true;
    },
    begin: async () => {},
    beginPayment: async (transaction) => {
      signals.push([transaction.id, 'stored']);
      return true;
    },
    makeNumbers: async (wanted) => {
      await makeNumbers(asRole(database, 'worker'), wanted);
      return 'made';
    },
    startBatch: async (run) => startBatch(asRole(database, 'worker'), run),
    tellBatch: async ({ batchId }) => {
      signals.push([batchId, 'batch']);
    },
    completeSend: async (transactionId) => {
      signals.push([transactionId, 'stored']);
    },
    deliver: async (round) => {
      rounds.push(round);
      return true;
    },
    report: async () => {},
    isReachable: async () => true,
    isPolled: async () => true,
    ...overrides,
  };
}

export const unlimited: RateLimits = {
  admit: async () => ({}),
  countFailure: async () => {},
  isLimited: () => false,
  admitReader: () => {},
};

type Sent = {
  headers?: Record<string, string | string[]>;
  body?: unknown;
  raw?: string | Buffer;
  key?: string | null;
};

export type TestApi = Awaited<ReturnType<typeof startTestApi>>;

/** The doors that answer in the plain way, with one channel behind them. */
export function doorsTo(channel: Channel): DoorConnections[] {
  const doors: PlainDoor[] = [
    { name: 'channels/gsma', method: 'PUT', path: '/channels/gsma/:transactionId/:token' },
    { name: 'channels/iso20022', method: 'POST', path: '/channels/iso20022' },
  ];
  return doors.map((door) => ({
    door,
    connections: [{ id: CONNECTION, channel, door, allows: () => true, confirmAbove: null }],
  }));
}

/** Carries every network, with its own limits. `changes`: of the channel that it goes over. */
export function routeOver(channel: Partial<Channel> = {}): RouteDeps['routeOf'] {
  return (channelId, direction) => {
    const network = networkById(channelId);
    const { pushLimits, payoutLimits } = network ?? {
      pushLimits: bankPayoutLimits,
      payoutLimits: bankPayoutLimits,
    };
    return {
      ...channelTiming,
      connection: CONNECTION,
      channel: channel as Channel,
      limits: direction === 'collection' ? pushLimits : payoutLimits,
    };
  };
}

/** The real app on a free port, with a merchant, a key and a balance. */
export async function startTestApi(options: {
  database: Database;
  /** silent when left out */
  log?: Log;
  flows?: Flows;
  balance?: number;
  routeOf?: RouteDeps['routeOf'];
  gate?: RouteDeps['gate'];
  previews?: Partial<RouteDeps['previews']>;
  notificationDoors?: readonly DoorConnections[];
  now?: () => Date;
  limits?: RateLimits;
  addressOf?: ClientAddress;
  /** left out: no pages, which take a tenth of a second to make */
  docs?: { demoKey?: string; canSend?: boolean };
  /** another database behind the bill doors only */
  billDatabase?: Database;
  billAnswerMsMax?: number;
  billCredentials?: OfNetwork[];
  /** beside those of every network */
  billConnections?: readonly BillConnection[];
}) {
  const merchant = await createMerchant(options.database, { balance: options.balance ?? 2_000_000 });
  const database = asRole(options.database, 'api');
  const keys = createTestKeys({ database, hashSecrets });
  const createKey = (key: Partial<KeyToMake> = {}) =>
    keys.createKey({ accountId: merchant.accountId, actor: 'test', scopes, ...key });
  const { id: keyId, apiKey } = await createKey();
  const tally = createTally();
  const flows = counted(options.flows ?? flowsThatAccept(asRole(options.database, 'worker')), tally);
  const gate = options.gate ?? gateOf(database);
  const routes = createRoutes({
    database,
    flows,
    timing: 'normal',
    bills,
    previews: { perDay: 0, mayLookUp: () => true, ...options.previews },
    routeOf: options.routeOf ?? routeOver(),
    gate,
    callbackSettings: callbackDeps,
    signCallback: (asked) => signCallback(database, asked, callbackDeps.encryptionKeys),
    readOperations: createOperations({
      isHealthy: createHealthCheck({ database, temporal: flows }),
      isFenced: createFenceWatch(database),
      flows,
      gate,
      tally,
    }),
    ...(options.now ? { now: options.now } : {}),
  });
  const { limits = unlimited, addressOf = createClientAddress([]) } = options;
  const metrics = createMetrics();
  const docsOrigin = 'http://malipo.test';
  const app = createApp({
    routes,
    doors: [
      ...createBillDoors({
        database: options.billDatabase ?? database,
        flows,
        connections: [
          ...billConnectionsWith(options.billCredentials ?? billCredentials),
          ...(options.billConnections ?? []),
        ],
        failures: { ...limits, addressOf },
        answerMsMax: options.billAnswerMsMax ?? 4_500,
      }),
      ...createDoors({
        database,
        flows,
        doors: options.notificationDoors ?? [],
        failures: { ...limits, addressOf },
      }),
      ...(options.docs === undefined
        ? []
        : createDocs({
            document: openApiOf(calls),
            admitReader: () => {},
            demoKey: null,
            canSend: true,
            ...options.docs,
          })),
    ],
    keys,
    limits,
    addressOf,
    log: options.log ?? createLog({ level: 'silent', name: 'test' }),
    ...(options.now ? { now: options.now } : {}),
    metrics,
    docsOrigin,
  });
  const { port, close } = await listen(app.callback(), { port: 0, host: '127.0.0.1', docsOrigin });

  /** `path` is below /api/v1 unless it begins with a slash. A body is sent as JSON; `raw` as it is. */
  function call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const payload = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
    const key = sent.key === undefined ? apiKey : sent.key;
    return send(port, method, path.startsWith('/') ? path : `/api/v1/${path}`, payload, {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...sent.headers,
    });
  }

  return { ...merchant, keyId, apiKey, port, keys, createKey, flows, metrics, call, stop: () => close(0) };
}

let keysMade = 0;

/** The header of a request that nobody sent before. */
export function freshKey(): Record<string, string> {
  keysMade += 1;
  return { 'idempotency-key': `key-${keysMade}` };
}

/** The transactions of a list, by their ids. */
export const idsIn = ({ body }: Answer): string[] =>
  body.data.map((item: { transaction_id: string }) => item.transaction_id);

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
