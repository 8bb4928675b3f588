import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { createSimulator } from '../../../sandbox/simulator/app.ts';
import { openInbox } from '../../channels/inbox.ts';
import { until } from '../../support/wait.ts';
import { calls, check, end, python } from '../foreign.ts';

/**
 * Other people's clients of the Airtel Open API, unmodified and by exact version, against our simulator over loopback.
 * What they were answered is compared with what its book says. Needs Python 3 with venv, and the package registry.
 * Run: node --import tsx test/clients/airtel-openapi/run.ts
 */

const here = import.meta.dirname;
const CALLBACK_KEY = 'callback-key';

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, compared below
type Told = { call: string; status?: number; body: any };
/** `code`: what the envelope, or the router in front, says. `state`: of the transaction. */
function compare(client: string, told: Told[], wanted: [call: string, code: string, state?: string][]): void {
  for (const [call, code, state] of wanted) {
    const body = told.find((one) => one.call === call)?.body ?? {};
    const codes = [body.status?.response_code, body.status?.result_code, body.status_code];
    const holds = codes.includes(code) && (state === undefined || body.data?.transaction?.status === state);
    check(`${client}: ${call} → ${code}${state ? ` ${state}` : ''}`, holds, body);
  }
  const names = wanted.map(([call]) => call);
  const unchecked = told.filter(({ call }) => !names.includes(call)).map(({ call }) => call);
  if (unchecked.length > 0) console.log(`     ${client}: checked below: ${unchecked.join(', ')}`);
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64');
const inbox = await openInbox();
const simulator = createSimulator({
  timing: { customerMs: 50 },
  airtelOpenapi: {
    clientId: 'cid',
    clientSecret: 'csecret',
    pin: '1234',
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    callbackUrl: `${inbox.url}/channels/airtel-openapi`,
    callbackKey: CALLBACK_KEY,
  },
});

function moved(reference: string, direction: 'in' | 'out', amount: number): void {
  const movements = simulator.book.movements(reference);
  const [one] = movements;
  const holds = movements.length === 1 && one?.direction === direction && one.amount === amount;
  check(
    `the book moved ${amount} ${direction} for ${reference}, once, of 255784000001`,
    holds && one.party === '255784000001',
    movements,
  );
}

function neverMoved(reference: string): void {
  const movements = simulator.book.movements(reference);
  check(`the book moved nothing for ${reference}`, movements.length === 0, movements);
}

async function airtelmoney(): Promise<void> {
  const client = 'airtelmoney-py 1.0.6';
  const command = await python('airtelmoney-py==1.0.6');
  const script = join(here, 'airtelmoney_calls.py');
  const told: Told[] = await calls(command, [script, simulator.url]);
  compare(client, told, [
    ['collect', 'DP00800001006', 'SUCCESS'],
    ['collect again', 'ESB000041'],
    ['collect declined', 'DP00800001006', 'SUCCESS'],
    ['collect unsigned', 'DP00800001026'],
    ['enquire', 'DP00800001006', 'TS'],
    ['enquire declined', 'DP00800001008', 'TF'],
    ['enquire nothing', 'ESB000045'],
    ['pay out', 'DP00900001006', 'TIP'],
    ['pay out again', 'DP00900001017'],
    ['pay out, wrong PIN', 'ROUTER115'],
    ['enquire payout', 'DP00900001006', 'TS'],
    ['name', 'DP02200000001'],
    ['balance', 'DP02100000001'],
  ]);
  const name = told.find(({ call }) => call === 'name')?.body?.data;
  check(`${client}: the name is ASHA JUMA`, `${name?.first_name} ${name?.last_name}` === 'ASHA JUMA', name);
  moved('PYAIRTELMONEY00001', 'in', 1500);
  moved('POAIRTELMONEY00001', 'out', 700);
  for (const reference of ['PYAIRTELMONEY00039', 'PYAIRTELMONEY00002', 'POAIRTELMONEY00002'])
    neverMoved(reference);
  await until(() => inbox.received.length >= 3, 'three callbacks came');
  const callbacks = inbox.received.map(({ body }) => body.toString('utf8'));
  check(`${client}: three callbacks came`, callbacks.length === 3, callbacks);
  for (const [body, key, verified] of [
    ...callbacks.map((body) => [body, CALLBACK_KEY, true] as const),
    [callbacks[0] ?? '', 'another key', false] as const,
  ]) {
    const [said] = await calls(command, [script, 'verify', body, key]);
    check(
      `${client}: says ${verified} to the hash of a callback under "${key}"`,
      said?.body.verified === verified,
      said,
    );
  }
}

async function pyairtel(): Promise<void> {
  const client = 'pyairtel 0.1.1';
  // It encrypts with pycryptodome and does not say so.
  const command = await python('pyairtel==0.1.1', 'pycryptodome==4.4.0');
  const told: Told[] = await calls(command, [join(here, 'pyairtel_calls.py'), simulator.url, publicKey]);
  compare(client, told, [
    ['collect', 'DP00800001006', 'SUCCESS'],
    ['enquire', 'DP00800001006', 'TS'],
    ['pay out', 'DP00900001006', 'TIP'],
  ]);
  moved('PYPYAIRTEL00000001', 'in', 1600);
  for (const call of ['token by form', 'token by Basic']) {
    const body = told.find((one) => one.call === call)?.body ?? {};
    check(
      `requests: ${call}, its life is text`,
      typeof body.access_token === 'string' && body.expires_in === '180',
      body,
    );
  }
  await until(() => simulator.book.movements('POPYAIRTEL00000001').length > 0, 'the payout moved');
  moved('POPYAIRTEL00000001', 'out', 800);
}

try {
  await simulator.listen(0);
  await airtelmoney();
  await pyairtel();
} finally {
  await simulator.close();
  await inbox.close();
}
end();
