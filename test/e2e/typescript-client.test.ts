import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMalipo, type Malipo, MalipoError } from '../../clients/typescript/src/index.ts';
import { newKey } from '../support/gateway.ts';
import { openAccount, receivedEvents, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

const folder = fileURLToPath(new URL('../../clients/typescript/', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

const push = { amount: 5_000, currency: 'TZS', phone_number: '0754123456' };
const payout = { amount: 20_000, currency: 'TZS', phone_number: '0754123456' };

describe('the TypeScript client and the running service', function () {
  this.timeout(120_000);
  let malipo: Malipo;
  before(async () => {
    const gateway = await sharedGateway();
    const { apiKey } = await openAccount(gateway, { balance: 1_000_000 });
    malipo = createMalipo({ baseUrl: gateway.local.api_url, apiKey, backoffMs: 50 });
  });

  const ended = (lookup: () => Promise<{ status: string }>) =>
    until(
      async () => ((await lookup()).status === 'pending' ? null : (await lookup()).status),
      'it has ended',
    );

  it('collect, pay out, bill and list', async () => {
    const pushed = await malipo.initiateUssdPush({ body: push });
    assert.equal(await ended(() => malipo.getPayment({ id: pushed.transaction_id })), 'completed');
    const { preview_id } = await malipo.previewMobilePayout({ body: payout });
    const paid = await malipo.initiateMobilePayout({ body: { ...payout, preview_id } });
    assert.equal(await ended(() => malipo.getPayout({ id: paid.transaction_id })), 'paid');
    const bill = await malipo.createBill({
      body: { amount: 5_000, payment_number: newKey(), payment_mode: 'exact', description: 'Fees' },
    });
    const cancelled = await malipo.cancelPayment({ id: bill.transaction_id });
    assert.equal(cancelled.status, 'cancelled');

    const ids: string[] = [];
    for await (const each of malipo.allTransactions({ per_page: 1 })) ids.push(each.transaction_id);
    assert.deepEqual(ids, [bill.transaction_id, paid.transaction_id, pushed.transaction_id]);
    const lines: string[] = [];
    for await (const line of malipo.allStatementLines({ per_page: 2 })) lines.push(line.type);
    assert.ok(lines.length > 2, lines.join());
    for await (const each of malipo.allCallbacks({ per_page: 1 })) assert.match(each.event_id, /^evt_/);
  });

  it('name errors by their code, with every field that is wrong', async () => {
    const error = await malipo.initiateUssdPush({ body: { ...push, amount: 1, currency: 'KES' } }).then(
      () => assert.fail('it worked'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof MalipoError);
    assert.deepEqual([error.status, error.outcomeUnknown], [422, false]);
    assert.ok(error.errors.length > 0 && error.requestId !== null);
  });

  it('are what a stranger gets who installs the package', async () => {
    const { local } = await sharedGateway();
    const place = mkdtempSync(path.join(os.tmpdir(), 'malipo-client-'));
    try {
      const packed = await run('npm', ['pack', '--json', '--pack-destination', place], { cwd: folder });
      const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n')));
      assert.ok(
        files.every(({ path: name }: { path: string }) => /^(dist\/|README|LICENSE|package)/.test(name)),
      );
      writeFileSync(path.join(place, 'package.json'), '{"type": "module"}');
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], { cwd: place });

      writeFileSync(path.join(place, 'shop.ts'), SHOP);
      const types = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023'];
      const found = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
      await run(path.join(root, 'node_modules/.bin/tsc'), [...types, ...found, 'shop.ts'], {
        cwd: place,
      }).catch(({ stdout }) => assert.fail(stdout));
      const { API_URL, API_KEY } = { API_URL: local.api_url, API_KEY: local.api_key };
      const { stdout } = await run('node', ['shop.js'], {
        cwd: place,
        env: { ...process.env, API_URL, API_KEY },
      });
      const [id = '', status] = stdout.trim().split(' ');
      assert.equal(status, 'completed');
      const events = await until(async () => {
        const all = await receivedEvents(await sharedGateway(), id);
        return all.length > 0 ? all : null;
      }, 'its callback has come');
      assert.equal(events.length, 1);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('have the version of the service', () => {
    const [own, service] = [folder, root].map((where) =>
      JSON.parse(readFileSync(path.join(where, 'package.json'), 'utf8')),
    );
    assert.deepEqual(
      [own.version, own.engines, own.license],
      [service.version, service.engines, service.license],
    );
    assert.equal(own.dependencies, undefined);
  });
});

/** Compiled strictly: the types of the package are complete, and a code that does not exist is found. */
const SHOP = `
import { createMalipo, MalipoError, readCallback, type CallbackEvent } from 'malipo-client';

const malipo = createMalipo({ baseUrl: process.env.API_URL ?? '', apiKey: process.env.API_KEY ?? '' });
const { transaction_id: id } = await malipo.initiateUssdPush({
  body: { amount: 5000, currency: 'TZS', phone_number: '0754000001' },
});
let status: 'pending' | 'completed' | 'failed' | 'cancelled' = 'pending';
const deadline = Date.now() + 60_000;
while (status === 'pending' && Date.now() < deadline) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  ({ status } = await malipo.getPayment({ id }));
}
console.log(id, status);

export function amountOf(event: CallbackEvent): string | undefined {
  return event.event === 'payment.received' ? event.amount.settled : undefined;
}
export const isPoor = (error: MalipoError) => error.code === 'insufficient_balance';
// @ts-expect-error No such code.
export const isTypo = (error: MalipoError) => error.code === 'insufficient_balanse';
// @ts-expect-error A push has a phone number.
export const isIncomplete = () => malipo.initiateUssdPush({ body: { amount: 5000, currency: 'TZS' } });
export { readCallback };
`;
