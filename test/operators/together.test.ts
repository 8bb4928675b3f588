// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import type { SuspenseItem } from '../../src/ledger/suspense.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import { unagreedTransfers } from '../../src/reconciliation/agreed-transfers.ts';
import { actions } from '../support/actions.ts';
import { asRole } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { by } from '../support/finance.ts';
import { openSuspenseDesk } from './suspense-desk.ts';

const BALANCE = 1_000_000_00;

describe('equal items that are answered together', () => {
  const desk = openSuspenseDesk();
  const { suspended, writeOff, approve, itemOf, onAccount } = desk;
  const proposals = () =>
    createProposals({ database: asRole(desk.database, 'api'), actions, fourEyes: true });
  const together = (way: string, items: readonly unknown[]) =>
    proposals().propose(
      { action: 'suspense.together', payload: { way, items, note: 'all of one fault' }, reason: 'r' },
      by('asha'),
    );
  const some = async (count: number) => {
    const made: Awaited<ReturnType<typeof suspended>>[] = [];
    while (made.length < count) made.push(await suspended());
    return made;
  };
  const ids = (made: readonly { item: SuspenseItem }[]) => made.map(({ item }) => item.id);
  const kinds = async (made: readonly { item: SuspenseItem }[]) =>
    Promise.all(made.map(async ({ item }) => (await itemOf(item)).release?.kind ?? 'open'));

  for (const [way, kind, change] of [
    ['to-merchant', 'suspense_release', 500_00],
    ['write-off', 'write_off', 0],
  ] as const)
    it(`leave by one proposal (${way}), each with its own lines of the books and of the audit log`, async () => {
      const made = await some(3);
      const before = await onAccount('suspense');
      const proposed = await together(way, ids(made));
      assert.match(proposed.summary, /^3 items, 1,500\.00 TZS in all, to leave suspense/);
      assert.equal(proposed.facts.length, 3);
      for (const { item } of made)
        assert.match(JSON.stringify(proposed.facts), new RegExp(`${item.id}.*receipt ${item.receipt}`));
      const { proposal } = await approve(proposed);
      assert.equal(proposal.state, 'executed', proposal.outcome ?? '');
      assert.deepEqual(await kinds(made), [kind, kind, kind]);
      assert.equal(await onAccount('suspense'), before - 1_500_00);
      for (const { item, merchant } of made) {
        const { current } = await balanceOf(desk.database, merchant.accountId, 'TZS');
        assert.equal(current, BALANCE + change);
        const { rows } = await desk.database.query(
          'SELECT detail FROM audit_log WHERE action = $1 AND subject = $2',
          [`suspense.${way}`, item.id],
        );
        assert.deepEqual(
          rows.map(({ detail }) => detail.proposal),
          [proposal.id],
        );
      }
      assert.deepEqual(await unagreedTransfers(desk.database, 'all'), [], 'ledger check finds who agreed');
    });

  it('go back to their payers, and each payout begins after the commit', async () => {
    const made = await some(2);
    const proposed = await together('to-payer', ids(made));
    const { proposal, also = [] } = await approve(proposed);
    assert.equal(proposal.state, 'executed', proposal.outcome ?? '');
    assert.deepEqual(await kinds(made), ['payback', 'payback']);
    assert.equal(also.filter(({ begin }) => begin).length, 2);
  });

  it('stay, all of them, where one has left since', async () => {
    const made = await some(3);
    const proposed = await together('to-merchant', ids(made));
    const [first] = made.toSorted((a, b) => (a.item.id < b.item.id ? 1 : -1));
    assert.ok(first);
    await approve(await writeOff(first.item));
    const before = await onAccount('suspense');
    const { proposal } = await approve(proposed);
    assert.deepEqual(
      [proposal.state, proposal.outcome],
      ['failed', `${first.item.id} has left suspense already`],
    );
    assert.deepEqual((await kinds(made)).toSorted(), ['open', 'open', 'write_off']);
    assert.equal(await onAccount('suspense'), before);
  });

  it('are not proposed where one is not as it was seen, nor without items, with one twice, or with 51', async () => {
    const made = await some(2);
    const [one, two] = made;
    assert.ok(one && two);
    const { id: item, receipt } = two.item;
    for (const [seen, what] of [
      [{ amount: 400_00 }, 'amount'],
      [{ receipt: 'R-1' }, 'receipt'],
      [{ currency: 'USD' }, 'currency'],
      [{ movement: randomUUID() }, 'movement'],
    ] as const)
      await assert.rejects(
        together('write-off', [one.item.id, { item, receipt, ...seen }]),
        new RegExp(`changed since you looked at it \\(${what}\\)`),
      );
    const many = Array.from({ length: 51 }, (_, at) => `si_${at}`);
    for (const wrong of [[], [item, item], many])
      await assert.rejects(together('write-off', wrong), /items must name 1 to 50 items, each once/);
    const { item: foreign } = await suspended({ currency: 'USD', amount: minor(5_00) });
    await assert.rejects(together('write-off', [item, foreign.id]), /different currencies/);
  });

  it('leave once, when two proposals over them are approved at the same moment', async () => {
    const made = await some(3);
    const before = await onAccount('suspense');
    const both = [await together('write-off', ids(made)), await together('to-merchant', ids(made).reverse())];
    const all = await Promise.all(both.map((one) => approve(one)));
    assert.deepEqual(all.map(({ proposal }) => proposal.state).toSorted(), ['executed', 'failed']);
    assert.equal(new Set(await kinds(made)).size, 1);
    assert.equal(await onAccount('suspense'), before - 1_500_00);
  });

  it('leave all or none, once, when the connection breaks in the middle of the approval', async () => {
    const whole = failingDatabase(asRole(desk.database, 'api'), { at: 0, answerLost: false });
    await approve(await together('to-merchant', ids(await some(2))), whole.database);
    assert.ok(whole.statements() > 20, `${whole.statements()}`);
    for (let at = 1; at <= whole.statements(); at += 3) {
      const made = await some(2);
      const before = await onAccount('suspense');
      const proposed = await together('to-merchant', ids(made));
      const failing = failingDatabase(asRole(desk.database, 'api'), { at, answerLost: at % 2 === 0 });
      await assert.rejects(approve(proposed, failing.database), ConnectionLost);
      assert.deepEqual(await kinds(made), ['open', 'open'], `at ${at}`);
      await approve(proposed);
      assert.equal(await onAccount('suspense'), before - 1_000_00, `at ${at}`);
    }
  }).timeout(60_000);
});
