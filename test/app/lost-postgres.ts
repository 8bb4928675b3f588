import { useTestDatabase } from '../support/database.ts';
import { useOwnTemporal } from '../support/temporal.ts';
import { endsNow, rememberFromNow } from './memory.ts';

/** A Temporal of its own, the Postgres that is lost, and the copy that is restored, which ends as the tests begin. */
export function useLostPostgres() {
  const temporal = useOwnTemporal();
  const lost = useTestDatabase({ poolMax: 10 });
  const copy = useTestDatabase({ poolMax: 10 });
  before(async function () {
    this.timeout(60_000);
    await rememberFromNow(temporal.environment.client);
    await endsNow(copy.database);
  });
  return { temporal, lost, copy };
}
