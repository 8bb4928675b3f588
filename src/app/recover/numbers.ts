import type { Client } from '@temporalio/client';
import type { KeyRing } from '../../base/key-ring.ts';
import { serialOf } from '../../domain/control-number.ts';
import type { MadeNumbers, NumbersRequest, StandingNumber } from '../../domain/number.ts';
import type { Signed } from '../../domain/operation.ts';
import type { Database } from '../../platform/db/pool.ts';
import { insertNumbers } from '../../transactions/acceptance/numbers.ts';
import { numbersById } from '../../transactions/rows/number-store.ts';
import { areSignedNumbers } from '../../transactions/rows/submission-mac.ts';
import { workflowTypes } from '../../workflows/messages.ts';
import { argumentOf, resultOf } from '../flow-history.ts';

type Deps = { database: Database; client: Client; submissionKeys: KeyRing; isDry: boolean };
type Report = { numbers: number; reopened: string[]; account_unknown: number; problems: string[] };

/**
 * Restores lost standing numbers from their workflows' results. Only Postgres knew which were closed since,
 * so each is open again, and the report names it. Returns the largest serial of their control numbers, or 0.
 */
export async function bringNumbersBack(deps: Deps, report: Report): Promise<number> {
  const { client, submissionKeys } = deps;
  let serial = 0;
  for await (const { workflowId, runId } of client.workflow.list({
    query: `WorkflowType = '${workflowTypes.makeNumbers}'`,
  })) {
    try {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const run = { workflowId, events: history.events ?? [] };
      const result = (await resultOf(client, run)) as Signed<MadeNumbers> | undefined;
      // Nobody was told of numbers whose workflow still runs or failed.
      if (!result) continue;
      const wanted = (await argumentOf(client, run)) as Signed<NumbersRequest>;
      if (!areSignedNumbers(submissionKeys, result) || !areSignedNumbers(submissionKeys, wanted))
        throw new Error('its numbers do not carry the proof that a process of ours made them');
      for (const number of result.made) {
        if (!number.link)
          serial = Math.max(serial, serialOf(wanted.controlNumberPrefix, number.controlNumber));
        await bringNumberBack(deps, number, report);
      }
    } catch (error) {
      report.problems.push(`${workflowId}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return serial;
}

export async function bringNumberBack(
  { database, isDry }: Pick<Deps, 'database' | 'isDry'>,
  number: StandingNumber,
  report: Report,
): Promise<void> {
  const { id, accountId, apiKeyId } = number;
  if ((await numbersById(database, { accountId, ids: [id] })).has(id)) return;
  const key = await database.query('SELECT FROM api_keys WHERE id = $1 AND account_id = $2', [
    apiKeyId,
    accountId,
  ]);
  if (key.rowCount === 0) {
    report.account_unknown += 1;
    return;
  }
  const brought = isDry ? 1 : await insertNumbers(database, [number]);
  report.numbers += brought;
  if (brought > 0) report.reopened.push(`${number.controlNumber} (number ${id}) of ${accountId}`);
}
