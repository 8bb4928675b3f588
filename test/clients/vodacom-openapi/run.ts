import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { createSimulator, type Simulator } from '../../../sandbox/simulator/app.ts';
import { calls, check, end, folder, install, python } from '../foreign.ts';

/**
 * Other people's clients of the M-Pesa OpenAPI, unmodified and by exact version, against our simulator over loopback.
 * What they were answered is compared with what its book says. Needs Python 3 with venv, npm, and the package registries.
 * Run: node --import tsx test/clients/vodacom-openapi/run.ts
 */

const here = import.meta.dirname;
const API_KEY = 'demo-api-key-0001';
const KEY_BITS = 4096;

type Told = { call: string; status: number | null; body: Record<string, string> };
type Wanted = { call: string; code: string; more?: Record<string, string> };

function compare(client: string, told: Told[], wanted: Wanted[]): void {
  for (const { call, code, more = {} } of wanted) {
    const answer = told.find((one) => one.call === call);
    const body = answer?.body ?? {};
    const holds =
      body.output_ResponseCode === code &&
      Object.entries(more).every(([name, value]) => body[name] === value);
    check(`${client}: ${call} → ${code}`, holds, answer);
  }
}

function moved(
  simulator: Simulator,
  client: string,
  wanted: Record<string, [direction: string, amount: number]>,
) {
  for (const [reference, [direction, amount]] of Object.entries(wanted)) {
    const movements = simulator.book.movements(reference);
    const holds =
      movements.length === 1 && movements[0]?.direction === direction && movements[0].amount === amount;
    check(`${client}: the book moved ${amount} ${direction} for ${reference}, once`, holds, movements);
  }
}

const pair = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });
const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const simulator = createSimulator({
  timing: { customerMs: 50, promptMs: 2_000 },
  vodacomOpenapi: {
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    apiKey: API_KEY,
    mode: 'synchronous',
  },
});
try {
  const port = String(await simulator.listen(0));
  const done = { output_ResponseTransactionStatus: 'Completed', output_Reversed: 'False' };

  const pypesa = await python('pypesa==0.0.3');
  compare('pypesa 0.0.3', await calls(pypesa, [join(here, 'pypesa_calls.py'), port, API_KEY, publicKey]), [
    { call: 'collect', code: 'INS-0' },
    { call: 'collect again', code: 'INS-10' },
    { call: 'pay out', code: 'INS-0' },
    { call: 'enquire', code: 'INS-0', more: done },
    { call: 'reverse', code: 'INS-0' },
  ]);
  moved(simulator, 'pypesa 0.0.3', { T1234C: ['in', 1500], T1234D: ['out', 700] });

  const pesa = await python('python-pesa==0.7');
  compare(
    'python-pesa 0.7',
    await calls(pesa, [join(here, 'python_pesa_calls.py'), port, API_KEY, publicKey]),
    [
      { call: 'collect', code: 'INS-0' },
      { call: 'pay out', code: 'INS-0' },
      // It sends its question as the body of a GET, and the API reads the address only.
      { call: 'enquire', code: 'INS-20' },
      { call: 'reverse', code: 'INS-0' },
    ],
  );
  moved(simulator, 'python-pesa 0.7', { T23434ZE5: ['in', 1600], T12344Z: ['out', 800] });

  const node = join(folder, 'pesa-js');
  const quietly = ['--no-audit', '--no-fund', '--silent'];
  await install('npm', ['install', '--prefix', node, ...quietly, '@openpesa/pesa-js@0.0.11']);
  const script = join(here, 'pesa_js_calls.cjs');
  compare('pesa-js 0.0.11', await calls(process.execPath, [script, node, port, API_KEY, publicKey]), [
    { call: 'collect', code: 'INS-0' },
  ]);
  moved(simulator, 'pesa-js 0.0.11', { T1234E: ['in', 1700] });

  const returned = simulator.book.movements().filter(({ reference }) => reference.startsWith('reversal of'));
  check(
    'the book gave back 25 and 1600',
    returned.map(({ direction, amount }) => `${direction} ${amount}`).join() === 'out 25,out 1600',
    returned,
  );
} finally {
  await simulator.close();
}
end();
