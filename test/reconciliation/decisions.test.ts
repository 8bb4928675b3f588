// tests: slow
import assert from 'node:assert/strict';
import { statementsAgain } from '../../src/app/cli/recover.ts';
import { minor } from '../../src/domain/money.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { closedDays } from '../../src/reconciliation/closed-days.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { closeFence } from '../../src/transactions/care/fence.ts';
import { handedOver } from '../support/handed-over.ts';
import { createMerchant, mobilePayoutRequest } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { importMoves, importOf, type Move, statementOf } from '../support/statements-of-accounts.ts';
import { useReconciliation } from './desk.ts';

const DAY = 24 * 60;
/** Noon, two days ago, in Dar es Salaam: far from any midnight. */
const noon = () => {
  const now = Date.now();
  const today = Math.floor((now + 3 * 3_600_000) / 86_400_000) * 86_400_000 - 3 * 3_600_000;
  return Math.round((now - (today - 36 * 3_600_000)) / 60_000);
};
const dayAt = (minutesAgo: number) =>
  new Date(Date.now() - minutesAgo * 60_000 + 3 * 3_600_000).toISOString().slice(0, 10);

describe('open items of reconciliation, and days', () => {
  /** What M-Pesa answers to whoever asks for its balance. */
  let balance: () => Promise<string | null> = async () => null;
  const source = { format: 'gsma' as const, page: () => assert.fail(), balance: () => balance() };
  const { test, desk, wallet, bank, json, lines, lineOf, decide, sumOf } = useReconciliation({
    statementSources: new Map([['m-pesa', source]]),
  });
  const shown = (of: typeof wallet, opening: number, moves: Move[]) =>
    importMoves(
      test.database,
      of,
      moves.map((one) => ({ minutes: noon(), ...one })),
      opening,
    );
  const days = async (account: string) => (await json('days', '--account', account)).days;

  it('are decided by two people, until the day is balanced and closed; then it takes nothing more', async () => {
    await shown(wallet, 0, [
      { amount: 1_000, receipt: 'IN', kind: 'funding' },
      { amount: -5, receipt: 'FEE', kind: 'fee' },
      { amount: -200, receipt: 'OUT', kind: 'unknown' },
    ]);
    const day = dayAt(noon());
    assert.deepEqual(pick(await lines(), 'receipt', 'state', 'class'), [
      ['IN', 'open', 'theirs_only'],
      ['OUT', 'open', 'theirs_only'],
    ]);
    const money = {
      opening_minor: 0,
      closing_minor: 79_500,
      clearing_minor: 0,
      unbooked_minor: 79_500,
      unseen_minor: 0,
    };
    const counts = { account: 'm-pesa', day, is_covered: true, lines: 3, matched: 0 };
    assert.deepEqual(await days('m-pesa'), [{ ...counts, state: 'open', booked: 1, open: 2, ...money }]);

    const close = ['days', 'close', 'm-pesa', day, '--reason', 'all is explained'];
    await assert.rejects(desk.cli('asha', ...close), /is open: 2 of its lines and movements are open/);
    const { id } = await lineOf('OUT');
    assert.match((await decide(id, 'charge')).join(), /si_\w+ \(-?200\.00 TZS\) has left suspense/);
    assert.equal(await sumOf('charges'), -20_500, 'the rule booked 5, two people 200');
    assert.equal((await lineOf('OUT', 'decided')).state, 'decided');
    await assert.rejects(decide(id, 'own'), /is decided: there is nothing to decide/);
    await decide((await lineOf('IN')).id, 'own');
    assert.equal(await sumOf('own'), 100_000);
    assert.equal(await sumOf('suspense'), 0);

    assert.deepEqual(await days('m-pesa'), [{ ...counts, state: 'balanced', booked: 3, open: 0, ...money }]);
    await desk.agree(...close);
    assert.equal((await days('m-pesa'))[0].state, 'closed');
    assert.match(
      statementsAgain(await closedDays(test.database)).join('\n'),
      new RegExp(`Import the statements .* again.*\n +${day} of m-pesa is closed`),
      'and recover names it',
    );
    await assert.rejects(desk.cli('asha', ...close), /is closed/);
    await assert.rejects(
      test.sql`INSERT INTO statement_lines (statement_id, account, no, position, key, kind, status, amount, currency, at, day, names)
         SELECT statement_id, account, no, 99, 'k', kind, status, amount, currency, at, day, names FROM statement_lines LIMIT 1`,
      /the day of a line that is added is closed/,
    );
    await desk.agree('days', 'reopen', 'm-pesa', day, '--reason', 'they sent another');
    assert.equal((await days('m-pesa'))[0].state, 'balanced');
    const report = await desk.cli('asha', 'days', 'report', day);
    assert.match(
      report.join('\n'),
      /\| m-pesa \| \S+ \| balanced \| 3 \| 0 \| 3 \| 0 \| 0\.00 \| 795\.00 \|/,
    );
    assert.match(report.join('\n'), /No statement of bank shows this day/);
  });

  it('that are the halves of a sweep leave together, and only where one line can be the other half', async () => {
    await shown(wallet, 1_000, [{ amount: -700, receipt: 'W', kind: 'unknown' }]);
    const { id } = await lineOf('W');
    await assert.rejects(decide(id, 'sweep'), /has no other half/);
    await shown(bank, 0, [{ amount: 700, receipt: 'B', kind: 'unknown' }]);
    await decide(id, 'sweep');
    assert.deepEqual(
      [(await lineOf('W', 'decided')).state, (await lineOf('B', 'decided')).state],
      ['decided', 'decided'],
    );
    await shown(wallet, 300, [{ amount: -100, receipt: 'W2', kind: 'unknown', minutes: noon() - DAY }]);
    await shown(bank, 700, [
      { amount: 100, receipt: 'B2', kind: 'unknown', minutes: noon() - DAY },
      { amount: 100, receipt: 'B3', kind: 'unknown', minutes: noon() - DAY },
    ]);
    await assert.rejects(decide((await lineOf('W2')).id, 'sweep'), /Both ln_\d+ and ln_\d+ fit/);
  });

  it('of ours that they never moved are corrected, once, and their money is an item', async () => {
    const { accountId } = await createMerchant(test.database);
    const first = { amount: 10, receipt: 'B1', at: new Date(Date.now() - 60_000) };
    await importMoves(test.database, bank, [first]);
    const funding = { accountId, amount: minor(300_00), actor: 'test', dedupeKey: 'NEVER' };
    await topUp(test.database, funding);
    assert.ok(!(await lines()).some(({ receipt }) => receipt === 'NEVER'), 'no statement covers its time');
    const second = { amount: 20, receipt: 'B2', at: new Date(Date.now() + 60_000) };
    const next = statementOf(bank, 0, [first, second]);
    await importOf(test.database, bank, next, { now: new Date(Date.now() + 120_000) });
    const { id, class: its } = await lineOf('NEVER');
    assert.equal(its, 'ours_only');
    await assert.rejects(decide(id, 'charge'), /correct our books first/);
    await assert.rejects(decide((await lineOf('B1')).id, 'ours'), /is a line of their statement/);
    const before = await sumOf('settlement');
    assert.match((await decide(id, 'ours')).join(), /no movement: our books are corrected/);
    assert.equal(await sumOf('settlement'), before + 300_00, 'the money is not at the bank');
    await assert.rejects(decide(id, 'ours'), /is decided/);
    assert.ok(!(await lines()).some(({ receipt }) => receipt === 'NEVER'), 'nothing of it is open');
    assert.deepEqual(await test.sql`SELECT amount, is_open FROM suspense_items WHERE receipt = 'NEVER'`, [
      { amount: -300_00, is_open: true },
    ]);
    const [today] = await days('bank');
    assert.equal(today.closing_minor, -today.clearing_minor + today.unbooked_minor - today.unseen_minor);
    assert.deepEqual([today.closing_minor, today.unseen_minor], [30_00, 0], 'both make up for each other');

    // They made it after all, and took it back: neither line is the movement that was corrected, or its correction.
    const late = [
      { amount: 300, receipt: 'NEVER', kind: 'funding' as const },
      { amount: -300, receipt: 'NEVER', kind: 'unknown' as const },
    ].map((one) => ({ ...one, minutes: -2 }));
    const whole = statementOf(bank, 0, [first, second, ...late]);
    const { outcome } = await importOf(test.database, bank, whole, { now: new Date(Date.now() + 180_000) });
    assert.deepEqual(outcome.classes, { theirs_only: 2 });

    await test.sql`ALTER TABLE line_matches DISABLE TRIGGER USER`;
    const undone = '(SELECT undoes FROM entries WHERE undoes IS NOT NULL)';
    await test.database.query(
      `INSERT INTO line_matches (entry_id, line_id, pass) SELECT ${undone}, id, 'receipt' FROM statement_lines WHERE receipt = 'B1' AND NOT is_void LIMIT 1`,
    );
    assert.match(
      (await checkInvariants(test.database)).join(),
      /line \d+ shows entry \d+, which entry \d+ undoes/,
    );
    await test.database.query(`DELETE FROM line_matches WHERE entry_id = ${undone}`);
  });

  it('and a top-up of the same bank reference are never both booked, whichever comes first', async () => {
    const { accountId } = await createMerchant(test.database);
    const toppedUp = (reference: string, amount: number) => ({
      action: 'accounts.top-up',
      payload: { account_id: accountId, amount: amount * 100, currency: 'TZS', reference },
      reason: 'the bank says so',
    });
    const proposed = async (reference: string, amount: number) =>
      (await desk.call('asha', 'POST', 'proposals', toppedUp(reference, amount))).body.proposal;
    const approved = ({ id, payload_hash }: { id: string; payload_hash: string }) =>
      desk.call('juma', 'POST', `proposals/${id}/approve`, { payload_hash });
    const before = await proposed('CRDB 1', 900);
    await shown(bank, 0, [
      { amount: 900, receipt: 'CRDB 1', kind: 'funding' },
      { amount: 30, receipt: 'CRDB 3', kind: 'funding' },
    ]);
    for (const typed of ['CRDB 3', 'crdb3', ' Crdb-3 ']) {
      const refused = await desk.call('asha', 'POST', 'proposals', toppedUp(typed, 30));
      assert.equal(refused.status, 409, typed);
      assert.match(
        refused.body.message,
        /is line ln_\d+ of bank on \S+, in suspense as si_\w+: release that item/,
      );
    }
    const late = await approved(before);
    assert.match(JSON.stringify(late.body), /is line ln_\d+ of bank/, 'also when it is approved');
    assert.equal((await sumOf('settlement')) + (await sumOf('clearing')), -930_00, 'it is booked once');

    assert.equal((await approved(await proposed('CRDB 2', 50))).body.proposal.state, 'executed');
    await shown(bank, 930, [{ amount: 50, receipt: 'CRDB 2', kind: 'funding', minutes: noon() - DAY }]);
    assert.equal((await lineOf('CRDB 2', 'matched')).state, 'matched');
    assert.equal((await sumOf('settlement')) + (await sumOf('clearing')), -980_00, 'and so is this');
    assert.match(
      (await desk.call('asha', 'POST', 'proposals', toppedUp('crdb 2', 50))).body.message,
      /crdb 2 was posted before/,
    );
    const again = { accountId, amount: minor(50_00), actor: 'test', dedupeKey: 'crdb-2' };
    assert.equal(await topUp(test.database, again), false);
    await decide((await lineOf('CRDB 3')).id, 'own');
    const { message } = (await desk.call('asha', 'POST', 'proposals', toppedUp('CRDB 3', 30))).body;
    assert.match(message, /is line ln_\d+ of bank on [\d-]+: nothing moved/, 'its item has left');
  });

  it('are shown to no viewer, and decided as they were seen, and not before recover has run', async () => {
    await shown(wallet, 0, [{ amount: -40, receipt: 'X', kind: 'unknown' }]);
    const { id } = await lineOf('X');
    const asked = {
      action: 'lines.charge',
      payload: { line: id, amount: -4_000, currency: 'TZS', note: 'n' },
      reason: 'r',
    };
    assert.equal((await desk.call('only-viewer', 'GET', 'lines')).status, 403);
    const wrong = { ...asked, payload: { ...asked.payload, amount: -4_001 } };
    assert.match((await desk.call('asha', 'POST', 'proposals', wrong)).body.message, /look at it again/);
    const { proposal } = (await desk.call('asha', 'POST', 'proposals', asked)).body;
    assert.match(
      proposal.summary,
      /-40\.00 TZS of m-pesa on \S+ \(unknown, X\) is a charge of the network or bank/,
    );
    assert.deepEqual(proposal.facts[0].after, 'a charge of the network or bank');
    const approve = (as: string) =>
      desk.call(as, 'POST', `proposals/${proposal.id}/approve`, { payload_hash: proposal.payload_hash });
    await closeFence(test.database, 'a test');
    const { body } = await approve('juma');
    assert.equal(body.proposal?.state ?? body.code, 'failed', JSON.stringify(body));
    assert.equal(await sumOf('charges'), 0);
  });

  it('have every charge, and every item of a line, found by the check where their line is gone', async () => {
    await shown(wallet, 0, [
      { amount: -5, receipt: 'F', kind: 'fee' },
      { amount: 70, receipt: 'G', kind: 'unknown' },
    ]);
    const rows = await test.sql`SELECT * FROM line_matches`;
    await test.sql`ALTER TABLE line_matches DISABLE TRIGGER USER`;
    await test.sql`DELETE FROM line_matches`;
    const breaches = await checkInvariants(test.database);
    assert.match(breaches.join('\n'), /line:\d+ \(charge\) belongs to no line of a statement/);
    assert.match(breaches.join('\n'), /line:\d+ \(suspense\) belongs to no line of a statement/);
    for (const { entry_id, line_id, pass } of rows)
      await test.sql`INSERT INTO line_matches (entry_id, line_id, pass)
        VALUES (${entry_id}, ${line_id}, ${pass})`;
  });

  it('say what networks have, what is promised of it and when it runs dry', async () => {
    await shown(wallet, 20_000, [{ amount: -100, receipt: 'Y', kind: 'unknown' }]);
    await handedOver(test.database, mobilePayoutRequest(), { balance: 100_000 });
    const { accounts } = await json('float');
    const { promised_minor, says_minor, says_at, ...rest } = accounts.find(
      (one: { account: string }) => one.account === 'm-pesa',
    );
    assert.deepEqual([says_minor, promised_minor > 0, typeof says_at], [19_900_00, true, 'string']);
    assert.deepEqual(Object.keys(rest), ['account', 'scheduled_minor', 'mean_24h_minor', 'dry_at']);
    balance = async () => '19,850.00';
    const now = async () => (await json('float')).accounts[0];
    assert.deepEqual([(await now()).account, (await now()).balance_minor], ['m-pesa', 19_850_00]);
    balance = () => Promise.reject(new Error('HTTP 503'));
    assert.equal((await now()).balance_minor, undefined);
    const unread = accounts.find((one: { account: string }) => one.account === 'bank');
    assert.deepEqual([unread.says_minor, unread.dry_at], [null, null]);
  });
});
