import { createHmac } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { ChannelsPlan } from './connections.ts';
import { reachSecrets } from './reach.ts';

/** Eight digits show whether two secrets are the same. */
export type ShownSecret = { connection: string; member: string; fingerprints: string[] };

/** Lists secrets in the file's order. The fingerprints need `key`, so they reveal nothing. */
export function secretsIn(plan: ChannelsPlan, key: Uint8Array): ShownSecret[] {
  return textsIn(plan).map(({ connection, member, texts }) => ({
    connection,
    member,
    fingerprints: texts.map((text) => fingerprintOf(key, text)),
  }));
}

function textsIn({ connections }: ChannelsPlan): { connection: string; member: string; texts: string[] }[] {
  return [...connections.values()].flatMap(({ id, protocol, settings, reach }) => {
    const places = [
      ...protocol.secrets.map((member) => ({ member, texts: textsAt(settings, member.split('.')) })),
      ...reachSecrets.map((member) => ({ member: `reach.${member}`, texts: textsAt(reach, [member]) })),
    ];
    return places.filter(({ texts }) => texts.length > 0).map((place) => ({ connection: id, ...place }));
  });
}

/**
 * Returns eight digits per connection (its settings with secrets), and for `networks`, `routes` and
 * `statementAccounts`. If they change, somebody else may receive our payments or prove messages.
 */
export function fingerprintsOf(plan: ChannelsPlan, key: Uint8Array): Record<string, string> {
  const settings = [...plan.connections.values()].map(({ id, protocol, ...rest }): [string, object] => [
    id,
    { protocol: protocol.name, ...rest },
  ]);
  return Object.fromEntries(
    [
      ...settings,
      ['networks', Object.fromEntries(plan.networks)] as const,
      [
        'routes',
        Object.fromEntries([...plan.routes].map(([id, rows]) => [id, Object.fromEntries(rows)])),
      ] as const,
      ['statementAccounts', Object.fromEntries(plan.statementAccounts)] as const,
    ].map(([id, what]) => [id, fingerprintOf(key, canonicalJson(what))]),
  );
}

function fingerprintOf(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update('malipo/channels/v1\n').update(text).digest('hex').slice(0, 8);
}

function textsAt(value: unknown, [name, ...rest]: string[]): string[] {
  if (Array.isArray(value))
    return value.flatMap((one) => textsAt(one, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return typeof value === 'string' && value !== '' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return textsAt((value as Record<string, unknown>)[name], rest);
}
