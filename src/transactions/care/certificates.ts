import { DAY_MS } from '../../domain/day.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { raiseAttention } from './attention.ts';

/** The connection presents this certificate, or uses it to verify the network. */
export type WatchedCertificate = { connection: string; about: string; endsAt: Date };

/** A network may take weeks to issue a new one. */
const NOTICE_MS = 30 * DAY_MS;

export async function flagCertificates(
  db: Queryable,
  certificates: readonly WatchedCertificate[],
  now: Date,
): Promise<void> {
  const ending = certificates.filter(({ endsAt }) => endsAt.getTime() - now.getTime() < NOTICE_MS);
  const connections = new Set(ending.map(({ connection }) => connection));
  for (const id of connections) {
    const own = ending.filter(({ connection }) => connection === id);
    await raiseAttention(db, {
      subject: `certificate:${id}`,
      reason: 'certificate_ends',
      detail: own
        .map(({ about, endsAt }) => `${about} of ${id} ends on ${endsAt.toISOString().slice(0, 10)}`)
        .join('; '),
    });
  }
}
