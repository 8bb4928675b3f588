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
import { billCredentialsOf, HALOPESA_KEY } from '../support/bill-networks.ts';
import { makeBill } from '../support/bills.ts';
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
  const { api } = useTestApi({ poolMax: 10 });

  async function post(body: string) {
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

  it('answers a payment with our number and its time', async () => {
    const { id, number } = await makeBill(api);
    const { status, said } = await pay(number, { requestId: 'H-1' });
    assert.deepEqual([status, said.responseType, said.reference_id], [200, 'SUCCESS', id]);
    assert.match(said.response_time ?? '', /^\d{14}$/);
  });

  it('refuses a payment without a number of its own, and who names nobody', async () => {
    const { number } = await makeBill(api);
    assert.deepEqual(wordOf(await pay(number, { reference: '' })), [200, 'ERROR']);
    assert.deepEqual(wordOf(await pay(number, { requestId: '' })), [400, 'ERROR']);
    assert.deepEqual(wordOf(await pay(number, { username: '', password: '' })), [401, 'ERROR']);
  });

  it('reads no hostile XML', async () => {
    assert.deepEqual(wordOf(await post('<Envelope/>')), [401, 'ERROR']);
    const proven = writeRequest(summed(requestOf('1')));
    for (const body of [`<!DOCTYPE a>${proven}`, proven.slice(0, -9), proven.replaceAll('request>', 'wish>')])
      assert.deepEqual(wordOf(await post(body)), [400, 'ERROR'], body.slice(0, 60));
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

  it('takes no message that could be split in another way, nor an old one; and answers in SOAP', async () => {
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

  it('refuses a check sum that is wrong, missing or of another message', async () => {
    const request = requestOf('770000000049');
    const other = checkSumOf({ ...request, amount: '1' }, 'a key');
    for (const checkSum of ['', 'x', checkSumOf(request, 'another key'), other])
      assert.deepEqual(await ask({ ...request, checkSum }), [401, 'ERROR', 0]);
  });
});
