import { randomBytes } from 'node:crypto';
import { createDelivery, type Delivery } from '../../src/callbacks/deliver.ts';
import { createUrlPolicy } from '../../src/callbacks/guard-url.ts';
import { createCallbackSender } from '../../src/callbacks/send.ts';
import { type CallbackChange, saveCallbackSettings } from '../../src/callbacks/settings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { ringOf } from '../support/key-rings.ts';
import type { Merchant } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';

/** What every test of a delivery needs: it goes to receivers of this machine, and the shortest schedule. */
export const encryptionKeys = ringOf();
export const urlPolicy = createUrlPolicy({ development: true, ports: [] });
export const passphrase = `whsec_${randomBytes(24).toString('base64')}`;
export const delaysMs = [1_000, 5_000];

export type DeliveryOptions = { delaysMs?: readonly number[]; random?: number; timeoutMs?: number };

export function deliveryFor(database: Database, options: DeliveryOptions = {}): Delivery {
  return createDelivery({
    database,
    sender: createCallbackSender({
      policy: urlPolicy,
      userAgent: 'Malipo/test',
      timeoutMs: options.timeoutMs ?? 5_000,
    }),
    encryptionKeys,
    delaysMs: options.delaysMs ?? delaysMs,
    random: () => options.random ?? 0.5,
  });
}

export function saveSettings(database: Database, merchant: Merchant, change: Partial<CallbackChange>) {
  return inTransaction(database, (db) =>
    saveCallbackSettings(
      db,
      { keyId: merchant.apiKeyId, actor: 'test', by: 'merchant', ...change },
      { encryptionKeys, urlPolicy },
    ),
  );
}
