/**
 * Selcom's own clients against our simulator: `node --import tsx test/clients/selcom/run.ts`. Installs both by exact
 * version into a throw-away folder, runs them unmodified over loopback, and reads in the simulator's book what moved.
 * Prints one line per call; ends with 1 when anything is not as it should be.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSimulator, type Simulator } from '../../../sandbox/simulator/app.ts';
import { until } from '../../support/wait.ts';
import { calls as callsBy, end, folder, install, python, check as report } from '../foreign.ts';

const PYTHON_CLIENT = 'selcom_apigw_client==1.0.1';
const JS_CLIENT = 'selcom-apigw-client@1.0.0';
const keys = { apiKey: 'test-key', apiSecret: 'test-secret' };
const here = fileURLToPath(new URL('.', import.meta.url));

type Call = {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  fields: Record<string, string | number>;
  /** result code, and what else the answer has to say */
  expected: string;
  says?: (answer: Answer) => boolean;
};
type Answer = { resultcode?: string; data?: Record<string, string>[]; error?: string };

/** In the order in which they are made; `mark` keeps two clients apart in the book. */
function callsOf(mark: string): { before: Call[]; after: Call[] } {
  const payout = { vendor: 'FLOAT1', pin: '4321', amount: 2500 };
  const order = {
    vendor: 'TILL1',
    order_id: `PY${mark}`,
    buyer_email: 'a@example.com',
    buyer_name: 'Asha Juma',
  };
  const post = (name: string, path: string, fields: Call['fields'], expected: string): Call => ({
    name,
    method: 'POST',
    path,
    fields,
    expected,
  });
  const get = (name: string, path: string, fields: Call['fields'], says: Call['says']): Call => ({
    name,
    method: 'GET',
    path,
    fields,
    expected: '000',
    ...(says ? { says } : {}),
  });
  const first = (answer: Answer) => answer.data?.[0] ?? {};
  const before = [
    post(
      'create-order-minimal',
      '/checkout/create-order-minimal',
      { ...order, buyer_phone: '255654000001', amount: 1500, currency: 'TZS', no_of_items: 1 },
      '000',
    ),
    get(
      'order-status, unpaid',
      '/checkout/order-status',
      { order_id: `PY${mark}` },
      (answer) => first(answer).payment_status === 'PENDING',
    ),
    post(
      'wallet-payment',
      '/checkout/wallet-payment',
      { transid: `T${mark}`, order_id: `PY${mark}`, msisdn: '255654000001' },
      '111',
    ),
    post(
      'pushussd',
      '/wallet/pushussd',
      { transid: `U${mark}`, utilityref: `U${mark}`, amount: 1700, vendor: 'TILL1', msisdn: '255654000001' },
      '111',
    ),
    post(
      'walletcashin/process',
      '/walletcashin/process',
      { transid: `W${mark}`, utilitycode: 'TPCASHIN', utilityref: '0654000001', ...payout },
      '000',
    ),
    post(
      'qwiksend/process',
      '/qwiksend/process',
      {
        transid: `B${mark}`,
        recipientFiCode: 'NMB',
        recipientAccount: '0150000000001',
        recipientName: 'Asha',
        senderAccount: 'FLOAT1',
        senderName: 'Malipo',
        ...payout,
        msisdn: '255754000900',
        purpose: 'GIFT',
      },
      '000',
    ),
    post(
      'walletcashin/process, again',
      '/walletcashin/process',
      { transid: `W${mark}`, utilitycode: 'TPCASHIN', utilityref: '0654000001', ...payout },
      '409',
    ),
    post(
      'walletcashin/process, nobody',
      '/walletcashin/process',
      { transid: `N${mark}`, utilitycode: 'TPCASHIN', utilityref: '0654000029', ...payout },
      '010',
    ),
    post('create-order-minimal, a field less', '/checkout/create-order-minimal', order, '412'),
  ];
  const after = [
    get(
      'order-status, paid',
      '/checkout/order-status',
      { order_id: `PY${mark}` },
      (answer) => first(answer).payment_status === 'COMPLETED' && first(answer).amount === '1500',
    ),
    get('c2b/query-status', '/c2b/query-status', { transid: `U${mark}` }, (answer) =>
      JSON.stringify(answer).includes('Amt TZS 1,700'),
    ),
    get(
      'walletcashin/query',
      '/walletcashin/query',
      { transid: `W${mark}` },
      (answer) => first(answer).receipt !== undefined,
    ),
    get('qwiksend/query', '/qwiksend/query', { transid: `B${mark}` }, undefined),
    get(
      'walletcashin/namelookup',
      '/walletcashin/namelookup',
      { utilitycode: 'TPCASHIN', utilityref: '255654000001', transid: `L${mark}` },
      (answer) => first(answer).name === 'ASHA JUMA',
    ),
    get(
      'qwiksend/lookup',
      '/qwiksend/lookup',
      { bank: 'NMB', account: '0150000000001', transid: `M${mark}` },
      (answer) => first(answer).name === 'ASHA JUMA',
    ),
    post('vendor/balance', '/vendor/balance', { vendor: 'FLOAT1', pin: '4321', transid: `V${mark}` }, '000'),
  ];
  return { before, after };
}

type Client = {
  name: string;
  call(url: string, secret: string, calls: Call[]): Promise<{ answer: Answer }[]>;
};

async function installPython(): Promise<Client> {
  // The package does not declare what it imports.
  const program = await python(PYTHON_CLIENT, 'requests');
  const script = join(here, 'python_calls.py');
  return {
    name: PYTHON_CLIENT,
    call: (url, secret, calls) => callsBy(program, [script, url, keys.apiKey, secret, JSON.stringify(calls)]),
  };
}

async function installJs(): Promise<Client> {
  await install('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, JS_CLIENT]);
  const script = join(here, 'js_calls.cjs');
  return {
    name: JS_CLIENT,
    call: (url, secret, calls) =>
      callsBy(process.execPath, [script, folder, url, keys.apiKey, secret, JSON.stringify(calls)]),
  };
}

async function check(client: Client, url: string, calls: Call[], secret = keys.apiSecret): Promise<void> {
  const told = await client.call(url, secret, calls);
  report(`${client.name}: ${calls.length} calls are answered`, told.length === calls.length, told.length);
  for (const [index, { answer }] of told.entries()) {
    const wanted = calls[index];
    const isRight = answer.resultcode === wanted?.expected && (wanted?.says?.(answer) ?? true);
    report(`${client.name}: ${wanted?.name} → ${answer.resultcode ?? answer.error}`, isRight, answer);
  }
}

async function prove(client: Client, simulator: Simulator, mark: string): Promise<void> {
  const url = `${simulator.url}/v1`;
  const { before, after } = callsOf(mark);
  await check(client, url, before);
  const over = () => simulator.orders.all().every(({ steps }) => steps.length === 0);
  await until(over, 'every customer has answered');
  await check(client, url, after);
  const forged = before.slice(0, 1).map((call) => ({ ...call, name: 'a wrong secret', expected: '401' }));
  await check(client, url, forged, 'another-secret');
  for (const [reference, direction, amount] of [
    [`PY${mark}`, 'in', 1500],
    [`U${mark}`, 'in', 1700],
    [`W${mark}`, 'out', 2500],
    [`B${mark}`, 'out', 2500],
  ] as const) {
    const moved = simulator.book.movements(reference);
    const isRight = moved.length === 1 && moved[0]?.direction === direction && moved[0].amount === amount;
    report(`${client.name}: the book has ${reference} ${direction} ${amount}, once`, isRight, moved);
  }
  const none = simulator.book.movements(`N${mark}`);
  report(`${client.name}: nobody was paid nothing`, none.length === 0, none);
}

const simulator = createSimulator({
  timing: { customerMs: 100 },
  selcom: { ...keys, floatPin: '4321', payoutAnswerMs: 5_000 },
});
try {
  await simulator.listen(0);
  await prove(await installPython(), simulator, 'P1');
  await prove(await installJs(), simulator, 'J1');
} catch (error) {
  report('the run ended early', false, error instanceof Error ? error.message : error);
} finally {
  await simulator.close();
}
end();
