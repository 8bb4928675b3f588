import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import { createAirtelPaybillSteps } from '../../../sandbox/simulator/airtel-paybill/bill.ts';
import type { BillSteps } from '../../../sandbox/simulator/bills/bill-step.ts';
import { createHalopesaBillSteps } from '../../../sandbox/simulator/halopesa/bill.ts';
import { createMixxBillSteps } from '../../../sandbox/simulator/mixx/bill.ts';
import { createMpesaBrokerSteps, RESULT_PATH } from '../../../sandbox/simulator/mpesa-broker/bill.ts';
import { readDecision } from '../../../sandbox/simulator/mpesa-broker/wire.ts';
import { minor } from '../../../src/domain/money.ts';
import { assertXml, readFixture } from '../../support/fixtures.ts';
import { type Served, serve } from '../../support/served.ts';

type Messages = Record<string, string> & { results: Record<'result' | 'request' | 'none', string> };
const fixtures = readFixture('bills') as unknown as Record<string, Messages>;
const textOf = (name: string, message: string) => fixtures[name]?.[message] ?? '';

describe('what the simulator says of a bill’s payment, held against what others show', () => {
  /** A service that answers what it is told to, and keeps what came. */
  let server: Served;
  let url: string;
  let answer: string;
  let received: string;
  beforeEach(async () => {
    server = await serve((_incoming, outgoing, body) => {
      received = body.toString();
      const conversation = /<conversationID>([^<]*)/.exec(received)?.[1] ?? 'C';
      outgoing.end(answer.replace('<conversationID>C<', `<conversationID>${conversation}<`));
    });
    url = server.url;
  });
  afterEach(() => server.close());

  const call = (party: string, network: string) => ({
    network,
    protocol: '',
    receipt: 'ABC123XYZ',
    controlNumber: '770000000049',
    party,
    amount: minor(1_800_000),
  });
  async function holdAgainst(
    name: string,
    steps: BillSteps,
    about: ReturnType<typeof call>,
    message = 'answer',
  ) {
    answer = textOf(name, message);
    const reply = await steps.notify(about, AbortSignal.timeout(5_000));
    assertXml(received, textOf(name, 'payment'), { texts: {}, volatile: ['spPassword', 'timestamp'] });
    return reply;
  }

  it('is the payment of the M-Pesa broker, to the short code that it was given', async () => {
    const options = { spId: '888000', password: 'test_password', shortCode: '888111', resultMs: 10 };
    const steps = createMpesaBrokerSteps(new Router(), { url }, options);
    const reply = await holdAgainst('mpesa-broker', steps, call('255754123456', 'm-pesa'), 'acknowledgement');
    assert.equal(reply.message, 'The service posted no result', 'it was acknowledged');
  });

  it('is the payment of Airtel’s paybill', async () => {
    const steps = createAirtelPaybillSteps({ url, username: 'airtel', password: 'secret' });
    const reply = await holdAgainst('airtel-paybill', steps, call('255780123456', 'airtel-money'));
    assert.deepEqual(reply, { kind: 'yes', message: 'Accepted' });
  });

  it('is the payment of Mixx', async () => {
    const reply = await holdAgainst(
      'mixx-w2a',
      createMixxBillSteps({ url, tokens: {} }),
      call('255713123456', 'tigo-pesa'),
    );
    assert.deepEqual(reply, { kind: 'yes', message: 'Accepted' });
  });

  it('is the payment of HaloPesa', async () => {
    const credentials = { halopesa: { username: 'halo', password: 'secret' } };
    const steps = createHalopesaBillSteps({ url, tokens: {}, credentials });
    const reply = await holdAgainst('halopesa-bills', steps, call('255620123456', 'halopesa'));
    assert.deepEqual(reply, { kind: 'yes', message: 'Accepted' });
  });

  for (const shape of ['result', 'request', 'none'] as const)
    it(`is the broker’s reply to a result in the shape "${shape}", and to no other`, async () => {
      const router = new Router();
      const options = { spId: '888000', password: 'test_password', resultShape: shape };
      createMpesaBrokerSteps(router, { url }, options);
      const broker = new Koa().use(router.routes()).listen(0, '127.0.0.1');
      await once(broker, 'listening');
      try {
        const results = fixtures['mpesa-broker']?.results;
        for (const [other, body] of Object.entries(results ?? {})) {
          const address = `http://127.0.0.1:${(broker.address() as AddressInfo).port}${RESULT_PATH}`;
          const reply = await fetch(address, { method: 'POST', body });
          assert.equal(reply.status, other === shape ? 200 : 400, other);
          const text = await reply.text();
          if (other === shape) assertXml(text, textOf('mpesa-broker', 'reply'), { texts: {} });
          assert.equal(readDecision(Buffer.from(body), shape) !== null, other === shape);
        }
      } finally {
        await new Promise((resolve) => broker.close(resolve));
      }
    });
});
