import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSimulator } from '../../../sandbox/simulator/app.ts';
import { MIXX_BILLER_CODE, MIXX_BILLER_MSISDN, MIXX_PATHS } from '../../../sandbox/simulator/mixx/common.ts';
import { referenceOfPush } from '../../../src/channels/mixx/wire.ts';
import { until } from '../../support/wait.ts';

/**
 * tigopesasdk 0.1.0 (MIT), as it is on the package index, against the simulator over loopback: whatever it reads as an
 * answer, the simulator speaks as the network does. `node --import tsx test/clients/mixx/run.ts`; needs Python 3.
 */
const PACKAGES = ['tigopesasdk==0.1.0', 'requests==2.32.3', 'flask-restful==0.3.10'];

type Answer = Record<string, unknown> | null;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'mixx-client-'));
const simulator = createSimulator({
  timing: { customerMs: 50 },
  mixx: { username: 'malipo', password: 'a password' },
});

let failures = 0;
function check(call: string, answer: unknown, expectation: () => void): void {
  try {
    expectation();
    console.log(`ok    ${call}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${call}: ${JSON.stringify(answer)}\n${(error as Error).message}`);
  }
}

try {
  await simulator.listen(0);
  console.log(`Installing ${PACKAGES.join(', ')}`);
  await run('python3', ['-m', 'venv', folder]);
  const python = join(folder, 'bin', 'python');
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);

  const account = {
    username: 'malipo',
    password: 'a password',
    billerCode: MIXX_BILLER_CODE,
    billerMsisdn: MIXX_BILLER_MSISDN,
    tokenUrl: simulator.url + MIXX_PATHS.token,
    pushUrl: simulator.url + MIXX_PATHS.push,
  };
  const script = new URL('calls.py', import.meta.url).pathname;
  const { stdout } = await run(python, [script, JSON.stringify(account)]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { call: string; answer: Answer });
  const answers = new Map(lines.map(({ call, answer }) => [call, answer]));

  const codes: Record<string, string> = {
    push: 'BILLER-18-0000-S',
    'the same push again': 'DuplicateRefID',
    'push that is declined later': 'BILLER-18-0000-S',
    'push to no number': 'DebitMandate-10-2004-V',
    'push for another biller': 'BILLER-18-3040-E',
    'push with a foreign reference': 'DebitMandate-10-2020-V',
  };
  const granted = answers.get('token');
  check('token', granted, () => {
    assert.equal(granted?.expires_in, 86_399);
    assert.equal(granted?.token_type, 'bearer');
    assert.equal(typeof granted?.access_token, 'string');
  });
  const refused = answers.get('token with a wrong password');
  check('token with a wrong password', refused, () => assert.equal(refused, null));
  for (const [call, code] of Object.entries(codes)) {
    const answer = answers.get(call);
    check(call, answer, () => {
      assert.equal(answer?.response_code, code);
      assert.equal(answer?.response_status, code === 'BILLER-18-0000-S');
    });
  }

  const paid = referenceOfPush(`${MIXX_BILLER_CODE}0000000000000001`, MIXX_BILLER_CODE);
  await until(() => simulator.book.movements(paid).length > 0, 'the push is paid');
  const movements = simulator.book.movements();
  check('the book: one push was paid, once, and nothing else', movements, () => {
    const moved = movements.map(({ reference, direction, party, amount }) => [
      reference,
      direction,
      party,
      amount,
    ]);
    assert.deepEqual(moved, [[paid, 'in', '255654000001', 1_500]]);
    assert.equal(simulator.orders.all().length, 2);
  });
} finally {
  await simulator.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? 'All calls went as the network would have them' : `${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
