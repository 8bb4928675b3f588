import { Readable } from 'node:stream';
import fc from 'fast-check';
import { createBillDoors } from '../../../src/api/doors/bill-door.ts';
import { createDoors } from '../../../src/api/doors/notifications.ts';
import { createChannels } from '../../../src/channels/kit/registry.ts';
import { GatewayError, httpStatusOf } from '../../../src/domain/errors.ts';
import { isDatabaseDown } from '../../../src/platform/db/errors.ts';
import type { RequestContext, Served } from '../../../src/platform/http/app.ts';
import { createLog } from '../../../src/platform/process/log.ts';
import { readPlan } from '../../support/channels-file.ts';
import { ringOf } from '../../support/key-rings.ts';
import type { Database } from '../../support/queryable.ts';
import { hostileBodies } from './hostile-bodies.ts';

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
  const channels = createChannels(readPlan(file, { variables }), {
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

/** A text with something in it 10 times, or up to so often. */
const often = (most: number, write: (n: number) => string) => fc.integer({ min: 10, max: most }).map(write);

/** XML that readers of XML have stumbled over, at most a little longer than a door takes. */
const hugeXml: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 17, max: 2_000 }).map((n) => {
    const spaces = Array.from({ length: n }, (_, i) => `xmlns:n${i}="u${i}"`).join(' ');
    return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10" ${spaces}><a/></Document>`;
  }),
  often(8_000, (n) => '<a>'.repeat(n) + '</a>'.repeat(n)),
  often(10_000, (n) => '<a>'.repeat(n)),
  often(8_000, (n) => `<a>${'<b/>'.repeat(n)}</a>`),
  often(3_000, (n) => `<a ${'b="c" '.repeat(n)}/>`),
  often(30_000, (n) => `<a ${'b'.repeat(n)}`),
  often(30_000, (n) => `<a${' '.repeat(n)}>`),
  often(30_000, (n) => `<a b="${'<'.repeat(n)}"/>`),
  often(30_000, (n) => '<'.repeat(n)),
  often(7_000, (n) => `<a>${'&#1;'.repeat(n)}</a>`),
  often(7_000, (n) => `<a>${'&lt;'.repeat(n)}</a>`),
  often(3_000, (n) => `<a>${'<![CDATA[]]>'.repeat(n)}</a>`),
  often(4_000, (n) => `<a>${'<!---->'.repeat(n)}</a>`),
  often(8_000, (n) => `<!--${'<!--'.repeat(n)}`),
  often(1_000, (n) => '<username>x</username><PASSWORD>y</PASSWORD>'.repeat(n)),
  often(2_000, (n) => '<username '.repeat(n)),
  often(3_000, (n) => `${'<s:username>'.repeat(n)}`),
  often(30_000, (n) => `<${'s'.repeat(n)}:username>`),
  fc.constantFrom(
    '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;&b;&b;">]><a>&d;</a>',
    '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
    '<?xml version="1.0" encoding="utf-16"?><a/>',
    '<a><__proto__>b</__proto__></a>',
  ),
);

/** JSON that scans of JSON might stumble over. */
const hugeJson: fc.Arbitrary<string> = fc.oneof(
  often(15_000, (n) => `{"a":"${'\\"'.repeat(n)}`),
  often(15_000, (n) => `{"transaction":{"a":"${'\\"'.repeat(n)}"},"hash":"x"}`),
  often(15_000, (n) => `{"transaction":{${' '.repeat(n)}},"hash":"${'A'.repeat(43)}="}`),
  often(5_000, (n) => `{${'"a":1,'.repeat(n)}"b":1}`),
  often(16_000, (n) => '{"a":'.repeat(Math.floor(n / 5))),
  often(30_000, (n) => `{"a":1${'0'.repeat(n)}}`),
  often(30_000, (n) => `{"${'a'.repeat(n)}":1}`),
  often(15_000, (n) => `{"a":${'[{'.repeat(n)}`),
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
