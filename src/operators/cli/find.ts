import type { z } from 'zod';
import type { foundAnswer } from '../api/case-schemas.ts';
import { CommandError } from './command-error.ts';
import type { Context, To } from './context.ts';
import { lineOfCase, linesOfCase } from './show-case.ts';

type Found = z.output<typeof foundAnswer>;

/** "0754 000 149 says he paid": finds money by anything that the caller knows. */
export function addCommands({ program, run }: To): void {
  program
    .command('find <anything...>')
    .description(
      'find money by phone number, receipt, reference, control or payment number, ' +
        'order in metadata, idempotency key, any id, or the name of a merchant',
    )
    .action((words: string[]) => run((context) => find(context, words.join(' '))));
}

/** More matches are printed as one line each: `find <id>` shows one in full. */
const STORIES_MAX = 3;

async function find({ api, print, answer }: Context, anything: string): Promise<void> {
  const found = await api.get<Found>('find', { q: anything });
  const { data, others, merchants, near, looked_for, payments, total, total_is_minimum } = found;
  if (payments !== null) {
    const options = Object.entries(payments).map(([name, value]) => `--${name} ${value}`);
    print(`this is an amount: use payments ${options.join(' ')}`);
  } else if (data.length + others.length + merchants.length === 0) {
    answer(found);
    throw new CommandError(
      [
        `Nothing was found for ${anything}. It was tried as ${looked_for.join(', ')}.`,
        ...near.map(({ what, text }) => `  Did you mean ${text} (${what})?`),
      ].join('\n'),
    );
  }
  for (const { id, name, available, held, currency } of merchants)
    print(`merchant ${name} (${id}): ${available} ${currency} available, ${held} held`);
  for (const { what, id, at, sentence } of others) print(`${what} ${id}, ${at}\n  ${sentence}`);
  if (data.length > STORIES_MAX) {
    print('created  id  amount  merchant  party  state');
    for (const one of data) print(lineOfCase(one));
  } else
    for (const one of data) {
      for (const line of linesOfCase(one)) print(line);
      print(`  found by  ${one.matched.join(', ')}`);
    }
  if (total > data.length)
    print(`these are the newest ${data.length} of ${total_is_minimum ? 'at least ' : ''}${total}`);
}
