import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer, type ServerCommand, startServer } from './server-process.ts';

export type ServiceSpecification = {
  name: string;
  command: ServerCommand;
  /** resolves when it serves; called after every start */
  ready(server: RunningServer): Promise<void>;
  readyWithinMs: number;
  /** how long it may take to stop before it is killed */
  patienceMs: number;
  onLine?: (line: string) => void;
};

type Supervisor = {
  /** Starts a service and keeps it running. Throws if its first start fails. */
  start(specification: ServiceSpecification): Promise<void>;
  /** Stops the named services at once and does not restart them. */
  stop(names: string[]): Promise<void>;
};

const BACKOFF_FIRST_MS = 200;
const BACKOFF_MAX_MS = 5_000;
/** An ended process may leave unread output; a child that still runs may not delay us longer. */
const DRAINED_WITHIN_MS = 1_000;
/** After running this long, a process's next end counts as its first. */
const STABLE_AFTER_MS = 30_000;

type Service = { specification: ServiceSpecification; server: RunningServer | undefined; stopping: boolean };

/** Keeps processes running: restarts an ended one after a pause that grows to 5 s. */
export function createSupervisor(deps: {
  report: (message: string) => void;
  onStart: (name: string, pid: number) => Promise<void>;
}): Supervisor {
  const services = new Map<string, Service>();

  async function launch(service: Service): Promise<RunningServer> {
    const { specification } = service;
    const server = await startServer(specification.command, specification.onLine);
    service.server = server;
    if (service.stopping) await server.stop(specification.patienceMs);
    try {
      await deps.onStart(specification.name, server.pid);
    } catch (error) {
      // The next start could not stop a process that is not recorded (a full disk).
      await server.stop(specification.patienceMs);
      throw error;
    }
    return server;
  }

  async function becomeReady(service: Service, server: RunningServer): Promise<void> {
    const { specification } = service;
    const limit = new AbortController();
    const early = server.exited.then(async () => {
      await Promise.race([server.drained, pause(DRAINED_WITHIN_MS)]);
      throw new Error(`${specification.name} did not start: ${reasonOf(server)}`);
    });
    const late = pause(specification.readyWithinMs, undefined, { signal: limit.signal }).then(() => {
      throw new Error(
        `${specification.name} was not ready within ${specification.readyWithinMs / 1000} s: ` +
          `${reasonOf(server)}`,
      );
    });
    early.catch(() => {});
    late.catch(() => {});
    await Promise.race([specification.ready(server), early, late]).finally(() => limit.abort());
  }

  async function keepRunning(service: Service, first: RunningServer): Promise<void> {
    const { name } = service.specification;
    let server = first;
    let startedAt = performance.now();
    let backoffMs = BACKOFF_FIRST_MS;
    for (;;) {
      const { code, signal } = await server.exited;
      if (service.stopping) return;
      if (performance.now() - startedAt > STABLE_AFTER_MS) backoffMs = BACKOFF_FIRST_MS;
      deps.report(`${name} ended (${signal ?? `code ${code}`}); starting it again in ${backoffMs / 1000} s`);
      await pause(backoffMs);
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
      if (service.stopping) return;
      startedAt = performance.now();
      server = await restart(service, server);
    }
  }

  /** A failed start returns an ended server, so that the next round tries again. */
  async function restart(service: Service, ended: RunningServer): Promise<RunningServer> {
    const { name, patienceMs } = service.specification;
    let server = ended;
    try {
      server = await launch(service);
      await becomeReady(service, server);
      if (!service.stopping) deps.report(`${name} is back (process ${server.pid})`);
    } catch (error) {
      if (!service.stopping) deps.report((error as Error).message);
      if (server !== ended) await server.stop(patienceMs);
    }
    return server;
  }

  return {
    async start(specification) {
      const service: Service = { specification, server: undefined, stopping: false };
      services.set(specification.name, service);
      const startedAt = performance.now();
      const server = await launch(service);
      await becomeReady(service, server);
      deps.report(`  ${specification.name} runs (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
      // Not awaited: it ends with stop().
      void keepRunning(service, server);
    },
    async stop(names) {
      const wanted = names.flatMap((name) => services.get(name) ?? []);
      for (const service of wanted) service.stopping = true;
      await Promise.all(wanted.map((service) => service.server?.stop(service.specification.patienceMs)));
    },
  };
}

/** Returns the error without its stack trace, or the whole list of wrong settings. */
function reasonOf(server: RunningServer): string {
  const lines = server.lastOutput().split('\n');
  const heading = lines.findLastIndex((line) => /^The .* is wrong:$/.test(line));
  const after = lines.slice(heading + 1);
  const end = after.findIndex((line) => !line.startsWith('  '));
  if (heading >= 0) return [lines[heading], ...after.slice(0, end < 0 ? undefined : end)].join('\n');
  const said = lines.filter((line) => !/^(at .*|Node\.js v.*|\W*)$/.test(line.trim()));
  const reason = said.findLast((line) => /error|wrong|unsafe/i.test(line)) ?? said.at(-1);
  return reason?.trim().slice(0, 300) ?? 'it wrote nothing';
}
