import { WorkflowNotFoundError } from '@temporalio/client';
import { Argument, type Command } from 'commander';
import { audit } from '../db/audit.ts';
import { inTransaction } from '../db/transaction.ts';
import { isUuid, workflowIdOf } from '../domain/ids.ts';
import { formatMoney } from '../domain/money.ts';
import { isBilled, kindOf, type Transaction } from '../domain/transaction.ts';
import { entriesOf } from '../ledger/accounts.ts';
import { resumeTransaction } from '../temporal/sweep.ts';
import { listAttention, resolveAttention, resolveSubject } from '../transactions/attention.ts';
import { channelHistory } from '../transactions/channel-history.ts';
import { getTransaction } from '../transactions/store.ts';
import { type Decision, decide } from '../workflows/messages.ts';
import { CommandError, type Context, type Run } from './context.ts';

const DECISION_DEADLINE_MS = 20_000;

/** What a person has to look at, and what that person decides (docs/architecture.md, words: unknown is not failed). */
export function addAttentionCommands(program: Command, run: Run): void {
  const attention = program.command('attention').description('what a person has to look at');
  attention
    .command('list')
    .description('open entries, oldest first')
    .action(() =>
      run(async ({ database, print }) => {
        for (const entry of await listAttention(database()))
          print(
            [
              entry.subject,
              entry.raisedAt,
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
    .description('end a transaction whose channel cannot be brought to answer')
    .action((id: string, outcome: Decision['outcome'], { note }: { note: string }) =>
      run((context) => decideFor(context, id, { outcome, note, actor: context.actor })),
    );
  attention
    .command('close <subject>')
    .requiredOption('--note <text>', 'what was done about it')
    .description('take a finished transaction, or what is none, off the list')
    .action((id: string, { note }: { note: string }) => run((context) => close(context, id, note)));
}

async function show(context: Context, id: string): Promise<void> {
  const transaction = await requireTransaction(context, id);
  const { print } = context;
  print(`${transaction.id}  ${kindOf(transaction).type} (${transaction.mode})  ${transaction.status}`);
  const there = transaction.channelReference === null ? '' : `, there ${transaction.channelReference}`;
  print(`account ${transaction.accountId}, over ${transaction.channel} as ${transaction.reference}${there}`);
  print(`${formatMoney(transaction.amount)} ${transaction.currency}, created ${transaction.createdAt}`);
  print(`handed over ${transaction.handedOverAt ?? 'never'}, workflow ${workflowIdOf(transaction.id)}`);
  for (const { at, words } of await channelHistory(context.database(), transaction.id))
    print(`  ${at}  ${words}`);
  for (const entry of await entriesOf(context.database(), transaction.id))
    print(
      `  ${entry.createdAt}  ${entry.kind}  ${entry.account}  ${formatMoney(entry.amount)} ${entry.currency}`,
    );
  const entries = await listAttention(context.database());
  for (const entry of entries.filter((candidate) => candidate.subject === transaction.id))
    print(`! ${entry.raisedAt}  ${entry.reason}  ${entry.detail}`);
}

async function decideFor(context: Context, id: string, decision: Decision): Promise<void> {
  const transaction = await requireTransaction(context, id);
  if (transaction.status !== 'pending')
    throw new CommandError(`It is ${transaction.status} already: a final state never changes.`);
  if (isBilled(transaction))
    throw new CommandError(
      'A bill ends by its payments, its cancellation or its time; close the entry instead.',
    );
  const status = await updateOrResume(context, transaction, decision);
  const wanted = decision.outcome === 'failed' ? ['failed'] : ['paid', 'completed'];
  if (!wanted.includes(status)) throw new CommandError(`It became ${status} before the decision reached it.`);
  context.print(`${transaction.id} is ${status}`);
}

/** The decision is an update of the workflow; one that is gone is started again first, from what Postgres knows. */
async function updateOrResume(
  context: Context,
  transaction: Transaction,
  decision: Decision,
): Promise<string> {
  const { client, connection } = context.temporal();
  const update = () =>
    client.workflow.getHandle(workflowIdOf(transaction.id)).executeUpdate(decide, { args: [decision] });
  return connection.withDeadline(Date.now() + DECISION_DEADLINE_MS, async () => {
    try {
      return (await update()).status;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await resumeTransaction(client, transaction);
      return (await update()).status;
    }
  });
}

async function close(context: Context, subject: string, note: string): Promise<void> {
  const transaction = isUuid(subject) ? await getTransaction(context.database(), subject) : null;
  // A bill stays open for months whatever is wrong with one of its payments.
  if (transaction?.status === 'pending' && !isBilled(transaction))
    throw new CommandError('It is pending: decide what became of it, or wait for its channel.');
  const closed = await inTransaction(context.database(), async (db) => {
    const count = transaction
      ? await resolveAttention(db, transaction.id)
      : await resolveSubject(db, subject);
    if (count > 0)
      await audit(db, { actor: context.actor, action: 'attention.close', subject, detail: { note } });
    return count;
  });
  if (closed === 0 && !transaction) throw new CommandError(`Nothing about ${subject} is on the list.`);
  context.print(closed === 0 ? 'it is not on the list' : `${closed} closed`);
}

async function requireTransaction(context: Context, id: string): Promise<Transaction> {
  const transaction = isUuid(id) ? await getTransaction(context.database(), id) : null;
  if (transaction === null) throw new CommandError(`There is no transaction ${id}.`);
  return transaction;
}
