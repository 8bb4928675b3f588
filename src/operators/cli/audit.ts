import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import type { auditList, auditPage } from '../api/schemas.ts';
import { type AuditHead, type AuditLine, createChainCheck } from '../people/audit-chain.ts';
import { CommandError } from './command-error.ts';
import type { Context, To } from './context.ts';

type Page = z.output<typeof auditPage>;

export function addCommands({ program, run }: To): void {
  const audit = program.command('audit').description('the audit log: who did what');
  audit
    .command('list')
    .description('list its lines, newest first')
    .option('--actor <name>', 'only actions of this operator, or of this part of the service')
    .option('--action <text>', 'only actions that begin with this text')
    .option('--subject <id>', 'only actions on this subject')
    .option('--from <day>', 'only lines from this day or time on')
    .option('--to <day>', 'only lines before this day or time')
    .action((filters: Record<string, string>) => run((context) => list(context, filters)));
  audit
    .command('verify')
    .description(
      'verify the hash chain from the first line to the last; names a line that was changed or removed',
    )
    .option('--file <file>', 'verify an exported file instead of the log')
    .option('--seen <head>', 'the end that an earlier verify printed: the log must still contain it')
    .action(({ file, seen }: { file?: string; seen?: string }) => {
      if (seen !== undefined && !HEAD.test(seen))
        throw new CommandError(
          '--seen must be an end as verify prints it: a number, a colon and 64 hex digits.',
        );
      if (file === undefined) return run((context) => verify(linesOf(context.api.get), { ...context, seen }));
      const { json } = program.opts<{ json?: boolean }>();
      const writeOut = (line: string) => audit.configureOutput().writeOut?.(`${line}\n`);
      const answer = (value: object) => json && writeOut(JSON.stringify(value));
      return verify(linesOfFile(file), { seen, print: json ? () => {} : writeOut, answer });
    });
  audit
    .command('export')
    .description('print every line, oldest first: its hash, a space, and the JSON text that is hashed')
    .action(() =>
      run(async (context) => {
        for await (const { hash, line } of linesOf(context.api.page)) context.write(`${hash} ${line}`);
      }),
    );
}

const HEAD = /^\d+:[0-9a-f]{64}$/;
const LISTED_MAX = 100;

async function list({ api, print }: Context, filters: Record<string, string>): Promise<void> {
  const asked = { ...filters, per_page: LISTED_MAX };
  const { data, pagination } = await api.get<z.output<typeof auditList>>('audit/lines', asked);
  for (const { at, actor, action, subject, detail } of data)
    print(`${at}  ${actor}  ${action}  ${subject}  ${JSON.stringify(detail)}`);
  if (pagination.total_items > data.length)
    print(
      `These are the newest ${data.length} of ${pagination.total_items}: narrow them with --from and --to`,
    );
}

type Lines = AsyncGenerator<AuditLine, AuditHead | null>;

/** Reads up to the end that the first answer names, because reading adds lines. Returns that end. */
async function* linesOf(get: Context['api']['get']): Lines {
  let head: AuditHead | null = null;
  for (let after = 0; head === null || after < head.id; ) {
    const page: Page = await get<Page>('audit', { after });
    head ??= page.head;
    const { id: end } = head;
    const lines = page.lines.filter(({ id }) => id <= end);
    yield* lines;
    const last = lines.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  return head;
}

async function* linesOfFile(file: string): Lines {
  for (const text of (await readFile(file, 'utf8')).split('\n').filter((one) => one !== '')) {
    const [, hash = '', line = '', id = ''] = /^([0-9a-f]{64}) (\[(\d+), .*)$/s.exec(text) ?? [];
    if (id === '') throw new CommandError('This file is not an export of the audit log.');
    yield { id: Number(id), line, hash };
  }
  return null;
}

async function verify(lines: Lines, asked: Pick<Context, 'print' | 'answer'> & { seen: string | undefined }) {
  const { print, answer, seen } = asked;
  const check = createChainCheck();
  let isSeen = seen === undefined;
  const end = (breach: string | null) => {
    const head = check.last();
    answer({ done: true, lines: head.id, head, breach });
  };
  const refuse = (breach: string | null) => {
    if (breach === null) return;
    end(breach);
    throw new CommandError(`The audit log was changed: ${breach}.`);
  };
  for (;;) {
    const { done, value } = await lines.next();
    if (done) {
      refuse(value && check.endsAt(value));
      break;
    }
    refuse(check.take(value));
    isSeen ||= seen === `${value.id}:${value.hash}`;
  }
  if (!isSeen) throw new CommandError(`The chain does not contain ${seen}, so the log was rewritten.`);
  end(null);
  const { id, hash } = check.last();
  print(`${id} lines are unchanged; the end is ${id}:${hash}`);
}
