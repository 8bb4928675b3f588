import { loadSecrets } from '../../sandbox/local/secrets.ts';
import { scopes as allScopes, type Scope } from '../../src/accounts/keys.ts';
import { createAccount } from '../../src/accounts/store.ts';
import { keyRing } from '../../src/config/fields.ts';
import { type Limits, noLimits } from '../../src/domain/limits.ts';
import { MINOR_PER_UNIT, minor } from '../../src/domain/money.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { approvalOf } from './approval.ts';
import { closings } from './at-end.ts';
import { assertCallbackAsDocumented } from './contract.ts';
import { asInProduction, databaseOf, type Gateway, type Json, startGateway } from './gateway.ts';
import { createTestKeys } from './keys.ts';
import { runCli } from './node-entry.ts';
import type { Database } from './queryable.ts';

type Shared = Gateway & { database: Database };

let shared: Promise<Shared> | undefined;

/** One Malipo for all end-to-end files that do no harm to it: started by the first, stopped by global.ts. */
export function sharedGateway(): Promise<Shared> {
  shared ??= startGateway().then(async (gateway) => {
    const database = await databaseOf(gateway);
    closings.push(async () => {
      await database.end();
      await gateway.stop();
    });
    return { ...gateway, database };
  });
  return shared;
}

/** The command line beside the gateway, as an operator types it; what it prints. */
export async function cli(gateway: Gateway, ...args: string[]): Promise<string> {
  const { DATABASE_URL: _, ...environment } = process.env;
  return (await runCli(args, { ...environment, ...asInProduction, DATA_DIR: gateway.folder })).trim();
}

/** What one operator proposes on the command line and the other one approves; what the approval prints. */
export async function agree(gateway: Gateway, ...args: string[]): Promise<string> {
  const proposed = await cli(gateway, ...args);
  return cli(gateway, '--operator', 'juma', ...approvalOf(proposed));
}

/** An account of one's own, with a key, a balance in whole TZS, and no callback address. */
export async function openAccount(
  gateway: Shared,
  options: { balance?: number; scopes?: readonly Scope[]; limits?: Limits } = {},
): Promise<{ accountId: string; apiKey: string }> {
  const { database } = gateway;
  const { scopes = allScopes, balance, limits = noLimits } = options;
  const account = { name: 'End to end', limits, actor: 'test' };
  const { id: accountId } = await createAccount(database, account);
  const apiKey = await openKey(gateway, { accountId, scopes });
  if (balance !== undefined) {
    const amount = minor(balance * MINOR_PER_UNIT);
    await topUp(database, { accountId, amount, actor: 'test', dedupeKey: `first ${accountId}` });
  }
  return { accountId, apiKey };
}

/** One more key of an account. */
export async function openKey(
  { database, folder }: Shared,
  key: { accountId: string; scopes: readonly Scope[]; holder?: string },
): Promise<string> {
  const { KEY_HASH_SECRET } = await loadSecrets(folder);
  const hashSecrets = keyRing.parse(KEY_HASH_SECRET);
  const keys = createTestKeys({ database, hashSecrets });
  return (await keys.createKey({ ...key, actor: 'test' })).apiKey;
}

/** What the simulator's receiver got about a transaction. */
export async function receivedEvents(gateway: Gateway, transactionId: string): Promise<Json[]> {
  const { events } = await gateway.simulator(`receiver/events?transaction_id=${transactionId}`);
  for (const { body } of events) assertCallbackAsDocumented(body);
  return events;
}

/** What the networks' own book says about a reference. */
export async function movementsOf(gateway: Gateway, reference: string): Promise<Json[]> {
  return (await gateway.simulator(`truth?reference=${reference}`)).movements;
}

/** What a customer does at the simulator: `pay-bill`, `scan-qr`; its answer. */
export async function customer(
  gateway: { local: { simulator_url: string } },
  what: string,
  body: object,
): Promise<Json> {
  const answer = await fetch(`${gateway.local.simulator_url}/customer/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}
