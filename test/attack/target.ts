import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type LocalSecrets, loadSecrets } from '../../sandbox/local/secrets.ts';
import type { Scope } from '../../src/accounts/keys.ts';
import { readPaymentInitiation, writeStatusReport } from '../../src/channels/iso20022/wire.ts';
import { type Minor, minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { type ProcessRole, processRoles, setRolePasswords } from '../../src/platform/db/grants.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import {
  type Answer,
  databaseOf,
  type Gateway,
  type Json,
  newKey,
  startGateway,
} from '../support/gateway.ts';
import type { Database } from '../support/queryable.ts';
import { type Served, serve } from '../support/served.ts';
import { openAccount } from '../support/shared-gateway.ts';
import { byPasswordOf } from './by-password.ts';

/** What the suite attacks: one Malipo for all of its files, with small limits and a bank that proves nothing. */
export type Target = Gateway & { database: Database; secrets: LocalSecrets };
export type Victim = Awaited<ReturnType<typeof openVictim>>;

export const FAILURES_PER_MINUTE = 25;
export const PREVIEWS_PER_DAY = 4;
export const BILLS_PER_DAY = 12;
const READER = 'a password of the reader';
export const SIGNING_KEY = { name: '2026-a', secret: 'a signing key that only the network has' };

/** How often the lying bank was asked about each reference. */
export const liesAbout = new Map<string, number>();

let started: Promise<{ target: Target; stop(): Promise<void> }> | undefined;
let users = 0;

/** Started by the first file that needs it, stopped after the last one. Read its members in hooks and tests only. */
export function useTarget(): Target {
  const used = {} as Target;
  users += 1;
  before(async function () {
    this.timeout(120_000);
    started ??= start();
    Object.assign(used, (await started).target);
  });
  after(async function () {
    this.timeout(60_000);
    users -= 1;
    if (users === 0) await stop();
  });
  return used;
}

async function stop(): Promise<void> {
  const running = started;
  started = undefined;
  await (await running)?.stop();
}

// Files of which `--grep` leaves no test run no hook of theirs.
after(async function () {
  this.timeout(60_000);
  await stop();
});

async function start() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-attack-'));
  const bank = await startLyingBank();
  const channels = JSON.parse(readFileSync('deploy/channels/gsma.json', 'utf8'));
  channels.connections['tigo-pesa-bills'].settings.signingKeys = [
    { name: SIGNING_KEY.name, secret: { env: 'ATTACK_SIGNING_KEY' } },
  ];
  const channelsFile = path.join(folder, 'channels.json');
  await writeFile(channelsFile, JSON.stringify(channels));
  const gateway = await startGateway({
    // A stranger at Temporal reads every payload here, and writes them: what is left has to hold alone.
    PAYLOAD_ENCRYPTION: 'false',
    CHANNELS_FILE: channelsFile,
    ATTACK_SIGNING_KEY: SIGNING_KEY.secret,
    BANK_URL: bank.url,
    // So that each test comes from an address of its own.
    TRUSTED_PROXIES: '127.0.0.1/32',
    FAILED_AUTHENTICATION_PER_MINUTE: String(FAILURES_PER_MINUTE),
    PREVIEWS_PER_ACCOUNT_PER_DAY: String(PREVIEWS_PER_DAY),
    BILLS_PER_ACCOUNT_PER_DAY: String(BILLS_PER_DAY),
  });
  const database = await databaseOf(gateway);
  await setRolePasswords(database, { reader: READER });
  return {
    target: { ...gateway, database, secrets: await loadSecrets(gateway.folder) },
    async stop() {
      const wrong = await checkInvariants(database).finally(() => database.end());
      await gateway.stop();
      await bank.close();
      await rm(folder, { recursive: true, force: true });
      assert.deepEqual(wrong, [], 'the books add up, whatever was tried');
    },
  };
}

/** Says of every payment that it was paid, and signs nothing: whoever sits between us and the bank. */
async function startLyingBank(): Promise<Served> {
  const amounts = new Map<string, Minor>();
  return serve((request, response, body) => {
    const asked = request.method === 'POST' ? readPaymentInitiation(body) : null;
    const reference = asked?.reference ?? decodeURIComponent(request.url?.split('/').pop() ?? '');
    liesAbout.set(reference, (liesAbout.get(reference) ?? 0) + 1);
    response.setHeader('content-type', 'application/xml; charset=utf-8');
    if (asked) amounts.set(reference, asked.amount);
    response.end(statusReport(reference, amounts.get(reference) ?? minor(1)));
  });
}

/** A bank's word that a payment was paid, as final as it can be. */
export function statusReport(reference: string, amount: Minor): string {
  return writeStatusReport({
    createdAt: new Date(),
    messageId: `B${reference}`.slice(0, 30),
    originalMessageId: `${reference}-1`,
    groupStatus: null,
    reference,
    status: 'ACSC',
    reasons: [],
    bankReference: 'FT1',
    money: { amount, currency: 'TZS' },
  });
}

/** A merchant with 1,000,000 TZS. */
export async function openVictim(
  target: Target,
  options: { balance?: number; scopes?: readonly Scope[] } = {},
) {
  const account = await openAccount(target, { balance: 1_000_000, ...options });
  const { accountId, apiKey } = account;
  return {
    ...account,
    post: (where: string, body: unknown, key = newKey()): Promise<Answer> =>
      target.request('POST', where, { apiKey, key, body }),
    send: (method: string, where: string, body?: unknown): Promise<Answer> =>
      target.request(method, where, { apiKey, body }),
    /** minor units, of its books */
    money: () => balanceOf(target.database, accountId, 'TZS'),
    transactions: async (): Promise<number> =>
      (await target.database.query('SELECT FROM transactions WHERE account_id = $1', [accountId])).rowCount ??
      0,
  };
}

/** A request to any address of the API or of its management port, as somebody else's network would send it. */
export async function knock(
  url: string,
  options: { method?: string; body?: string | Buffer; headers?: Record<string, string>; from?: string } = {},
): Promise<{ status: number; text: string; json: Json; headers: Headers }> {
  const { method = 'POST', body, headers = {}, from } = options;
  const response = await fetch(url, {
    method,
    headers: { ...(from === undefined ? {} : { 'x-forwarded-for': from }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  let json: Json = null;
  try {
    json = JSON.parse(text);
  } catch {}
  return { status: response.status, text, json, headers: response.headers };
}

/** The operator API as this operator, or with a token of one's own. */
export async function operate(
  target: Target,
  as: string,
  method: string,
  where: string,
  body?: unknown,
): Promise<{ status: number; json: Json }> {
  const token = target.local.operators.find(({ name }) => name === as)?.token ?? as;
  return knock(`${target.local.management_url}/operator/v1/${where}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Its Postgres, as whoever has the password of this role. */
export function urlOf({ local, secrets }: Target, role: ProcessRole): string {
  const { postgresApiPassword: api, postgresWorkerPassword: worker } = secrets;
  const password = { api, worker, reader: READER }[role];
  return Object.assign(new URL(local.database_url), { username: processRoles[role], password }).href;
}

/** Why people were called about it. */
export async function reasonsOf(target: Target, subject: string): Promise<string[]> {
  const { rows } = await target.database.query(
    'SELECT reason FROM attention WHERE subject = $1 OR transaction_id::text = $1',
    [subject],
  );
  return rows.map(({ reason }) => reason);
}

/** The database of the running service by the password of one of its processes, and two operators who agree. */
export function rowsOf(target: Target) {
  const as = byPasswordOf({ urlOf: (role) => urlOf(target, role) });
  const insertOf = (table: string, row: object) => {
    const columns = Object.keys(row).join();
    const json = pg.escapeLiteral(JSON.stringify(row));
    return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::${table}, ${json})`;
  };
  const ask = (action: string, payload: object) =>
    operate(target, 'asha', 'POST', 'proposals', { action, payload, reason: 'theirs' });
  return {
    as,
    insertOf,
    plant: (table: string, row: object, role: ProcessRole = 'api') => as(role, insertOf(table, row)),
    async rowOf(table: string, id: string, columns = '*', by = 'id') {
      const text = `SELECT to_jsonb(r) AS row FROM (SELECT ${columns} FROM ${table} WHERE ${by} = $1) r`;
      return (await target.database.query(text, [id])).rows[0]?.row;
    },
    ask,
    propose: async (action: string, payload: object) => (await ask(action, payload)).json.proposal,
    approve: ({ id, payload_hash }: { id: string; payload_hash: string }) =>
      operate(target, 'juma', 'POST', `proposals/${id}/approve`, { payload_hash }),
  };
}
