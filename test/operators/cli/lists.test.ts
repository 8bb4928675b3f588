import assert from 'node:assert/strict';
import { dayOf } from '../../../src/domain/day.ts';
import json from '../../../src/operators/cli/commands.json' with { type: 'json' };
import { useSignedIn } from '../api/signed-in.ts';

/** Lists of which nothing is planted here: each prints its sentence. */
const EMPTY = ['callbacks list <id>', 'fees statement <id>', 'returns'];

describe('a list or view of the table, at the command line', () => {
  const { desk, money, proposeTopUp, lineId } = useSignedIn();
  let proposal: string;
  before(async () => {
    proposal = await proposeTopUp('asha', 'to look at');
  });

  /** What stands for the placeholder of this command. */
  const idOf = (command: string) => {
    const [noun = ''] = command.split(' ');
    const known: Record<string, string> = {
      suspense: money.item,
      lines: lineId(),
      proposals: proposal,
      operators: 'juma',
    };
    return known[noun] ?? money.accountId;
  };
  const run = (command: string, ...more: string[]) => {
    const words = command.split(' ').map((word) => (/^[<[]/.test(word) ? idOf(command) : word));
    const month = command.startsWith('fees') ? ['--month', dayOf(new Date()).slice(0, 7)] : [];
    return desk.cli('asha', ...words, ...month, ...more);
  };

  for (const { command, columns, member, none } of json.lists)
    it(`${command} prints its columns and what is there, or says that nothing is`, async () => {
      const lines = await run(command);
      const [answer = ''] = await run(command, '--json');
      const isEmpty = JSON.parse(answer)[member].length === 0;
      assert.equal(isEmpty, EMPTY.includes(command));
      if (isEmpty) return assert.ok(lines.includes(none), lines.join('\n'));
      const heads = columns.map(({ head }) => head);
      assert.deepEqual(
        heads.filter((head) => !lines[0]?.includes(head)),
        [],
      );
      assert.ok(lines.length > 1);
    });

  for (const { command, fields } of json.views)
    it(`${command} prints its fields`, async () => {
      const lines = await run(command);
      assert.ok(lines.length > 1, lines.join('\n'));
      for (const line of lines.filter((one) => /^\S/.test(one) && !one.endsWith(':')))
        assert.ok(
          fields.some(({ head }) => line.startsWith(`${head} `)),
          line,
        );
    });
});
