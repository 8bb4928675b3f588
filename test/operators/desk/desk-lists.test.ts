import assert from 'node:assert/strict';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { accept } from '../../support/accept.ts';
import { createDeskClient, type DeskClient } from '../../support/desk-client.ts';
import { moneyInSuspense } from '../../support/desk-money.ts';
import { handedOver } from '../../support/handed-over.ts';
import { createMerchant, pushRequest, refundRequest, submissionFor } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { succeeded } from '../../support/scripted-channel.ts';

describe('lists at the desk', () => {
  const { test, desk } = useOperatorDesk();
  let asha: DeskClient;
  before(async () => {
    asha = createDeskClient(desk.url);
    await asha.signIn(desk.tokens.asha ?? '');
  });
  const page = async (path: string) => {
    const { status, text } = await asha.get(`/desk/${path}`);
    assert.equal(status, 200, text);
    return text;
  };
  const csv = async (path: string) => {
    const text = await page(`${path}${path.includes('?') ? '&' : '?'}format=csv`);
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    return { head, lines };
  };

  it('filters the audit log by who, what, about and day, pages it, and gives it as a file', async () => {
    for (let n = 0; n < 30; n += 1) await desk.call('juma', 'GET', 'me');
    const narrow = 'audit?actor=juma&action=call.whoAmI';
    const first = await page(narrow);
    assert.match(first, /Page 1 of 2, 30 in all/);
    assert.doesNotMatch(first, />call\.readAudit</);
    assert.match(await page(`${narrow}&page=2`), /Page 2 of 2/);
    const { head, lines } = await csv(narrow);
    assert.equal(head, 'Line,When,Day,Who,From,What,About,Detail');
    assert.equal(lines.length, 30);
    for (const line of lines)
      assert.match(line, /,(2\d{3}-\d\d-\d\d)T[\d:.]+\+03:00,\1,operator:juma,127\.0\.0\.1,call\.whoAmI,/);
    assert.equal((await csv('audit?only=&actor=juma&from=2020-01-01&to=2020-01-02')).lines.length, 0);
    assert.equal((await csv(`${narrow}&from=2020-01-01`)).lines.length, 30);
    await desk.call('juma', 'GET', 'proposals/nobody-here');
    assert.equal((await csv('audit?only=&subject=nobody-here')).lines.length, 1);
  });

  it('gives what a person has to look at as a file, with its id and its day', async () => {
    const { head } = await csv('attention');
    assert.equal(head, 'Reason,Id,Amount,Merchant,Party,Since,Day,Age,Detail,What to do,Page');
  });

  it('gives each line of the audit log once, although reading it adds lines', async () => {
    for (let n = 0; n < 210; n += 1)
      await test.database.query("INSERT INTO audit_log (actor, action, subject) VALUES ('test', 'x', 'y')");
    const { lines } = await csv('audit?only=');
    const ids = lines.map((line) => Number(line.split(',')[0]));
    assert.ok(ids.length > 240);
    assert.deepEqual(
      ids,
      ids.map((_, at) => (ids[0] ?? 0) - at),
    );
    assert.equal(ids.at(-1), 1);
  });

  it("filters a merchant's keys by their state, and gives them as a file", async () => {
    const { accountId, apiKeyId: keyId } = await createMerchant(test.database);
    const other = await createMerchant(test.database);
    const at = `merchants/${accountId}/keys`;
    assert.equal((await csv(at)).lines.length, 1);
    assert.match((await csv(`${at}?state=in_use`)).lines[0] ?? '', new RegExp(`^${keyId},`));
    assert.equal((await csv(`${at}?state=revoked`)).lines.length, 0);
    await desk.propose('asha', 'keys.revoke', { key_id: keyId });
    assert.equal((await csv(`${at}?state=in_use`)).lines.length, 0);
    assert.match((await csv(`${at}?state=revoked`)).lines[0] ?? '', new RegExp(`^${keyId},.*,revoked,`));
    assert.doesNotMatch(await page(at), new RegExp(other.apiKeyId));
  });

  it('filters money in suspense by its network, and what goes back by its kind', async () => {
    const { item } = await moneyInSuspense(test.database);
    const { rows } = await test.database.query('SELECT channel FROM suspense_items WHERE id = $1', [item]);
    const other = rows[0].channel === 'airtel-money' ? 'm-pesa' : 'airtel-money';
    assert.match((await csv(`suspense?channel=${rows[0].channel}`)).lines.join(), new RegExp(item));
    assert.deepEqual((await csv(`suspense?channel=${other}`)).lines, []);
    const mode = async (asked: string) => (await csv(`returns?mode=${asked}`)).lines.length;
    assert.deepEqual([await mode('refund'), await mode('payback')], [0, 0]);
    const { id, merchant } = await handedOver(test.database, pushRequest(5_000));
    await tryToEnd(test.database, id, { kind: 'answer', result: succeeded(5_000) });
    await accept(test.database, submissionFor(merchant, refundRequest(id)));
    assert.deepEqual([await mode('refund'), await mode('payback')], [1, 0]);
    assert.match((await csv('returns')).lines[0] ?? '', /refund/);
  });

  it('filters operators by their role and networks by their state, and gives them as files', async () => {
    const all = (await csv('operators')).lines;
    const viewers = (await csv('operators?role=viewer')).lines;
    assert.ok(viewers.length > 0 && viewers.length < all.length);
    for (const line of viewers) assert.match(line, /viewer/);
    assert.equal((await csv('networks?state=down')).lines.length, 0);
    await desk.cli('asha', 'channels', 'close', 'm-pesa', '--services', 'payments', '--reason', 'ticket 9');
    const [closed = '', ...more] = (await csv('networks?state=down')).lines;
    assert.match(closed, /payments,down,asha,.*\+03:00,,ticket 9/);
    assert.equal(more.length, 0);
    assert.match(await page('networks?state=down'), /Page 1 of 1, 1 in all/);
  });
});
