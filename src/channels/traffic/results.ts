import { randomUUID } from 'node:crypto';
import type { EnquiryResult, SendResult } from '../../domain/channel.ts';
import type { Results, Service } from '../../domain/channel-health.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';

const SLOT_SECONDS = 10;
/** Results are written this long after the first one, which delays the discovery of a failing channel. */
const FLUSH_MS = 1_000;
/** Results are kept this long only for people to look at. */
const KEPT_SECONDS = 24 * 3_600;

export type ServiceOfChannel = { channel: string; service: Service };

/** Returns true if a send shows that the channel works, null if it says nothing about that. */
export function isAnswerToSend(result: SendResult): boolean | null {
  switch (result.kind) {
    case 'accepted':
    case 'succeeded':
      return true;
    case 'failed':
      return result.code !== 'network_unavailable';
    case 'not_sent':
      // The channel answered, but refused our connection.
      return result.refused === undefined ? false : null;
    case 'unknown':
      return result.refused === undefined ? (result.seen ?? false) : null;
  }
}

/** Refused connections are counted separately. */
export function isTurnedAway(result: SendResult | EnquiryResult): boolean {
  return 'refused' in result && result.refused !== undefined;
}

/** A "not found" does not show that the channel takes sends. */
export function isAnswerToEnquiry(result: EnquiryResult): boolean | null {
  return result.kind === 'not_found' ? null : isAnswerToSend(result);
}

export type ResultCounter = {
  note(of: ServiceOfChannel, isAnswer: boolean | null): void;
  /** Writes the counts. Never throws: counts that cannot be written are dropped. */
  flush(): Promise<void>;
};

/** Writes counted results every second. `onWritten` gets the changed services. */
export function createResultCounter(
  database: Database,
  onWritten: (changed: ServiceOfChannel[]) => Promise<void>,
): ResultCounter {
  const process = randomUUID();
  let counts = new Map<string, ServiceOfChannel & Results>();
  let timer: NodeJS.Timeout | null = null;

  async function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    const changed = [...counts.values()];
    counts = new Map();
    if (changed.length === 0) return;
    try {
      await write(database, process, changed);
      await onWritten(changed);
    } catch {
      // Without Postgres nothing is sent, and old counts would prove nothing.
    }
  }

  return {
    note({ channel, service }, isAnswer) {
      if (isAnswer === null) return;
      const key = `${channel}/${service}`;
      const count = counts.get(key) ?? { channel, service, answered: 0, failed: 0 };
      count[isAnswer ? 'answered' : 'failed'] += 1;
      counts.set(key, count);
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    },
    flush,
  };
}

const SLOT_NOW = `floor(extract(epoch FROM now()) / ${SLOT_SECONDS})::bigint`;

async function write(
  db: Queryable,
  process: string,
  counts: readonly (ServiceOfChannel & Results)[],
): Promise<void> {
  await db.query(
    `INSERT INTO channel_results (slot, channel, service, process, answered, failed)
     SELECT ${SLOT_NOW}, channel, service, $1, answered, failed
     FROM unnest($2::text[], $3::text[], $4::int[], $5::int[]) AS c (channel, service, answered, failed)
     ON CONFLICT (slot, channel, service, process) DO UPDATE
       SET answered = channel_results.answered + excluded.answered,
         failed = channel_results.failed + excluded.failed`,
    [
      process,
      counts.map((count) => count.channel),
      counts.map((count) => count.service),
      counts.map((count) => count.answered),
      counts.map((count) => count.failed),
    ],
  );
}

/** Reads results within the window and since the channel came back, newest first. */
export async function recentResults(
  db: Queryable,
  windowMs: number,
): Promise<(ServiceOfChannel & { results: Results[] })[]> {
  const { rows } = await db.query(
    `SELECT channel, service,
       json_agg(json_build_object('answered', answered, 'failed', failed) ORDER BY slot DESC) AS results
     FROM (SELECT r.channel, r.service, r.slot, sum(r.answered) AS answered, sum(r.failed) AS failed
           FROM channel_results r LEFT JOIN channel_breakers b USING (channel, service)
           WHERE r.slot > ${SLOT_NOW} - $1
             AND (b.recovered_at IS NULL OR r.slot * ${SLOT_SECONDS} >= extract(epoch FROM b.recovered_at))
           GROUP BY r.channel, r.service, r.slot) slots
     GROUP BY channel, service`,
    [Math.ceil(windowMs / 1_000 / SLOT_SECONDS)],
  );
  return rows.map(({ channel, service, results }) => ({ channel, service, results: results as Results[] }));
}

export async function forgetResults(db: Queryable): Promise<void> {
  await db.query(`DELETE FROM channel_results WHERE slot < ${SLOT_NOW} - $1`, [KEPT_SECONDS / SLOT_SECONDS]);
}
