import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningServer } from '../../sandbox/local/server-process.ts';
import { startCutProxy } from '../support/cut-proxy.ts';
import type { Parts } from '../support/parts.ts';
import { until } from '../support/wait.ts';
import type { Step, StopPlan } from './stop-at.ts';

/** A worker that stops dead where its STOP_PLAN says, and notes its calls in STOP_LOG. */
const crashingWorker = fileURLToPath(new URL('crashing-worker.ts', import.meta.url));

/** A worker that freezes is thawed too late: its activities have timed out, and another worker has done its work. */
export type Death =
  | 'the worker dies'
  | 'the API dies'
  | 'the API and the worker die'
  | 'Temporal dies'
  | 'Postgres drops all connections'
  | 'the worker freezes';

export type Struck = {
  death: Death;
  /** when a worker went on */
  at: number;
  /** how often the channel was called, and how often by the worker that had frozen: it says so once it has thawed */
  calls(id: string): number;
  thawedCalls?(id: string): number;
};

export type Case = {
  /** the step at which the worker stops, by what it knows there */
  at: StopPlan;
  /** asks until there is an answer */
  ask(): Promise<unknown>;
  /** waits for what is true in the end */
  assertRight(struck: Struck): Promise<void>;
};

export type Flow = {
  what: string;
  steps: readonly Step[];
  /** what is true in the end, in words */
  fact(step: Step): string;
  /** `name` is another one for each row */
  make(parts: Parts, one: { step: Step; name: string }): Promise<Case>;
  /** its cases are made while a worker runs */
  isMadeByWorker?: true;
};

/** One Malipo that is struck round after round: in each, every case waits at its step when the blow falls. */
export async function createCrashes(parts: Parts) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-crashes-'));
  const logs: string[] = [];
  let worker: RunningServer | undefined;
  let api = parts.firstApi;

  const startWorker = (environment: NodeJS.ProcessEnv = {}) => {
    const log = path.join(folder, String(logs.length));
    logs.push(log);
    return parts.startWorker({
      entry: crashingWorker,
      environment: { STOP_LOG: log, DATABASE_POOL_MAX: '30', ...environment },
    });
  };
  const noted = (line: string, by: readonly string[] = logs) =>
    by
      .flatMap((log) => (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []))
      .filter((one) => one === line).length;
  const startApi = async () => {
    const { API_PORT, PAY_PORT, PAY_URL, PUBLIC_URL } = parts.environment;
    return (await parts.startApi({ API_PORT, PAY_PORT, PAY_URL, PUBLIC_URL })).server;
  };

  return {
    /** Returns how to wait for what is true of a case in the end. */
    async strike(death: Death, rows: readonly { flow: Flow; step: Step }[]) {
      if (rows.some(({ flow }) => flow.isMadeByWorker)) worker ??= await startWorker();
      else await worker?.stop(8_000);
      const cases = await Promise.all(
        rows.map(({ flow, step }) =>
          flow.make(parts, { step, name: `${flow.what} ${step} ${logs.length}`.replaceAll(' ', '-') }),
        ),
      );
      await worker?.stop(8_000);
      const at: StopPlan = Object.assign({}, ...cases.map((one) => one.at));
      const proxy = death === 'the worker freezes' && (await startCutProxy(parts.temporal.address));
      const frozenLog = logs.length;
      const frozen = await startWorker({
        STOP_PLAN: JSON.stringify(at),
        ...(proxy && { TEMPORAL_ADDRESS: proxy.address }),
      });
      worker = frozen;
      const asked = Promise.all(cases.map((one) => one.ask()));
      asked.catch(() => {});
      const missing = () => Object.entries(at).filter(([id, step]) => noted(`stopped ${step} ${id}`) !== 1);
      await until(() => missing().length === 0, 'each is at its step').catch((error) =>
        assert.fail(`${error.message}: ${missing().join(' ')} ${frozen.lastOutput()}`),
      );

      if (proxy) proxy.cut();
      else if (death.includes('worker')) frozen.child.kill('SIGKILL');
      if (death.includes('API')) {
        process.kill(api.pid, 'SIGKILL');
        await api.exited;
      }
      if (death === 'Temporal dies') {
        await parts.temporal.kill();
        await parts.temporal.startAgain();
      }
      if (death === 'Postgres drops all connections') {
        const { rows: dropped } = await parts.database.query(
          `SELECT application_name AS of, pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name IN ('malipo-api', 'worker', 'worker callbacks')`,
        );
        assert.ok(new Set(dropped.map((one) => one.of)).size >= 2, 'of both processes');
      }
      if (!death.includes('worker')) frozen.child.kill('SIGCONT');
      if (death.includes('API')) api = await startApi();
      if (death.includes('worker')) worker = await startWorker();
      const others = logs.filter((_, index) => index !== frozenLog);
      const struck: Struck = {
        death,
        at: performance.now(),
        calls: (id) => noted(`call ${id}`, proxy ? others : logs),
      };
      await asked;
      if (proxy) {
        await Promise.all(cases.map((one) => one.assertRight(struck)));
        frozen.child.kill('SIGCONT');
        const log = logs.slice(frozenLog, frozenLog + 1);
        await until(
          () => Object.keys(at).every((id) => noted(`sent ${id}`, log) === 1),
          'the thawed worker has come to the end of its sends',
        );
        frozen.child.kill('SIGKILL');
        await proxy.close();
        struck.thawedCalls = (id) => noted(`call ${id}`, log);
      }
      return ({ flow, step }: { flow: Flow; step: Step }) => {
        const index = rows.findIndex((row) => row.flow === flow && row.step === step);
        return (cases[index] ?? assert.fail()).assertRight(struck);
      };
    },

    async stop() {
      await parts.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
