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

/** The user of a key makes its text (`keys new`): operators see a fingerprint and cannot use the key. */
export function keyActions(deps: { hashSecrets: KeyRing; environment: KeyEnvironment }): Actions {
  const { hashSecrets, environment } = deps;
  const printed = `must be what keys new has printed; here keys begin with sk_${environment}_`;
  const secretFields = {
    key: z
      .string('is required')
      .regex(/^sk_(live|test)_[0-9A-Za-z]{12}$/, printed)
      .refine((key) => key.startsWith(`sk_${environment}_`), printed)
      .meta({
        title: 'What making the key has shown',
        description: 'The key up to its id, a colon, and the fingerprint. Never the secret',
        face: { with: 'fingerprint' },
      }),
    fingerprint: z
      .string('is required')
      .regex(/^[0-9a-f]{64}$/, 'must be what keys new has printed')
      .meta({ description: 'SHA-256 of the text in hex: it opens nothing' }),
  };
  const create = declare({
    title: 'Let a key in',
    command: 'keys create <account_id> <key:fingerprint>',
    note:
      'Whoever will use the key makes it: on the page “Make a key” of the reference, in a browser, ' +
      'or with keys new. Compare the fingerprint with its holder, aloud, before it is approved.',
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
          title: 'Who will have it',
          description: 'Nobody starts a batch that another key of theirs has made',
        })
        .optional(),
      expires_at: expiryField.meta({ title: 'Until' }).optional(),
      allowed_ips: z
        .array(z.string(network).refine((entry) => readNetwork(entry) !== null, network))
        .max(50, 'must have at most 50 entries')
        .meta({ title: 'Addresses or networks it may be used from' })
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
      return { outcome: `${key} opens account ${accountId}` };
    },
  });
  const rotate = declare({
    title: 'Another secret for a key; the one before stays valid for a week',
    command: 'keys rotate <key:fingerprint>',
    example: ['a year is over', { key: 'sk_live_4Fq81ZbnR0tx', fingerprint: exampleFingerprint }],
    role: 'admin',
    payload: z.strictObject(secretFields),
    describe: async ({ key, fingerprint }, view) => ({
      summary:
        `${await keyNamed(view, idOf(key))} opens with another secret, ${key}:${fingerprint}; ` +
        `the one before goes on for a week. ${ASK}`,
    }),
    check: (db, { key }) => requireLiveKey(db, idOf(key)),
    async execute(db, { key, fingerprint }, { actor, proposalId }) {
      await rotateKey(db, hashSecrets, { keyId: idOf(key), fingerprint, actor, proposalId });
      return { outcome: `${key} opens with its new secret; the one before goes on for a week` };
    },
  });
  return { 'keys.create': create, 'keys.rotate': rotate, 'keys.revoke': revoke };
}

const revoke = declare({
  title: 'End a key with all its secrets, at once and for good',
  command: 'keys revoke <key_id>',
  note: 'What was accepted goes on, and its callbacks are still sent.',
  example: ['the shop is closed, ticket 119', { key_id: '4Fq81ZbnR0tx' }],
  role: 'admin',
  alone: ['admin'],
  payload: z.strictObject({ key_id: sentenceField(100).meta(documented("The merchant's API key")) }),
  async execute(db, { key_id: keyId }, { actor, reason }) {
    if (await revokeKey(db, { keyId, actor, reason })) return { outcome: `${keyId} is revoked` };
    throw new GatewayError('not_found', `There is no live key ${keyId}`);
  },
});

const ASK = 'Ask the merchant for these digits before you approve';

function describeNewKey(asked: NewKey, merchant: string): string {
  const { key, fingerprint, scopes, label, ...more } = asked;
  const { expires_at, allowed_ips = [], holder } = more;
  // Quotes, at the end of a sentence: a label must not pass for our own text.
  const named = label === undefined ? '' : `. Its label: ${JSON.stringify(label)}`;
  const held = holder === undefined ? '' : `. Its holder: ${JSON.stringify(holder)}`;
  const from = allowed_ips.length === 0 ? 'any address' : allowed_ips.join(' and ');
  const until = expires_at === undefined ? 'without an end' : `until ${expires_at}`;
  return (
    `${key}:${fingerprint} opens the account of ${merchant} for ${scopes.join(', ')}, from ${from}, ` +
    `${until}. ${ASK}${held}${named}`
  );
}

/** It is checked again at the approval: the key may have expired. */
const expiryField = timeField.refine(
  (time) => Date.parse(time) > Date.now(),
  'lies in the past: the key could never be used',
);

const idOf = (key: string) => key.slice(key.lastIndexOf('_') + 1);
