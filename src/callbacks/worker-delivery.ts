import type { Config } from '../config/config.ts';
import { callbackDelaysMs } from '../domain/timing.ts';
import type { Database } from '../platform/db/pool.ts';
import { createDelivery } from './deliver.ts';
import { createUrlPolicy } from './guard-url.ts';
import { type CallbackSender, createCallbackSender } from './send.ts';

/** The most sockets to receivers per worker, some 50 KiB each with TLS (places.ts distributes them). */
export const CALLBACKS_IN_FLIGHT_MAX = 2_000;

/** Sends only to addresses that the guard allows. `around` counts and traces attempts. */
export function deliveryOf(
  config: Config,
  { database, around }: { database: Database; around: (sender: CallbackSender) => CallbackSender },
) {
  const policy = createUrlPolicy({
    development: config.MALIPO_ENV === 'development',
    ports: config.CALLBACK_PORTS,
  });
  const inFlightMax = CALLBACKS_IN_FLIGHT_MAX;
  return createDelivery({
    database,
    sender: around(createCallbackSender({ policy, userAgent: 'Malipo/0.1', inFlightMax })),
    encryptionKeys: config.ENCRYPTION_KEY,
    delaysMs: callbackDelaysMs(config.GATEWAY_TIMING),
  });
}
