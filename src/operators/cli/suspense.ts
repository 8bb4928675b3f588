import { Argument, type Command } from 'commander';
import type { z } from 'zod';
import { CURRENCY, minorFromDecimal } from '../../domain/money.ts';
import type { suspenseAnswer, suspenseItem } from '../api/schemas.ts';
import { CommandError } from './command-error.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';
import { propose } from './proposals.ts';

type Item = z.output<typeof suspenseItem>;
type Answer = z.output<typeof suspenseAnswer>;

/** How an item leaves suspense. */
const ways = ['bill', 'merchant', 'payer', 'given-back', 'write-off'] as const;
type Way = (typeof ways)[number];

export function addSuspenseCommands(program: Command, run: Run): void {
  const suspense = program.command('suspense').description('money that fits no transaction');
  suspense
    .command('list')
    .description('open items, oldest first')
    .action(() =>
      run(async ({ api, print }) => {
        for await (const item of api.all<Item>('suspense')) print(lineOf(item));
      }),
    );
  suspense
    .command('show <item>')
    .description('one item: where it comes from, and how it left')
    .action((id: string) => run((context) => show(context, id)));
  suspense
    .command('propose <item>')
    .addArgument(new Argument('<way>').choices(ways))
    .option(
      '--account <account>',
      'whose it becomes, or who bears it; the account of its transaction when left out',
    )
    .option('--receipt <text>', 'given-back: by which movement of the channel')
    .requiredOption('--note <text>', 'why; a merchant reads it on the statement')
    .description('propose how an item leaves suspense')
    .action((id: string, way: Way, options: Options) =>
      run((context) => proposeRelease(context, { id, way, ...options })),
    );
  suspense
    .command('name <item> <amount>')
    .requiredOption('--note <text>', 'who says so')
    .description('propose how much an item is that nobody could read; 0: nothing had come')
    .action((id: string, amount: string, { note }: { note: string }) =>
      run(async (context) => {
        const { item } = await context.api.get<Answer>(`suspense/${segment(id)}`);
        const size = { amount: minorFromDecimal(amount), currency: CURRENCY };
        const payload = { item: id, receipt: item.receipt, ...size, note };
        await propose(context, { action: 'suspense.name-amount', payload, reason: note });
      }),
    );
}

type Options = { account?: string; receipt?: string; note: string };

async function show({ api, print }: Context, id: string): Promise<void> {
  const { item, pays } = await api.get<Answer>(`suspense/${segment(id)}`);
  print(lineOf(item));
  if (item.known_as !== null) print(`known to ${item.channel} as ${item.known_as}`);
  if (item.transaction_id !== null) print(`transaction ${item.transaction_id} of account ${item.account_id}`);
  for (const { transaction_id, status, failure_code, at } of item.paybacks)
    print(`payback ${transaction_id} ${status}${failure_code === null ? '' : ` (${failure_code})`} ${at}`);
  if (pays !== null)
    print(`pays ${pays.control_number} (${pays.id})${pays.refused === null ? '' : `: ${pays.refused}`}`);
  if (item.release === null) print('open');
  else {
    const { kind, at, proposal_id, proposed_by, approved_by } = item.release;
    print(`${kind} ${at} by ${proposed_by} and ${approved_by} (${proposal_id})`);
  }
}

async function proposeRelease(context: Context, asked: Options & { id: string; way: Way }): Promise<void> {
  const { item } = await context.api.get<Answer>(`suspense/${segment(asked.id)}`);
  const { id, receipt, amount_minor: amount, currency } = item;
  const payload = { item: id, receipt, amount, currency, note: asked.note };
  const reason = asked.note;
  switch (asked.way) {
    case 'bill':
      return propose(context, { action: 'suspense.to-bill', payload, reason });
    case 'payer':
      return propose(context, { action: 'suspense.to-payer', payload, reason });
    case 'write-off':
      return propose(context, { action: 'suspense.write-off', payload, reason });
    case 'given-back': {
      if (asked.receipt === undefined)
        throw new CommandError('Name the movement by which the channel gave it back with --receipt.');
      const more = { return_receipt: asked.receipt };
      return propose(context, { action: 'suspense.given-back', payload: { ...payload, ...more }, reason });
    }
    case 'merchant': {
      const account_id = asked.account ?? item.account_id;
      if (account_id === null)
        throw new CommandError(`${id} belongs to no transaction: name the merchant with --account.`);
      return propose(context, {
        action: 'suspense.to-merchant',
        payload: { ...payload, account_id },
        reason,
      });
    }
  }
}

function lineOf(item: Item): string {
  const age = `${item.age_days} ${item.age_days === 1 ? 'day' : 'days'}`;
  return [item.id, age, `${item.amount} ${item.currency}`, item.channel, item.receipt, item.detail].join(
    '  ',
  );
}
