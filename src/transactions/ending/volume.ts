import { CURRENCY, formatMoney, type Minor, minor } from '../../domain/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { raiseAttention } from '../care/attention.ts';

/** A person is notified when a connection collects more than this for bills within an hour. */
export type VolumeAlarm = { connection: string; abovePerHour: Minor };

/** Returns how many connections collected more than expected in the last hour. */
export async function flagVolume(db: Queryable, alarms: readonly VolumeAlarm[]): Promise<number> {
  if (alarms.length === 0) return 0;
  const { rows } = await db.query(
    `SELECT connection, sum(amount)::bigint AS amount, count(*)::int AS payments FROM bill_receipts
     WHERE received_at > now() - interval '1 hour' AND outcome = 'accepted' AND connection = ANY($1)
     GROUP BY connection /* never null: amount */`,
    [alarms.map(({ connection }) => connection)],
  );
  const over = rows.filter((row) =>
    alarms.some(({ connection, abovePerHour }) => connection === row.connection && row.amount > abovePerHour),
  );
  for (const { connection, amount, payments } of over)
    await raiseAttention(db, {
      subject: `connection:${connection}`,
      reason: 'unusual_volume',
      detail:
        `${payments} payments of bills over ${connection} within an hour ` +
        `brought in ${formatMoney(minor(amount))} ${CURRENCY}`,
    });
  return over.length;
}
