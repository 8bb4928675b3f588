import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer, startServer } from '../../sandbox/local/server-process.ts';
import type { LocalFile } from '../../sandbox/local/stack.ts';
import { keyRing } from '../../src/config/fields.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { bank, push } from '../api/support/bodies.ts';
import { assertAsDocumented } from './contract.ts';
import { nodeArguments, root } from './node-entry.ts';
import type { Database } from './queryable.ts';
import { refuseInQuickRun } from './quick-run.ts';
import { until } from './wait.ts';

/** How every Malipo of the tests runs: as production, which `npm start` is not. */
export const asInProduction = { PAYLOAD_ENCRYPTION: 'true' };

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, read by assertions only
export type Json = any;
export type Answer = { status: number; headers: Headers; text: string; json: Json };
export type RequestOptions = {
  key?: string;
  body?: unknown;
  apiKey?: string;
  headers?: Record<string, string>;
  /** asked once, also where the service is too busy */
  once?: boolean;
};

/** How often, and after which pause, a request is made again that started nothing because the service was busy. */
const BUSY = { says: 'The service is busy', times: 100, pauseMs: 200 };

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** For settings of `npm start`: each of its ports is a free one. */
export const freePorts = Object.fromEntries(
  ['API', 'MANAGEMENT', 'PAY', 'SIMULATOR', 'TEMPORAL', 'TEMPORAL_UI', 'POSTGRES'].map((name) => [
    `${name}_PORT`,
    '0',
  ]),
);

/** A whole Malipo, started as `npm start -- --fast` starts it, on free ports and with data of its own. */
export async function startGateway(environment: Record<string, string> = {}) {
  refuseInQuickRun('a whole Malipo');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-e2e-'));
  const speed = environment.GATEWAY_TIMING === 'normal' ? [] : ['--fast'];
  const server = await startServer({
    command: process.execPath,
    args: [...nodeArguments('sandbox/start.ts'), ...speed],
    cwd: root,
    env: {
      ...process.env,
      ...freePorts,
      DATA_DIR: folder,
      SIMULATOR_DELAY_MS: '300',
      LOG_LEVEL: 'warn',
      ...asInProduction,
      ...environment,
    },
    stopSignal: 'SIGTERM',
  });
  const ended = server.exited.then(({ code }) => Promise.reject(new Error(`Malipo ended with ${code}`)));
  const ready: Promise<LocalFile> = until(
    async () => JSON.parse(await readFile(path.join(folder, 'local.json'), 'utf8')),
    { deadlineMs: 90_000, what: 'Malipo is ready' },
  );
  const local = await Promise.race([ready, ended]).catch((error) => {
    server.child.kill('SIGKILL');
    throw new Error(`${error.message}\n${error.cause ?? ''}\n${server.lastOutput()}`);
  });
  return gatewayOf(local, server, folder);
}

/**
 * Requests to an API at this address, with this key unless they bring their own. As a careful merchant does, they ask
 * again, under the same key, where the service was too busy to start anything.
 */
export function requestTo(apiUrl: string, apiKey: string) {
  return async (method: string, where: string, options: RequestOptions = {}): Promise<Answer> => {
    for (let time = 0; ; time += 1) {
      const answer = await requestOnce(method, `${apiUrl}/api/v1/${where}`, { apiKey, ...options });
      const isBusy = answer.status === 503 && answer.text.includes(BUSY.says);
      if (!isBusy || options.once || time === BUSY.times) return answer;
      await pause(BUSY.pauseMs);
    }
  };
}

async function requestOnce(method: string, address: string, options: RequestOptions): Promise<Answer> {
  const response = await fetch(address, {
    method,
    headers: {
      authorization: `Bearer ${options.apiKey}`,
      ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const { status, headers, url } = response;
  const text = await response.text();
  assertAsDocumented(method, url, { status, headers: Object.fromEntries(headers), text });
  return { status, headers, text, json: text === '' ? null : JSON.parse(text) };
}

function gatewayOf(local: LocalFile, server: RunningServer, folder: string) {
  const request = requestTo(local.api_url, local.api_key);
  return {
    local,
    /** its data, as DATA_DIR names it to the command line */
    folder,
    request,
    /** the process id of a part, as it is now */
    async pidOf(part: 'API' | 'worker' | 'simulator' | 'Temporal' | 'Postgres'): Promise<number> {
      const run = JSON.parse(await readFile(path.join(folder, 'run.json'), 'utf8'));
      return run.children[part].pid;
    },
    simulator: simulatorAt(local),
    outcome: outcomeBy(request),
    async stop() {
      await server.stop(60_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Polls the lookup until its status is final. */
export const outcomeBy =
  (request: ReturnType<typeof requestTo>) =>
  (kind: 'payments' | 'payouts', id: string): Promise<Json> =>
    until(async () => {
      const { json } = await request('GET', `${kind}/${id}`);
      return json.status !== 'pending' && json.status !== undefined ? json : null;
    }, `${kind}/${id} is final`);

/** What the simulator there says to a GET. */
export const simulatorAt =
  ({ simulator_url: url }: { simulator_url: string }) =>
  async (where: string): Promise<Json> =>
    (await fetch(`${url}/${where}`)).json();

/** A push over M-Pesa whose number ends so that the simulator does what the ending says. */
export const pushBody = (ending = '456', amount = 5_000) => ({
  ...push,
  amount,
  phone_number: `0754123${ending}`,
  metadata: { order_id: 'INV-1' },
});

export const mobilePayoutBody = (ending = '456', amount = 50_000) => pushBody(ending, amount);

export const bankPayoutBody = (ending = '789', amount = 400_000) => ({
  ...bank,
  amount,
  account_number: `0150123456${ending}`,
  metadata: { order_id: 4001 },
});

export const newKey = () => randomUUID();

/** What a merchant can ask for that a channel is sent, where it is looked up, and how it ends well. */
export const kinds = {
  push: { path: 'payments/ussd', lookup: 'payments', body: pushBody, success: 'completed' },
  'mobile payout': { path: 'payouts/mobile', lookup: 'payouts', body: mobilePayoutBody, success: 'paid' },
  'bank payout': { path: 'payouts/bank', lookup: 'payouts', body: bankPayoutBody, success: 'paid' },
} as const;

/** Its database, for tests that plant rows or read them: with the keys by which its processes know their own rows. */
export async function databaseOf({ folder, local }: Gateway): Promise<Database> {
  const secrets = JSON.parse(await readFile(path.join(folder, 'secrets.json'), 'utf8'));
  const rowKeys = keyRing.parse(secrets.SUBMISSION_KEY);
  return createDatabase({ url: local.database_url, poolMax: 2, applicationName: 'test', rowKeys });
}

/**
 * A Malipo of its own for a describe block that does it harm, with a connection to its database. Read the members in
 * hooks and tests only.
 */
export function useGateway(environment: Record<string, string> = {}) {
  const used = {} as Gateway & { database: Database };
  before(async function () {
    this.timeout(120_000);
    Object.assign(used, await startGateway(environment));
    used.database = await databaseOf(used);
  });
  after(async function () {
    this.timeout(30_000);
    await used.database?.end();
    await used.stop?.();
  });
  return used;
}
