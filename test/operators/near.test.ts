import assert from 'node:assert/strict';
import { variantsOf } from '../../src/operators/search/near.ts';
import { createDeskClient } from '../support/desk-client.ts';
import { moneyInSuspense } from '../support/desk-money.ts';
import { accepted, handedOver } from '../support/handed-over.ts';
import { billRequest, createMerchant, pushRequest } from '../support/merchant.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';

describe('what is nearly what is looked for', () => {
  const { test, desk } = useOperatorDesk();
  type Near = { what: string; text: string };
  const find = async (text: string) => {
    const { status, body } = await desk.call('asha', 'GET', `find?q=${encodeURIComponent(text)}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as { data: unknown[]; near: Near[]; looked_for: string[] };
  };
  const near = async (text: string) => (await find(text)).near;

  it('is one letter too much, one missing, one wrong, or two neighbours swapped', () => {
    const variants = new Set(variantsOf('abc', 'abx'));
    for (const one of ['ab', 'ac', 'bc', 'xabc', 'abcx', 'axbc', 'abx', 'axc', 'bac', 'acb'])
      assert.ok(variants.has(one), one);
    for (const one of ['abc', 'a', 'cba', 'abcd']) assert.ok(!variants.has(one), one);
  });

  it('is a phone number, of a transaction or of who paid a bill', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000, '255754555001'));
    for (const typed of ['0754 555 010', '0754 555 002', '075455501', '07545550011', '+255 754 555 101'])
      assert.deepEqual(await near(typed), [{ what: 'phone number', text: '0754555001' }], typed);
    assert.deepEqual(await near('0754 555 999'), []);
    const rows = await test.sql`SELECT detail FROM audit_log WHERE action = 'call.find' AND detail ? 'read'
      ORDER BY id DESC LIMIT 1`;
    assert.deepEqual(rows[0].detail.read, [id], 'the audit log has whose number was shown');
  });

  it('is a control number, a reference, a receipt, an id, or a name of a merchant', async () => {
    const bill = await accepted(test.database, billRequest());
    const push = await handedOver(test.database, pushRequest(5_000, '255754555777'));
    await test.sql`UPDATE transactions SET channel_reference = ${'QK90ABCDEF'} WHERE id = ${push.id}`;
    const rows = await test.sql`SELECT control_number FROM bills WHERE transaction_id = ${bill.id}`;
    const [number, reference] = [String(rows[0].control_number), String(push.reference)];
    const wrong = number.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
    assert.deepEqual(await near(wrong), [{ what: 'control number', text: number }]);
    assert.deepEqual(await near(reference.replace(/.$/, '')), [{ what: 'reference', text: reference }]);
    assert.deepEqual(await near('qk90abcdfe'), [{ what: 'receipt', text: 'QK90ABCDEF' }]);
    const id = push.id.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    assert.deepEqual(await near(id), [{ what: 'id of a transaction', text: push.id }]);
    const { item } = await moneyInSuspense(test.database, {
      name: 'Duka la Zuhura',
      receipt: 'QK91SUSPENSE',
    });
    assert.deepEqual(await near('QK91SUSPENCE'), [{ what: 'receipt', text: 'QK91SUSPENSE' }]);
    assert.deepEqual(await near(item.slice(0, -1)), [{ what: 'item in suspense', text: item }]);
    assert.deepEqual(await near('duka zuhuro'), [{ what: 'merchant', text: 'Duka la Zuhura' }]);
  });

  it('is asked for only where nothing is found, which says as what it was looked for', async () => {
    const found = await find('0754 555 001');
    assert.equal(found.data.length, 1);
    assert.deepEqual([found.near, found.looked_for], [[], []]);
    const { looked_for } = await find('nothing of the kind');
    assert.ok(looked_for.includes('payment number') && looked_for.includes('name of a merchant'));
    assert.ok(!looked_for.includes('phone number'), 'this is none');
    assert.ok((await find('0754 999 999')).looked_for.includes('phone number'));
  });

  it('leads on at the desk and is said on the command line', async () => {
    const client = createDeskClient(desk.url);
    await client.signIn(desk.tokens.asha ?? '');
    const { text } = await client.get('/desk?q=0754555002');
    assert.match(text, /Was one of these meant\?.*<a href="\/desk\?q=0754555001">0754555001<\/a>/s);
    assert.match(text, /It was searched as .*phone number/);
    await assert.rejects(
      desk.cli('asha', 'find', '0754555002'),
      /Did you mean 0754555001 \(phone number\)\?/,
    );
  });

  it('is nothing for what would take long to look for, or is no text of ours', async () => {
    await createMerchant(test.database);
    for (const text of ['x', 'x'.repeat(200), '💥💥💥💥💥💥💥', "';DROP TABLE accounts", '%%%%%%%%'])
      assert.deepEqual(await near(text), [], text);
  });
});
