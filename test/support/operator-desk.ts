import { markOf } from '../../src/accounts/key-format.ts';
import { createProgram } from '../../src/app/cli/program.ts';
import { noLimits } from '../../src/domain/limits.ts';
import type { Actions } from '../../src/operators/actions/actions.ts';
import { createProposals } from '../../src/operators/actions/proposals.ts';
import type { Deps } from '../../src/operators/api/call.ts';
import { createFigureReads } from '../../src/operators/api/figure-reads.ts';
import { createLedgerReads } from '../../src/operators/api/ledger-reads.ts';
import { createRuns } from '../../src/operators/cli/context.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import { type Role, roles } from '../../src/operators/people/roles.ts';
import { createSessions } from '../../src/operators/people/sessions.ts';
import { operatorsSide } from '../../src/operators/port.ts';
import { createClientAddress, createTlsCheck } from '../../src/platform/http/client-address.ts';
import { listen } from '../../src/platform/process/listen.ts';
import { createLog } from '../../src/platform/process/log.ts';
import { createMetrics } from '../../src/platform/process/metrics.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { actionsWith, liveRouteOf } from './actions.ts';
import { approvalOf } from './approval.ts';
import { asRole, useTestDatabase } from './database.ts';
import { gateOf } from './gate.ts';
import { ringOf } from './key-rings.ts';
import { createTestKeys } from './keys.ts';
import type { Database } from './queryable.ts';
import { statementAccounts, keys as statementKeys } from './statements-of-accounts.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, read by assertions only
export type Answer = { status: number; headers: Headers; body: any };
export type OperatorDesk = Awaited<ReturnType<typeof openOperatorDesk>>;

const hashSecrets = ringOf(Buffer.alloc(32, 5));

type DeskOptions = NonNullable<Parameters<typeof openOperatorDesk>[1]>;

/**
 * An operator API on a database of its own for the tests of a describe block, or with `each` for every test of it. The
 * hooks fill in what this returns: read its members in hooks and tests only.
 */
export function useOperatorDesk(options: DeskOptions & { each?: boolean; poolMax?: number } = {}) {
  const { each = false, poolMax = 5, ...deskOptions } = options;
  const test = useTestDatabase({ each, poolMax });
  const desk = {} as OperatorDesk;
  (each ? beforeEach : before)(async () => {
    Object.assign(desk, await openOperatorDesk(test.database, deskOptions));
  });
  (each ? afterEach : after)(() => desk.stop());
  return { test, desk };
}

/** A real operator API on a free port, with two operators who may do everything and one for each role alone. */
export async function openOperatorDesk(
  owned: Database,
  {
    fourEyes = true,
    destination = { write() {} },
    proxies = [],
    needsTls = false,
    hires = true,
    actions,
    accounts: given,
    ...changes
  }: Partial<Deps> & {
    fourEyes?: boolean;
    actions?: Actions;
    /** in the place of the usual ones */
    accounts?: readonly AccountInUse[];
    destination?: { write(line: string): void };
    /** whose X-Forwarded-For and -Proto are believed */
    proxies?: string[];
    needsTls?: boolean;
    /** false: the database has its operators already, of an API that was started before */
    hires?: boolean;
  } = {},
) {
  const database = asRole(owned, 'api');
  const operators = createOperators({ database, hashSecrets });
  const keys = createTestKeys({ database, hashSecrets });
  const accounts = given ? new Map(given.map((one) => [one.id, one])) : statementAccounts;
  const proposals = createProposals({
    database,
    actions: actions ?? actionsWith(hashSecrets, 'test', accounts),
    fourEyes,
  });
  const people = operatorsSide({
    docsOrigin: 'http://malipo.test',
    deps: {
      database,
      keys,
      newAccountLimits: noLimits,
      operators,
      sessions: createSessions({ database, hashSecrets }),
      proposals,
      wake: async () => {},
      begin: async () => {},
      tellPaid: async () => {},
      hint: async () => {},
      workflowUrl: (id) => `http://temporal.example.com/${id}`,
      deliver: async () => true,
      submit: async () => ({ kind: 'not_sent' }),
      liveRouteOf,
      timing: 'fast',
      ledger: createLedgerReads(database),
      figures: createFigureReads({ database, accounts, freshMs: 0 }),
      longDatabase: database,
      markOf: (number) => markOf(hashSecrets, number),
      channelStates: gateOf(database).states,
      statementAccounts: accounts,
      statementSources: new Map(),
      imports: { accounts, keys: statementKeys },
      checkConnections: async () => [
        { connection: 'bank', protocol: 'iso20022', outcome: 'works', detail: 'a token was given' },
      ],
      ...changes,
    },
    addressOf: createClientAddress(proxies),
    isTls: createTlsCheck(proxies),
    needsTls,
    log: createLog({ level: 'info', name: 'test', destination }),
    metrics: createMetrics(),
  });
  const { port, close } = await listen(
    people((_, answer) => answer.end()),
    { port: 0, host: '127.0.0.1' },
  );
  const url = `http://127.0.0.1:${port}`;

  const tokens: Record<string, string> = {};
  async function hire(name: string, its: readonly Role[]): Promise<string> {
    await operators.create({ name, email: `${name}@example.com`, roles: its, actor: 'test' });
    tokens[name] = (await operators.issueToken({ operator: name, days: 1, actor: 'test' })).token;
    return tokens[name];
  }
  for (const name of hires ? ['asha', 'juma'] : []) await hire(name, ['support', 'finance', 'admin']);
  for (const role of hires ? roles : []) await hire(`only-${role}`, [role]);

  /** `as`: an operator's name, or the token itself; null: none. */
  async function call(
    as: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${url}/operator/v1/${path}`, {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${tokens[as] ?? as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** Proposed over the API. */
  const propose = (as: string, action: string, payload: object, reason = 'a test') =>
    call(as, 'POST', 'proposals', { action, payload, reason });

  /** Approved over the API, just as it was proposed. */
  const consent = (as: string, { id, payload_hash }: { id: string; payload_hash: string }) =>
    call(as, 'POST', `proposals/${id}/approve`, { payload_hash });

  /** The command line as this operator types it; what it prints. */
  async function cli(as: string, ...args: string[]): Promise<string[]> {
    const lines: string[] = [];
    const runs = createRuns({
      access: async (operator) => ({ url, token: tokens[operator ?? as] ?? '' }),
      config: () => Promise.reject(new Error('this command opens no store')),
      print: (line) => lines.push(line),
    });
    const program = await createProgram(runs, args);
    program.exitOverride().configureOutput({ writeErr: () => {} });
    await program.parseAsync(args, { from: 'user' });
    return lines;
  }

  /** The lines of a list, without its head; none where it says that there is nothing. */
  const rows = async (as: string, ...args: string[]) => (await cli(as, ...args)).slice(1);

  /** What was just proposed on the command line, approved by another operator. */
  async function approve(as: string, proposed: string[]): Promise<string[]> {
    return cli(as, ...approvalOf(proposed.join('\n')));
  }

  /** Proposed by asha on the command line, and approved by juma. */
  const agree = async (...args: string[]) => approve('juma', await cli('asha', ...args));

  /** How many lines of operators the audit log has about it. */
  async function auditsOf(action: string, subject: string): Promise<number> {
    const { rows } = await owned.query(
      "SELECT count(*) AS n FROM audit_log WHERE action = $1 AND subject = $2 AND actor LIKE 'operator:%' AND request_id IS NOT NULL",
      [action, subject],
    );
    return rows[0].n;
  }

  const acts = { hire, call, propose, consent, cli, rows, approve, agree, auditsOf };
  return { url, tokens, operators, keys, proposals, ...acts, stop: () => close(0) };
}
