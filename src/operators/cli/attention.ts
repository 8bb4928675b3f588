import type { z } from 'zod';
import type { transactionAnswer } from '../api/case-schemas.ts';
import type { Context, To } from './context.ts';
import { segment } from './operator-client.ts';
import { linesOfCase } from './show-case.ts';

type Answer = z.output<typeof transactionAnswer>;

export function addCommands({ program, run }: To): void {
  const attention = program.command('attention').description('entries for which a person is needed');
  attention
    .command('show <transaction>')
    .description(
      'one transaction: its state, its messages with the channel, its money, and why a person is needed',
    )
    .action((id: string) => run((context) => show(context, id)));
}

async function show({ api, print }: Context, id: string): Promise<void> {
  const { transaction: one } = await api.get<Answer>(`transactions/${segment(id)}`);
  for (const line of linesOfCase(one)) print(line);
  for (const { at, kind, account, amount, currency } of one.entries)
    print(`  ${at}  ${kind}  ${account}  ${amount} ${currency}`);
  for (const { raised_at, reason, detail, todo, page } of one.attention) {
    print(`! ${raised_at}  ${reason}  ${detail}`);
    print(`  todo      ${todo} (${page})`);
  }
}
