import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createHalopesaBillDoors } from '../../../src/channels/halopesa/bill-door.ts';
import { defaultAnswers } from '../../../src/channels/halopesa/settings.ts';
import {
  checkSumOf,
  type HaloRequest,
  readReturn,
  wireTime,
  writeRequest,
} from '../../../src/channels/halopesa/wire.ts';
import type { BillService, DoorCall } from '../../../src/channels/kit/door.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import { networkById } from '../../../src/domain/network.ts';
import { createDatabase } from '../../../src/platform/db/pool.ts';
import { billCredentialsOf, HALOPESA_KEY } from '../support/bill-networks.ts';
import { hostileBodies, makeBill, mistyped, moneyOf, statusOf } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

const requestOf = (number: string, changes: Partial<HaloRequest> = {}): HaloRequest => ({
  requestId: randomUUID(),
  ...billCredentialsOf('halopesa'),
  requestTime: wireTime(Date.now()),
  amount: '25000',
  sender: '255624123456',
  accountId: '100006',
  reference: number,
  businessNumber: '400200',
  functionCode: 'PAYMENT',
  checkSum: '',
  ...changes,
});

const summed = (request: HaloRequest): HaloRequest => ({
  ...request,
  checkSum: checkSumOf(request, HALOPESA_KEY),
});

describe('the bill door of HaloPesa', () => {
  const { api, restart } = useTestApi({ poolMax: 10 });

  async function post(body: string | Buffer) {
    const answer = await fetch(`http://127.0.0.1:${api.port}/channels/halopesa-bill`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body,
    });
    return { status: answer.status, said: (await answer.json()) as Record<string, string> };
  }
  const pay = (number: string, changes: Partial<HaloRequest> = {}) =>
    post(writeRequest(summed(requestOf(number, changes))));
  const wordOf = ({ status, said }: Awaited<ReturnType<typeof post>>) => [status, said.responseType];

  it('takes a payment once and answers a repetition as the first time', async () => {
    const before = await moneyOf(api);
    const { id, number } = await makeBill(api);
    for (let i = 0; i < 3; i += 1) {
      const { status, said } = await pay(number, { requestId: 'H-1' });
      const { response_time: time, ...rest } = said;
      assert.deepEqual([status, rest.responseType, rest.reference_id], [200, 'SUCCESS', id]);
      assert.match(time ?? '', /^\d{14}$/);
    }
    assert.equal(await statusOf(api, id), 'completed');
    assert.equal(await moneyOf(api), before + 24_625);
    const { payment } = (await api.call('GET', `payments/${id}`)).body;
    assert.deepEqual(payment.channel, { name: 'HALOPESA', reference: 'H-1' });
  });

  it('refuses what cannot be taken, and posts nothing', async () => {
    const { number } = await makeBill(api);
    const before = await moneyOf(api);
    for (const changes of [
      { amount: '24999' },
      { amount: '0' },
      { amount: '1e5' },
      { reference: mistyped(number) },
      { reference: '' },
    ])
      assert.deepEqual(wordOf(await pay(number, changes)), [200, 'ERROR'], JSON.stringify(changes));
    assert.deepEqual(wordOf(await pay(number, { requestId: '' })), [400, 'ERROR']);
    assert.deepEqual(wordOf(await pay(number, { password: 'wrong' })), [401, 'ERROR']);
    assert.deepEqual(wordOf(await pay(number, { username: '', password: '' })), [401, 'ERROR']);
    assert.equal(await moneyOf(api), before);
  });

  it('reads no hostile body', async () => {
    for (const body of [...hostileBodies, '<Envelope/>'])
      assert.deepEqual(wordOf(await post(body)), [401, 'ERROR'], String(body).slice(0, 60));
    const proven = writeRequest(summed(requestOf('1')));
    for (const body of [`<!DOCTYPE a>${proven}`, proven.slice(0, -9), proven.replaceAll('request>', 'wish>')])
      assert.deepEqual(wordOf(await post(body)), [400, 'ERROR'], body.slice(0, 60));
    assert.equal((await post('x'.repeat(40_000))).status, 413);
  });

  it('answers 503 when it cannot say', async () => {
    const { number } = await makeBill(api);
    const gone = createDatabase({ url: 'postgresql://x@127.0.0.1:1/x', poolMax: 1, applicationName: 'gone' });
    await restart({ billDatabase: gone });
    assert.deepEqual(wordOf(await pay(number)), [503, 'ERROR']);
    await restart();
    await gone.end();
  });
});

describe('the bill door of a HaloPesa account with a key', () => {
  const network = networkById('halopesa');
  const doors = createHalopesaBillDoors({
    ...billCredentialsOf('halopesa'),
    // The second one is about to go.
    secret: ['the next key', 'a key'],
    answers: { ...defaultAnswers, form: 'soap' },
  });

  async function ask(request: HaloRequest) {
    let received = 0;
    const call = {
      body: async () => Buffer.from(writeRequest(request)),
      now: () => new Date(),
      faultOf: (error: unknown) => error as GatewayError,
    } as unknown as DoorCall;
    const proof = await doors.prove(call);
    const bills = {
      networkOf: async () => {
        if (proof !== 'proven') throw new GatewayError('unauthorized', 'not accepted');
        return network;
      },
      receive: async () => {
        received += 1;
        return { reply: 'ok', transactionId: 'T' };
      },
    } as unknown as BillService;
    const answer = await doors.doors[0]?.answer(call, bills);
    const said = readReturn(Buffer.from(String(answer?.body)));
    return [answer?.status, said?.text('responseType'), received];
  }

  it('takes no message that could be split in another way, nor an old one', async () => {
    const said = {
      requestId: 'H-2',
      requestTime: wireTime(Date.now()),
      amount: '1000',
      sender: '255621000001',
    };
    const { checkSum: sum } = summed(requestOf('770000000049', said));
    const spread = requestOf('770000000049', { ...said, amount: '1000255', sender: '621000001' });
    assert.equal(checkSumOf(spread, HALOPESA_KEY), sum, 'both have one sum');
    const ambiguous = [
      { amount: '1000255', sender: '621000001' },
      { amount: '01000' },
      { sender: '0621000001' },
      { requestTime: wireTime(Date.now() - 25 * 3_600_000) },
      { requestTime: wireTime(Date.now() + 3_600_000) },
      { requestTime: `${wireTime(Date.now())}0` },
    ];
    for (const changes of ambiguous) {
      const request = requestOf('770000000049', changes);
      const answer = await ask({ ...request, checkSum: checkSumOf(request, 'a key') });
      assert.deepEqual(answer.slice(1), ['ERROR', 0], JSON.stringify(changes));
    }
    const right = requestOf('770000000049', said);
    assert.deepEqual(await ask({ ...right, checkSum: checkSumOf(right, 'a key') }), [200, 'SUCCESS', 1]);
  });

  it('takes a message whose check sum is right, and answers in SOAP', async () => {
    const request = requestOf('770000000049');
    assert.deepEqual(await ask({ ...request, checkSum: checkSumOf(request, 'a key') }), [200, 'SUCCESS', 1]);
  });

  it('refuses a check sum that is wrong, missing or of another message', async () => {
    const request = requestOf('770000000049');
    const other = checkSumOf({ ...request, amount: '1' }, 'a key');
    for (const checkSum of ['', 'x', checkSumOf(request, 'another key'), other])
      assert.deepEqual(await ask({ ...request, checkSum }), [401, 'ERROR', 0]);
  });
});
