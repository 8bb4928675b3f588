import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { loadSecrets } from '../sandbox/local/secrets.ts';
import type { KeyRing } from '../src/base/key-ring.ts';
import { createDelivery } from '../src/callbacks/deliver.ts';
import { createUrlPolicy } from '../src/callbacks/guard-url.ts';
import { createCallbackSender } from '../src/callbacks/send.ts';
import { saveCallbackSettings } from '../src/callbacks/settings.ts';
import { signatureHeaders } from '../src/callbacks/sign.ts';
import { keyRing } from '../src/config/fields.ts';
import { createDatabase } from '../src/platform/db/pool.ts';
import { plantEvent } from '../test/callbacks/planted.ts';
import { type Receiver, startReceiver } from '../test/callbacks/receiver.ts';
import { startDelivering } from '../test/callbacks/support/delivering.ts';
import { createMerchant, type Merchant } from '../test/support/merchant.ts';
import type { Database } from '../test/support/queryable.ts';
import { type Figure, median, perSecond, ratio, rounded } from './load.ts';
import type { Stack } from './stack.ts';

/** As many as one URL is ever sent at once. */
const IN_FLIGHT_MAX = 5;
/** How long a merchant's shop takes to store an event and answer. */
const SHOP_MS = 100;
const ROUNDS = 3;
const PER_ROUND = 150;
/** As of a bill that is paid in parts. */
const EVENTS_OF_A_FLOW = 5;
/** A case that takes no time at all is done more often, or a round would be over before it is warm. */
const PER_ROUND_AT_ONCE = 3_000;

/** Sends callbacks; resolves when the receiver has them. */
type Way = {
  name: string;
  lanes: number;
  /** how many are sent by one call, one after the other; 1 when left out */
  each?: number;
  /** whether it is done thousands of times a second */
  isQuick?: boolean;
  prepare(): Promise<string>;
  deliver(eventId: string, ...later: string[]): Promise<unknown>;
};

/**
 * Callbacks per second to one receiver, beside bare POSTs of the same bytes by undici to the same receiver with as many
 * in flight, in turns: to one that takes as long as a shop does, then to one that takes no time at all.
 */
export async function callbackThroughput(stack: Stack): Promise<Figure> {
  const database = createDatabase({
    url: stack.local.database_url,
    poolMax: 10,
    applicationName: 'bench callbacks',
  });
  const receiver = await startReceiver();
  const secrets = await loadSecrets(stack.folder);
  const encryptionKeys = keyRing.parse(secrets.ENCRYPTION_KEY);
  const merchant = await signingMerchant(database, {
    receiver,
    encryptionKeys,
    passphrase: secrets.passphrase,
  });
  const delivering = await startDelivering(stack.local.temporal_address);
  const arrivals = watchArrivals(receiver);
  const plant = () => plantEvent(database, merchant);
  async function throughTemporal(eventId: string, ...later: string[]): Promise<void> {
    const arrived = [eventId, ...later].map((id) => arrivals.of(id));
    await delivering.deliver(eventId, ...later);
    await Promise.all(arrived);
  }
  const ways: Way[] = [
    bare(receiver.url),
    sentOnly(receiver.url, secrets.passphrase),
    inThisProcess({ database, encryptionKeys, plant }),
    // A payment's flow is there already when its callback is due: what is measured is the delivery, not the flow's start.
    {
      name: `through Temporal and the worker, ${EVENTS_OF_A_FLOW} in a flow`,
      lanes: 40,
      each: EVENTS_OF_A_FLOW,
      prepare: plant,
      deliver: throughTemporal,
    },
    {
      name: 'the same with a flow for each, as when sent again',
      lanes: 40,
      prepare: plant,
      deliver: throughTemporal,
    },
  ];
  const columns: Rates[] = [];
  for (const takesMs of [SHOP_MS, 0]) {
    arrivals.answerAfter(takesMs);
    columns.push(
      await inTurns(ways, (way) => (way.isQuick && takesMs === 0 ? PER_ROUND_AT_ONCE : PER_ROUND)),
    );
  }
  await delivering.stop();
  await receiver.close();
  await database.end();
  return {
    title: `Callbacks per second to one receiver (median of ${ROUNDS} rounds, in turns)`,
    columns: ['', `answers in ${SHOP_MS} ms`, 'of bare', 'answers at once', 'of bare'],
    rows: ways.map((way) => [way.name, ...columns.flatMap((rates) => compared(rates, way, ways))]),
  };
}

type Rates = Map<Way, number[]>;

async function inTurns(ways: Way[], countOf: (way: Way) => number): Promise<Rates> {
  const rates: Rates = new Map(ways.map((way) => [way, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const way of ways) {
      const { each = 1 } = way;
      const count = countOf(way);
      const events = await Promise.all(Array.from({ length: count }, () => way.prepare()));
      const one = async () => {
        const [first = '', ...later] = events.splice(-each);
        await way.deliver(first, ...later);
      };
      const rate = await perSecond(count / each, one, way.lanes);
      // The first round warms up.
      if (round > 0) rates.get(way)?.push(rate * each);
    }
  }
  return rates;
}

function compared(rates: Rates, way: Way, [bareWay]: Way[]): [number, string] {
  const of = (one: Way | undefined) => median((one && rates.get(one)) ?? []);
  return [rounded(of(way)), ratio(of(way), of(bareWay))];
}

function bare(url: string): Way {
  const dispatcher = new Agent();
  const headers = { 'content-type': 'application/json', 'user-agent': 'bare' };
  return {
    name: 'bare undici POSTs',
    lanes: IN_FLIGHT_MAX,
    isQuick: true,
    prepare: async () => BODY,
    async deliver(body) {
      const response = await request(url, { method: 'POST', dispatcher, headers, body });
      await response.body.dump();
    },
  };
}

/** Signed, checked, given a place and sent: all but the memory of it. */
function sentOnly(url: string, passphrase: string): Way {
  const policy = createUrlPolicy({ development: true, ports: [] });
  const sender = createCallbackSender({ policy, userAgent: 'Malipo/bench' });
  return {
    name: 'signed and sent',
    lanes: IN_FLIGHT_MAX,
    isQuick: true,
    prepare: async () => BODY,
    async deliver(body) {
      const headers = signatureHeaders({
        eventId: 'evt_bench',
        body,
        passphrases: [passphrase],
        sentAtMs: Date.now(),
      });
      const answer = await sender.send({ url, body, headers });
      if ('busy' in answer || answer.httpStatus !== 200) throw new Error('a callback was not taken');
    },
  };
}

/** About as long as a real one. */
const BODY = JSON.stringify({ event: 'payment.received', padding: 'x'.repeat(600) });

function inThisProcess(deps: {
  database: Database;
  encryptionKeys: KeyRing;
  plant: () => Promise<string>;
}): Way {
  const { database, encryptionKeys, plant } = deps;
  const policy = createUrlPolicy({ development: true, ports: [] });
  const sender = createCallbackSender({ policy, userAgent: 'Malipo/bench' });
  const delivery = createDelivery({ database, sender, encryptionKeys, delaysMs: [1_000] });
  return {
    name: 'signed, sent and noted in Postgres',
    lanes: 40,
    prepare: plant,
    async deliver(eventId) {
      for (;;) {
        const outcome = await delivery.attempt(eventId);
        if (outcome.kind === 'delivered') return;
        if (outcome.kind !== 'retry') throw new Error(`a callback was not delivered: ${outcome.kind}`);
        await pause(outcome.afterMs);
      }
    },
  };
}

async function signingMerchant(
  database: Database,
  options: { receiver: Receiver; encryptionKeys: KeyRing; passphrase: string },
): Promise<Merchant> {
  const merchant = await createMerchant(database, { callbackUrl: options.receiver.url });
  await saveCallbackSettings(
    database,
    { keyId: merchant.apiKeyId, passphrase: options.passphrase, actor: 'bench', by: 'operator' },
    {
      encryptionKeys: options.encryptionKeys,
      urlPolicy: createUrlPolicy({ development: true, ports: [] }),
    },
  );
  return merchant;
}

/** Watches for the arrival of events at the receiver, and measures how long it takes to answer. */
function watchArrivals(receiver: Receiver) {
  const waiting = new Map<string, () => void>();
  let takesMs = 0;
  receiver.react((response, { headers }) => {
    receiver.received.length = 0;
    const eventId = String(headers['webhook-id']);
    const answer = () => {
      response.end();
      waiting.get(eventId)?.();
      waiting.delete(eventId);
    };
    if (takesMs === 0) return answer();
    setTimeout(answer, takesMs);
  });
  return {
    of: (eventId: string) => new Promise<void>((resolve) => waiting.set(eventId, resolve)),
    answerAfter(ms: number) {
      takesMs = ms;
    },
  };
}
