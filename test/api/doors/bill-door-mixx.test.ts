import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../../../src/domain/errors.ts';
import { createDatabase } from '../../../src/platform/db/pool.ts';
import { type MixxBill, readMixxAnswer, writeMixxBill } from '../../support/network-messages.ts';
import { unlimited } from '../support/api.ts';
import { billCredentialsOf } from '../support/bill-networks.ts';
import { hostileBodies, makeBill, mistyped, moneyOf, statusOf } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

describe('the bill door of Mixx (wallet to account)', () => {
  const { api, restart } = useTestApi({ poolMax: 10 });

  const basicOf = ({ username, password }: { username: string; password: string }) =>
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

  async function post(
    body: string | Buffer,
    { path = '/channels/mixx-w2a', authorization = basicOf(billCredentialsOf('tigo-pesa')) } = {},
  ) {
    const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml', ...(authorization === '' ? {} : { authorization }) },
      body,
    });
    const text = await answer.text();
    return {
      status: answer.status,
      text,
      type: answer.headers.get('content-type'),
      said: readMixxAnswer(Buffer.from(text)),
    };
  }

  const request = (step: 'lookup' | 'pay', number: string, changes: Partial<MixxBill> = {}): string =>
    writeMixxBill({
      step,
      receipt: step === 'pay' ? randomUUID() : null,
      msisdn: '654123456',
      amount: step === 'pay' ? '25000' : null,
      companyName: '400200',
      controlNumber: number,
      senderName: step === 'pay' ? 'ASHA JUMA' : null,
      ...changes,
    });
  const codeOf = ({ status, said }: Awaited<ReturnType<typeof post>>) => [status, said?.accepted, said?.code];
  const OK = [200, true, 'error000'];

  it('says whose bill a control number is, takes the payment once, and answers a repetition as the first time', async () => {
    const before = await moneyOf(api);
    const { id, number } = await makeBill(api);
    const looked = await post(request('lookup', number));
    assert.deepEqual(codeOf(looked), OK);
    assert.equal(looked.said?.content, 'Test shop');
    assert.equal(looked.type, 'application/xml; charset=utf-8');
    assert.match(
      looked.text,
      /<TYPE>SYNC_LOOKUP_RESPONSE<\/TYPE>\n<RESULT>TS<\/RESULT>\n<ERRORCODE>error000<\/ERRORCODE>\n<ERRORDESC>/,
    );
    const pay = request('pay', number, { receipt: '26885574977044' });
    const paid = await post(pay);
    assert.deepEqual(codeOf(paid), OK);
    assert.deepEqual([paid.said?.receipt, paid.said?.reference], ['26885574977044', id]);
    assert.deepEqual(codeOf(await post(pay)), OK);
    assert.equal(await statusOf(api, id), 'completed');
    assert.equal(await moneyOf(api), before + 24_625);
    const { payment } = (await api.call('GET', `payments/${id}`)).body;
    assert.deepEqual(payment.channel, { name: 'TIGO-PESA', reference: '26885574977044' });
    assert.deepEqual(payment.customer, { full_name: 'ASHA JUMA', phone_number: '0654123456' });
  });

  it('says each refusal in the codes of its step', async () => {
    const { number } = await makeBill(api);
    const amount = async (text: string) => codeOf(await post(request('pay', number, { amount: text })));
    assert.deepEqual(await amount('24999'), [200, false, 'error015']);
    assert.deepEqual(await amount('25001'), [200, false, 'error014']);
    assert.deepEqual(await amount('0'), [200, false, 'error012']);
    assert.deepEqual(await amount('25,00'), [200, false, 'error012']);
    const wrong = mistyped(number);
    assert.deepEqual(codeOf(await post(request('lookup', wrong))), [200, false, 'error030']);
    assert.deepEqual(codeOf(await post(request('pay', wrong))), [200, false, 'error010']);
    assert.deepEqual(codeOf(await post(request('lookup', '990000000000'))), [200, false, 'error030']);
    assert.deepEqual(codeOf(await post(request('pay', number, { receipt: '' }))), [200, false, 'error112']);
    assert.deepEqual(await amount('25000.00'), OK);
    assert.deepEqual(codeOf(await post(request('lookup', number))), [200, false, 'error020']);
    assert.deepEqual(await amount('25000'), [200, false, 'error011']);
  });

  it('takes a receipt that comes again with another amount as a repeat, and credits nobody', async () => {
    const { number } = await makeBill(api, { mode: 'flexible' });
    const before = await moneyOf(api);
    assert.deepEqual(codeOf(await post(request('pay', number, { receipt: 'W-7', amount: '1000' }))), OK);
    const after = await moneyOf(api);
    const again = await post(request('pay', number, { receipt: 'W-7', amount: '2000' }));
    assert.equal(again.said?.accepted, true);
    assert.ok(after > before);
    assert.equal(await moneyOf(api), after);
  });

  it('knows the sender by HTTP Basic or by the secret in the address, and nobody else', async () => {
    const { number } = await makeBill(api);
    const lookup = request('lookup', number);
    const strangers = [
      { authorization: '' },
      { authorization: basicOf({ username: 'tigo-pesa-user', password: 'wrong' }) },
      { authorization: basicOf({ username: '', password: '' }) },
      { authorization: 'Basic %%%' },
      { authorization: `Bearer tigo-pesa-${'t'.repeat(24)}` },
      { authorization: '', path: '/channels/mixx-w2a/guessed' },
    ];
    for (const stranger of strangers) {
      const answer = await post(lookup, stranger);
      assert.deepEqual(codeOf(answer), [401, false, 'error100'], JSON.stringify(stranger));
    }
    const secret = 'a-secret-in-the-address-for-tigo';
    await restart({ billCredentials: [{ network: 'tigo-pesa', username: 'address', password: secret }] });
    const again = await makeBill(api);
    const known = await post(request('lookup', again.number), {
      authorization: '',
      path: `/channels/mixx-w2a/${secret}`,
    });
    assert.deepEqual(codeOf(known), OK);
    await restart();
  });

  it('counts credentials that are wrong by the address of their sender, and missing ones not', async () => {
    const countFailure = async () => {
      throw new GatewayError('rate_limited', 'Too many wrong credentials', {
        headers: { 'Retry-After': '7' },
      });
    };
    await restart({ limits: { ...unlimited, countFailure } });
    const guess = basicOf({ username: 'tigo-pesa-user', password: 'guessed' });
    for (const [authorization, status] of [
      [guess, 429],
      ['', 401],
    ] as const) {
      const answer = await post(request('lookup', '1'), { authorization });
      assert.deepEqual(codeOf(answer), [status, false, 'error100']);
    }
    assert.equal((await post(request('lookup', '1'))).status, 200);
    await restart();
  });

  it('reads no hostile body and answers it in the form of the protocol', async () => {
    const bodies: (string | Buffer)[] = [
      ...hostileBodies,
      '<COMMAND><TYPE>SYNC_BILLPAY_REQUEST</TYPE>',
      '<COMMAND><TYPE>REQMFCI</TYPE></COMMAND>',
      `<!DOCTYPE x [<!ENTITY a "b">]><COMMAND><TYPE>SYNC_LOOKUP_REQUEST</TYPE></COMMAND>`,
      `<COMMAND ${Array.from({ length: 500 }, (_, i) => `xmlns:n${i}="u"`).join(' ')}><TYPE>SYNC_LOOKUP_REQUEST</TYPE></COMMAND>`,
    ];
    for (const body of bodies) {
      const answer = await post(body);
      assert.deepEqual(codeOf(answer), [400, false, 'error100'], String(body).slice(0, 60));
    }
    const long = await post(`<COMMAND>${'x'.repeat(40_000)}</COMMAND>`);
    assert.deepEqual(codeOf(long), [413, false, 'error100']);
  });

  it('asks to try again when it cannot say, and never says that it took what it did not', async () => {
    const { number } = await makeBill(api);
    const gone = createDatabase({ url: 'postgresql://x@127.0.0.1:1/x', poolMax: 1, applicationName: 'gone' });
    await restart({ billDatabase: gone });
    for (const step of ['lookup', 'pay'] as const)
      assert.deepEqual(codeOf(await post(request(step, number))), [200, false, 'error111']);
    await restart();
    await gone.end();
  });
});
