import { carriersIn, type Opened } from './bill-connections.ts';
import { type ChannelsPlan, wrong } from './connections.ts';
import { networkOf } from './statement-accounts.ts';
import type { StatementSource } from './statement-source.ts';

/** Throws if an account has no connection that lists its statements. */
export function statementSourcesOf(
  opened: ReadonlyMap<string, Opened>,
  plan: ChannelsPlan,
): Map<string, StatementSource> {
  const sources = new Map<string, StatementSource>();
  const problems: string[] = [];
  for (const account of plan.statementAccounts.values()) {
    if (account.format !== 'gsma' && account.format !== 'airtel') continue;
    const channelId = networkOf(account);
    const source = (account.connections ?? carriersIn(plan, channelId))
      .map((id) => opened.get(id)?.open.statements?.(channelId))
      .find((one) => one?.format === account.format);
    if (source) sources.set(account.id, source);
    else
      problems.push(
        `statementAccounts.${account.id}.format: ` +
          `none of its connections has a list of the format ${account.format}`,
      );
  }
  if (problems.length > 0) throw wrong(problems);
  return sources;
}
