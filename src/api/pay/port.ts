import type { RequestListener } from 'node:http';
import type { Channels } from '../../channels/kit/registry.ts';
import type { Gate } from '../../channels/traffic/gate.ts';
import type { Config } from '../../config/config.ts';
import { promptLimits } from '../../domain/data/prompts.ts';
import type { Database } from '../../platform/db/pool.ts';
import { createClientAddress } from '../../platform/http/client-address.ts';
import { createRateLimits } from '../../platform/http/rate-limits.ts';
import type { Log } from '../../platform/process/log.ts';
import type { Metrics } from '../../platform/process/metrics.ts';
import type { Flows } from '../kit/flows.ts';
import { createStart } from '../kit/start.ts';
import { withPages } from '../numbers/pages.ts';
import { createPayApp } from './app.ts';

type Parts = {
  database: Database;
  flows: Flows;
  channels: Pick<Channels, 'routeOf'>;
  gate: Gate;
  bills: Parameters<typeof withPages>[0];
  isFenced: () => Promise<boolean>;
  now: () => Date;
  log: Log;
  metrics: Metrics;
};

export function payPort(config: Config, parts: Parts): RequestListener {
  const { database, channels, log } = parts;
  const limits = createRateLimits({
    perKey: null,
    failuresPerMinute: promptLimits.unknown.most,
    shared: config.RATE_LIMIT_STORE === 'postgres' ? database : null,
    log,
  });
  return createPayApp({
    ...parts,
    start: createStart(parts),
    paymentsOver: (accountId) => (channelId) => channels.routeOf(channelId, 'collection', accountId),
    timing: config.GATEWAY_TIMING,
    tokenKeys: config.PAGE_KEY,
    bills: withPages(parts.bills, config.PAGE_KEY),
    limits,
    addressOf: createClientAddress(config.TRUSTED_PROXIES),
    by: { service: config.SERVICE_NAME, support: config.SUPPORT_CONTACT },
  }).callback();
}
