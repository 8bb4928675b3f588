import type { Client } from '@temporalio/client';
import { workAtOnce } from '../base/at-once.ts';
import type { KeyRing } from '../base/key-ring.ts';
import type { StatementSource } from '../channels/kit/statement-source.ts';
import type { FetchReport } from '../domain/fetch-report.ts';
import type { Database } from '../platform/db/pool.ts';
import type { AccountInUse } from '../reconciliation/explain.ts';
import { fetchStatement } from '../reconciliation/fetch.ts';
import { fenceOf } from '../transactions/care/fence.ts';
import { signal } from './waking.ts';

export type FetchDeps = {
  longDatabase: Database;
  client: Client;
  accounts: ReadonlyMap<string, AccountInUse>;
  sources: ReadonlyMap<string, StatementSource>;
  keys: KeyRing;
  settleMs: number;
};

export function createStatementFetches({
  longDatabase,
  client,
  accounts,
  sources,
  keys,
  settleMs,
}: FetchDeps) {
  return {
    isNeeded: sources.size > 0,
    async fetch(stop?: AbortSignal): Promise<FetchReport> {
      const report: FetchReport = { accounts: 0, lines: 0, fenced: false };
      if ((await fenceOf(longDatabase)) !== null) return { ...report, fenced: true };
      const errors: unknown[] = [];
      for (const [id, source] of sources) {
        const account = accounts.get(id);
        if (!account) continue;
        try {
          const common = { account, source, keys, settleMs };
          const imported = await fetchStatement(longDatabase, stop ? { ...common, signal: stop } : common);
          if (imported === null) continue;
          report.accounts += 1;
          report.lines += imported.outcome.added;
          // Best effort: these transactions are enquired about anyway.
          await workAtOnce(imported.hinted, async (one) => {
            await signal(client, one, 'hint').catch(() => false);
          });
        } catch (error) {
          errors.push(new Error(`the statement of ${id} could not be fetched`, { cause: error }));
        }
      }
      if (errors.length === 0) return report;
      throw new AggregateError(errors, `${errors.length} statements could not be fetched`, {
        cause: errors[0],
      });
    },
  };
}
