import assert from 'node:assert/strict';
import { batchAnswer, batchItemList } from '../../src/contract/batch-schemas.ts';
import type { NameResult, Party } from '../../src/domain/channel.ts';
import { pick } from '../support/pick.ts';
import { routeOver } from './support/api.ts';
import { bankRow as bank } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

describe('the names in a batch', () => {
  let asked: string[] = [];
  let answer: (asked: string) => Promise<NameResult>;
  let isFree: () => boolean;
  const lookupName = (party: Party) => {
    const name = party.kind === 'bank' ? party.accountNumber : (party.msisdn ?? '');
    asked.push(name);
    return answer(name);
  };
  const { api, test, restart } = useTestApi({
    each: true,
    routeOf: routeOver({ lookupName }),
    previews: { perDay: 3, mayLookUp: () => isFree() },
  });
  beforeEach(() => {
    asked = [];
    answer = async () => ({ kind: 'found', fullName: 'ASHA JUMA' });
    isFree = () => true;
  });

  const to = (last: number, full_name?: string) => ({
    phone_number: `0754${String(last).padStart(6, '0')}`,
    amount: 1_000 + last,
    currency: 'TZS',
    ...(full_name === undefined ? {} : { full_name }),
  });
  const send = async (items: object[], batch_number = 'B-1') => {
    const sent = await api.call('POST', 'payouts/batches', { body: { batch_number, items } });
    assert.equal(sent.status, 200, sent.text);
    return batchAnswer.parse(sent.body).batch;
  };
  const matches = async (id: string) => {
    const { body } = await api.call('GET', `payouts/batches/${id}/items`);
    return batchItemList.parse(body).data.map(({ name_match }) => name_match);
  };
  const uses = async () => {
    const { rows } = await test.database.query("SELECT uses FROM uses WHERE use = 'previews'");
    return rows[0]?.uses ?? 0;
  };

  it('are compared with those that the channels know; rows without one are not asked for', async () => {
    const { id, errors } = await send([to(1, 'Asha Juma'), to(2), bank]);
    assert.deepEqual(errors, []);
    assert.deepEqual(await matches(id), [true, null, false]);
    assert.deepEqual(asked.sort(), ['0150123456789', '255754000001']);
    const { text } = await api.call('GET', `payouts/batches/${id}/items?format=csv`);
    const [header, ...rows] = text.trim().split('\r\n');
    assert.equal(header?.split(',').at(-3), 'name_match');
    assert.deepEqual(
      rows.map((row) => row.split(',').at(-3)),
      ['true', '', 'false'],
    );
  });

  it('are counted and noted as those of previews are, and asked for once', async () => {
    const items = [to(1, 'Asha Juma'), bank];
    await send(items);
    await send(items);
    assert.equal(asked.length, 2);
    assert.equal(await uses(), 2);
    const rows = await test.sql`SELECT detail->>'names' AS names FROM audit_log
      WHERE action = 'names.look_up'`;
    assert.deepEqual(rows, [{ names: '2' }]);
  });

  it('are wrong rows where the recipient does not exist', async () => {
    answer = async (name) =>
      name === '255754000003' ? { kind: 'found', fullName: 'ASHA JUMA' } : { kind: 'not_found' };
    const { errors } = await send([bank, to(2, 'Asha Juma'), to(3, 'Asha Juma')]);
    assert.deepEqual(pick(errors, 'row', 'field'), [
      [1, 'account_number'],
      [2, 'phone_number'],
    ]);
    answer = async () => ({ kind: 'unknown' });
    assert.deepEqual((await send([bank])).errors, [], 'sent again, it is asked for again');
  });

  it('are not told beyond what the account may ask for in a day', async () => {
    const { id } = await send([1, 2, 3, 4, 5].map((last) => to(last, 'Asha Juma')));
    const told = await matches(id);
    assert.deepEqual([asked.length, told.filter((match) => match === true).length], [3, 3]);
    assert.equal(told.filter((match) => match === null).length, 2);
  });

  it('are asked for no faster than the channel takes them, and only while no row is wrong', async () => {
    let turns = 0;
    isFree = () => {
      turns += 1;
      return turns % 3 === 0;
    };
    const { id } = await send([to(1, 'Asha Juma'), to(2, 'Asha Juma')]);
    assert.deepEqual(await matches(id), [true, true]);
    assert.equal(turns, 6);
    await send([{ ...to(3, 'Asha Juma'), amount: 1.5 }, to(4, 'Asha Juma')], 'B-2');
    assert.equal(asked.length, 2);
  });

  it('are unknown where a channel breaks, is silent, or has no room in the time of a request', async () => {
    await restart({ previews: { perDay: 0, mayLookUp: () => isFree(), batchMs: 100 } });
    const items = Array.from({ length: 30 }, (_, last) => to(last, 'Asha Juma'));
    answer = async (name) => {
      if (name === '255754000001') throw new Error('broken');
      return new Promise(() => {});
    };
    assert.deepEqual(new Set(await matches((await send(items)).id)), new Set([null]));
    assert.ok(asked.length < items.length, 'when those that were asked were silent the time was over');
    isFree = () => false;
    asked = [];
    const many = Array.from({ length: 3_000 }, (_, last) => to(last, 'Asha Juma'));
    assert.deepEqual(new Set(await matches((await send([bank, ...many], 'B-2')).id)), new Set([null]));
    assert.deepEqual(asked, [], 'and each of many rows waits for nothing once the time is over');
  });
});
