import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Cause } from '../../src/domain/ending.ts';
import type { SuspenseItem } from '../../src/ledger/suspense.ts';
import { presentCase } from '../../src/operators/api/present-case.ts';
import { linesOfCase } from '../../src/operators/cli/show-case.ts';
import { find } from '../../src/operators/search/find.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { nameItem } from '../support/item-names.ts';
import { pick } from '../support/pick.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { plansWithoutScans } from '../support/watched.ts';
import { openSuspenseDesk } from './suspense-desk.ts';

const failed: Cause = { kind: 'answer', result: failure('recipient_not_found') };

describe('finding money of suspense that goes back to its payer', () => {
  const desk = openSuspenseDesk();
  const search = (text: string) => find(desk.database, text);
  async function agreed(): Promise<{ id: string; item: SuspenseItem }> {
    const { item } = await desk.suspended();
    const { begin } = await desk.approve(await desk.toPayer(item));
    assert.ok(begin);
    return { id: begin, item };
  }

  it('knows it by the payer’s number, the channel’s receipt and its item, which it shows', async () => {
    const { id, item } = await agreed();
    await tryToEnd(desk.database, id, { kind: 'answer', result: succeeded(500, 'PBK77') });
    for (const text of ['0754123456', 'pbk77', item.id]) {
      const hit = (await search(text)).items.find(({ transaction }) => transaction.id === id);
      assert.ok(hit, text);
      assert.deepEqual(pick(hit.items, 'id'), [item.id]);
      assert.match(hit.explained.money[1] ?? '', new RegExp(`item ${item.id}\\) goes back to the payer`));
      assert.equal(hit.explained.situation, 'succeeded');
    }
  });

  it('does not take its item for odd money of its own when it fails', async () => {
    const { id } = await agreed();
    await tryToEnd(desk.database, id, failed);
    const [hit] = (await search(id)).items;
    assert.equal(hit?.explained.situation, 'failed');
    assert.match(hit?.explained.money[1] ?? '', /waits in suspense/);
  });

  it('shows it as the service’s own, on the command line, too', async () => {
    const { id } = await agreed();
    const [hit] = (await search(id)).items;
    assert.ok(hit);
    const presented = JSON.parse(JSON.stringify({ ...presentCase(hit, () => null), metadata: {} }));
    const shown = linesOfCase(presented).join('\n');
    assert.match(shown, /merchant {2}none: it belongs to the service\n/);
    assert.doesNotMatch(shown, /null/);
  });

  it('knows an item by the number that its channel named later, of a transaction and of none', async () => {
    const own = (await desk.suspended()).item;
    const nobodys = (await desk.suspended({ transactionId: null, receipt: randomUUID() })).item;
    await nameItem(desk.database, own.id, 'LATER1');
    await nameItem(desk.database, nobodys.id, 'LATER2');
    assert.deepEqual(
      (await search('later1')).items.map(({ transaction }) => transaction.id),
      [own.transactionId],
    );
    assert.deepEqual(pick((await search('later2')).others, 'id'), [nobodys.id]);
  });

  it('looks into indexes by what is asked for, not through them', async () => {
    const plans = await plansWithoutScans(desk.database, async (database) => {
      for (const text of ['0754123456', 'LATER1', 'si_1']) await find(database, text);
    });
    for (const what of [/account_id IS NULL/, /plain = ANY/]) {
      const asked = plans.filter((plan) => what.test(plan));
      assert.ok(asked.length >= 2, `${what}`);
      for (const plan of asked) assert.match(plan, /Index Cond: \(+(account_id IS NULL|plain = )/);
    }
  });
});
