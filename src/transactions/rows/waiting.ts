import { type ChannelMode, isBilledMode, kinds, modes } from '../../domain/kinds.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { ORDER_MODES } from './columns.ts';

/** Counting stops here, so a backlog costs no more. */
const PENDING_COUNTED_MAX = 10_000;

export type Waiting = {
  mode: ChannelMode;
  channel: string;
  /** at most PENDING_COUNTED_MAX */
  pending: number;
  /** 0 if nothing is pending */
  oldestSeconds: number;
};

const waitingModes = modes.filter((mode): mode is ChannelMode => !isBilledMode(mode));

/** Counts pending transactions and their age. Leaves out bills and QR codes: they wait for a customer. */
export async function waitingOf(db: Queryable, channels: readonly string[]): Promise<Waiting[]> {
  const places = waitingModes.flatMap((mode) =>
    channels
      .filter(
        (channel) => kinds[mode].party === 'own' || (kinds[mode].party === 'bank') === (channel === 'bank'),
      )
      .map((channel) => ({ mode, channel })),
  );
  const { rows } = await db.query(
    `SELECT place.mode, place.channel, p.pending::int AS pending,
       coalesce(extract(epoch FROM now() - p.since), 0)::float8 AS "oldestSeconds"
     FROM unnest($1::text[], $2::text[]) AS place(mode, channel),
       LATERAL (SELECT count(*) AS pending, min(created_at) AS since FROM (
         -- The condition of the index transactions_waiting, word for word.
         SELECT created_at FROM transactions WHERE status = 'pending' AND mode NOT IN (${ORDER_MODES})
           AND mode = place.mode AND channel
           = place.channel ORDER BY created_at LIMIT ${PENDING_COUNTED_MAX}) oldest) p`,
    [places.map(({ mode }) => mode), places.map(({ channel }) => channel)],
  );
  return rows as Waiting[];
}

/** Seconds by which the most overdue step is late, or 0. The sweep takes over after a minute. */
export async function lateSeconds(db: Queryable): Promise<number> {
  const { rows } = await db.query(
    `SELECT greatest(0, extract(epoch FROM now() - min(due_at)))::float8 AS late
     FROM transactions WHERE status = 'pending'`,
  );
  return rows[0].late ?? 0;
}

/** Seconds that the oldest unread notification has waited, or 0. */
export async function unreadSeconds(db: Queryable): Promise<number> {
  const { rows } = await db.query(
    `SELECT greatest(0, extract(epoch FROM now() - min(received_at)))::float8 AS unread
     FROM notifications WHERE state = 'unapplied'`,
  );
  return rows[0].unread ?? 0;
}
