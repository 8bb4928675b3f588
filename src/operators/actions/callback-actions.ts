import { z } from 'zod';
import { requireAccount } from '../../accounts/store.ts';
import { resendRange, sizeOfRange } from '../../callbacks/resend.ts';
import {
  getCallbackSettings,
  requireGoodSettings,
  type SettingsDeps,
  saveCallbackSettings,
} from '../../callbacks/settings.ts';
import { conflict } from '../../domain/errors.ts';
import { optionalEvents } from '../../domain/event.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import {
  type Actions,
  accountIdField,
  declare,
  documented,
  exampleAccount,
  keyIdField,
  seen,
  timeField,
} from './actions.ts';
import { fact, keyNamed, merchantNamed } from './facts.ts';

/** One approval queues at most this many events. Its outcome says where to continue. */
const EVENTS_MAX = 1_000;

const url = z.string('must be text, or null').max(2_000, 'must have at most 2000 characters').nullable();
const events = z.array(z.enum(optionalEvents, 'must be the name of an event'), 'must be a list of events');
const settings = z.strictObject({
  url: url.meta({ description: 'The callback URL before the change' }),
  events: events.meta({ description: 'The events before the change' }),
});
type Settings = z.output<typeof settings>;

const resendable = ['failed', 'no_url', 'delivered'] as const;
type Resend = {
  account_id: string;
  from: string;
  to: string;
  states: (typeof resendable)[number][];
  addresses?: string[] | undefined;
};

/** Needs two operators: callbacks send customers' data to the new address. */
export function callbackActions(deps: SettingsDeps): Actions {
  const set = declare({
    title: 'Set the callback URL and the events of a key',
    command: 'callbacks set <key_id>',
    example: [
      'the merchant asked for it by telephone, called back, ticket 388',
      { key_id: '4Fq81ZbnR0tx', url: 'https://shop.example/callbacks' },
    ],
    role: 'admin',
    payload: z.strictObject({
      key_id: keyIdField.meta(documented("The merchant's API key")),
      url: url.optional().meta({
        title: 'Callback URL',
        description: 'Default: no change. None removes the URL; the same URL is enabled again',
      }),
      events: events.optional().meta({ title: 'Events to send', description: 'Default: no change' }),
      before: settings.meta(seen('The current settings')).optional(),
    }),
    async describe({ key_id, before, ...after }, view) {
      const facts = [
        after.url === undefined ? [] : fact('address', after.url ?? 'none', before?.url ?? 'none'),
        after.events === undefined ? [] : fact('events', listed(after.events), listed(before?.events ?? [])),
      ].flat();
      const what = facts.map(({ name, after: value }) => `${name} ${value}`).join(', ') || 'no change';
      return { summary: `Set the callbacks of ${await keyNamed(view, key_id)}: ${what}`, facts };
    },
    seen: async (db, { key_id }) => ({ before: await settingsOf(db, key_id) }),
    check: async (_db, change) => requireGoodSettings({ callbackUrl: change.url }, deps.urlPolicy),
    async execute(db, change, { actor }) {
      const { key_id: keyId, url: callbackUrl } = change;
      const asked = { keyId, callbackUrl, events: change.events, by: 'operator', actor } as const;
      const { settings, told } = await saveCallbackSettings(db, asked, deps);
      return { outcome: `the callback URL is ${settings.callbackUrl ?? 'removed'}`, deliver: told };
    },
  });

  return { 'callbacks.set': set, 'callbacks.resend': resend };
}

const resend = declare({
  title: 'Send the events of a time range again, oldest first',
  command: 'callbacks resend-range <account_id>',
  example: [
    'their receiver was down, ticket 391',
    {
      account_id: exampleAccount,
      from: '2026-11-19T21:00:00.000Z',
      to: '2026-11-20T09:00:00.000Z',
      states: ['failed', 'no_url'],
    },
  ],
  role: 'support',
  payload: z.strictObject({
    account_id: accountIdField,
    from: timeField.meta(documented('The start of the range, inclusive')),
    to: timeField.optional().meta({ description: 'Default: now' }),
    states: z
      .array(z.enum(resendable, `must be one of ${resendable.join(', ')}`))
      .min(1, 'must name one')
      .default(['failed', 'no_url'])
      .meta({ title: 'Events in these states' }),
    addresses: z.array(z.string()).meta(seen('URLs that receive them; fixed when proposed')).optional(),
  }) as unknown as z.ZodType<Resend>,
  async describe(asked, view) {
    const { account_id: accountId, from, to, states } = asked;
    const facts = [
      fact('states', listed(states)),
      fact('addresses', listed(asked.addresses ?? [])),
      ...(view.isOpen
        ? [fact('events', String((await sizeOfRange(view.db, { accountId, from, to, states })).events))]
        : []),
    ];
    const who = await merchantNamed(view, accountId);
    return { summary: `Send the events of ${who} from ${from} to ${to} again`, facts };
  },
  bind: async (_db, asked) => ({ ...asked, to: asked.to ?? new Date().toISOString() }),
  async seen(db, { account_id: accountId, from, to, states }) {
    await requireAccount(db, accountId);
    return { addresses: (await sizeOfRange(db, { accountId, from, to, states })).addresses };
  },
  async check(_db, { addresses = [] }) {
    if (addresses.length === 0)
      throw conflict('No event of this range can be sent: there is none, or its key has no working URL');
  },
  async execute(db, asked, { actor }) {
    const { account_id: accountId, from, to, states, addresses = [] } = asked;
    const range = { accountId, from, to, states, most: EVENTS_MAX };
    const { queued, taken, nextFrom } = await resendRange(db, { ...range, actor, addresses });
    const rest = nextFrom === null ? '' : `; there are more: propose the same from ${nextFrom}`;
    return { outcome: `events are queued: ${queued.length}${rest}`, deliver: [...queued, ...taken] };
  },
});

const listed = (names: readonly string[]) => names.join(', ') || 'none';

async function settingsOf(db: Queryable, keyId: string): Promise<Settings> {
  const { callbackUrl, subscribedEvents } = await getCallbackSettings(db, keyId);
  return { url: callbackUrl, events: subscribedEvents };
}
