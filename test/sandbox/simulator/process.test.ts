import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Movement } from '../../../sandbox/simulator/core/book.ts';
import { useFolder } from '../../support/folder.ts';
import { nodeArguments } from '../../support/node-entry.ts';
import { pick } from '../../support/pick.ts';
import { until } from '../../support/wait.ts';

const execArgv = nodeArguments('sandbox/simulator.ts');
const simulator = execArgv.pop() ?? '';

describe('the simulator as a process', () => {
  const inFolder = useFolder();
  const children: ChildProcess[] = [];

  before(() => {});

  after(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  async function start(environment: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
    const child = fork(simulator, {
      execArgv,
      env: {
        PATH: process.env.PATH,
        SIMULATOR_PORT: '0',
        SIMULATOR_BOOK: inFolder('book.jsonl'),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    children.push(child);
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    const [message] = await once(child, 'message');
    assert.equal(message, 'ready');
    const address = () => /http:\/\/\S+/.exec(output)?.[0];
    return { child, url: await until(address, 'its address is printed') };
  }

  it('never runs in production, so that its page and its customers are never there', async () => {
    const child = fork(simulator, {
      execArgv,
      env: { PATH: process.env.PATH, SIMULATOR_PORT: '0', MALIPO_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    children.push(child);
    let complaint = '';
    child.stderr?.on('data', (chunk) => {
      complaint += chunk;
    });
    const said: unknown[] = [];
    child.on('message', (message) => said.push(message));
    const [code] = await once(child, 'close');
    assert.deepEqual([code, said], [1, []]);
    assert.match(complaint, /never runs in production/);
  });

  it('forgets nothing when it is killed: the answered request goes on, money moves once', async () => {
    const first = await start({ SIMULATOR_DELAY_MS: '60000' });
    const correlationId = randomUUID();
    const pay = (url: string) =>
      fetch(`${url}/transactions/type/disbursement`, {
        method: 'POST',
        headers: { 'x-correlationid': correlationId },
        body: JSON.stringify({
          amount: '5000',
          currency: 'TZS',
          creditParty: [{ key: 'msisdn', value: '+255754000159' }],
          requestingOrganisationTransactionReference: 'PO1',
        }),
      });
    assert.equal((await pay(first.url)).status, 500);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');

    const second = await start({ SIMULATOR_DELAY_MS: '10' });
    assert.equal((await fetch(`${second.url}/responses/${correlationId}`)).status, 200);
    assert.equal((await pay(second.url)).status, 400);
    const truth = (await (await fetch(`${second.url}/truth`)).json()) as { movements: Movement[] };
    assert.deepEqual(pick(truth.movements, 'reference', 'direction', 'amount'), [['PO1', 'out', 5000]]);
    second.child.kill('SIGTERM');
    const [code] = await once(second.child, 'exit');
    assert.equal(code, 0);
  });
});
