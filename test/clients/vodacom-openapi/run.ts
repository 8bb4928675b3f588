import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSimulator, type Simulator } from '../../../sandbox/simulator/app.ts';

/**
 * Other people's clients of the M-Pesa OpenAPI, unmodified and by exact version, against our simulator over loopback.
 * What they were answered is compared with what its book says. Needs Python 3 with venv, npm, and the package registries.
 * Run: node --import tsx test/clients/vodacom-openapi/run.ts
 */

const run = promisify(execFile);
const here = import.meta.dirname;
const API_KEY = 'demo-api-key-0001';
const KEY_BITS = 4096;
const INSTALL_MS_MAX = 300_000;
const CALLS_MS_MAX = 60_000;

type Told = { call: string; status: number | null; body: Record<string, string> };
type Wanted = { call: string; code: string; more?: Record<string, string> };

let failures = 0;

function check(name: string, holds: boolean, seen: unknown): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${name}${holds ? '' : `: ${JSON.stringify(seen)}`}`);
  if (!holds) failures += 1;
}

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

async function calls(command: string, args: string[]): Promise<Told[]> {
  const { stdout } = await run(command, args, { timeout: CALLS_MS_MAX });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);
}

async function python(folder: string, packageName: string): Promise<string> {
  await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS_MAX });
  await run(join(folder, 'bin', 'pip'), ['install', '-q', packageName], { timeout: INSTALL_MS_MAX });
  return join(folder, 'bin', 'python');
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
const folder = await mkdtemp(join(tmpdir(), 'malipo-clients-'));
try {
  const port = String(await simulator.listen(0));
  const done = { output_ResponseTransactionStatus: 'Completed', output_Reversed: 'False' };

  const pypesa = await python(join(folder, 'pypesa'), 'pypesa==0.0.3');
  compare('pypesa 0.0.3', await calls(pypesa, [join(here, 'pypesa_calls.py'), port, API_KEY, publicKey]), [
    { call: 'collect', code: 'INS-0' },
    { call: 'collect again', code: 'INS-10' },
    { call: 'pay out', code: 'INS-0' },
    { call: 'enquire', code: 'INS-0', more: done },
    { call: 'reverse', code: 'INS-0' },
  ]);
  moved(simulator, 'pypesa 0.0.3', { T1234C: ['in', 1500], T1234D: ['out', 700] });

  const pesa = await python(join(folder, 'python-pesa'), 'python-pesa==0.7');
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
  const install = [
    'install',
    '--prefix',
    node,
    '--no-audit',
    '--no-fund',
    '--silent',
    '@openpesa/pesa-js@0.0.11',
  ];
  await run('npm', install, { timeout: INSTALL_MS_MAX });
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
  await rm(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? 'all calls are as they should be' : `${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
