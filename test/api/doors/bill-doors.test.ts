import assert from 'node:assert/strict';
import { GatewayError } from '../../../src/domain/errors.ts';
import { createDatabase } from '../../../src/platform/db/pool.ts';
import { pick } from '../../support/pick.ts';
import { listAttention } from '../../support/unexplained.ts';
import { until } from '../../support/wait.ts';
import { type TestFlows, unlimited } from '../support/api.ts';
import {
  billProtocols,
  type Message,
  type Paying,
  type Sender,
  type Step,
} from '../support/bill-messages.ts';
import { billCredentialsOf, billTokenOf, HALOPESA_KEY } from '../support/bill-networks.ts';
import { hostileBodies, makeBill, mistyped, moneyOf, statusOf } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

/** Every protocol in which a network asks and is answered at once: status and code of each answer. */
const TABLE = `
               | bill-json | gsma-bills                     | airtel-paybill | mixx-w2a     | halopesa-bills
network        | tigo-pesa | m-pesa                         | airtel-money   | tigo-pesa    | halopesa
proof          | token     | token                          | password       | password     | password
payer          | 655123456 | 255754123456                   | 784123456      | 654123456    | 255624123456
ok             | 200 000   | 201                            | 200 200        | 200 error000 | 200 SUCCESS
ok ask         | 200 000   | 200                            |                | 200 error000 |
unknown        | 200 010   | 404 identifierError            | 200 400        | 200 error010 | 200 ERROR
mistyped       | 200 010   | 404 identifierError            | 200 400        | 200 error010 | 200 ERROR
mistyped ask   | 200 010   | 404 identifierError            |                | 200 error030 |
closed         | 200 010   | 400 incorrectState             | 200 400        | 200 error011 | 200 ERROR
closed ask     | 200 010   | 200                            |                | 200 error020 |
too low        | 200 015   | 400 underPaymentNotAllowed     | 200 400        | 200 error015 | 200 ERROR
too high       | 200 014   | 400 overPaymentNotAllowed      | 200 400        | 200 error014 | 200 ERROR
no amount      | 200 012   | 400 formatError                | 200 400        | 200 error012 | 200 ERROR
nobody’s       | 401 401   | 401 clientAuthorisationError   | 401 400        | 401 error100 | 401 ERROR
guessed often  | 429 429   | 429 clientAuthorisationError   | 429 400        | 429 error100 | 429 ERROR
unreadable     | 400 400   | 400 formatError                | 401 400        | 400 error100 | 401 ERROR
without money  | 400 400   | 400 mandatoryValueNotSupplied  | 401 400        | 400 error100 | 401 ERROR
too long       | 413 413   | 400 lengthError                | 413 400        | 413 error100 | 413 ERROR
database down  | 503 503   | 503 genericError               | 503 503        | 200 error111 | 503 ERROR`;

const [names = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));
const doors = names.slice(1).map((name, column) => {
  const says = new Map(rows.map(([what = '', ...cells]) => [what, cells[column] ?? '']));
  return { name, says, of: (what: string) => says.get(what) ?? assert.fail(what) };
});

describe('the door of bills', () => {
  const { api, test, restart } = useTestApi({ poolMax: 10 });
  let receipts = 0;

  for (const { name, says, of } of doors) {
    const protocol = billProtocols[name] ?? assert.fail(name);
    const steps = Object.keys(protocol.messages) as Step[];
    const network = of('network');
    const { username: user, password } = billCredentialsOf(network);
    const secret = of('proof') === 'token' ? billTokenOf(network) : password;
    const sender: Sender = { user, secret, key: HALOPESA_KEY };
    const payer = of('payer');
    const saidOf = (step: Step, what: string) => says.get(`${what} ${step}`) ?? of(what);

    function write(
      step: Step,
      number: string,
      { by = sender, ...more }: Partial<Paying> & { by?: Sender } = {},
    ) {
      receipts += 1;
      const paying = { number, receipt: `R${receipts}`, amount: '25000', payer, ...more };
      return protocol.messages[step]?.(by, paying) ?? assert.fail(step);
    }
    function answerTo({ method = 'POST', path, headers, body = '' }: Message, raw: string | Buffer = body) {
      const sent = { 'content-type': 'text/xml', ...headers };
      return api.call(method, path, { key: null, headers: sent, ...(method === 'POST' && { raw }) });
    }
    const send = async (...sent: Parameters<typeof answerTo>) => protocol.read(await answerTo(...sent));
    const tell = (...message: Parameters<typeof write>) => send(write(...message));

    it(`takes a payment over ${name}, posts it, and tells the merchant who paid`, async () => {
      const before = await moneyOf(api);
      const { id, number } = await makeBill(api);
      for (const step of steps.filter((one) => one !== 'pay'))
        assert.equal(await tell(step, number, { receipt: `${name}-1` }), saidOf(step, 'ok'), step);
      assert.equal(await statusOf(api, id), 'pending');
      assert.equal(await tell('pay', number, { receipt: `${name}-1` }), saidOf('pay', 'ok'));
      assert.equal(await statusOf(api, id), 'completed');
      assert.equal(await moneyOf(api), before + 24_625);
      const { payment } = (await api.call('GET', `payments/${id}`)).body;
      assert.deepEqual(payment.channel, { name: network.toUpperCase(), reference: `${name}-1` });
      assert.equal(payment.customer.phone_number, `0${payer.slice(-9)}`);
      const { signals } = api.flows as TestFlows;
      await until(() => signals.some(([to]) => to === id), 'the flow is signalled');
    });

    it(`answers a payment over ${name} that is told again as the first time, and posts it once`, async () => {
      const { number } = await makeBill(api);
      const before = await moneyOf(api);
      const message = write('pay', number);
      for (const _ of [1, 2, 3, 4]) assert.equal(await send(message), saidOf('pay', 'ok'));
      assert.equal(await moneyOf(api), before + 24_625);
    });

    it(`takes a receipt over ${name} that comes again with another amount for a repeat, and notifies a person`, async () => {
      const { id, number } = await makeBill(api, { mode: 'flexible' });
      const pay = (amount: string) => tell('pay', number, { receipt: `${name}-2`, amount });
      assert.equal(await pay('1000'), saidOf('pay', 'ok'));
      const before = await moneyOf(api);
      assert.equal(await pay('2000'), saidOf('pay', 'ok'));
      assert.equal(await moneyOf(api), before);
      const reasons = (await listAttention(test.database)).filter(({ subject }) => subject === id);
      assert.deepEqual(pick(reasons, 'reason'), ['receipt_mismatch']);
    });

    for (const [what, amounts] of [
      ['too low', ['24999', '24999.99']],
      ['too high', ['25001', '25000.01']],
      ['no amount', ['0', '-25000', '25,00', '25000.001', 'NaN', '1e5', '']],
    ] as const)
      it(`refuses over ${name} what is ${what}: ${amounts.join(' ')}`, async () => {
        const { id, number } = await makeBill(api);
        for (const step of steps.filter((one) => one !== 'ask'))
          for (const amount of amounts)
            assert.equal(await tell(step, number, { amount }), saidOf(step, what), `${step} ${amount}`);
        assert.equal(await statusOf(api, id), 'pending');
        assert.equal(await tell('pay', number), saidOf('pay', 'ok'));
      });

    it(`refuses over ${name} numbers that are nobody’s, and a bill that is paid, in every step`, async () => {
      const { number } = await makeBill(api);
      await tell('pay', number);
      for (const step of steps) {
        assert.equal(await tell(step, '779999999994'), saidOf(step, 'unknown'), step);
        for (const wrong of [mistyped(number), 'x', '7'.repeat(200)])
          assert.equal(await tell(step, wrong), saidOf(step, 'mistyped'), `${step} ${wrong}`);
        assert.equal(await tell(step, number), saidOf(step, 'closed'), step);
      }
    });

    it(`lets nobody in over ${name} without a secret of its own`, async () => {
      const { id, number } = await makeBill(api);
      for (const wrong of ['', 'x', api.apiKey, `${secret}x`, secret.slice(1)])
        for (const step of steps) {
          const answer = await tell(step, number, { by: { ...sender, secret: wrong } });
          assert.equal(answer, saidOf(step, 'nobody’s'), `${step} ${wrong}`);
        }
      assert.equal(await statusOf(api, id), 'pending');
    });

    it(`says over ${name} when to come back to whoever guesses too often`, async () => {
      const countFailure = async () => {
        throw new GatewayError('rate_limited', 'Too many', { headers: { 'Retry-After': '7' } });
      };
      await restart({ limits: { ...unlimited, countFailure } });
      const { headers } = await answerTo(write('pay', '1', { by: { ...sender, secret: 'guessed' } }));
      const guessed = await tell('pay', '1', { by: { ...sender, secret: 'guessed' } });
      assert.deepEqual([headers['retry-after'], guessed], ['7', of('guessed often')]);
      await restart();
    });

    it(`reads no hostile body over ${name}`, async () => {
      const message = write('pay', (await makeBill(api)).number);
      for (const raw of hostileBodies) {
        const isSaid = String(raw).includes('$gt');
        assert.equal(
          await send(message, raw),
          of(isSaid ? 'without money' : 'unreadable'),
          String(raw).slice(0, 60),
        );
      }
      assert.equal(await send(message, `{"x":"${'a'.repeat(70_000)}"}`), of('too long'));
    });

    it(`says over ${name} that it cannot say, while the database is down`, async () => {
      const { number } = await makeBill(api);
      const gone = createDatabase({
        url: 'postgresql://x@127.0.0.1:1/x',
        poolMax: 1,
        applicationName: 'gone',
      });
      await restart({ billDatabase: gone });
      for (const step of steps) assert.equal(await tell(step, number), saidOf(step, 'database down'), step);
      await restart();
      await gone.end();
    });
  }
});
