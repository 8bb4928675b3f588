import { Argument, type Command } from 'commander';
import type { z } from 'zod';
import type { attentionEntry, transactionAnswer } from '../operator-api/schemas.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';
import { propose } from './proposals.ts';

type Entry = z.output<typeof attentionEntry>;
type Answer = z.output<typeof transactionAnswer>;

/** What a person has to look at, and what two of them decide (docs/architecture.md, words: unknown is not failed). */
export function addAttentionCommands(program: Command, run: Run): void {
  const attention = program.command('attention').description('what a person has to look at');
  attention
    .command('list')
    .description('open entries, oldest first')
    .action(() =>
      run(async ({ api, print }) => {
        for await (const entry of api.all<Entry>('attention'))
          print(
            [
              entry.subject,
              entry.raised_at,
              ...(entry.type === null ? [] : [`${entry.type} ${entry.status}`]),
              entry.reason,
              entry.detail,
            ].join('  '),
          );
      }),
    );
  attention
    .command('show <transaction>')
    .description(
      'one transaction: its state, what was said to its channel and by it, its money, and why it is listed',
    )
    .action((id: string) => run((context) => show(context, id)));
  attention
    .command('decide <transaction>')
    .addArgument(new Argument('<outcome>').choices(['paid', 'failed']))
    .requiredOption('--note <text>', 'how you know')
    .description('propose how a transaction ends whose channel cannot be brought to answer')
    .action((id: string, outcome: string, { note }: { note: string }) =>
      run((context) =>
        propose(context, {
          action: 'attention.decide',
          payload: { transaction_id: id, outcome, note },
          reason: note,
        }),
      ),
    );
  attention
    .command('close <subject>')
    .requiredOption('--note <text>', 'what was done about it')
    .description('take a finished transaction, or what is none, off the list')
    .action((subject: string, { note }: { note: string }) =>
      run(async ({ api, print }) => {
        const { closed } = await api.post<{ closed: number }>('attention/close', { subject, note });
        print(closed === 0 ? 'it is not on the list' : `${closed} closed`);
      }),
    );
}

async function show({ api, print }: Context, id: string): Promise<void> {
  const { transaction: one } = await api.get<Answer>(`transactions/${segment(id)}`);
  print(`${one.id}  ${one.type} (${one.mode})  ${one.status}`);
  const there = one.channel_reference === null ? '' : `, there ${one.channel_reference}`;
  print(`account ${one.account_id}, over ${one.channel} as ${one.reference}${there}`);
  print(`${one.amount} ${one.currency}, created ${one.created_at}`);
  print(`handed over ${one.handed_over_at ?? 'never'}, workflow ${one.workflow_id}`);
  for (const { at, words } of one.channel_words) print(`  ${at}  ${words}`);
  for (const { at, kind, account, amount, currency } of one.entries)
    print(`  ${at}  ${kind}  ${account}  ${amount} ${currency}`);
  if (one.decision) {
    const { outcome, proposed_by, approved_by, decided_at, note, answer } = one.decision;
    print(`  ${decided_at}  decided ${outcome} by ${proposed_by} and ${approved_by}: ${note}`);
    if (answer !== null) print(`  the channel's answer since then: ${answer}`);
  }
  for (const { raised_at, reason, detail } of one.attention) print(`! ${raised_at}  ${reason}  ${detail}`);
}
