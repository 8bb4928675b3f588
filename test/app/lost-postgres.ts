import { createFlows } from '../../src/api/kit/flows.ts';
import { recover } from '../../src/app/recover/recover.ts';
import type { RecoverReport } from '../../src/app/recover/report.ts';
import type { Delivery } from '../../src/callbacks/deliver.ts';
import { closeFence } from '../../src/transactions/care/fence.ts';
import { useTestDatabase } from '../support/database.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { useOwnTemporal } from '../support/temporal.ts';
import { until } from '../support/wait.ts';
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

  /** Over the copy, whose fence is closed for it. */
  async function recoverCopy({ isDry = false } = {}): Promise<RecoverReport> {
    const { client } = temporal.environment;
    await closeFence(copy.database, 'a copy');
    return recover({ database: copy.database, client, submissionKeys, actor: 'test', agreed: null, isDry });
  }

  return {
    temporal,
    lost,
    copy,
    recoverCopy,
    /** Temporal lists a workflow, and its end, a moment later. */
    untilListed: (isSo: (report: RecoverReport) => boolean) =>
      until(async () => isSo(await recoverCopy({ isDry: true })), {
        deadlineMs: 30_000,
        what: 'Temporal lists all',
      }),
    /** What the API asks of Temporal. */
    apiFlows() {
      const { client, connection } = temporal.environment;
      return createFlows({ client, connection, submissionKeys });
    },
  };
}

/** A delivery of which every event arrives, noted. */
export function tellingInto() {
  const told: string[] = [];
  const delivery: Delivery = {
    attempt: async (eventId) => {
      told.push(eventId);
      return { kind: 'delivered' };
    },
  };
  return { told, delivery };
}
