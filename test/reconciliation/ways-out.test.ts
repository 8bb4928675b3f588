// tests: slow
import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { patternOf } from '../../src/reconciliation/suggestions.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { driftOf, importMoves, importOf, statementOf } from '../support/statements-of-accounts.ts';
import { useReconciliation } from './desk.ts';

const DAY = 24 * 60;

describe('the way out of each open line', () => {
  const { test, desk, wallet, bank, lines, lineOf, propose, decide, sumOf } = useReconciliation();
  const paid = async (shillings: number, receipt: string) => {
    const { id } = await handedOver(test.database, pushRequest(shillings), { balance: 0 });
    const result = succeeded(shillings, receipt);
    await answered(test.database, id, result);
    return id;
  };

  it('that differs is the difference: it is what is shown, decided and moved', async () => {
    await paid(1_000, 'R1');
    await importMoves(test.database, wallet, [{ receipt: 'R1', amount: 900 }]);
    const { id, amount_minor, item_amount_minor } = await lineOf('R1');
    assert.deepEqual([amount_minor, item_amount_minor], [900_00, -100_00]);
    await importMoves(test.database, bank, [{ receipt: 'B', amount: -900, kind: 'unknown' }]);
    await assert.rejects(
      propose(id, 'sweep'),
      /has no other half: no other account has an open line of 100\.00 TZS/,
    );
    const asked = {
      action: 'lines.charge',
      payload: { line: id, amount: -100_00, currency: 'TZS', note: 'n' },
      reason: 'r',
    };
    const { proposal } = (await desk.call('asha', 'POST', 'proposals', asked)).body;
    assert.match(proposal.summary, /^-100\.00 TZS, by which a line of 900\.00 TZS differs, of m-pesa/);
    await decide(id, 'charge');
    assert.deepEqual([await sumOf('charges'), await sumOf('suspense')], [-100_00, -900_00]);
  });

  it('of an account whose lines are net is a charge inside, up to the ceiling', async () => {
    const net = { ...wallet, isNet: true, chargeCeiling: minor(15_00) };
    for (const receipt of ['R1', 'R2', 'R3', 'R4']) await paid(1_000, receipt);
    const { outcome } = await importMoves(test.database, net, [
      { receipt: 'R1', amount: 990 },
      { receipt: 'R2', amount: 990 },
      { receipt: 'R3', amount: 1_005 },
      { receipt: 'R4', amount: -1_000, kind: 'payment' },
    ]);
    assert.deepEqual(outcome.classes, { differs: 3, net: 1 });
    assert.equal(await sumOf('charges'), -10_00);
    assert.equal(await driftOf(test.database, net), 0);
  });

  it('that was told otherwise before: the first word stands, or the wrong statement is void', async () => {
    const line = { receipt: 'F', amount: -5, kind: 'fee' as const, minutes: DAY };
    const bare = (status: 'done' | 'failed') => {
      const { lines, ...rest } = statementOf(wallet, 0, [{ ...line, status }]);
      return {
        ...rest,
        opening: null,
        closing: null,
        lines: lines.map((one) => ({ ...one, balanceAfter: null })),
      };
    };
    const first = bare('done');
    await importOf(test.database, wallet, first);
    const [known] = first.lines;
    assert.ok(known);
    const otherwise = { ...known, amount: minor(-700), no: 2 };
    const again = { ...first, lines: [known, otherwise] };
    const { id: statement } = await importOf(test.database, wallet, again);
    const { id, class: its } = await lineOf('F');
    assert.equal(its, 'changed');
    await assert.rejects(propose(id, 'charge'), /reported differently before/);
    await decide(id, 'stands');
    assert.deepEqual(await lines(), []);
    await assert.rejects(propose(id, 'stands'), /is decided/);
    await desk.agree('statements', 'void', statement, '--note', 'a list of a test');
    assert.equal(await sumOf('charges'), -5_00);
  });

  it('that was told otherwise before and is part of the proven balance: only a void statement ends it', async () => {
    const line = { receipt: 'F', amount: -5, kind: 'fee' as const };
    await importMoves(test.database, wallet, [{ ...line, minutes: 3 * DAY }]);
    const again = statementOf(wallet, -5, [{ ...line, amount: -7, minutes: DAY }]);
    const { id: statement } = await importOf(test.database, wallet, {
      ...again,
      period: { from: new Date(Date.now() - 3 * DAY * 60_000 + 1), to: new Date() },
    });
    const { id, class: its } = await lineOf('F');
    assert.equal(its, 'changed');
    await assert.rejects(propose(id, 'stands'), /is part of the balance that its statement proves/);
    await desk.agree('statements', 'void', statement, '--note', 'n');
    assert.deepEqual(await lines(), []);
  });

  it('however old it is: it is explained when it comes, and while it waits', async () => {
    const old = 90 * DAY;
    await importMoves(test.database, wallet, [{ receipt: 'OLD', amount: 10, minutes: old }]);
    assert.ok((await lineOf('OLD')).item);
    await desk.approve(
      'juma',
      await desk.cli('asha', 'lines', 'own', (await lineOf('OLD')).id, '--note', 'n'),
    );
    const push = await handedOver(test.database, pushRequest(1_000), { balance: 0 });
    const patient = { ...wallet, graceMs: 1_000 * 86_400_000 };
    const line = { receipt: 'R1', amount: 1_000, reference: push.reference, minutes: old - DAY };
    const { outcome } = await importMoves(test.database, patient, [line], 10);
    assert.deepEqual(outcome.classes, { waiting: 1 });
    assert.deepEqual((await matchAgain(test.database, wallet)).explained, 1, 'its grace is over');
    assert.deepEqual((await matchAgain(test.database, wallet)).explained, 0);
  });

  it('shows a person the transactions that it may be, and takes none', async () => {
    const { id: push } = await handedOver(test.database, pushRequest(1_000), { balance: 0 });
    await handedOver(test.database, mobilePayoutRequest(1_000));
    const rows = await test.sql`SELECT msisdn FROM transactions WHERE id = ${push}`;
    const seen = `${rows[0].msisdn.slice(0, 4)}****${rows[0].msisdn.slice(-3)} - JANE DOE`;
    await importMoves(
      test.database,
      wallet,
      [
        { receipt: 'X', amount: 1_000, party: seen },
        { receipt: 'Y', amount: 1_000, party: `${rows[0].msisdn.slice(0, 4)}****000 - JANE DOE` },
        { receipt: 'Z', amount: 1_000, party: seen, minutes: 40 },
      ].sort((one, other) => (other.minutes ?? 3) - (one.minutes ?? 3)),
    );
    const suggested = async (receipt: string) =>
      (await desk.call('asha', 'GET', `lines/${(await lineOf(receipt)).id}`)).body.suggestions;
    assert.deepEqual(await suggested('X'), [push]);
    assert.deepEqual([await suggested('Y'), await suggested('Z')], [[], []]);
    assert.equal((await lineOf('X')).state, 'open');
  });
});

describe('the digits of a number that a line shows', () => {
  for (const [text, pattern] of [
    ['2547****376 - JANE DOE', null],
    ['255754****376', '255754%376'],
    ['07****376 - JANE', '2557%376'],
    ['0754123456', '255754123456'],
    ['Pay Bill from 255754123456', '255754123456'],
    ['JANE DOE', null],
    ['07****76', null],
    ['Acc. 850060', null],
  ] as const)
    it(text, () => assert.equal(patternOf(text), pattern));
});
