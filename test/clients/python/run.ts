import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Json, startGateway } from '../../support/gateway.ts';

/**
 * Merchants in Python make their client of openapi.json with a generator. Here openapi-python-client does it, its package
 * is built and installed from the file, and it collects, pays out, bills and lists at a Malipo of its own. `node --import tsx test/clients/python/run.ts`; needs
 * Python 3.10 or newer. Nothing of it stays.
 */
const PACKAGE = 'openapi-python-client==0.29.1';
const STEP_MAX_MS = 120_000;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'malipo-python-'));
const openApi = fileURLToPath(new URL('../../../openapi.json', import.meta.url));
const config = fileURLToPath(new URL('../../../clients/python/config.yaml', import.meta.url));
const script = fileURLToPath(new URL('calls.py', import.meta.url));

/** What each call must be read as by the generated client, and what must be in it. */
const expected: Record<string, [kind: string, has?: object]> = {
  status: ['GetStatusAnswer', { success: true }],
  push: ['InitiateUssdPushAnswer', { metadata: { order_id: 'INV-1001', paid: 1.5 } }],
  'the same push again': ['InitiateUssdPushAnswer'],
  payment: ['GetPaymentAnswer', { status: 'completed' }],
  refund: ['RefundPaymentAnswer', { status: 'initiated' }],
  'payout of the refund': ['GetPayoutAnswer', { status: 'paid' }],
  'push with wrong fields': ['ErrorAnswer', { code: 'validation_failed' }],
  preview: ['PreviewMobilePayoutAnswer'],
  payout: ['InitiateMobilePayoutAnswer', { status: 'initiated' }],
  'paid payout': ['GetPayoutAnswer', { status: 'paid' }],
  bill: ['CreateBillAnswer'],
  'open bill': ['GetPaymentAnswer', { status: 'pending' }],
  'cancelled bill': ['GetPaymentAnswer', { status: 'cancelled' }],
  qr: ['CreateQrAnswer'],
  banks: ['GetBankListAnswer'],
  balance: ['GetBalanceAnswer'],
  list: ['GetTransactionsAnswer'],
  'list of the paid': ['GetTransactionsAnswer'],
  transaction: ['GetTransactionAnswer'],
  entries: ['GetEntriesAnswer'],
  statement: ['GetStatementAnswer'],
  callbacks: ['GetCallbacksAnswer'],
  settings: ['GetCallbackSettingsAnswer'],
};

async function install(): Promise<string> {
  console.log(`Installing ${PACKAGE}`);
  const place = join(folder, 'python');
  await run('python3', ['-m', 'venv', place], { timeout: STEP_MAX_MS });
  const python = join(place, 'bin', 'python');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run(python, [...pip, PACKAGE, 'build==1.6.1'], { timeout: STEP_MAX_MS });
  const client = join(folder, 'client');
  const generate = ['generate', '--path', openApi, '--output-path', client];
  const how = ['--meta', 'setup', '--config', config, '--fail-on-warning'];
  await run(join(place, 'bin', 'openapi-python-client'), [...generate, ...how], { timeout: STEP_MAX_MS });
  await run(python, ['-m', 'build', '--wheel', client], { timeout: STEP_MAX_MS });
  const [wheel = ''] = readdirSync(join(client, 'dist'));
  await run(python, [...pip, join(client, 'dist', wheel)], { timeout: STEP_MAX_MS });
  return python;
}

function check(answers: Map<string, { kind: string; answer: Json }>): void {
  for (const [call, [kind, has = {}]] of Object.entries(expected)) {
    const made = answers.get(call);
    assert.equal(made?.kind, kind, `${call}: ${JSON.stringify(made)}`);
    for (const [name, value] of Object.entries(has)) assert.deepEqual(made?.answer[name], value, call);
    console.log(`ok    ${call}`);
  }
  assert.equal(answers.size, Object.keys(expected).length);
  const of = (call: string): Json => answers.get(call)?.answer;
  assert.equal(of('the same push again').transaction_id, of('push').transaction_id);
  // The push, its refund, the payout, the bill and the QR code: the push was made once.
  assert.equal(of('list').data.length, 5);
  assert.equal(of('list of the paid').data.length, 2);
}

try {
  const python = await install();
  const gateway = await startGateway();
  try {
    const { api_url, api_key } = gateway.local;
    const args = [script, api_url, api_key];
    const { stdout } = await run(python, args, { timeout: STEP_MAX_MS });
    const lines = stdout.trim().split('\n');
    check(new Map(lines.map((line) => JSON.parse(line)).map(({ call, ...made }) => [call, made])));
    console.log('The generated Python client reads every answer');
  } finally {
    await gateway.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
