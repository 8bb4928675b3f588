/** Airtel's side of its Open API, from the portal and other clients (test/fixtures/airtel-openapi.json). */
export const PATHS = {
  token: '/auth/oauth2/token',
  encryptionKeys: '/v1/rsa/encryption-keys',
  collectV1: '/merchant/v1/payments/',
  collectV2: '/merchant/v2/payments/',
  payoutV1: '/standard/v1/disbursements/',
  payoutV2: '/standard/v2/disbursements/',
  payoutV3: '/standard/v3/disbursements',
  enquireCollection: '/standard/v1/payments/',
  enquirePayout: '/standard/v1/disbursements/',
  users: '/standard/v1/users/',
  balanceV1: '/standard/v1/users/balance',
  balanceV2: '/standard/v2/users/balance',
  transactions: '/merchant/v1/transactions',
} as const;

/** The first two headers sign requests; a callback may carry its hash in the third. */
export const SIGNATURE_HEADER = 'x-signature';
export const KEY_HEADER = 'x-key';
export const HASH_HEADER = 'hash';
