import type { z } from 'zod';
import { countOf } from '../../domain/count-of.ts';
import type { importedStatement } from '../api/schemas.ts';
import { CommandError } from './command-error.ts';
import type { To } from './context.ts';
import { segment } from './operator-client.ts';

type Imported = z.output<typeof importedStatement>;

const meanings: Record<string, string> = {
  waiting: 'waiting for a match',
  theirs_only: 'without a match in our books: in suspense',
  differs: 'with another amount than our books: the difference is in suspense',
  twice: 'shown a second time: in suspense',
  changed: 'with another amount or status than before: the day cannot close',
  opening: 'from before the first statement: in suspense',
  charge: 'booked as a charge by a rule',
  net: 'matched, with their charge in the amount',
};

export function addCommands({ program, run }: To): void {
  const statements = program.command('statements').description('statements of networks and banks');
  statements
    .command('import <account> <file>')
    .description('import a statement file as it was downloaded, all of it or nothing')
    .action((account: string, file: string) =>
      run(async ({ api, print }) => {
        const { readFile } = await import('node:fs/promises');
        const bytes = await readFile(file).catch((error: Error) => {
          throw new CommandError(`${file} cannot be read: ${error.message}`);
        });
        const imported = await api.postFile<Imported>(`statements/${segment(account)}/files`, bytes);
        const { statement, repeated, lines, added, known, classes, notes } = imported;
        if (repeated) print('this file was imported before, with this result:');
        print(`${statement}: ${countOf(lines, 'line')}, ${added} new, ${known} known`);
        for (const one of classes)
          print(`  ${countOf(one.lines, 'line')} ${meanings[one.class] ?? `matched (${one.class})`}`);
        for (const note of notes) print(`  ${note}`);
      }),
    );
}
