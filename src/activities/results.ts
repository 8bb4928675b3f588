import type { BillConnection } from '../channels/kit/registry.ts';
import { DAY_MS } from '../domain/day.ts';
import type { Database } from '../platform/db/pool.ts';
import { endOwedResult, findOwedResult } from '../transactions/ending/owed-results.ts';

/** After this time a person tells the network, because its books of that day are closed. */
const TRIED_MS_MAX = DAY_MS;

/** Some networks want the result of a bill payment in a message of its own. A repeat sends the same. */
export function createResultActivities(deps: {
  database: Database;
  billConnections: readonly Pick<BillConnection, 'id' | 'bills'>[];
  now?: () => number;
}) {
  const { database, billConnections, now = Date.now } = deps;
  return {
    /** Throws while the network does not accept it: Temporal retries. */
    async postResult(id: string): Promise<string> {
      const owed = await findOwedResult(database, id);
      if (!owed) return 'taken before';
      const connection = billConnections.find((one) => one.id === owed.connection);
      const said = await connection?.bills.postResult?.(owed);
      if (said?.kind === 'taken') await endOwedResult(database, owed, null);
      else if (said?.kind === 'contradicted') await endOwedResult(database, owed, said.detail);
      else {
        const why = said?.detail ?? 'the channels file has no such connection any more';
        if (now() - Date.parse(owed.owedSince) < TRIED_MS_MAX) throw new Error(why);
        await endOwedResult(
          database,
          owed,
          `we decided ${owed.reply}, but the network did not accept this for a day (${why})`,
        );
        return 'given up';
      }
      return said.kind;
    },
  };
}
