import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readReply } from '../../../sandbox/simulator/airtel-paybill/wire.ts';
import { writeCommand } from '../../../src/channels/airtel-paybill/bill-wire.ts';
import { billCredentialsOf } from '../support/bill-networks.ts';
import { makeBill, tell } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

const AIRTEL = billCredentialsOf('airtel-money');

describe('the bill door in Airtel’s XML', () => {
  const { api } = useTestApi({ poolMax: 10 });
  type Step = 'validate' | 'process' | 'enquiry';

  /** One step of a payment of 25,000 TZS. */
  async function step(name: Step, number: string, changes: Record<string, string | undefined> = {}) {
    const raw = writeCommand({
      TYPE: 'C2B',
      CUSTOMERMSISDN: '784123456',
      MERCHANTMSISDN: '780000000',
      CUSTOMERNAME: 'ASHA JUMA',
      AMOUNT: '25000',
      PIN: '1234',
      REFERENCE: number,
      USERNAME: AIRTEL.username,
      PASSWORD: AIRTEL.password,
      REFERENCE1: randomUUID(),
      ...changes,
    });
    return send(name, raw);
  }

  async function send(name: Step, raw: string | Buffer) {
    const answer = await tell(
      api,
      { path: `airtel-paybill/${name}`, token: 'none', raw },
      { 'content-type': 'text/xml' },
    );
    assert.match(String(answer.headers['content-type']), /^text\/xml/);
    const said = readReply(Buffer.from(answer.text));
    assert.ok(said, answer.text);
    return { status: answer.status, said };
  }

  const short = ({ status, said }: Awaited<ReturnType<typeof send>>) => [status, said.STATUS];

  it('answers with our number of the payment, also when it comes again', async () => {
    const { id, number } = await makeBill(api);
    const validated = await step('validate', number, { REFERENCE1: 'A-1' });
    assert.deepEqual(validated, { status: 200, said: { STATUS: '200', MESSAGE: 'Accepted' } });
    for (const MESSAGE of ['Accepted', 'Accepted before']) {
      const paid = await step('process', number, { REFERENCE1: 'A-1', REFERENCE2: 'MP240101.1' });
      assert.deepEqual(paid, { status: 200, said: { STATUS: '200', TXNID: id, MESSAGE } });
    }
    const { payment } = (await api.call('GET', `payments/${id}`)).body;
    assert.deepEqual(payment.channel, { name: 'AIRTEL-MONEY', reference: 'A-1' });
    assert.deepEqual(payment.customer, { full_name: 'ASHA JUMA', phone_number: '0784123456' });
  });

  it('finds a payment by the network’s number and by ours, and says 404 of any other', async () => {
    const { id, number } = await makeBill(api);
    await step('process', number, { REFERENCE1: 'A-4' });
    await step('process', number, { REFERENCE1: 'A-5' });
    const ask = async (TXNID: string, MSISDN?: string) => {
      const { status, said } = await step('enquiry', '', { TXNID, MSISDN, CUSTOMERMSISDN: undefined });
      return [status, said.STATUS, said.REF];
    };
    assert.deepEqual(await ask('A-4', '784123456'), [200, '200', id]);
    assert.deepEqual(await ask('A-5'), [200, '400', 'A-5'], 'the bill was paid when it came');
    assert.deepEqual(await ask(id, '784123456'), [200, '200', id]);
    assert.deepEqual(await ask(id, '784999999'), [200, '404', undefined], 'another customer');
    assert.deepEqual(await ask('A-6'), [200, '404', undefined]);
    assert.deepEqual(await ask(randomUUID()), [200, '404', undefined]);
  });

  it('lets nobody in with wrong credentials, and a network sees only its own payments', async () => {
    const { number } = await makeBill(api);
    await step('process', number, { REFERENCE1: 'A-7' });
    const wrong = [
      { PASSWORD: `${AIRTEL.password}x` },
      { PASSWORD: undefined },
      { USERNAME: undefined },
      { USERNAME: undefined, PASSWORD: undefined },
      { USERNAME: billCredentialsOf('m-pesa').username },
    ];
    for (const changes of wrong)
      for (const name of ['validate', 'process', 'enquiry'] as const)
        assert.deepEqual(short(await step(name, number, { TXNID: 'A-7', ...changes })), [401, '400']);
    const { username, password } = billCredentialsOf('m-pesa');
    const other = { TXNID: 'A-7', USERNAME: username, PASSWORD: password };
    assert.deepEqual(short(await step('enquiry', '', other)), [200, '404']);
  });

  it('refuses whom it does not know before it reads, and keeps answering in XML', async () => {
    const bodies = [
      '',
      '{}',
      '<COMMAND>',
      '<OTHER/>',
      '<!DOCTYPE COMMAND [<!ENTITY a "b">]><COMMAND>&a;</COMMAND>',
      `<COMMAND>${'<a>'.repeat(30)}${'</a>'.repeat(30)}</COMMAND>`,
      `<COMMAND><USERNAME>${'x'.repeat(300)}</USERNAME></COMMAND>`,
      `<COMMAND><USERNAME>a</USERNAME><username>b</username></COMMAND>`,
      Buffer.from([0x3c, 0xff, 0xfe]),
    ];
    for (const raw of bodies) assert.deepEqual(short(await send('process', raw)), [401, '400'], String(raw));
    const { username, password } = billCredentialsOf('airtel-money');
    const proof = `<USERNAME>${username}</USERNAME><PASSWORD>${password}</PASSWORD>`;
    for (const raw of [`<COMMAND>${proof}`, `<OTHER>${proof}</OTHER>`, `<COMMAND><a>${proof}</a></COMMAND>`])
      assert.deepEqual(short(await send('process', raw)), [400, '400'], raw);
    assert.deepEqual(short(await send('process', ' '.repeat(33 * 1024))), [413, '400']);
    assert.deepEqual(short(await step('process', '1', { REFERENCE1: undefined })), [400, '400']);
    assert.deepEqual(short(await step('enquiry', '1')), [400, '400']);
  });
});
