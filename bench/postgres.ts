import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../sandbox/local/ports.ts';
import { localPostgresSettings, postgresUrl, preparePostgres } from '../sandbox/local/postgres.ts';
import { startServer } from '../sandbox/local/server-process.ts';
import { createDatabase } from '../src/platform/db/pool.ts';
import { until } from '../test/support/wait.ts';

/** A statement that Postgres ran. What is not sent as text alone is parsed (with a name once per connection) and planned first. */
export type Statement = {
  /** as the connection calls itself */
  process: string;
  session: string;
  text: string;
  planMs: number;
  runMs: number;
};

export type MeasuredPostgres = {
  url: string;
  pid: number;
  /** runs `work` while Postgres writes down every statement, and returns them by connection, in their order */
  statementsDuring(work: () => Promise<unknown>): Promise<Statement[]>;
  stop(): Promise<void>;
};

const DURATION = /^duration: ([\d.]+) ms {2}(parse|bind|execute|statement)[^:]*: ([\s\S]*)$/;

/** A Postgres as `npm start` runs it, that can be asked what it does. */
export async function startPostgres(): Promise<MeasuredPostgres> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-bench-'));
  const [port, password] = [await freePort(), randomUUID()];
  const command = await preparePostgres({
    folder: path.join(folder, 'postgres'),
    port,
    password,
    settings: {
      ...localPostgresSettings,
      log_min_messages: 'log',
      logging_collector: 'on',
      log_destination: 'jsonlog',
      log_filename: 'statements',
      log_rotation_size: '0',
      log_parameter_max_length: '0',
    },
  });
  const server = await startServer(command);
  const url = (database: string) => postgresUrl({ port, password, database });
  const admin = createDatabase({ url: url('postgres'), poolMax: 1, applicationName: 'malipo bench' });
  await until(() => admin.query('SELECT 1'), { deadlineMs: 30_000, what: 'Postgres answers' });
  await admin.query('CREATE DATABASE malipo');

  /** From now on, in connections that are open as well: they read it before their next statement. */
  async function write(from: 'every statement' | 'nothing') {
    await admin.query(`ALTER SYSTEM SET log_min_duration_statement = ${from === 'every statement' ? 0 : -1}`);
    await admin.query('SELECT pg_reload_conf()');
  }
  return {
    url: url('malipo'),
    pid: server.pid,
    async statementsDuring(work) {
      const file = path.join(folder, 'postgres', 'log', 'statements.json');
      const before = (await readFile(file, 'utf8')).length;
      await write('every statement');
      await work();
      await write('nothing');
      return readStatements((await readFile(file, 'utf8')).slice(before));
    },
    async stop() {
      await admin.end();
      await server.stop(10_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function readStatements(log: string): Statement[] {
  const lines = log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  lines.sort((a, b) => a.session_id.localeCompare(b.session_id) || a.line_num - b.line_num);
  const statements: Statement[] = [];
  let planMs = 0;
  for (const line of lines) {
    const [, ms, phase, text = ''] = DURATION.exec(line.message) ?? [];
    if (phase === 'parse' || phase === 'bind') planMs += Number(ms);
    if (phase !== 'execute' && phase !== 'statement') continue;
    statements.push({
      process: line.application_name,
      session: line.session_id,
      text: text.replace(/\s+/g, ' ').trim(),
      planMs,
      runMs: Number(ms),
    });
    planMs = 0;
  }
  return statements;
}
