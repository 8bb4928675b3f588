import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import { createMerchant } from '../../support/merchant.ts';
import { until } from '../../support/wait.ts';
import { assertRefused, freshKey } from '../support/api.ts';
import { useTestApi } from '../support/use-api.ts';

const MIB = 1024 * 1024;
const HALF = Buffer.alloc(5 * MIB - 1, ' ');
const SMALL = Buffer.alloc(40 * 1024, ' ');

describe('half-sent big bodies', () => {
  const { api, test } = useTestApi();
  const open: ClientRequest[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.destroy();
  });

  const another = async () => {
    const { accountId } = await createMerchant(test.database);
    return (await api.createKey({ accountId })).apiKey;
  };
  /** All but the last byte of a batch; resolves when it is sent. */
  function halfSend(key: string): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, 'content-length': HALF.length + 1 };
    const path = '/api/v1/payouts/batches';
    const one = request({ port: api.port, host: '127.0.0.1', method: 'POST', path, headers });
    one.on('error', () => {});
    open.push(one);
    return new Promise((resolve) => one.write(HALF, () => resolve()));
  }
  const whole = (key: string, raw: Buffer) =>
    api.call('POST', 'payouts/batches', { key, raw, headers: freshKey() });
  /** What they hold is counted when it has arrived, not when it was sent. */
  const refusedFor = (key: string) =>
    until(async () => {
      const answer = await whole(key, HALF);
      return answer.status === 503 ? answer : null;
    }, 'there is no room for one more');

  it('are two of an account, and the third is told to come again, whoever else may come', async () => {
    const mine = await another();
    await Promise.all([halfSend(mine), halfSend(mine)]);
    const refused = await refusedFor(mine);
    assertRefused(refused, 503, 'unavailable');
    assert.equal(refused.headers['retry-after'], '5');
    assert.equal((await whole(mine, SMALL)).status, 400, 'a small one of this account is read');
    assert.equal((await whole(await another(), HALF)).status, 400, 'a big one of another is read');
  });

  it('are six of all, and the next is told to come again until one of them is over', async () => {
    const keys = await Promise.all([another(), another(), another()]);
    await Promise.all([...keys, ...keys].map(halfSend));
    const late = await another();
    const refused = await refusedFor(late);
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5']);
    assert.equal((await whole(late, SMALL)).status, 400, 'a small one is read');
    open.shift()?.destroy();
    await until(async () => (await whole(late, HALF)).status === 400, 'there is room again');
  });
});
