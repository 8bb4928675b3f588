import type { Command } from 'commander';
import type { z } from 'zod';
import type { suspenseAnswer, suspenseItem } from '../api/schemas.ts';
import type { Context, Run } from './context.ts';
import { segment } from './operator-client.ts';

type Item = z.output<typeof suspenseItem>;
type Answer = z.output<typeof suspenseAnswer>;

export function addSuspenseCommands(program: Command, run: Run): void {
  const suspense = program.command('suspense').description('money that fits no transaction');
  suspense
    .command('show <item>')
    .description('one item: where it comes from, and how it left')
    .action((id: string) => run((context) => show(context, id)));
}

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

function lineOf(item: Item): string {
  const age = `${item.age_days} ${item.age_days === 1 ? 'day' : 'days'}`;
  return [item.id, age, `${item.amount} ${item.currency}`, item.channel, item.receipt, item.detail].join(
    '  ',
  );
}
