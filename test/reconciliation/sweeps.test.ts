// tests: slow
import assert from 'node:assert/strict';
import type { Imported } from '../../src/reconciliation/import.ts';
import { createMerchant } from '../support/merchant.ts';
import { driftOf, importOf, type Move, statementOf } from '../support/statements-of-accounts.ts';
import { useReconciliation } from './desk.ts';
import { textOf } from './lines.ts';

const HOUR_MS = 3_600_000;

type Step = readonly [of: 'wallet' | 'bank', hoursAgo: number, ...moves: Move[]];

const out = { receipt: 'S1', amount: -5_000, kind: 'sweep', sweepTo: 'bank' } as const;
const second = { ...out, receipt: 'S2' };
const into = { receipt: 'B1', amount: 5_000, kind: 'sweep', sweepTo: 'm-pesa' } as const;
const stranger = { receipt: 'X', amount: 5_000, kind: 'unknown' } as const;
const none: Step[] = [
  ['wallet', 100],
  ['bank', 100],
];
const halves: Record<string, Move> = {
  out,
  second,
  elsewhere: { ...out, sweepTo: 'nobody' },
  into,
  another: { ...into, receipt: 'B2' },
  nameless: { ...into, sweepTo: null },
  alike: { ...into, sweepTo: null, receipt: 'B2' },
  stranger,
};

/**
 * By what the sweep is: of which account each statement is, how many hours ago, and its lines; `=>` how many lines of each came
 * to what; `=>` how many transfers there are between two accounts of ours; `=>` account, class and receipt of what is open.
 */
const stories: Record<string, string> = {
  'that began before the first statement of the other account is there once':
    'wallet 100, wallet 90 out, bank 80 into => |sweep 1|sweep 1 => 1',
  'that took longer than the grace is found by the account that it names and its amount':
    'wallet 100, bank 100, wallet 90 out, bank 20 into => ||sweep 1|sweep 1 => 1',
  'is found by a half that names no account':
    'wallet 100, bank 100, wallet 90 out, bank 80 nameless => ||sweep 1|sweep 1 => 1',
  'to an account that is none of ours is theirs':
    'wallet 90 elsewhere => theirs_only 1 => 0 => m-pesa theirs_only S1',
  'is not the deposit of a stranger, which is theirs until people say otherwise':
    'wallet 100, bank 100, wallet 90 out, bank 80 stranger into => ||sweep 1|sweep 1, theirs_only 1 => 1 => bank theirs_only X',
  'of two alike, which a line of the other account could both be, is for people':
    'wallet 100, bank 100, wallet 90 out second, bank 80 into => ||sweep 2|theirs_only 1 => 2 => bank ours_only S1, bank ours_only S2, bank theirs_only B1',
  'and one like it, of which the other account shows both, are each one':
    'wallet 100, bank 100, wallet 90 out second, bank 80 into another => ||sweep 2|sweep 2 => 2',
  'takes the half that came first, and named no account':
    'wallet 100, bank 100, bank 90 nameless, wallet 80 out => ||theirs_only 1|sweep 1 => 1',
  'takes none of two halves that came first: people say which':
    'wallet 100, bank 100, bank 90 nameless alike, wallet 80 out => ||theirs_only 2|theirs_only 1 => 0 => bank theirs_only B1, bank theirs_only B2, m-pesa theirs_only S1',
  'takes no deposit that was there first, as no mapping calls it a sweep':
    'wallet 100, bank 100, bank 90 stranger, wallet 80 out => ||theirs_only 1|sweep 1 => 1 => bank theirs_only X',
};

describe('a sweep between two accounts of ours', () => {
  const { test, desk, wallet, bank, lines, lineOf, propose, decide, voided } = useReconciliation();
  const accounts = { wallet, bank };
  let closing = { wallet: 0, bank: 0 };
  let last: Partial<Record<'wallet' | 'bank', Date>> = {};
  beforeEach(async () => {
    await createMerchant(test.database);
    closing = { wallet: 0, bank: 0 };
    last = {};
  });

  /** From where the last statement of the account ends, for an hour. */
  async function step([of, hoursAgo, ...moves]: Step): Promise<Imported> {
    const at = new Date(Date.now() - hoursAgo * HOUR_MS);
    const period = { from: last[of] ?? at, to: new Date(at.getTime() + HOUR_MS) };
    const statement = statementOf(
      accounts[of],
      closing[of],
      moves.map((one, n) => ({ at: new Date(at.getTime() + 60_000 * (n + 1)), ...one })),
    );
    closing[of] = (statement.closing ?? 0) / 100;
    last[of] = period.to;
    return importOf(test.database, accounts[of], { ...statement, period });
  }
  const open = async () =>
    (await lines('--state', 'open')).map((one) => [one.account, one.class, one.receipt]);
  const drifts = async () => [
    (await driftOf(test.database, wallet)) / 100,
    (await driftOf(test.database, bank)) / 100,
  ];
  async function sweeps(): Promise<number> {
    const rows = await test.sql`SELECT count(*)::int AS count FROM transfers WHERE kind = 'sweep'`;
    return rows[0].count;
  }

  for (const [is, row] of Object.entries(stories))
    it(is, async () => {
      const [steps = '', came, count, left = ''] = row.split(' => ');
      const counted: string[] = [];
      for (const one of steps.split(', ')) {
        const [of, hoursAgo, ...names] = one.split(' ');
        const moves = names.map((name) => halves[name] ?? assert.fail(name));
        const { outcome } = await step([of as Step[0], Number(hoursAgo), ...moves]);
        counted.push(textOf(outcome.classes));
      }
      assert.equal(counted.join('|'), came);
      const shown = (await open()).map((one) => one.join(' '));
      assert.equal(shown.sort().join(', '), left);
      assert.equal(await sweeps(), Number(count));
      if (left === '') assert.deepEqual(await drifts(), [0, 0]);
    });

  it('that took the half which came first outlives either statement', async () => {
    for (const one of none) await step(one);
    const wereAt = { ...last };
    const first = await step(['bank', 90, { ...into, sweepTo: null }]);
    const then = await step(['wallet', 80, out]);
    await voided(then.id);
    await voided(first.id);
    assert.equal(await sweeps(), 1);
    last = wereAt;
    closing = { wallet: 0, bank: 0 };
    const again = [await step(['wallet', 80, out]), await step(['bank', 90, { ...into, sweepTo: null }])];
    assert.deepEqual(
      again.map(({ outcome }) => outcome.classes),
      [{ receipt: 1 }, { receipt: 1 }],
    );
    assert.deepEqual([await open(), await drifts()], [[], [0, 0]]);
  });

  it('goes back with the statement that began it, once the other one is void', async () => {
    for (const one of none) await step(one);
    const first = await step(['wallet', 90, out]);
    const then = await step(['bank', 80, into]);
    assert.match(await voided(then.id), /: 0 movements taken back/);
    assert.match(await voided(first.id), /: 1 movement taken back/);
  });

  it('that people bind is the pair that they saw, or nothing', async () => {
    const { accountId: account_id } = await createMerchant(test.database);
    await step(['wallet', 90, { ...out, kind: 'unknown', sweepTo: null }]);
    await step(['bank', 90, stranger]);
    const { id } = await lineOf('S1');
    const asked = await propose(id, 'sweep');
    const { id: x, item, amount_minor: amount } = await lineOf('X');
    assert.match(asked.join('\n'), new RegExp(x));
    const payload = { item, receipt: 'X', amount, currency: 'TZS', note: 'a customer', account_id };
    const { proposal } = (
      await desk.call('asha', 'POST', 'proposals', { action: 'suspense.to-merchant', payload, reason: 'r' })
    ).body;
    await desk.call('juma', 'POST', `proposals/${proposal.id}/approve`, {
      payload_hash: proposal.payload_hash,
    });
    await step(['bank', 80, { ...stranger, receipt: 'Y' }]);
    await assert.rejects(
      desk.approve('juma', asked),
      new RegExp(`${x} is no longer the other half of ${id}`),
    );
    await decide(id, 'sweep');
    assert.deepEqual(await open(), []);
  });

  it('that people bind may be a half which is booked, and which nobody showed', async () => {
    for (const one of none) await step(one);
    await step(['wallet', 90, out, second]);
    await step(['bank', 80, { ...stranger, receipt: 'B1' }]);
    const { id } = await lineOf('B1');
    await assert.rejects(propose(id, 'sweep'), /Both en_\d+ and en_\d+ fit \w+: name/);
    const { halves } = (await desk.call('asha', 'GET', `lines/${id}`)).body;
    assert.deepEqual(halves.map(({ receipt }: { receipt: string }) => receipt).sort(), ['S1', 'S2']);
    const { id: half } = await lineOf('S2');
    await desk.approve('juma', await desk.cli('asha', 'lines', 'sweep', id, '--half', half, '--note', 'n'));
    assert.deepEqual(await open(), [['bank', 'ours_only', 'S1']]);
    assert.deepEqual(await drifts(), [0, 5_000]);
    await decide((await lineOf('S1')).id, 'ours');
  });
});
