// tests: slow
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import type { Movement } from '../../sandbox/simulator/core/book.ts';
import { clockTimeOf, DAY_MS } from '../../src/domain/day.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { useFolder } from '../support/folder.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import type { Merchant } from '../support/merchant.ts';
import { pushRequest } from '../support/merchant.ts';
import { type OperatorDesk, openOperatorDesk } from '../support/operator-desk.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { openSimulator } from '../support/simulator.ts';
import { walletAccount } from '../support/statements-of-accounts.ts';
import { blocksOf, fill } from './runbook.ts';

const PAGE = 'reconciliation.md';
/** Noon of yesterday, or a quarter past. */
const yesterday = clockTimeOf(Date.now() - DAY_MS).slice(0, 10);
const at = (minute: number) => `${yesterday}T12:${String(minute).padStart(2, '0')}:00+03:00`;

describe('a morning with three breaks, by the commands of its page alone', () => {
  const inFolder = useFolder();
  let test: TestDatabase;
  let desk: OperatorDesk;
  let simulator: Simulator;
  const merchants: Record<string, Merchant> = {};

  before(async function () {
    this.timeout(60_000);
    test = await createTestDatabase();
    // Nothing waits for its other side.
    desk = await openOperatorDesk(test.database, {
      accounts: [walletAccount({ theirs: '600100', graceMs: 1 })],
    });
    const bookFile = inFolder('book');
    writeFileSync(bookFile, ['001', '409', '419', '439'].map(movementOf).map(lineOf).join(''));
    simulator = await openSimulator({ bookFile });
    for (const ending of ['001', '409', '419', '439']) merchants[ending] = await paid(ending);
  });
  after(async () => {
    await simulator.close();
    await desk.stop();
    await test.drop();
  });

  const movementOf = (ending: string, index: number): Movement => ({
    reference: `PY00000000000000${ending.slice(-2)}`,
    direction: 'in',
    network: 'm-pesa',
    party: `255754000${ending}`,
    amount: 5_000,
    receipt: `R${ending}`,
    at: at(index),
  });
  const lineOf = (movement: Movement) => `${JSON.stringify({ movement })}\n`;

  /** A push that the simulator's customer paid, and that we were told of. */
  async function paid(ending: string): Promise<Merchant> {
    const { id, merchant } = await handedOver(test.database, pushRequest(5_000, `255754000${ending}`), {
      balance: 10_000,
    });
    const result = succeeded(5_000, `R${ending}`);
    assert.equal((await answered(test.database, id, result)).status, 'completed');
    return merchant;
  }

  /** Runs a block of the page as asha; what another operator types says so. */
  async function follow(number: number, known: Record<string, string>): Promise<string[][]> {
    const seen = { ...known };
    const printed: string[][] = [];
    for (const words of blocksOf(PAGE)[number] ?? assert.fail(`the page has no block ${number}`)) {
      const lines = await desk.cli('asha', ...fill(words, seen));
      printed.push(lines);
      if (words.join(' ') === 'suspense list') seen.item = lines[1]?.split(' ')[0] ?? '';
      const [, proposal, hash] = /proposals approve (\S+) --hash (\S+)$/.exec(lines.join('\n').trim()) ?? [];
      if (proposal && hash) Object.assign(seen, { proposal, hash });
    }
    return printed;
  }

  it('leads from the file to a day that is closed', async function () {
    this.timeout(120_000);
    const tomorrow = clockTimeOf(Date.now() + DAY_MS).slice(0, 10);
    const answer = await fetch(`${simulator.url}/statements/m-pesa.csv?from=${yesterday}&to=${tomorrow}`);
    const file = inFolder('m-pesa.csv');
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));

    const [imported = [], [, ...open] = []] = await follow(0, { file });
    assert.match(
      imported.join('\n'),
      /: 4 lines, 4 new, 0 known\n {2}1 line with another amount than our books/,
    );
    const found = Object.fromEntries(
      open.map((line) => [/ (differs|\w+_only) /.exec(line)?.[1], line.split(' ')[0] ?? '']),
    );
    assert.deepEqual(Object.keys(found).sort(), ['differs', 'ours_only', 'theirs_only']);
    assert.equal(open.length, 3);
    const close = ['days', 'close', 'm-pesa', yesterday, '--reason', 'too early'];
    await assert.rejects(desk.cli('asha', ...close), /are open/);

    await follow(1, { line: found.differs ?? '' });
    await follow(2, { line: found.theirs_only ?? '' });
    await follow(3, { line: found.ours_only ?? '' });
    assert.deepEqual(await desk.rows('asha', 'lines'), []);
    assert.deepEqual(await desk.rows('asha', 'suspense', 'list'), []);

    const [, , closed = [], report = []] = await follow(4, { day: yesterday });
    assert.match(closed.join('\n'), /is closed/);
    assert.match(report.join('\n'), new RegExp(`m-pesa \\| ${yesterday} \\| closed \\| 4 `));
    const missing = merchants['409'] ?? assert.fail();
    const { current } = await balanceOf(test.database, missing.accountId, 'TZS');
    assert.ok(
      current < 10_000_00,
      'the payment that never was is no longer his; its fee is a matter of people',
    );
    assert.deepEqual(await checkInvariants(test.database), []);
  });
});
