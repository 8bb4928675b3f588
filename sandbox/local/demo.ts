import { makeKey } from '../../src/accounts/key-format.ts';
import { createKeys, scopes } from '../../src/accounts/keys.ts';
import { addKey } from '../../src/accounts/new-keys.ts';
import { createAccount } from '../../src/accounts/store.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import { createUrlPolicy } from '../../src/callbacks/guard-url.ts';
import { type CallbackChange, saveCallbackSettings } from '../../src/callbacks/settings.ts';
import { keyRing } from '../../src/config/fields.ts';
import { noLimits } from '../../src/domain/limits.ts';
import { MINOR_PER_UNIT, minor } from '../../src/domain/money.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import type { Database } from '../../src/platform/db/pool.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { ensureOperators, type LocalOperator } from './operators.ts';
import { type LocalSecrets, saveSecrets } from './secrets.ts';

export const DEMO_BALANCE_TZS = 1_000_000_000;
/** The reference on the first line of the simulated bank's statement. */
export const DEMO_DEPOSIT = 'demo';
const ACTOR = 'npm start';
export const DEMO_NAME = 'Demo shop';

export type Demo = { accountId: string; apiKey: string; approverApiKey: string; operators: LocalOperator[] };
type Merchant = Omit<Demo, 'operators' | 'approverApiKey'>;

/**
 * Makes the demo account with key, money and callbacks if this database lacks it. A second run points the
 * callbacks to the simulator again.
 */
export async function ensureDemo(options: {
  database: Database;
  dataFolder: string;
  secrets: LocalSecrets;
  callbackUrl: string;
}): Promise<Demo> {
  const { database, secrets, callbackUrl } = options;
  const hashSecrets = keyRing.parse(secrets.KEY_HASH_SECRET);
  const keys = createKeys({ database, hashSecrets, environment: 'test' });
  const setCallbacks = (change: Omit<CallbackChange, 'actor' | 'by'>) =>
    inTransaction(database, (db) =>
      saveCallbackSettings(
        db,
        { ...change, actor: ACTOR, by: 'operator' },
        {
          encryptionKeys: keyRing.parse(secrets.ENCRYPTION_KEY),
          urlPolicy: createUrlPolicy({ development: true, ports: [] }),
        },
      ),
    );
  let demo = await knownDemo(keys, secrets);
  if (demo === undefined) {
    const { id: accountId } = await createAccount(database, {
      name: DEMO_NAME,
      limits: noLimits,
      actor: ACTOR,
    });
    const { text: apiKey, id: keyId, fingerprint } = makeKey('sk_test');
    const key = { accountId, keyId, fingerprint, label: 'demo', scopes, actor: ACTOR };
    await inTransaction(database, (db) => addKey(db, hashSecrets, key));
    demo = { accountId, apiKey, keyId };
    await setCallbacks({ keyId, callbackUrl, passphrase: secrets.passphrase });
    // Saved last, so that a start after a kill makes a new account and uses no incomplete one.
    Object.assign(secrets, { accountId, apiKey });
    await saveSecrets(options.dataFolder, secrets);
  } else {
    await setCallbacks({ keyId: demo.keyId, callbackUrl, passphrase: secrets.passphrase });
  }
  await topUp(database, {
    accountId: demo.accountId,
    amount: minor(DEMO_BALANCE_TZS * MINOR_PER_UNIT),
    actor: ACTOR,
    note: 'demo money',
    dedupeKey: DEMO_DEPOSIT,
  });
  const approverApiKey = await ensureApprover(options, { keys, hashSecrets, accountId: demo.accountId });
  const operators = await ensureOperators(options);
  return { accountId: demo.accountId, apiKey: demo.apiKey, approverApiKey, operators };
}

/** Makes a payment page to try. Returns null while the service takes no payments. */
export async function demoPage(local: { api_url: string; api_key: string }): Promise<string | null> {
  const answer = await fetch(`${local.api_url}/api/v1/payments/links`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${local.api_key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'demo-shop',
    },
    body: JSON.stringify({ description: DEMO_NAME, quantity: 'many' }),
  });
  return answer.ok ? ((await answer.json()) as { link: { url: string } }).link.url : null;
}

/** Makes another person's key, which starts the batches of the demo key. */
async function ensureApprover(
  { database, secrets, dataFolder }: { database: Database; secrets: LocalSecrets; dataFolder: string },
  {
    keys,
    hashSecrets,
    accountId,
  }: { keys: ReturnType<typeof createKeys>; hashSecrets: KeyRing; accountId: string },
): Promise<string> {
  const known = secrets.approverApiKey;
  if (known !== undefined && (await keys.authenticate(known, '127.0.0.1'))?.accountId === accountId)
    return known;
  const { text, id: keyId, fingerprint } = makeKey('sk_test');
  const key = { accountId, keyId, fingerprint, label: 'approver', holder: 'Approver', actor: ACTOR };
  const scopes = ['payouts:approve', 'payouts:read'] as const;
  await inTransaction(database, (db) => addKey(db, hashSecrets, { ...key, scopes }));
  secrets.approverApiKey = text;
  await saveSecrets(dataFolder, secrets);
  return text;
}

/** Returns an earlier start's account and key, unless DATABASE_URL now names a database without them. */
async function knownDemo(
  keys: ReturnType<typeof createKeys>,
  secrets: LocalSecrets,
): Promise<(Merchant & { keyId: string }) | undefined> {
  if (secrets.accountId === undefined || secrets.apiKey === undefined) return undefined;
  const principal = await keys.authenticate(secrets.apiKey, '127.0.0.1');
  if (principal === null || principal.accountId !== secrets.accountId) return undefined;
  return { accountId: secrets.accountId, apiKey: secrets.apiKey, keyId: principal.keyId };
}
