// tests: generated
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../sandbox/local/ports.ts';
import { hasProgram, notTested, output } from '../callbacks/support/other-tools.ts';
import { everyNth } from '../support/generated.ts';
import { openAccount, openKey, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

const page = readFileSync(new URL('../../docs/quickstart.md', import.meta.url), 'utf8');
const [before = '', steps = ''] = page.split(/(?=^## 1\. )/m);
const blocksOf = (text: string, language: string) =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );

const RECEIVER = '<?php // callbacks.php';
type Language = { name: string; language: string; needs: [string, ...string[]]; file: string; run: string[] };
const languages: Language[] = [
  { name: 'curl', language: 'sh', needs: ['curl', '--version'], file: 'quickstart.sh', run: ['bash', '-eu'] },
  { name: 'Node', language: 'js', needs: ['node', '--version'], file: 'quickstart.mjs', run: ['node'] },
  { name: 'Python', language: 'python', needs: ['python3', '-V'], file: 'quickstart.py', run: ['python3'] },
  { name: 'PHP', language: 'php', needs: ['php', '-v'], file: 'quickstart.php', run: ['php'] },
];

/** What docs/quickstart.md shows, as a stranger would put it together, each language with an account of its own. */
describe('the quickstart', function () {
  this.timeout(300_000);
  let folder: string;
  const started: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-quickstart-'));
  });
  afterEach(() => {
    for (const child of started.splice(0)) child.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes addresses and key from where npm start wrote them', async () => {
    const gateway = await sharedGateway();
    symlinkSync(gateway.folder, path.join(folder, '.data'));
    const setup = blocksOf(before, 'sh').at(-1) ?? '';
    const script = `cd '${folder}'\n${setup}\necho "$API_URL $API_KEY $APPROVER_API_KEY $SIMULATOR_URL $PASSPHRASE"`;
    const [apiUrl, apiKey, approverApiKey, simulatorUrl, passphrase] = output('bash', ['-euc', script]).split(
      ' ',
    );
    const { local } = gateway;
    assert.deepEqual(
      [apiUrl, apiKey, approverApiKey, simulatorUrl],
      [`${local.api_url}/api/v1`, local.api_key, local.approver_api_key, local.simulator_url],
    );
    assert.equal(passphrase, local.passphrase);
  });

  for (const { name, language, needs, file, run } of everyNth(4, languages)) {
    if (!hasProgram(...needs)) {
      const why = `${needs[0]} is not installed here`;
      it(`in ${name} cannot be run on this machine`, () => notTested(`the quickstart in ${name}`, why));
      continue;
    }
    it(`works in ${name}, with a key alone to the payout, and twice from the push to the verified callback`, async () => {
      const gateway = await sharedGateway();
      const { accountId, apiKey } = await openAccount(gateway, { balance: 100_000 });
      const approver = { accountId, holder: 'Approver', scopes: ['payouts:approve'] as const };
      const callback_url = `${gateway.local.simulator_url}/receiver`;
      const address = async () =>
        (await gateway.request('GET', 'callbacks/settings', { apiKey })).json.callback_url;
      await gateway.request('PUT', 'callbacks/settings', { apiKey, body: { callback_url } });
      const port = String(await freePort());
      const keyAlone = { ...process.env, API_URL: `${gateway.local.api_url}/api/v1`, API_KEY: apiKey };
      const env = {
        ...keyAlone,
        APPROVER_API_KEY: await openKey(gateway, approver),
        SIMULATOR_URL: gateway.local.simulator_url,
        PASSPHRASE: gateway.local.passphrase,
        RECEIVER_PORT: port,
      };
      const start = (program: string, args: string[], known: NodeJS.ProcessEnv = env) => {
        const child = spawn(program, args, { cwd: folder, env: known, stdio: ['ignore', 'pipe', 'pipe'] });
        started.push(child);
        return child;
      };
      const blocks = blocksOf(steps, language);
      assert.ok(blocks.length >= (language === 'sh' ? 8 : 7), `${blocks.length} steps`);
      const isReceiver = (code: string) => code.startsWith(RECEIVER);
      for (const code of blocks.filter(isReceiver)) {
        writeFileSync(path.join(folder, 'callbacks.php'), code);
        start('php', ['-S', `127.0.0.1:${port}`, 'callbacks.php']);
      }
      const [program = '', ...args] = run;
      const runOf = (code: string[], known?: NodeJS.ProcessEnv) => {
        writeFileSync(path.join(folder, file), code.filter((one) => !isReceiver(one)).join('\n'));
        return endOf(start(program, [...args, file], known));
      };
      const atFirst = await runOf(blocksOf(steps.split(/^## 4\. /m)[0] ?? '', language), keyAlone);
      assert.match(atFirst, /^push: completed$.*^payout: paid$/ms);
      for (const said of [await runOf(blocks), await runOf(blocks)]) {
        for (const line of [
          'push: completed',
          'payout: paid',
          ...(language === 'sh' ? ['batch: 4 paid, 1 failed', 'next batch: 1'] : []),
          'bill: completed',
          'qr: completed',
          'number: completed',
          'callback: payment.received',
        ])
          assert.ok(said.split('\n').includes(line), `${line} is missing in:\n${said}`);
        assert.ok(language === 'sh' || !said.includes('rror'), said);
      }
      assert.equal(await address(), callback_url, 'the callbacks go where they went before');
    });
  }

  /** What it printed, once it has ended by itself. */
  async function endOf(child: ChildProcess): Promise<string> {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
    await until(async () => (child.exitCode === null ? null : true), {
      deadlineMs: 120_000,
      what: 'the program has ended',
    }).catch((error) => assert.fail(`${error.message}\n${said}`));
    assert.equal(child.exitCode, 0, said);
    return said;
  }
});
