import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ServerCommand, startServer } from '../../../sandbox/local/server-process.ts';
import { createSupervisor, type ServiceSpecification } from '../../../sandbox/local/supervisor.ts';
import { nodeArguments } from '../../support/node-entry.ts';
import { until } from '../../support/wait.ts';

const forever =
  "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log('up');";
const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up');";

function command(script: string): ServerCommand {
  return { command: process.execPath, args: ['--eval', script], env: process.env, stopSignal: 'SIGTERM' };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const deadline = { deadlineMs: 10_000 };

describe('a server process', () => {
  it('stops when it is asked, and is made to when it does not listen', async () => {
    for (const script of [forever, stubborn]) {
      const lines: string[] = [];
      const server = await startServer(command(script), (line) => lines.push(line));
      await until(() => lines.includes('up'), { ...deadline, what: 'the process is up' });
      await server.stop(300);
      assert.equal(isAlive(server.pid), false);
    }
  });

  it('is stopped when its supervisor is killed', async () => {
    const holder = fileURLToPath(new URL('support/holder.ts', import.meta.url));
    const supervisor = spawn(process.execPath, nodeArguments(holder), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [chunk] = await once(supervisor.stdout, 'data');
    const pid = Number(String(chunk));
    assert.equal(isAlive(pid), true);
    supervisor.kill('SIGKILL');
    await until(() => !isAlive(pid), { ...deadline, what: 'the orphan is gone' });
  });

  it('says what command could not be started', async () => {
    await assert.rejects(
      startServer({ command: '/nowhere/program', args: [], env: {}, stopSignal: 'SIGTERM' }),
      /\/nowhere\/program/,
    );
  });
});

describe('the supervisor', () => {
  const reports: string[] = [];
  const pids: number[] = [];
  const supervisor = createSupervisor({
    report: (message) => reports.push(message),
    onStart: async (_name, pid) => {
      pids.push(pid);
    },
  });
  const service = (name: string, script: string): ServiceSpecification => ({
    name,
    command: command(script),
    ready: async (server) => {
      await until(() => server.lastOutput().includes('up'), { ...deadline, what: `${name} is up` });
    },
    readyWithinMs: 5_000,
    patienceMs: 1_000,
  });
  after(() => supervisor.stop(['steady', 'broken', 'late']));

  it('starts a killed process again, each time it is killed', async () => {
    await supervisor.start(service('steady', forever));
    for (const round of [1, 2]) {
      process.kill(pids.at(-1) ?? 0, 'SIGKILL');
      await until(() => reports.filter((line) => line.startsWith('steady is back')).length === round, {
        ...deadline,
        what: `back for the ${round}. time`,
      });
      assert.equal(isAlive(pids.at(-1) ?? 0), true);
    }
    assert.equal(new Set(pids).size, 3);
  });

  it('does not start again what it was told to stop', async () => {
    await supervisor.stop(['steady']);
    assert.deepEqual(pids.filter(isAlive), []);
    assert.equal(reports.filter((line) => line.startsWith('steady ended')).length, 2);
  });

  it('fails a first start with the reason the process gave', async () => {
    const broken = service('broken', "throw new Error('the configuration is wrong')");
    await assert.rejects(supervisor.start(broken), /broken did not start: Error: the configuration is wrong/);
  });

  it('fails a first start with every problem of a configuration, however many and long they are', async () => {
    const problems = Array.from({ length: 40 }, (_, i) => `  connections.c${i}: ${'is not so '.repeat(20)}`);
    const told = ['The channels file /etc/malipo/channels.json is wrong:', ...problems].join('\n');
    const broken = service(
      'broken',
      `console.error(${JSON.stringify(told)}); console.error('bye'); process.exit(1)`,
    );
    await assert.rejects(supervisor.start(broken), { message: `broken did not start: ${told}` });
  });

  it('fails a first start that does not become ready in time', async () => {
    const late = {
      ...service('late', forever),
      ready: () => new Promise<void>(() => {}),
      readyWithinMs: 200,
    };
    await assert.rejects(supervisor.start(late), /late was not ready within 0.2 s/);
  });

  it('leaves no process that it could not write down: it stops it, and starts another one', async () => {
    const started: number[] = [];
    const supervisor = createSupervisor({
      report: () => {},
      async onStart(_name, pid) {
        started.push(pid);
        if (started.length === 2 || started.length === 3) throw new Error('the disk is full');
      },
    });
    const service = {
      name: 'sleeper',
      command: command(forever),
      ready: async () => {},
      readyWithinMs: 10_000,
      patienceMs: 5_000,
    };
    await supervisor.start(service);
    process.kill(started[0] ?? 0, 'SIGKILL');
    await until(() => started.length === 4, 'a start that is written down');
    assert.deepEqual(started.map(isAlive), [false, false, false, true]);
    await supervisor.stop(['sleeper']);
    assert.deepEqual(started.map(isAlive), [false, false, false, false]);
  });
});
