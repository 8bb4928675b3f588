import { Readable } from 'node:stream';
import fc from 'fast-check';
import { createBillDoors } from '../../../src/api/doors/bill-door.ts';
import { createDoors } from '../../../src/api/doors/notifications.ts';
import { readChannelsFile } from '../../../src/channels/connections.ts';
import { protocols } from '../../../src/channels/protocols.ts';
import { createChannels } from '../../../src/channels/registry.ts';
import { isDatabaseDown } from '../../../src/db/errors.ts';
import { GatewayError, httpStatusOf } from '../../../src/domain/errors.ts';
import type { RequestContext, Served } from '../../../src/http/app.ts';
import { createLog } from '../../../src/process/log.ts';
import { hostileBodies } from '../../support/hostile-bodies.ts';
import { ringOf } from '../../support/key-rings.ts';
import type { Database } from '../../support/queryable.ts';

/** What a hostile request was answered with, and the processor's time that it took, in milliseconds. */
export type Taken = { status: number; cpuMs: number };

/** A request at a door: proofs stand in its headers, its address or its body. */
export type Attack = {
  body: Buffer;
  headers: Record<string, string>;
  params: Record<string, string>;
};

export const NOTIFICATION_SECRETS = ringOf();
const log = createLog({ level: 'silent', name: 'fuzz' });

/** A database that is down, so that only our own work is measured. Counts what it was asked. */
function deadDatabase() {
  let queries = 0;
  const query = async () => {
    queries += 1;
    throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
  };
  return { database: { query, connect: query } as unknown as Database, queries: () => queries };
}

/** Every door of a channels file, without a listener and without a store. `failures` counts wrong proofs. */
export function openDoors(file: object, variables: Record<string, string>) {
  const { database, queries } = deadDatabase();
  let failed = 0;
  const failures = {
    addressOf: () => '192.0.2.1',
    countFailure: async () => {
      failed += 1;
    },
    isLimited: () => false,
  };
  const plan = readChannelsFile(JSON.stringify(file), {
    protocols,
    production: false,
    variable: (name) => variables[name],
    file: () => '',
  });
  const channels = createChannels(plan, {
    publicUrl: 'http://127.0.0.1:3000',
    notificationSecrets: NOTIFICATION_SECRETS,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const flows = {
    signal: async () => true,
    beginPayment: async () => true,
    report: async () => {},
    completeSend: async () => {},
    deliver: async () => true,
  };
  const doors = [
    ...createDoors({ database, flows, doors: channels.notificationDoors, failures }),
    ...createBillDoors({ database, flows, connections: channels.billConnections, failures }),
  ];
  return { doors: doors.filter(({ method }) => method !== 'GET'), queries, failed: () => failed };
}

/** Sends one request to a door, and measures what handling it costs. */
export async function attack(door: Served, { body, headers, params }: Attack): Promise<Taken> {
  const request = Object.assign(Readable.from([body]), {
    headers: { 'content-length': String(body.length), ...headers },
    headersDistinct: {},
    socket: { remoteAddress: '192.0.2.1' },
  });
  const context = {
    method: door.method,
    path: door.path,
    params,
    querystring: '',
    req: request,
    res: { once: (_event: string, after: () => void) => after() },
    state: { requestId: 'r', route: door.name, log },
    status: 404,
    body: null as unknown,
    set: () => {},
    get: (name: string) => headers[name.toLowerCase()] ?? '',
  };
  const before = process.cpuUsage();
  try {
    await door.handle(context as unknown as RequestContext);
  } catch (error) {
    if (error instanceof GatewayError) context.status = httpStatusOf[error.code];
    else if (isDatabaseDown(error)) context.status = 503;
    else throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return { status: context.status, cpuMs: (user + system) / 1_000 };
}

/** XML that readers of XML have stumbled over, at most a little longer than a door takes. */
const hugeXml: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 17, max: 2_000 }).map((n) => {
    const spaces = Array.from({ length: n }, (_, i) => `xmlns:n${i}="u${i}"`).join(' ');
    return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10" ${spaces}><a/></Document>`;
  }),
  fc.integer({ min: 10, max: 8_000 }).map((n) => '<a>'.repeat(n) + '</a>'.repeat(n)),
  fc.integer({ min: 10, max: 10_000 }).map((n) => '<a>'.repeat(n)),
  fc.integer({ min: 10, max: 8_000 }).map((n) => `<a>${'<b/>'.repeat(n)}</a>`),
  fc.integer({ min: 10, max: 3_000 }).map((n) => `<a ${'b="c" '.repeat(n)}/>`),
  fc.integer({ min: 10, max: 30_000 }).map((n) => `<a ${'b'.repeat(n)}`),
  fc.integer({ min: 10, max: 30_000 }).map((n) => `<a${' '.repeat(n)}>`),
  fc.integer({ min: 10, max: 30_000 }).map((n) => `<a b="${'<'.repeat(n)}"/>`),
  fc.integer({ min: 10, max: 30_000 }).map((n) => '<'.repeat(n)),
  fc.integer({ min: 10, max: 7_000 }).map((n) => `<a>${'&#1;'.repeat(n)}</a>`),
  fc.integer({ min: 10, max: 7_000 }).map((n) => `<a>${'&lt;'.repeat(n)}</a>`),
  fc.integer({ min: 10, max: 3_000 }).map((n) => `<a>${'<![CDATA[]]>'.repeat(n)}</a>`),
  fc.integer({ min: 10, max: 4_000 }).map((n) => `<a>${'<!---->'.repeat(n)}</a>`),
  fc.integer({ min: 10, max: 8_000 }).map((n) => `<!--${'<!--'.repeat(n)}`),
  fc.integer({ min: 10, max: 1_000 }).map((n) => '<username>x</username><PASSWORD>y</PASSWORD>'.repeat(n)),
  fc.integer({ min: 10, max: 2_000 }).map((n) => '<username '.repeat(n)),
  fc.integer({ min: 10, max: 3_000 }).map((n) => `${'<s:username>'.repeat(n)}`),
  fc.integer({ min: 10, max: 30_000 }).map((n) => `<${'s'.repeat(n)}:username>`),
  fc.constantFrom(
    '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;&b;&b;">]><a>&d;</a>',
    '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
    '<?xml version="1.0" encoding="utf-16"?><a/>',
    '<a><__proto__>b</__proto__></a>',
  ),
);

/** JSON that scans of JSON might stumble over. */
const hugeJson: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 10, max: 15_000 }).map((n) => `{"a":"${'\\"'.repeat(n)}`),
  fc.integer({ min: 10, max: 15_000 }).map((n) => `{"transaction":{"a":"${'\\"'.repeat(n)}"},"hash":"x"}`),
  fc
    .integer({ min: 10, max: 15_000 })
    .map((n) => `{"transaction":{${' '.repeat(n)}},"hash":"${'A'.repeat(43)}="}`),
  fc.integer({ min: 10, max: 5_000 }).map((n) => `{${'"a":1,'.repeat(n)}"b":1}`),
  fc.integer({ min: 10, max: 16_000 }).map((n) => '{"a":'.repeat(Math.floor(n / 5))),
  fc.integer({ min: 10, max: 30_000 }).map((n) => `{"a":1${'0'.repeat(n)}}`),
  fc.integer({ min: 10, max: 30_000 }).map((n) => `{"${'a'.repeat(n)}":1}`),
  fc.integer({ min: 10, max: 15_000 }).map((n) => `{"a":${'[{'.repeat(n)}`),
);

/** Bodies for a door: spoilt good ones, good ones with hostile parts, and monsters; most of them below its limit. */
export function hostileDoorBodies(good: string): fc.Arbitrary<Buffer> {
  const isXml = good.startsWith('<');
  const monsters = isXml ? hugeXml : hugeJson;
  const grafted = fc.tuple(monsters, fc.nat(Math.max(1, good.length))).map(([monster, at]) => {
    return good.slice(0, at) + monster + good.slice(at);
  });
  const cut = fc
    .tuple(fc.nat(good.length), fc.nat(40), fc.uint8Array({ maxLength: 30 }))
    .map(([at, drop, put]) => {
      const bytes = Buffer.from(good);
      return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + drop)]);
    });
  return fc.oneof(
    { weight: 4, arbitrary: grafted.map((text) => Buffer.from(text)) },
    { weight: 3, arbitrary: monsters.map((text) => Buffer.from(text)) },
    { weight: 3, arbitrary: cut },
    { weight: 2, arbitrary: fc.oneof(hugeXml, hugeJson).map((text) => Buffer.from(text)) },
    {
      weight: 3,
      arbitrary: hostileBodies([isXml ? { a: 1 } : JSON.parse(good)]).map(({ bytes }) => bytes),
    },
  );
}
