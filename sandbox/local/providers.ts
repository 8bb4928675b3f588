import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Addresses } from './addresses.ts';

export type ProviderSecrets = Record<string, string>;

const NAMES = [
  'MPESA_API_KEY',
  'MPESA_CALLBACK_TOKEN',
  'AIRTEL_CLIENT_SECRET',
  'AIRTEL_CALLBACK_KEY',
  'AIRTEL_PAYBILL_PASSWORD',
  'MIXX_PASSWORD',
  'MIXX_CALLBACK_TOKEN',
  'MIXX_W2A_PASSWORD',
  'HALOPESA_PASSWORD',
  'HALOPESA_SECRET',
  'HALOPESA_CALLBACK_TOKEN',
  'HALOPESA_BILLS_PASSWORD',
  'BROKER_PASSWORD',
  'SELCOM_API_KEY',
  'SELCOM_API_SECRET',
  'CLICKPESA_API_KEY',
  'CLICKPESA_CHECKSUM_KEY',
];
/** The networks require four digits. */
const PINS = ['AIRTEL_PIN', 'MIXX_PIN', 'SELCOM_FLOAT_PIN'];
const KEY_BITS = 2_048;

/** Adds missing secrets; returns false if none was missing. */
export function addProviderSecrets(secrets: ProviderSecrets): boolean {
  const before = Object.keys(secrets).length;
  for (const name of NAMES) secrets[name] ??= randomBytes(24).toString('hex');
  for (const name of PINS) secrets[name] ??= String(1_000 + (randomBytes(2).readUInt16BE() % 9_000));
  secrets.MPESA_PRIVATE_KEY ??= generateKeyPairSync('rsa', { modulusLength: KEY_BITS })
    .privateKey.export({ format: 'pem', type: 'pkcs8' })
    .toString();
  return Object.keys(secrets).length > before;
}

/** Addresses and secrets of deploy/channels for API and worker. */
export function providerVariables(secrets: ProviderSecrets, simulatorUrl: string): Record<string, string> {
  const { MPESA_PRIVATE_KEY = '', ...known } = secrets;
  const at = (path: string) => `${simulatorUrl}${path}`;
  const publicKey = createPublicKey(MPESA_PRIVATE_KEY).export({ format: 'der', type: 'spki' });
  return {
    ...known,
    MPESA_PUBLIC_KEY: publicKey.toString('base64'),
    MPESA_URL: at(''),
    AIRTEL_URL: at(''),
    MIXX_TOKEN_URL: at('/mixx/SIM2DM-GetToken'),
    MIXX_PUSH_URL: at('/mixx/SIM2DM-PushBillpay'),
    MIXX_PAYOUT_URL: at('/mixx/SIM2Tigo'),
    MIXX_STATUS_URL: at('/mixx/SIM2TigoTQS'),
    HALOPESA_URL: at('/halopesa/ServiceAPI'),
    BROKER_RESULT_URL: at('/broker/results'),
    SELCOM_URL: at('/v1'),
    CLICKPESA_URL: at('/third-parties'),
  };
}

/** The same accounts from the providers' side, for SIMULATOR_PROVIDERS. */
export function simulatedProviders(secrets: ProviderSecrets, addresses: Addresses) {
  const door = (path: string) => `${addresses.api_url}/channels/${path}`;
  return {
    vodacomOpenapi: {
      mode: 'asynchronous',
      beneficiaryName: true,
      privateKey: secrets.MPESA_PRIVATE_KEY,
      apiKey: secrets.MPESA_API_KEY,
      serviceProviderCode: '000000',
      callbackUrl: door(`vodacom-openapi/${secrets.MPESA_CALLBACK_TOKEN}`),
    },
    airtelOpenapi: {
      clientId: 'malipo',
      clientSecret: secrets.AIRTEL_CLIENT_SECRET,
      pin: secrets.AIRTEL_PIN,
      callbackKey: secrets.AIRTEL_CALLBACK_KEY,
      callbackUrl: door('airtel-openapi'),
    },
    mixx: {
      username: 'malipo',
      password: secrets.MIXX_PASSWORD,
      billerCode: 'MAL',
      billerMsisdn: '255650000001',
      pin: secrets.MIXX_PIN,
      callbackUrl: door(`mixx/${secrets.MIXX_CALLBACK_TOKEN}`),
    },
    halopesa: {
      username: 'malipo',
      password: secrets.HALOPESA_PASSWORD,
      secret: secrets.HALOPESA_SECRET,
      accountId: '888001',
      businessNumber: '888001',
      callbackUrl: door(`halopesa/${secrets.HALOPESA_CALLBACK_TOKEN}`),
    },
    selcom: {
      apiKey: secrets.SELCOM_API_KEY,
      apiSecret: secrets.SELCOM_API_SECRET,
      vendor: 'TILL60000001',
      floatVendor: 'FLOAT60000001',
      floatPin: secrets.SELCOM_FLOAT_PIN,
    },
    clickpesa: {
      clientId: 'malipo',
      apiKey: secrets.CLICKPESA_API_KEY,
      checksumKey: secrets.CLICKPESA_CHECKSUM_KEY,
      callbackUrl: door('clickpesa'),
    },
    mpesaBroker: { spId: '888000', password: secrets.BROKER_PASSWORD },
    billCredentials: {
      'airtel-money': { username: 'airtel', password: secrets.AIRTEL_PAYBILL_PASSWORD },
      'tigo-pesa': { username: 'mixx', password: secrets.MIXX_W2A_PASSWORD },
      halopesa: { username: 'halopesa', password: secrets.HALOPESA_BILLS_PASSWORD },
    },
    halopesaBillSecret: secrets.HALOPESA_SECRET,
  };
}
