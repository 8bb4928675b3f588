import { z } from 'zod';
import { channelIds } from '../../domain/network.ts';
import type { Protocol } from './protocol.ts';
import { isPrivate, type Reach, reachSchema, reachSecrets } from './reach.ts';
import {
  type StatementAccount,
  statementAccount,
  statementAccountOf,
  statementProblems,
} from './statement-accounts.ts';

/** The channels file lists the connections and what each one carries (channels.md). */

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and dashes');
const seconds = z.number().positive().max(86_400);
/** whole TZS, inclusive */
const limits = z
  .strictObject({ minimum: z.int().positive(), maximum: z.int().positive() })
  .refine(({ minimum, maximum }) => minimum <= maximum, 'minimum must not be above maximum');

const connection = z.strictObject({
  protocol: z.string(),
  settings: z.record(z.string(), z.unknown()).default({}),
  reach: z.record(z.string(), z.unknown()).default({}),
  /** the provider accepts a reference twice, so we send only once */
  sendOnce: z.boolean().default(false),
  /** its doors are below /channels/at/<path>, because another connection has the same proof */
  path: name.optional(),
  /** addresses from which the provider may call our doors; empty: any */
  addresses: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([]),
  /** connection that shares its receipt numbers (the same short code); absent: none */
  receipts: name.optional(),
  /** `front`: the network refuses before its processing, so a refused payout was not sent */
  gate: z.literal('front').optional(),
  /** whole TZS: a notification above this only makes us enquire */
  confirmAbove: z.int().positive().optional(),
  /** whole TZS of bill payments per hour: above this an operator is alerted */
  alarmAbovePerHour: z.int().positive().optional(),
});
type ConnectionRow = z.infer<typeof connection>;

const service = z.strictObject({
  payments: name.optional(),
  payouts: name.optional(),
  bills: z.array(name).default([]),
  /** sends per second by all processes */
  ratePerSecond: z.number().positive().max(10_000).default(50),
  /** enquiries per second by all processes; default: as many as sends */
  enquiriesPerSecond: z.number().positive().max(10_000).optional(),
  /** narrower limits than in data/networks.json */
  limits: z.strictObject({ payments: limits.optional(), payouts: limits.optional() }).default({}),
  timing: z
    .strictObject({
      promptTtlSeconds: seconds.optional(),
      firstEnquiryAfterSeconds: seconds.optional(),
      settleTimeSeconds: seconds.optional(),
      sendTimeoutSeconds: seconds.max(120).optional(),
    })
    .default({}),
});

/** An account's own routes replace the common routes, which apply to everything else. */
const ownService = z.strictObject({
  payments: name.optional(),
  payouts: name.optional(),
  bills: z.array(name).optional(),
});

const channelId = z.enum(channelIds as [string, ...string[]]);
const fileSchema = z.strictObject({
  $comment: z.string().optional(),
  connections: z.record(name, connection),
  networks: z.partialRecord(channelId, service),
  routes: z.record(z.uuid().toLowerCase(), z.partialRecord(channelId, ownService)).default({}),
  statementAccounts: z.record(name, statementAccount).default({}),
});

export type NetworkService = z.infer<typeof service>;
export type OwnService = z.infer<typeof ownService>;
export type Connection = { id: string; protocol: Protocol; settings: unknown; reach: Reach } & Pick<
  ConnectionRow,
  'sendOnce' | 'gate' | 'path' | 'addresses' | 'receipts' | 'confirmAbove' | 'alarmAbovePerHour'
>;
export type ChannelsPlan = {
  connections: ReadonlyMap<string, Connection>;
  /** keys are network ids, or `bank` */
  networks: ReadonlyMap<string, NetworkService>;
  /** keys are accounts, then networks */
  routes: ReadonlyMap<string, ReadonlyMap<string, OwnService>>;
  statementAccounts: ReadonlyMap<string, StatementAccount>;
};

export type ReadOptions = {
  protocols: readonly Protocol[];
  /** production takes secrets only from variables and files, and only https addresses */
  production: boolean;
  variable(name: string): string | undefined;
  /** throws if unreadable */
  file(path: string): string;
};

/** Throws an Error that lists every problem with its path and reason. */
export function readChannelsFile(text: string, options: ReadOptions): ChannelsPlan {
  const parsed = fileSchema.safeParse(parseJson(text));
  if (!parsed.success) throw wrong(parsed.error.issues.map((issue) => problemOf([], issue)));
  const { connections: given, networks, routes: own, statementAccounts: accounts } = parsed.data;
  const problems: string[] = [];
  const connections = new Map<string, Connection>();
  for (const [id, { settings: asWritten, reach: way, ...one }] of Object.entries(given)) {
    const protocol = options.protocols.find((known) => known.name === one.protocol);
    if (!protocol) {
      const known = options.protocols.map((each) => each.name).join(', ');
      problems.push(`connections.${id}.protocol: must be one of ${known}`);
      continue;
    }
    const wayThere = { path: ['connections', id, 'reach'], secrets: reachSecrets, plain: 'any' } as const;
    const reach = reachSchema.safeParse(resolve(way, { ...wayThere, options, problems }));
    if (!reach.success) problems.push(...reach.error.issues.map((issue) => problemOf(wayThere.path, issue)));
    const path = ['connections', id, 'settings'];
    const plain = way.insecure_http !== undefined ? 'private' : options.production ? 'none' : 'any';
    const found = resolve(asWritten, { path, secrets: protocol.secrets, plain, options, problems });
    const settings = protocol.settings.safeParse(found);
    if (!settings.success) problems.push(...settings.error.issues.map((issue) => problemOf(path, issue)));
    else if (reach.success)
      connections.set(id, { ...one, id, protocol, settings: settings.data, reach: reach.data });
  }
  for (const [id, { receipts }] of Object.entries(given))
    if (receipts !== undefined && given[receipts]?.receipts !== undefined)
      problems.push(
        `connections.${id}.receipts: ${receipts} takes part in the number space of another one itself`,
      );
    else if (receipts !== undefined && !Object.hasOwn(given, receipts))
      problems.push(`connections.${id}.receipts: there is no connection ${receipts}`);
  const services = mapOf(networks);
  const routes = new Map(Object.entries(own).map(([account, rows]) => [account, mapOf(rows)] as const));
  const requireKnown = (place: string, { payments, payouts, bills = [] }: OwnService) => {
    const used = { payments: payments ? [payments] : [], payouts: payouts ? [payouts] : [], bills };
    for (const [member, ids] of Object.entries(used))
      for (const id of ids)
        if (!Object.hasOwn(given, id)) problems.push(`${place}.${member}: there is no connection ${id}`);
  };
  for (const [network, one] of services) requireKnown(`networks.${network}`, one);
  for (const [account, rows] of routes)
    for (const [network, one] of rows) {
      requireKnown(`routes.${account}.${network}`, one);
      if (!services.has(network)) problems.push(`routes.${account}.${network}: networks has no ${network}`);
    }
  const statementAccounts = new Map(
    Object.entries(accounts).map(([id, row]) => [id, statementAccountOf(id, row)]),
  );
  const used = [services, ...routes.values()];
  problems.push(...statementProblems([...statementAccounts.values()], given, used));
  if (problems.length > 0) throw wrong(problems);
  return { connections, networks: services, routes, statementAccounts };
}

function mapOf<T>(rows: Partial<Record<string, T>>): Map<string, T> {
  return new Map(
    Object.entries(rows).flatMap(([id, one]) => (one === undefined ? [] : [[id, one] as const])),
  );
}

type Resolving = {
  path: readonly string[];
  secrets: readonly string[];
  plain: 'none' | 'private' | 'any';
  options: ReadOptions;
  problems: string[];
};

/** Replaces a reference `{ "env": "NAME" }` or `{ "file": "path" }` by its text. */
function resolve(value: unknown, at: Resolving): unknown {
  const { path, options, problems } = at;
  if (Array.isArray(value)) return value.map((one, i) => resolve(one, { ...at, path: [...path, String(i)] }));
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string') problems.push(...unsafe(value, at));
    return value;
  }
  const reference = referenceSchema.safeParse(value);
  if (!reference.success) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, resolve(one, { ...at, path: [...path, key] })]),
    );
  }
  const found = textOf(reference.data, options);
  if (found === null) problems.push(`${path.join('.')}: ${missing(reference.data)}`);
  else if (unsafeText(found, at).length > 0) problems.push(...unsafeText(found, at));
  else return found;
  return undefined;
}

/** A long random secret has eight different characters or more. */
function isDemo(text: string): boolean {
  return text.length >= 16 && new Set(text).size < 8;
}

type Reference = { env: string } | { file: string };
const referenceSchema: z.ZodType<Reference> = z.union([
  z.strictObject({ env: z.string() }),
  z.strictObject({ file: z.string() }),
]);

function textOf(reference: Reference, options: ReadOptions): string | null {
  if ('env' in reference) return options.variable(reference.env) || null;
  try {
    return options.file(reference.file).trim() || null;
  } catch {
    return null;
  }
}

function missing(reference: Reference): string {
  if ('env' in reference) return `the variable ${reference.env} is not set`;
  return `the file ${reference.file} cannot be read, or is empty`;
}

function unsafe(value: string, at: Resolving): string[] {
  if (at.options.production && at.secrets.includes(memberOf(at)))
    return [`${at.path.join('.')}: production takes it from { "env": … } or { "file": … } only`];
  return unsafeText(value, at);
}

/** Names a member without the three parts of the connection's path, and without list indexes. */
function memberOf({ path }: Resolving): string {
  return path
    .slice(3)
    .filter((part) => !/^\d+$/.test(part))
    .join('.');
}

/** The sandbox pays from this account, which is another's in production. */
const PLACEHOLDER_ACCOUNT = '0100000000001';

function unsafeText(value: string, at: Resolving): string[] {
  const name = at.path.join('.');
  const problems = plainProblems(value, at);
  if (at.options.production) {
    if (isDemo(value)) return [`${name}: is a demo secret`];
    if (memberOf(at) === 'debtor.account' && value === PLACEHOLDER_ACCOUNT)
      return [`${name}: is the placeholder of the sandbox`];
    if (at.secrets !== reachSecrets && isSimulator(value)) problems.push('is an address of the simulator');
  }
  return problems.map((problem) => `${name}: ${problem}`);
}

/** Reads an address as a client does, trimmed and ignoring case: `HTTP://…` is plain, too. */
function isPlain(value: string): boolean {
  return URL.parse(value)?.protocol === 'http:';
}

function plainProblems(value: string, at: Resolving): string[] {
  const { plain } = at;
  // An XML namespace is a name, not an address.
  if (plain === 'any' || !isPlain(value) || memberOf(at) === 'namespace') return [];
  if (plain === 'none') return ['must be https; plain http is allowed by reach.insecure_http'];
  return isPrivate(value) ? [] : ['plain http goes to private addresses only, and to no name'];
}

function isSimulator(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  const { hostname, port } = url;
  const isHere = /^(simulator|localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/i.test(hostname);
  return isHere || port === SIMULATOR_PORT;
}

const SIMULATOR_PORT = '4010';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrong([error instanceof Error ? error.message : 'is no JSON']);
  }
}

function problemOf(path: readonly string[], issue: { path: PropertyKey[]; message: string }): string {
  return `${[...path, ...issue.path.map(String)].join('.') || 'the file'}: ${issue.message}`;
}

export function wrong(problems: string[], file?: string): WrongFile {
  return new WrongFile(problems, file);
}

export class WrongFile extends Error {
  readonly problems: string[];
  constructor(problems: string[], file?: string) {
    super(`The channels file ${file === undefined ? '' : `${file} `}is wrong:\n  ${problems.join('\n  ')}`);
    this.problems = problems;
  }
}
