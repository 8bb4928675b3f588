import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const textsOf = (folder: string, ending: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => ({ file, text: readFileSync(path.join(root, folder, file), 'utf8') }));
const folderOf = (file: string) => file.split(path.sep)[0] ?? '';

/** Which folders write a table, and which tables a file reads: the rules of imports cannot see SQL. */
describe('tables and the folders of src/', () => {
  const migrations = textsOf('migrations', '.sql').map(({ text }) => text);
  const tables = new Set(
    [...migrations.join('\n').matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table ?? ''),
  );
  const sources = textsOf('src', '.ts').filter(({ file }) => !file.endsWith('.d.ts'));
  const named = (text: string, keywords: string) =>
    [...text.matchAll(new RegExp(`\\b(?:${keywords})\\s+(?:public\\.)?(\\w+)`, 'g'))]
      .map(([, table]) => table ?? '')
      .filter((table) => tables.has(table));
  const writers = new Map<string, Set<string>>();
  const given = (text: string) =>
    [...text.matchAll(/\b(?:insert|insertMany|update)\(\s*\w+,\s*'(\w+)'/g)]
      .map(([, table]) => table ?? '')
      .filter((table) => tables.has(table));
  for (const { file, text } of sources)
    for (const table of [...named(text, 'INSERT INTO|UPDATE|DELETE FROM'), ...given(text)])
      writers.set(table, (writers.get(table) ?? new Set()).add(folderOf(file)));

  it('have one writing folder each, but for two', () => {
    assert.ok(writers.size > 40, `${writers.size} tables are written`);
    const shared = [...writers].filter(([, folders]) => folders.size > 1);
    assert.deepEqual(
      Object.fromEntries(shared.map(([table, folders]) => [table, [...folders].sort()])),
      // A row that proves nothing is told of where it is read (src/platform/db/proofs.ts).
      // An address that takes nothing is disabled, and a person is told, in the transaction that notes the attempt.
      {
        api_keys: ['accounts', 'callbacks'],
        attention: ['callbacks', 'platform', 'transactions'],
      },
    );
  });

  it('let the ledger post without a look at what is above it, but for the guard of suspense', () => {
    const above = (table: string) => !writers.get(table)?.has('ledger');
    const reads = sources
      .filter(({ file }) => folderOf(file) === 'ledger')
      .map(
        ({ file, text }) => [path.basename(file), new Set(named(text, 'FROM|JOIN').filter(above))] as const,
      )
      .filter(([, read]) => read.size > 0)
      .map(([file, read]) => [file, [...read].sort()]);
    assert.deepEqual(Object.fromEntries(reads), {
      // Which payment a push of a page was.
      // Which line it is that something came back, and our reference.
      'booked.ts': ['bill_receipts', 'line_matches', 'statement_lines', 'transactions'],
      // Whether the name of an item is free.
      'line-decisions.ts': ['bill_receipts'],
      // And whether a line may go over to another movement.
      'line-postings.ts': ['closed_days', 'line_matches', 'statement_lines'],
      // The lines that merchants read name receipts, each of a part of a bill.
      'statement.ts': ['bill_receipts', 'numbers', 'transactions'],
      // Over which an amount came that nobody could read.
      'suspense-postings.ts': ['bill_receipts', 'transactions'],
      // Who looks at an item reads the rest.
      'suspense.ts': ['proposals', 'transactions'],
    });
  });
});
