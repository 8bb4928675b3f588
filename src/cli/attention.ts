import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { attentionList, transactionAnswer } from '../operator-api/case-schemas.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';
import { propose } from './proposals.ts';
import { linesOfCase } from './show-case.ts';

type Page = z.output<typeof attentionList>;
type Entry = Page['data'][number];
type Answer = z.output<typeof transactionAnswer>;

/** The list of what a person has to look at, and what two of them decide (docs/words.md: unknown is not failed). */
export function addAttentionCommands(program: Command, run: Run): void {
  const attention = program.command('attention').description('what a person has to look at');
  attention
    .command('list')
    .description('open entries, oldest first, with what is known of each')
    .option('--page <page>', 'this page of 20 only; all of them when left out', readPage)
    .action(({ page }: { page?: number }) => run((context) => list(context, page)));
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

const PER_PAGE = 20;

async function list({ api, print }: Context, only: number | undefined): Promise<void> {
  for (let page = only ?? 1; ; page += 1) {
    const { data, pagination } = await api.get<Page>('attention', { page, per_page: PER_PAGE });
    for (const entry of data) for (const line of linesOfEntry(entry)) print(line);
    const { last_page: last, total_items: total } = pagination;
    if (only !== undefined && last > 1) print(`page ${page} of ${last}, ${total} entries`);
    if (only !== undefined || page >= last) return;
  }
}

function linesOfEntry({ subject, reason, detail, raised_at, age_days, todo, page, about }: Entry): string[] {
  const state = about === null ? '' : `  ${about.type} ${about.status}`;
  const age = age_days === 1 ? '1 day' : `${age_days} days`;
  return [
    `${subject}  ${raised_at} (${age})${state}  ${reason}  ${detail}`,
    `  todo      ${todo} (${page})`,
    // Its id and kind are in the first line already, its guides in the second.
    ...(about === null ? [] : linesOfCase({ ...about, next: [] }).slice(1)),
  ];
}

function readPage(text: string): number {
  const page = Number(text);
  if (Number.isInteger(page) && page >= 1) return page;
  throw new InvalidArgumentError('a whole number from 1.');
}

async function show({ api, print }: Context, id: string): Promise<void> {
  const { transaction: one } = await api.get<Answer>(`transactions/${segment(id)}`);
  for (const line of linesOfCase(one)) print(line);
  for (const { at, kind, account, amount, currency } of one.entries)
    print(`  ${at}  ${kind}  ${account}  ${amount} ${currency}`);
  for (const { raised_at, reason, detail, page } of one.attention)
    print(`! ${raised_at}  ${reason}  ${detail} (${page})`);
}
