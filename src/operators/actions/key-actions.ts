import { z } from 'zod';
import { readNetwork } from '../../accounts/addresses.ts';
import type { KeyEnvironment } from '../../accounts/key-format.ts';
import { revokeKey, type Scope, scopes } from '../../accounts/keys.ts';
import { addKey, requireLiveKey, rotateKey } from '../../accounts/new-keys.ts';
import { requireAccount } from '../../accounts/store.ts';
import type { KeyRing } from '../../base/key-ring.ts';
import { GatewayError } from '../../domain/errors.ts';
import {
  type Action,
  type Actions,
  accountIdField,
  declare,
  documented,
  exampleAccount,
  exampleFingerprint,
  keyIdField,
  sentenceField,
  timeField,
} from './actions.ts';
import { keyNamed, merchantNamed } from './facts.ts';

/** `key`: its public part, `sk_live_` and the id. */
type NewKey = {
  key: string;
  fingerprint: string;
  scopes: Scope[];
  label?: string | undefined;
  holder?: string | undefined;
  expires_at?: string | undefined;
  allowed_ips?: string[] | undefined;
};

const someScopes = `must name what the key may do, at least one of ${scopes.join(', ')}`;
const network = 'must be an address or a network, like 192.0.2.7 or 192.0.2.0/24';

const newKeyExample = [
  'a new shop, ticket 118',
  {
    key: 'sk_live_4Fq81ZbnR0tx',
    fingerprint: exampleFingerprint,
    account_id: exampleAccount,
    scopes: ['payments:write', 'payments:read'],
    label: 'till of the shop',
    expires_at: '2099-12-31T00:00:00Z',
    allowed_ips: ['192.0.2.0/24'],
  },
] as const satisfies Action['example'];

/** The user of a key makes it (`keys new`): operators see a fingerprint, so they cannot use the key. */
export function keyActions(deps: { hashSecrets: KeyRing; environment: KeyEnvironment }): Actions {
  const { hashSecrets, environment } = deps;
  const printed = `must be what keys new printed; here keys begin with sk_${environment}_`;
  const secretFields = {
    key: z
      .string('is required')
      .regex(/^sk_(live|test)_[0-9A-Za-z]{12}$/, printed)
      .refine((key) => key.startsWith(`sk_${environment}_`), printed)
      .meta({
        title: 'Key id and fingerprint',
        description: 'As keys new printed: the key up to its id, a colon, and the fingerprint. No secret',
        face: { with: 'fingerprint' },
      }),
    fingerprint: z
      .string('is required')
      .regex(/^[0-9a-f]{64}$/, 'must be what keys new printed')
      .meta({ description: 'SHA-256 of the key in hex; it gives no access' }),
  };
  const create = declare({
    title: 'Activate an API key',
    command: 'keys create <account_id> <key:fingerprint>',
    note:
      'The person who will use the key makes it: on the page “Make a key” of the API reference, ' +
      'or with keys new. Before you approve, let this person read the fingerprint to you.',
    example: newKeyExample,
    role: 'admin',
    payload: z.strictObject({
      ...secretFields,
      account_id: accountIdField,
      scopes: z
        .array(z.enum(scopes, `must be one of ${scopes.join(', ')}`), { error: someScopes })
        .min(1, someScopes)
        .max(scopes.length, someScopes)
        .meta({ title: 'What it may do' }),
      label: sentenceField(100).meta({ title: 'What it is for' }).optional(),
      holder: sentenceField(100)
        .meta({
          title: 'Holder',
          description: 'A holder cannot start a batch that another key of the same holder made',
        })
        .optional(),
      expires_at: expiryField.meta({ title: 'Valid until' }).optional(),
      allowed_ips: z
        .array(z.string(network).refine((entry) => readNetwork(entry) !== null, network))
        .max(50, 'must have at most 50 entries')
        .meta({ title: 'IP addresses or networks that may use it' })
        .optional(),
    }),
    describe: async (asked, view) => ({
      summary: describeNewKey(asked, await merchantNamed(view, asked.account_id)),
    }),
    async check(db, { account_id }) {
      await requireAccount(db, account_id);
    },
    async execute(db, asked, { actor, proposalId }) {
      const { id: accountId } = await requireAccount(db, asked.account_id);
      const { key, fingerprint, scopes, label, holder } = asked;
      const { expires_at: expiresAt, allowed_ips: allowedIps } = asked;
      const added = { accountId, keyId: idOf(key), fingerprint, scopes, label, holder };
      await addKey(db, hashSecrets, { ...added, expiresAt, allowedIps, actor, proposalId });
      return { outcome: `${key} is active for account ${accountId}` };
    },
  });
  const rotate = declare({
    title: 'Give a key a new secret; the old secret stays valid for a week',
    command: 'keys rotate <key:fingerprint>',
    example: ['a year is over', { key: 'sk_live_4Fq81ZbnR0tx', fingerprint: exampleFingerprint }],
    role: 'admin',
    payload: z.strictObject(secretFields),
    describe: async ({ key, fingerprint }, view) => ({
      summary:
        `${await keyNamed(view, idOf(key))} gets a new secret, ${key}:${fingerprint}; ` +
        `the old secret stays valid for a week. ${ASK}`,
    }),
    check: (db, { key }) => requireLiveKey(db, idOf(key)),
    async execute(db, { key, fingerprint }, { actor, proposalId }) {
      await rotateKey(db, hashSecrets, { keyId: idOf(key), fingerprint, actor, proposalId });
      return { outcome: `${key} has its new secret; the old secret stays valid for a week` };
    },
  });
  return { 'keys.create': create, 'keys.rotate': rotate, 'keys.revoke': revoke };
}

const revoke = declare({
  title: 'Revoke a key with all its secrets, at once and for good',
  command: 'keys revoke <key_id>',
  note: 'Accepted transactions go on, and their callbacks are still sent.',
  example: ['the shop is closed, ticket 119', { key_id: '4Fq81ZbnR0tx' }],
  role: 'admin',
  alone: ['admin'],
  payload: z.strictObject({ key_id: keyIdField.meta(documented("The merchant's API key")) }),
  async execute(db, { key_id: keyId }, { actor, reason }) {
    if (await revokeKey(db, { keyId, actor, reason })) return { outcome: `${keyId} is revoked` };
    throw new GatewayError('not_found', `There is no live key ${keyId}`);
  },
});

const ASK = 'Before you approve, ask the merchant for this fingerprint';

function describeNewKey(asked: NewKey, merchant: string): string {
  const { key, fingerprint, scopes, label, ...more } = asked;
  const { expires_at, allowed_ips = [], holder } = more;
  // A label is quoted and comes last: it must not look like our own text.
  const named = label === undefined ? '' : `. Its label: ${JSON.stringify(label)}`;
  const held = holder === undefined ? '' : `. Its holder: ${JSON.stringify(holder)}`;
  const from = allowed_ips.length === 0 ? 'any address' : allowed_ips.join(' and ');
  const until = expires_at === undefined ? 'without an expiry' : `until ${expires_at}`;
  return (
    `Activate ${key}:${fingerprint} for the account of ${merchant}: ${scopes.join(', ')}, from ${from}, ` +
    `${until}. ${ASK}${held}${named}`
  );
}

/** The approval checks it again, because the key may have expired. */
const expiryField = timeField.refine(
  (time) => Date.parse(time) > Date.now(),
  'is in the past: the key could never be used',
);

const idOf = (key: string) => key.slice(key.lastIndexOf('_') + 1);
