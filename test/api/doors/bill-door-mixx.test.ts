import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type MixxBill, readMixxAnswer, writeMixxBill } from '../support/bill-messages.ts';
import { billCredentialsOf } from '../support/bill-networks.ts';
import { makeBill } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

describe('the bill door of Mixx (wallet to account)', () => {
  const { api, restart } = useTestApi({ poolMax: 10 });

  const basicOf = ({ username, password }: { username: string; password: string }) =>
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

  async function post(
    body: string,
    { path = '/channels/mixx-w2a', authorization = basicOf(billCredentialsOf('tigo-pesa')) } = {},
  ) {
    const answer = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml', ...(authorization === '' ? {} : { authorization }) },
      body,
    });
    const text = await answer.text();
    return { status: answer.status, text, said: readMixxAnswer(Buffer.from(text)) };
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

  it('says whose bill a control number is, and answers a payment with both numbers', async () => {
    const { id, number } = await makeBill(api);
    const looked = await post(request('lookup', number));
    assert.deepEqual(codeOf(looked), OK);
    assert.equal(looked.said?.content, 'Test shop');
    assert.match(
      looked.text,
      /<TYPE>SYNC_LOOKUP_RESPONSE<\/TYPE>\n<RESULT>TS<\/RESULT>\n<ERRORCODE>error000<\/ERRORCODE>\n<ERRORDESC>/,
    );
    const paid = await post(request('pay', number, { receipt: '26885574977044' }));
    assert.deepEqual(codeOf(paid), OK);
    assert.deepEqual([paid.said?.receipt, paid.said?.reference], ['26885574977044', id]);
    const { payment } = (await api.call('GET', `payments/${id}`)).body;
    assert.deepEqual(payment.customer, { full_name: 'ASHA JUMA', phone_number: '0654123456' });
  });

  it('refuses a payment without a receipt, and takes an amount with decimals', async () => {
    const { number } = await makeBill(api);
    assert.deepEqual(codeOf(await post(request('lookup', '990000000000'))), [200, false, 'error030']);
    assert.deepEqual(codeOf(await post(request('pay', number, { receipt: '' }))), [200, false, 'error112']);
    assert.deepEqual(codeOf(await post(request('pay', number, { amount: '25000.00' }))), OK);
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

  it('reads no hostile XML and answers it in the form of the protocol', async () => {
    const bodies = [
      '<COMMAND><TYPE>SYNC_BILLPAY_REQUEST</TYPE>',
      '<COMMAND><TYPE>REQMFCI</TYPE></COMMAND>',
      `<!DOCTYPE x [<!ENTITY a "b">]><COMMAND><TYPE>SYNC_LOOKUP_REQUEST</TYPE></COMMAND>`,
      `<COMMAND ${Array.from({ length: 500 }, (_, i) => `xmlns:n${i}="u"`).join(' ')}><TYPE>SYNC_LOOKUP_REQUEST</TYPE></COMMAND>`,
    ];
    for (const body of bodies) {
      const answer = await post(body);
      assert.deepEqual(codeOf(answer), [400, false, 'error100'], body.slice(0, 60));
    }
  });
});
