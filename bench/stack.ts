import { loadSecrets } from '../sandbox/local/secrets.ts';
import { readKeyId } from '../src/accounts/key-format.ts';
import { scopes } from '../src/accounts/keys.ts';
import { createAccount } from '../src/accounts/store.ts';
import { createUrlPolicy } from '../src/callbacks/guard-url.ts';
import { saveCallbackSettings } from '../src/callbacks/settings.ts';
import { keyRing } from '../src/config/fields.ts';
import { noLimits } from '../src/domain/limits.ts';
import { MINOR_PER_UNIT, minor } from '../src/domain/money.ts';
import { topUp } from '../src/ledger/transfer.ts';
import { createDatabase } from '../src/platform/db/pool.ts';
import type { TemporalSettings } from '../src/platform/temporal/connect.ts';
import { databaseOf, type Gateway, type RequestOptions, startGateway } from '../test/support/gateway.ts';
import { createTestKeys } from '../test/support/keys.ts';
import type { Merchant } from '../test/support/merchant.ts';
import type { Database } from '../test/support/queryable.ts';
import { CUSTOMER_MS, createDeliveryWatch, type DeliveryWatch } from './load.ts';
import { type MeasuredPostgres, startPostgres } from './postgres.ts';
import type { Process } from './processes.ts';
import { startTemporalServer } from './temporal-server.ts';

/** A whole Malipo with the embedded servers, and a look into its Postgres. */
export type Stack = Gateway & {
  database: Database;
  postgres: MeasuredPostgres;
  watch: DeliveryWatch;
  /** of Temporal's real server; none with the dev server, which is the gateway's */
  temporalServer: Process[];
  /** one payment or payout; returns its id, and throws when it is not accepted */
  created(where: string, options: RequestOptions): Promise<string>;
  /** the same, until its callback is delivered */
  untilDelivered(where: string, options: RequestOptions): Promise<void>;
};

/** BENCH_TEMPORAL=server: on Temporal's real server with Postgres, instead of its dev server with SQLite. */
export async function startStack(): Promise<Stack> {
  const temporal = process.env.BENCH_TEMPORAL === 'server' ? await startTemporalServer() : null;
  const postgres = await startPostgres();
  const gateway = await startGateway({
    DATABASE_URL: postgres.url,
    ...(temporal === null ? {} : { TEMPORAL_ADDRESS: temporal.address }),
    SIMULATOR_DELAY_MS: String(CUSTOMER_MS),
    // Production's: lines cost time, too.
    LOG_LEVEL: 'info',
  });
  const database = await databaseOf(gateway);
  const watch = createDeliveryWatch(database);
  async function created(where: string, options: RequestOptions): Promise<string> {
    const { status, json, text } = await gateway.request('POST', where, options);
    if (status !== 200) throw new Error(`POST ${where} was answered ${status}: ${text}`);
    return json.transaction_id;
  }
  return {
    ...gateway,
    database,
    postgres,
    watch,
    temporalServer: temporal?.processes ?? [],
    created,
    untilDelivered: async (where, options) => watch.delivered(await created(where, options)),
    async stop() {
      await watch.stop();
      await database.end();
      await gateway.stop();
      await postgres.stop();
      await temporal?.stop();
    },
  };
}

/** How the stack's own processes speak with Temporal, their encryption included. */
export async function temporalSettingsOf({ local, folder }: Stack): Promise<TemporalSettings> {
  const { ENCRYPTION_KEY } = await loadSecrets(folder);
  return {
    TEMPORAL_ADDRESS: local.temporal_address,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_TLS: false,
    PAYLOAD_ENCRYPTION: true,
    ENCRYPTION_KEY: keyRing.parse(ENCRYPTION_KEY),
  };
}

/** The processes of a stack, Temporal's among them. */
export async function processesOf(stack: Stack): Promise<Process[]> {
  const all: Process[] = [{ name: 'Postgres', pid: stack.postgres.pid }];
  for (const name of ['API', 'worker', 'simulator', 'Temporal'] as const) {
    const pid = await stack.pidOf(name).catch(() => null);
    if (pid !== null) all.push({ name, pid });
  }
  return [...all, ...stack.temporalServer];
}

/** Accounts with money and callbacks to the simulator's receiver. Returns their API keys; `balance` is in whole TZS. */
export async function openMerchants(
  stack: Stack,
  options: { count: number; balance: number },
): Promise<string[]> {
  const { database } = stack;
  const secrets = await loadSecrets(stack.folder);
  const hashSecrets = keyRing.parse(secrets.KEY_HASH_SECRET);
  const keys = createTestKeys({ database, hashSecrets });
  const actor = 'bench';
  const made: string[] = [];
  for (let at = 0; at < options.count; at += 1) {
    const { id: accountId } = await createAccount(database, {
      name: `Shop ${at + 1}`,
      limits: noLimits,
      actor,
    });
    const { id: keyId, apiKey } = await keys.createKey({ accountId, actor, scopes });
    await topUp(database, {
      accountId,
      amount: minor(options.balance * MINOR_PER_UNIT),
      actor,
      dedupeKey: `bench ${accountId}`,
    });
    await saveCallbackSettings(
      database,
      { keyId, callbackUrl: stack.local.callback_url, passphrase: secrets.passphrase, actor, by: 'operator' },
      {
        encryptionKeys: keyRing.parse(secrets.ENCRYPTION_KEY),
        urlPolicy: createUrlPolicy({ development: true, ports: [] }),
      },
    );
    made.push(apiKey);
  }
  return made;
}

/** The account of this key. */
export async function merchantOf({ database }: Stack, apiKey: string): Promise<Merchant> {
  const { rows } = await database.query(
    'SELECT id AS "apiKeyId", account_id AS "accountId" FROM api_keys WHERE id = $1',
    [readKeyId('sk_test', apiKey)],
  );
  return rows[0];
}

/** Postgres does this by itself after a while: here it would do so in the middle of the figures. */
export async function vacuum({ local }: Stack): Promise<void> {
  const limits = { poolMax: 1, queryTimeoutMs: 600_000 };
  const database = createDatabase({
    url: local.database_url,
    applicationName: 'malipo bench vacuum',
    ...limits,
  });
  await database.query('SET statement_timeout = 0');
  await database.query('VACUUM ANALYZE transactions, idempotency_keys');
  await database.end();
}
