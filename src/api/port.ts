import type { RequestListener } from 'node:http';
import type { Keys } from '../accounts/keys.ts';
import type { SettingsDeps } from '../callbacks/settings.ts';
import { signCallback } from '../callbacks/signed.ts';
import type { Channels } from '../channels/kit/registry.ts';
import type { Gate } from '../channels/traffic/gate.ts';
import type { Config } from '../config/config.ts';
import type { Operations } from '../domain/channel-health.ts';
import type { Database } from '../platform/db/pool.ts';
import { createClientAddress } from '../platform/http/client-address.ts';
import { createRateLimits } from '../platform/http/rate-limits.ts';
import { type BucketSize, createChannelRates } from '../platform/http/token-bucket.ts';
import type { Log } from '../platform/process/log.ts';
import type { Metrics } from '../platform/process/metrics.ts';
import { createBillDoors } from './doors/bill-door.ts';
import { createDoors } from './doors/notifications.ts';
import { createApp } from './kit/app.ts';
import type { Flows } from './kit/flows.ts';
import type { BillSettings } from './kit/gateway-call.ts';
import { withPages } from './numbers/pages.ts';
import { createDocs } from './reference/docs-page.ts';
import { openApiOf } from './reference/openapi.ts';
import { calls, createRoutes } from './routes.ts';

type Parts = {
  database: Database;
  flows: Flows;
  channels: Channels;
  gate: Gate;
  keys: Keys;
  rateLimits: {
    perKey: BucketSize | null;
    failuresPerMinute: number;
    store: 'memory' | 'postgres';
  };
  observeFailure: () => void;
  bills: Omit<BillSettings, 'payUrlOf' | 'linkUrlOf'> & { payUrl: string | null };
  callbacks: SettingsDeps;
  readOperations: () => Promise<Operations>;
  isFenced: () => Promise<boolean>;
  now: () => Date;
  log: Log;
  metrics: Metrics;
};

export function merchantsPort(config: Config, parts: Parts): RequestListener {
  const { database, channels, callbacks, log, observeFailure } = parts;
  const { store, ...sizes } = parts.rateLimits;
  const shared = store === 'postgres' ? database : null;
  const limits = createRateLimits({ ...sizes, shared, log, observeFailure });
  const addressOf = createClientAddress(config.TRUSTED_PROXIES);
  const routes = createRoutes({
    ...parts,
    bills: withPages(parts.bills, config.PAGE_KEY),
    timing: config.GATEWAY_TIMING,
    previews: {
      perDay: config.PREVIEWS_PER_ACCOUNT_PER_DAY,
      mayLookUp: createChannelRates(channels.rateOf),
    },
    routeOf: channels.routeOf,
    callbackSettings: callbacks,
    signCallback: (asked) => signCallback(database, asked, callbacks.encryptionKeys),
  });
  const development = config.MALIPO_ENV === 'development';
  const docs = createDocs({
    document: openApiOf(calls),
    admitReader: (context) => limits.admitReader(addressOf(context.req)),
    demoKey: (development && config.DOCS_DEMO_KEY) || null,
    canSend: development,
  });
  const failures = { ...limits, addressOf };
  const doors = [
    ...createDoors({ ...parts, doors: channels.notificationDoors, failures }),
    ...createBillDoors({
      ...parts,
      connections: channels.billConnections,
      failures,
      observe: parts.metrics.countBillPayment,
    }),
    ...docs,
  ];
  const docsOrigin = config.PUBLIC_URL;
  return createApp({ ...parts, routes, doors, limits, addressOf, docsOrigin }).callback();
}
