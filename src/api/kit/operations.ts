import { readOnce } from '../../base/read-once.ts';
import type { Gate } from '../../channels/traffic/gate.ts';
import { type Operations, type Service, serviceOf, services } from '../../domain/channel-health.ts';
import { kinds } from '../../domain/kinds.ts';
import { channelIds } from '../../domain/network.ts';
import { inTime } from '../../platform/process/promises.ts';
import type { Flows } from './flows.ts';

const COUNTED_MS = 30_000;
const FRESH_MS = 1_000;
const READ_MS_MAX = 1_500;
/** Fewer unanswered submissions prove no outage. */
const DOWN_FROM = 3;
const DEGRADED_SHARE = 0.1;

export type Tally = ReturnType<typeof createTally>;

export function createTally(now: () => number = () => performance.now()) {
  const counted: Record<Service, { at: number; answered: boolean }[]> = { payments: [], payouts: [] };
  const lately = (service: Service) => {
    const since = now() - COUNTED_MS;
    while ((counted[service][0]?.at ?? since) < since) counted[service].shift();
    return counted[service];
  };
  return {
    note(service: Service, answered: boolean): void {
      lately(service).push({ at: now(), answered });
    },
    stateOf(service: Service): 'up' | 'degraded' | 'down' {
      const all = lately(service);
      const unanswered = all.filter(({ answered }) => !answered).length;
      if (unanswered >= DOWN_FROM && unanswered === all.length) return 'down';
      return unanswered > all.length * DEGRADED_SHARE ? 'degraded' : 'up';
    },
  };
}

/** `closed` counts as answered, because the flow ended earlier and answered somebody. */
export function counted(flows: Flows, tally: Tally): Flows {
  return {
    ...flows,
    async submit(submission, options) {
      const outcome = await flows.submit(submission, options);
      const isAnswered = outcome.kind === 'answered' || outcome.kind === 'closed';
      tally.note(serviceOf[kinds[submission.request.mode].direction], isAnswered);
      return outcome;
    },
    async startBatch(run) {
      const outcome = await flows.startBatch(run);
      tally.note('payouts', outcome.kind !== 'not_sent' && outcome.kind !== 'unclear');
      return outcome;
    },
  };
}

/** Says whether payments, payouts and callbacks work now. All callers share one reading per second. */
export function createOperations(deps: {
  isHealthy: () => Promise<boolean>;
  isFenced: () => Promise<boolean>;
  flows: Pick<Flows, 'isPolled'>;
  gate: Pick<Gate, 'states'>;
  tally: Tally;
}): () => Promise<Operations> {
  const { isHealthy, isFenced, flows, gate, tally } = deps;
  const within = <T, L>(work: Promise<T>, otherwise: L) =>
    inTime(
      work.catch(() => otherwise),
      READ_MS_MAX,
      () => otherwise,
    );
  const read = async (): Promise<Operations> => {
    const [healthy, fenced, isWorked, areDelivered, networks] = await Promise.all([
      within(isHealthy(), false),
      within(isFenced(), true),
      within(flows.isPolled('money'), false),
      within(flows.isPolled('callbacks'), false),
      within(gate.states(), null),
    ]);
    const stateOf = (service: Service) => {
      const state = tally.stateOf(service);
      if (!healthy || fenced || !isWorked) return 'down';
      const isNetworkDown = channelIds.some((channel) => networks?.of(channel, service) === 'down');
      return state === 'up' && isNetworkDown ? 'degraded' : state;
    };
    const [payments, payouts] = services.map(stateOf) as [Operations['payments'], Operations['payouts']];
    return { payments, payouts, callbacks: healthy && areDelivered ? 'up' : 'down' };
  };
  return readOnce(read, { freshMs: FRESH_MS });
}
