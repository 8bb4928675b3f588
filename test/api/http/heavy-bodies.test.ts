// tests: hard
import assert from 'node:assert/strict';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { parseTree } from 'jsonc-parser';
import { examples } from '../../../src/api/reference/examples.ts';
import { calls } from '../../../src/api/routes.ts';
import { freshKey } from '../support/api.ts';
import { useTestApi } from '../support/use-api.ts';

/** Every route that reads a body, whatever it is for, with a body of its size made of each kind of junk. */

const KIB = 1024;
const NOBODY = '00000000-0000-4000-8000-000000000000';
const TIMES_MAX = 4;
/** The junk is tried again until it is below its bound, so often. */
const TRIES = 8;
/** What three honest batches take in a process that begins. */
const MEMORY_KIB = 64 * KIB;
const routes = Object.entries(calls).flatMap(([name, line]) => {
  if (!line.body) return [];
  const path = line.paths[0].replace(/\{\w+\}/, NOBODY);
  const bytes = line.bodyBytesMax ?? 64 * KIB;
  const [example = {}] = Object.values(examples.calls[name]?.body ?? {}) as object[];
  const { method, rowsMax, takesCsv = false } = line;
  return [{ name, method, path, bytes, example, rowsMax, takesCsv }];
});

const filled = (open: string, part: (at: number) => string, close: string, bytes: number) => {
  const parts: string[] = [];
  let size = open.length + close.length;
  for (let at = 0; ; at += 1) {
    const text = part(at);
    size += text.length + 1;
    if (size > bytes) return `${open}${parts.join(',')}${close}`;
    parts.push(text);
  }
};
const list = (part: string) => (bytes: number) => filled('{"items":[', () => part, ']}', bytes);
const junk: Record<string, (bytes: number) => string> = {
  numbers: list('1'),
  'empty objects': list('{}'),
  'empty arrays': list('[]'),
  'unknown names': (bytes) => filled('{', (at) => `"n${at}":1`, '}', bytes),
  'unknown names in an item': (bytes) => filled('{"items":[{', (at) => `"n${at}":1`, '}]}', bytes),
  'metadata of many keys': (bytes) => filled('{"metadata":{', (at) => `"n${at}":1`, '}}', bytes),
  'metadata of many values': (bytes) => filled('{"metadata":{"a":[', () => '1', ']}}', bytes),
  'white space': (bytes) => ' '.repeat(bytes),
  'white space between': (bytes) => `{"a":${' '.repeat(bytes - 8)}1}`,
  'white space everywhere': (bytes) => filled('{"a":[', () => '1\n\t \r  '.padEnd(60), ']}', bytes),
  brackets: (bytes) => '['.repeat(bytes),
  'closing brackets': (bytes) => ']'.repeat(bytes),
  quotes: (bytes) => '"'.repeat(bytes),
  escapes: (bytes) => `{"a":"${'\\"'.repeat(bytes / 2 - 8)}`,
  colons: (bytes) => `{"a"${':'.repeat(bytes - 8)}1}`,
};
const csvJunk: Record<string, (bytes: number) => string> = {
  commas: (bytes) => ','.repeat(bytes),
  'line ends': (bytes) => '\n'.repeat(bytes),
  'commas below a header': (bytes) => `amount,phone_number\n${','.repeat(bytes - 30)}`,
  'rows of commas': (bytes) => `amount,phone_number\n${`${','.repeat(150)}\n`.repeat(bytes / 151 - 1)}`,
  'short rows': (bytes) => `amount,phone_number\n${'1,2\n'.repeat(bytes / 4 - 8)}`,
  quotes: (bytes) => '"'.repeat(bytes),
  formulas: (bytes) => '="'.repeat(bytes / 2),
};

describe('a body of the size that its route takes', function () {
  this.timeout(240_000);
  const { api } = useTestApi({ balance: 1_000_000_000 });
  const send = (method: string, path: string, raw: string, type = 'application/json') =>
    api.call(method, path, { raw, headers: { ...freshKey(), 'content-type': type } });
  const post = (path: string, raw: string) => send('POST', path, raw);

  /** What the loop was busy with it, the least of some times, until it is little enough: others use this machine. */
  async function costOf(
    path: string,
    raw: string,
    { method = 'POST', type = 'application/json', times = 3, enough = 0 } = {},
  ) {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < times && least > enough; round += 1) {
      const before = performance.eventLoopUtilization();
      const { status } = await send(method, path, raw, type);
      assert.ok(status < 500 && status !== 405, `${path} answers ${status}`);
      least = Math.min(least, performance.eventLoopUtilization(before).active);
    }
    return least;
  }

  const mobile = (at: number) => ({
    phone_number: `0754${String(at).padStart(6, '0')}`,
    amount: 5_000,
    currency: 'TZS',
  });
  /** An honest batch of the largest size: notes of the merchant's fill its rows up. */
  const batch = (bytes: number, rows: number) => {
    const note = 'x'.repeat(Math.floor(bytes / rows) - 100);
    const items = Array.from({ length: rows }, (_, at) => ({ ...mobile(at), note }));
    return JSON.stringify({ batch_number: `HEAVY-${bytes}`, items });
  };
  const csvBatch = (bytes: number, rows: number) => {
    const note = 'x'.repeat(Math.floor(bytes / rows) - 30);
    const lines = Array.from({ length: rows }, (_, at) => `${mobile(at).phone_number},5000,${note}`);
    return `phone_number,amount,note\n${lines.join('\n')}\n`;
  };
  const honestOf = ({ bytes, example, rowsMax }: (typeof routes)[number]) => {
    if (rowsMax !== undefined) return batch(bytes, rowsMax);
    const text = JSON.stringify({ ...example, note: '' });
    return text.replace(/"note":""/, `"note":"${'x'.repeat(bytes - Buffer.byteLength(text))}"`);
  };

  it('takes no more memory for a batch of junk than for an honest one', async () => {
    const before = process.resourceUsage().maxRSS;
    for (const name of ['A', 'B', 'C'])
      await post('payouts/batches', batch(5 * KIB * KIB, 10_000).replace('HEAVY', name));
    const honest = process.resourceUsage().maxRSS;
    for (const make of Object.values(junk)) await post('payouts/batches', make(5 * KIB * KIB));
    const grown = process.resourceUsage().maxRSS - before;
    // A process that was large before shows little of it.
    const least = Math.max(honest - before, MEMORY_KIB);
    assert.ok(grown <= TIMES_MAX * least, `${grown} KiB, honest ones ${honest - before} KiB`);
  });

  for (const route of routes) {
    it(`holds the loop no longer for junk than for an honest one: ${route.name}`, async () => {
      const { method, path, bytes, rowsMax } = route;
      // A thread begins for each of the large ones.
      const times = rowsMax === undefined ? 3 : 1;
      const honest = honestOf(route);
      await send(method, path, honest);
      const most = TIMES_MAX * (await costOf(path, honest, { method, times }));
      const costs: [string, number][] = [];
      for (const [kind, make] of Object.entries(junk)) {
        const cost = await costOf(path, make(bytes), { method, times: TRIES, enough: most });
        costs.push([kind, cost]);
      }
      assert.deepEqual(
        costs.filter(([, cost]) => cost > most),
        [],
        `the honest one: ${most / TIMES_MAX} ms`,
      );
    });
  }

  for (const { path, bytes, rowsMax = 0 } of routes.filter(({ takesCsv }) => takesCsv)) {
    it(`holds the loop no longer for a CSV of junk than for an honest one: ${path}`, async () => {
      const type = 'text/csv';
      const at = `${path}?batch_number=HEAVY-CSV`;
      const most = TIMES_MAX * (await costOf(at, csvBatch(bytes, rowsMax), { type, times: 1 }));
      for (const [kind, make] of Object.entries(csvJunk)) {
        const cost = await costOf(at, make(bytes), { type, times: TRIES, enough: most });
        assert.ok(cost <= most, `${kind}: ${cost} ms, the honest one ${most / TIMES_MAX} ms`);
      }
    });
  }

  it('lets others in while an honest batch of 10,000 rows is read', async () => {
    const text = batch(5 * KIB * KIB, 10_000);
    const began = performance.now();
    parseTree(text);
    const tree = performance.now() - began;
    await post('payouts/batches', text);
    const second = text.replace('HEAVY', 'HONEST');
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { status } = await post('payouts/batches', second);
    await pause(20);
    delay.disable();
    assert.equal(status, 200);
    // With such a tree, and all that was done with its rows at once, it was held for more than ten of them.
    assert.ok(delay.max / 1e6 < 2 * tree, `${delay.max / 1e6} ms at once; a tree of it ${tree} ms`);
  });
});
