import {
  type ChannelState,
  type HealthRules,
  type Service,
  serviceOf,
  stateOf,
} from '../../domain/channel-health.ts';
import type { Direction } from '../../domain/kinds.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { recover, takeProbe, trip, useProbe } from './breaker.ts';
import { closedNow } from './closures.ts';
import { createResultCounter, recentResults, type ServiceOfChannel } from './results.ts';

/** A closure reaches every process within this time and the time of a query. */
const FRESH_MS = 2_000;

/** A view is at most two seconds old. */
export type View = {
  /** `m-pesa/payouts`; a closure of every channel as `null/payouts` */
  closed: ReadonlySet<string>;
  down: ReadonlySet<string>;
};

export type Passenger = Way & { id: string };
export type Way = { channel: string; connection: string; direction: Direction };

/** A `probe` goes to a channel that is down, to test whether it works again. */
export type Passage = { open: true; probe: boolean } | { open: false };

export type Gate = {
  /**
   * Reads before a database transaction, so that `pass` needs no second connection. Throws if Postgres is
   * down.
   */
  view(): Promise<View>;
  /** Returns true if a request may be made now. Takes a channel's next probe if the channel is down. */
  mayTry(db: Queryable, view: View, passenger: Passenger): Promise<boolean>;
  /** Says whether a send may leave now; uses up its probe. */
  pass(db: Queryable, view: View, passenger: Passenger): Promise<Passage>;
  /** Counts a result. Null says nothing about the channel. `refused`: our connection was refused. */
  note(of: Way, isAnswer: boolean | null, refused?: boolean): void;
  recover(of: Way): Promise<void>;
  /** Returns every service that is not up, for merchants, operators and metrics. */
  states(): Promise<ChannelStates>;
  flush(): Promise<void>;
};

export type ChannelStates = { of(channel: string, service: Service): ChannelState };

type GateLog = { error(facts: object, message: string): void; info(facts: object, message: string): void };

/** Operators or the breaker close a channel in Postgres. A request that passes writes nothing. */
export function createGate(deps: {
  database: Database;
  rules: HealthRules;
  log: GateLog;
  /** connection for accounts without routes of their own: while it is shut the channel is down */
  carrierOf?: (channel: string, direction: Direction) => string | undefined;
  now?: () => number;
}): Gate {
  const { database, rules, log, carrierOf = () => undefined, now = () => performance.now() } = deps;
  const view = keepFresh(() => readView(database), now);
  const counter = createResultCounter(database, async (changed) => {
    for (const one of await trip(database, changed, rules)) {
      view.forget();
      log.error(one, 'a channel is down: see docs/operations/channel-down.md');
    }
  });

  const states = keepFresh(async () => {
    const { closed, down } = await view.get();
    const results = await recentResults(database, rules.windowMs);
    const due = await halfOpen(database);
    const judged = new Map(
      results.map((one) => [keyOf(one.channel, one.service), stateOf(one.results, rules)]),
    );
    return {
      of(channel: string, service: Service): ChannelState {
        if (isClosed(closed, channel, service)) return 'down';
        const direction = service === 'payments' ? 'collection' : 'payout';
        const carrier = carrierOf(channel, direction);
        const names = carrier === undefined ? [channel] : [channel, nameOf(carrier)];
        const keys = names.map((name) => keyOf(name, service));
        if (keys.some((key) => down.has(key) && !due.has(key))) return 'down';
        const isUp = (key: string) => !down.has(key) && (judged.get(key) ?? 'up') === 'up';
        return keys.every(isUp) ? 'up' : 'degraded';
      },
    };
  }, now);

  return {
    view: view.get,
    async mayTry(db, { closed, down }, { id, ...way }) {
      if (isClosed(closed, way.channel, serviceOf[way.direction])) return false;
      for (const one of namesOf(way))
        if (isIn(down, one) && !(await takeProbe(db, one, id, rules))) return false;
      return true;
    },
    async pass(db, { closed, down }, { id, ...way }) {
      if (isClosed(closed, way.channel, serviceOf[way.direction])) return { open: false };
      const shut = namesOf(way).filter((one) => isIn(down, one));
      for (const one of shut) if (!(await useProbe(db, one, id))) return { open: false };
      return { open: true, probe: shut.length > 0 };
    },
    note(way, isAnswer, refused = false) {
      const [channel, connection] = namesOf(way);
      counter.note(channel, isAnswer);
      // An answer shows that the connection works. Only a refusal shows that it does not: a time-out is the
      // network's fault.
      counter.note(connection, refused ? false : isAnswer || null);
    },
    async recover(way) {
      for (const one of namesOf(way)) {
        if (!(await recover(database, one))) continue;
        view.forget();
        log.info(one, 'a channel is back');
      }
    },
    states: states.get,
    flush: counter.flush,
  };
}

/** A channel and its connection have separate gates in one table. */
const nameOf = (connection: string) => `@${connection}`;

function namesOf({ channel, connection, direction }: Way): [ServiceOfChannel, ServiceOfChannel] {
  const service = serviceOf[direction];
  return [
    { channel, service },
    { channel: nameOf(connection), service },
  ];
}

const isIn = (down: ReadonlySet<string>, { channel, service }: ServiceOfChannel) =>
  down.has(keyOf(channel, service));

const keyOf = (channel: string | null, service: Service) => `${channel}/${service}`;

function isClosed(closed: ReadonlySet<string>, channel: string, service: Service): boolean {
  return closed.has(keyOf(channel, service)) || closed.has(keyOf(null, service));
}

async function readView(db: Queryable): Promise<View> {
  const closed = await closedNow(db);
  const { rows: down } = await db.query(
    'SELECT channel, service FROM channel_breakers WHERE down_since IS NOT NULL',
  );
  const keysOf = (all: readonly { channel: string | null; service: string }[]) =>
    new Set(all.map(({ channel, service }) => keyOf(channel, service as Service)));
  return { closed: keysOf(closed), down: keysOf(down) };
}

/** Finds channels that are down but would send the next request as a probe. */
async function halfOpen(db: Queryable): Promise<Set<string>> {
  const { rows } = await db.query(
    'SELECT channel, service FROM channel_breakers WHERE down_since IS NOT NULL AND probe_at <= now()',
  );
  return new Set(rows.map((row) => keyOf(row.channel, row.service)));
}

/** Shares one reading among simultaneous callers, for two seconds. An error is not kept. */
function keepFresh<T>(read: () => Promise<T>, now: () => number): { get(): Promise<T>; forget(): void } {
  let value: { of: Promise<T>; at: number } | null = null;
  const forget = () => {
    value = null;
  };
  return {
    get() {
      if (value && now() - value.at < FRESH_MS) return value.of;
      const reading = { of: read(), at: now() };
      value = reading;
      reading.of.catch(() => {
        if (value === reading) value = null;
      });
      return reading.of;
    },
    forget,
  };
}
