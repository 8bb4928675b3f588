import type { CallbackChange } from '../../src/callbacks/settings.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { type DeliveryOptions, deliveryFor, passphrase, saveSettings } from './delivery.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/**
 * For each test of a describe block a merchant with a receiver and a passphrase, in one database for all of them. Read
 * the members in hooks and tests only.
 */
export function useReceiver() {
  // One connection: an attempt never holds one while it waits for another or for the receiver.
  const test = useTestDatabase({ poolMax: 1 });
  const receiver = {} as Receiver;
  const merchant = {} as Merchant;

  const save = (change: Partial<CallbackChange>) => saveSettings(test.database, merchant, change);
  const deliveryWith = (options: DeliveryOptions = {}) => deliveryFor(test.database, options);

  beforeEach(async () => {
    Object.assign(receiver, await startReceiver());
    Object.assign(merchant, await createMerchant(test.database, { callbackUrl: receiver.url }));
    await save({ passphrase });
  });
  afterEach(() => receiver.close());

  return { test, receiver, merchant, save, deliveryWith };
}
