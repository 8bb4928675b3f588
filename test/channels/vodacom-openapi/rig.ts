import { generateKeyPairSync } from 'node:crypto';
import type { SimulatorOptions } from '../../../sandbox/simulator/app.ts';
import type { VodacomOpenapiOptions } from '../../../sandbox/simulator/vodacom-openapi/network.ts';
import { naming } from '../../../src/channels/kit/registry.ts';
import { createVodacomOpenapiChannel } from '../../../src/channels/vodacom-openapi/index.ts';
import { vodacomOpenapiProtocol } from '../../../src/channels/vodacom-openapi/protocol.ts';
import {
  type VodacomOpenapiSettings,
  vodacomOpenapiSettings,
} from '../../../src/channels/vodacom-openapi/settings.ts';
import { CALLBACK_PATH } from '../../../src/channels/vodacom-openapi/wire.ts';
import type { Channel } from '../../../src/domain/channel.ts';
import { httpOf } from '../http-of.ts';

/** Shorter than the network's 4,096 bits, so that the tests do not wait for it. */
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const API_KEY = 'the API key of this test';
const PRIVATE_KEY = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
export const PUBLIC_KEY = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

type Mode = VodacomOpenapiSettings['mode'];

export function settingsOf(
  address: string,
  changes: { mode: Mode } & Partial<VodacomOpenapiSettings>,
): VodacomOpenapiSettings {
  const { mode } = changes;
  const parsed = vodacomOpenapiSettings.parse({
    address,
    environment: 'openapi',
    apiKey: API_KEY,
    publicKey: PUBLIC_KEY,
    serviceProviderCode: '000000',
    mode,
    sessionSettleMs: 0,
    beneficiaryName: true,
    notFoundCodes: ['INS-23'],
  });
  return { ...parsed, ...changes };
}

export function vodacomChannel(
  address: string,
  { now, ...changes }: { mode: Mode; now?: () => number } & Partial<VodacomOpenapiSettings>,
): Channel {
  const http = httpOf(vodacomOpenapiProtocol);
  const settings = settingsOf(address, changes);
  return naming(createVodacomOpenapiChannel({ settings, http, ...(now ? { now } : {}) }));
}

export function vodacomSimulator({
  publicUrl,
  ...options
}: { mode: Mode; publicUrl?: string } & Partial<VodacomOpenapiOptions>): SimulatorOptions {
  return {
    vodacomOpenapi: {
      privateKey: PRIVATE_KEY,
      apiKey: API_KEY,
      serviceProviderCode: '000000',
      ...(publicUrl === undefined ? {} : { callbackUrl: `${publicUrl}${CALLBACK_PATH}` }),
      ...options,
    },
  };
}
