import type { CallOptions, Channel } from '../../domain/channel.ts';
import type { Direction } from '../../domain/kinds.ts';
import { MINOR_PER_UNIT, type Minor, minor } from '../../domain/money.ts';
import { bankPayoutLimits, bankTimes, type Limits, networkById } from '../../domain/network.ts';
import { createAddressList } from './address-list.ts';
import {
  type BillConnection,
  billConnectionsOf,
  carriersIn,
  type Opened,
  prefixOf,
} from './bill-connections.ts';
import {
  type ChannelsPlan,
  type Connection,
  type NetworkService,
  type OwnService,
  wrong,
} from './connections.ts';
import { type Shown, shownOf } from './harmless.ts';
import { createHttpClient } from './http.ts';
import type { NotificationDoor, PlainDoor, ProtocolLog, ProtocolTiming, ProtocolWorld } from './protocol.ts';
import { certificatesOf, type HeldCertificate } from './reach.ts';
import type { StatementAccount } from './statement-accounts.ts';
import { statementSourcesOf } from './statement-connections.ts';
import type { StatementSource } from './statement-source.ts';

/** Durations are milliseconds, limits minor units. */
export type Route = ProtocolTiming & {
  /** id in the channels file, stored with a transaction, so that enquiries use the same connection */
  connection: string;
  channel: Channel;
  limits: Limits;
  enquires: boolean;
  deduplicates: boolean;
};

export type { BillConnection };

export type DoorConnections = {
  door: NotificationDoor | PlainDoor;
  connections: readonly {
    id: string;
    channel: Channel;
    door: NotificationDoor | PlainDoor;
    allows(address: string): boolean;
    /** a notification above this only makes us enquire; null: no limit */
    confirmAbove: Minor | null;
  }[];
};

export type Channels = {
  /** `channelId`: a network or `bank`. An account's own routes come first. Undefined: no connection. */
  routeOf(channelId: string, direction: Direction, accountId?: string): Route | undefined;
  /** Throws if the transaction's connection is no longer configured. */
  channelOf(transaction: { channel: string; connection: string }): Channel;
  notificationDoors: readonly DoorConnections[];
  billConnections: readonly BillConnection[];
  volumeAlarms: readonly { connection: string; abovePerHour: Minor }[];
  /** sends per second by all processes */
  rateOf(channelId: string): number;
  /** enquiries per second by all processes */
  enquiryRateOf(channelId: string): number;
  receiptSpaces: ReadonlyMap<string, string>;
  /** every connection by id, with its check (harmless.ts) and why plain http is safe */
  connections: ReadonlyMap<string, Shown>;
  certificates: readonly ({ connection: string } & HeldCertificate)[];
  connectionsOf(channelId: string): string[];
  statementAccounts: ReadonlyMap<string, StatementAccount>;
  /** keys are accounts; accounts that use files are absent */
  statementSources: ReadonlyMap<string, StatementSource>;
};

/** A channel must answer a send in this time, unless its protocol has another. */
const SEND_TIMEOUT_MS = 15_000;

/** A worker may need this time in addition to the channel's own. */
const SEND_MARGIN_MS = 5_000;

/** This is the rate of networks that left the file, whose earlier sends still need attention. */
const RATE_PER_SECOND = 50;

type SharedWorld = Omit<ProtocolWorld, 'http'>;

/** Throws if a connection cannot carry its payments, payouts or bills. */
export function createChannels(plan: ChannelsPlan, world: SharedWorld): Channels {
  const opened = new Map<string, Opened>();
  for (const [id, connection] of plan.connections)
    opened.set(
      id,
      requireEnquiry({
        connection,
        open: connection.protocol.open(connection.settings, worldOf(connection, world)),
      }),
    );
  const channels = new Map<string, Channel>();

  function channelOver(connectionId: string, channelId: string): Channel {
    const key = `${connectionId}/${channelId}`;
    const known = channels.get(key);
    if (known) return known;
    const opening = opened.get(connectionId)?.open.channel?.(channelId);
    if (!opening) throw new Error(`the connection ${connectionId} of ${channelId} is not configured`);
    const channel = naming(opening);
    channels.set(key, channel);
    return channel;
  }

  const routes = new Map<string, Route>();
  for (const { accountId, channelId, direction, connection: id } of carriersOf(plan)) {
    const found = opened.get(id);
    const service = plan.networks.get(channelId);
    if (!found || !service) continue;
    requireCapability(found, { accountId, channelId, direction });
    const channel = channelOver(id, channelId);
    const route = routeOver(found, { channelId, direction, service, channel });
    routes.set(`${accountId}/${channelId}/${direction}`, route);
  }

  return {
    routeOf: (channelId, direction, accountId = EVERYBODY) =>
      routes.get(`${accountId}/${channelId}/${direction}`) ??
      routes.get(`${EVERYBODY}/${channelId}/${direction}`),
    channelOf: ({ connection, channel }) => channelOver(connection, channel),
    notificationDoors: doorsOf(opened, plan, channelOver),
    billConnections: billConnectionsOf(opened, plan),
    volumeAlarms: [...plan.connections.values()].flatMap(({ id, alarmAbovePerHour }) =>
      alarmAbovePerHour === undefined
        ? []
        : [{ connection: id, abovePerHour: minor(alarmAbovePerHour * MINOR_PER_UNIT) }],
    ),
    rateOf: (channelId) => plan.networks.get(channelId)?.ratePerSecond ?? RATE_PER_SECOND,
    enquiryRateOf: (channelId) => {
      const { enquiriesPerSecond, ratePerSecond } = plan.networks.get(channelId) ?? {};
      return enquiriesPerSecond ?? ratePerSecond ?? RATE_PER_SECOND;
    },
    receiptSpaces: new Map([...plan.connections.values()].map(({ id, receipts = id }) => [id, receipts])),
    connections: new Map([...opened].map(([id, one]) => [id, shownOf(one)])),
    certificates: [...plan.connections.values()].flatMap(({ id, reach }) =>
      certificatesOf(reach).map((one) => ({ connection: id, ...one })),
    ),
    connectionsOf: (channelId) => carriersIn(plan, channelId),
    statementAccounts: plan.statementAccounts,
    statementSources: statementSourcesOf(opened, plan),
  };
}

const EVERYBODY = '*';

type Carrier = { accountId: string; channelId: string; direction: Direction; connection: string };

function carriersOf(plan: ChannelsPlan): Carrier[] {
  const rowsOf = (accountId: string, rows: ReadonlyMap<string, OwnService>): Carrier[] =>
    [...rows].flatMap(([channelId, { payments, payouts }]) => [
      ...(payments ? [{ accountId, channelId, direction: 'collection' as const, connection: payments }] : []),
      ...(payouts ? [{ accountId, channelId, direction: 'payout' as const, connection: payouts }] : []),
    ]);
  const own = [...plan.routes].flatMap(([accountId, rows]) => rowsOf(accountId, rows));
  return [...rowsOf(EVERYBODY, plan.networks), ...own];
}

/** Passes each send's order to the HTTP client, which then can tell answers from pages. */
export function naming(channel: Channel): Channel {
  const { requestPush, requestPayout } = channel;
  const of = (call: CallOptions, { reference }: { reference: string }, direction: Direction) => ({
    ...call,
    sent: { reference, direction },
  });
  const named = { ...channel };
  if (requestPush) named.requestPush = (order, call) => requestPush(order, of(call, order, 'collection'));
  if (requestPayout) named.requestPayout = (order, call) => requestPayout(order, of(call, order, 'payout'));
  return named;
}

function worldOf({ id, protocol, path, reach, gate }: Connection, world: SharedWorld): ProtocolWorld {
  const facts = { connection: id, protocol: protocol.name };
  const line =
    (level: keyof ProtocolLog): ProtocolLog['info'] =>
    (more, message) =>
      world.log[level]({ ...facts, ...more }, message);
  const log = { info: line('info'), warn: line('warn'), error: line('error') };
  const publicUrl = `${world.publicUrl}${prefixOf(path)}`;
  const pages = protocol.marks ? { pages: { marks: protocol.marks, gate } } : {};
  return { ...world, publicUrl, log, http: createHttpClient({ log, reach, ...pages }) };
}

/** Requires an enquiry, because nothing can be confirmed without one. */
function requireEnquiry(one: Opened): Opened {
  const { connection, open } = one;
  if (connection.confirmAbove === undefined || open.capabilities.enquiry) return one;
  throw wrong([`connections.${connection.id}.confirmAbove: ${connection.protocol.name} cannot be asked`]);
}

function requireCapability({ connection, open }: Opened, carried: Omit<Carrier, 'connection'>): void {
  const { accountId, channelId, direction } = carried;
  const { push, payouts } = open.capabilities;
  const can = direction === 'collection' ? push : payouts.includes(channelId === 'bank' ? 'bank' : 'wallet');
  if (can && open.channel) return;
  const what = direction === 'collection' ? 'payments' : 'payouts';
  throw wrong([
    `${accountId === EVERYBODY ? 'networks' : `routes.${accountId}`}.${channelId}.${what}: ` +
      `${connection.protocol.name} (${connection.id}) cannot carry them`,
  ]);
}

type Carried = { channelId: string; direction: Direction; service: NetworkService; channel: Channel };

function routeOver({ connection, open }: Opened, { channelId, direction, service, channel }: Carried): Route {
  const { capabilities } = open;
  const timing = { ...timingOf(channelId), ...open.timing, ...ownTiming(service) };
  // A send on its way may still arrive after a "not found".
  if (timing.settleTimeMs <= timing.sendTimeoutMs + SEND_MARGIN_MS)
    throw wrong([
      `networks.${channelId}.timing: settleTimeSeconds must be more than ` +
        `${(timing.sendTimeoutMs + SEND_MARGIN_MS) / 1000}, ` +
        `its send time-out and ${SEND_MARGIN_MS / 1000} s`,
    ]);
  return {
    connection: connection.id,
    channel,
    ...timing,
    limits: limitsOf(channelId, direction, service),
    enquires: capabilities.enquiry,
    deduplicates: capabilities.deduplicates[direction] && !connection.sendOnce,
  };
}

function timingOf(channelId: string): ProtocolTiming {
  const network = networkById(channelId);
  if (network) {
    const { promptTtlMs, promptEnquiriesMs, firstEnquiryAfterMs, settleTimeMs } = network;
    return {
      promptTtlMs,
      promptEnquiriesMs,
      firstEnquiryAfterMs,
      settleTimeMs,
      sendTimeoutMs: SEND_TIMEOUT_MS,
    };
  }
  return { promptTtlMs: 0, promptEnquiriesMs: [], ...bankTimes, sendTimeoutMs: SEND_TIMEOUT_MS };
}

function ownTiming({ timing }: NetworkService): Partial<ProtocolTiming> {
  const own = {
    promptTtlMs: timing.promptTtlSeconds,
    firstEnquiryAfterMs: timing.firstEnquiryAfterSeconds,
    settleTimeMs: timing.settleTimeSeconds,
    sendTimeoutMs: timing.sendTimeoutSeconds,
  };
  return Object.fromEntries(
    Object.entries(own).flatMap(([key, value]) => (value === undefined ? [] : [[key, value * 1000]])),
  );
}

/** Returns the network's own limits, narrowed by the file. */
function limitsOf(channelId: string, direction: Direction, { limits }: NetworkService): Limits {
  const network = networkById(channelId);
  const wide = network
    ? direction === 'collection'
      ? network.pushLimits
      : network.payoutLimits
    : bankPayoutLimits;
  const own = direction === 'collection' ? limits.payments : limits.payouts;
  if (!own) return wide;
  return {
    minimum: minor(Math.max(wide.minimum, own.minimum * MINOR_PER_UNIT)),
    maximum: minor(Math.min(wide.maximum, own.maximum * MINOR_PER_UNIT)),
  };
}

/** Connections at one address share a door. The one that proves the sender reads the message. */
function doorsOf(
  opened: Map<string, Opened>,
  plan: ChannelsPlan,
  channelOver: (connectionId: string, channelId: string) => Channel,
): DoorConnections[] {
  const doors = new Map<string, DoorConnections>();
  for (const [id, { connection, open }] of opened) {
    // A connection that carries no network may still get notifications of old sends, which need no network.
    const { channelId = 'bank' } = carriersOf(plan).find((one) => one.connection === id) ?? {};
    for (const below of open.channel ? (open.notificationDoors ?? []) : []) {
      const door = { ...below, path: `${prefixOf(connection.path)}${below.path}` };
      const key = `${door.method} ${door.path}`;
      const earlier = doors.get(key);
      const { addresses, confirmAbove } = connection;
      const own = {
        id,
        channel: channelOver(id, channelId),
        door,
        allows: createAddressList(addresses),
        confirmAbove: confirmAbove === undefined ? null : minor(confirmAbove * MINOR_PER_UNIT),
      };
      doors.set(key, { door: earlier?.door ?? door, connections: [...(earlier?.connections ?? []), own] });
    }
  }
  return [...doors.values()];
}
