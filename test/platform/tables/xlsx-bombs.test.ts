// tests: hard
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createBigBodies } from '../../../src/platform/http/big-bodies.ts';
import { readTable } from '../../../src/platform/tables/read-table.ts';
import { TableRefused } from '../../../src/platform/tables/table.ts';
import { inSheet, workbookOf, zipOf } from '../../support/workbook.ts';

/** Workbooks that are small and unpack to much: each costs less than a few honest ones, and no more memory than is there. */

const MIB = 1024 * 1024;
const TIMES_MAX = 5;
const MEMORY_MAX = 150 * MIB;
/** The noise of a machine that does other things is below its bound in one of so many. */
const TRIES = 3;

setFlagsFromString('--expose_gc');
const collect: () => void = runInNewContext('gc');

const honest = workbookOf([
  ['phone', 'amount', 'name', 'department', 'note'],
  ...Array.from({ length: 10_000 }, (_, at) => [
    `0754${String(at).padStart(6, '0')}`,
    5_000 + at,
    `Asha Juma ${at}`,
    'Sales',
    at,
  ]),
]);

type Lie = { content?: string | Buffer; saidBytes?: number };
const rows = [
  ['phone', 'amount'],
  ['0754000001', 5_000],
];
const withPart = (name: RegExp, lie: Lie) =>
  workbookOf(rows, {
    change: (parts) => parts.map((part) => (name.test(part.name) ? { ...part, ...lie } : part)),
  });
const [open = '', close = ''] = inSheet('|').split('|');
/** bytes of a sheet that repeats this */
const sheetOf = (inside: string, bytes: number) =>
  Buffer.concat([Buffer.from(open), Buffer.alloc(bytes, inside), Buffer.from(close)]);
const strings = (inside: string, count: number) => `<sst>${inside.repeat(count)}</sst>`;
const long = 'x'.repeat(60_000);
const text = { inside: '<v>0</v>', attributes: 't="s"' };

const bombs: [what: string, make: () => Buffer][] = [
  ['a declared size', () => withPart(/sheet1/, { content: Buffer.alloc(200 * MIB, ' ') })],
  ['a size beyond four bytes', () => withPart(/sheet1/, { saidBytes: 0xffffffff })],
  ['a lying size', () => withPart(/sheet1/, { content: Buffer.alloc(200 * MIB, ' '), saidBytes: MIB })],
  [
    'a size that lies within the bound',
    () => withPart(/sheet1/, { content: Buffer.alloc(200 * MIB, ' '), saidBytes: 31 * MIB }),
  ],
  [
    'a far cell',
    () => withPart(/sheet1/, { content: inSheet('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>') }),
  ],
  ['200 MB of empty rows', () => withPart(/sheet1/, { content: sheetOf('<row/>', 200 * MIB) })],
  ['as many empty rows as fit', () => withPart(/sheet1/, { content: sheetOf('<row/>', 31 * MIB) })],
  ['as many empty cells as fit', () => withPart(/sheet1/, { content: sheetOf('<c/>', 31 * MIB) })],
  [
    'as many shared strings as fit',
    () => withPart(/shared/, { content: strings('<si><t>a</t></si>', 1_700_000) }),
  ],
  ['ten million shared strings', () => withPart(/shared/, { content: strings('<si/>', 10_000_000) })],
  ['a long string in every cell', () => workbookOf([[long], ...Array.from({ length: 9_000 }, () => [text])])],
  [
    'a document type',
    () => withPart(/sheet1/, { content: `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(MIB)}">]>${inSheet('')}` }),
  ],
  ['deep elements', () => withPart(/sheet1/, { content: '<a>'.repeat(1_000_000) })],
  [
    'many attributes',
    () =>
      withPart(/sheet1/, {
        content: `<a ${Array.from({ length: 1_000_000 }, (_, at) => `a${at}=""`).join(' ')}>`,
      }),
  ],
  [
    'a zip in a zip',
    () => zipOf([{ name: 'a.zip', content: zipOf([{ name: 'b', content: Buffer.alloc(200 * MIB) }]) }]),
  ],
];

const limits = {
  batch: { rowsMax: 10_022, unpackedMax: 32 * MIB },
  statement: { rowsMax: 200_120, unpackedMax: 64 * MIB },
};

describe('a workbook that unpacks to much', function () {
  this.timeout(300_000);
  const timed = (bytes: Buffer, { rowsMax, unpackedMax }: (typeof limits)['batch']) => {
    const start = performance.now();
    let isRefused = false;
    try {
      readTable(bytes, { known: () => 2, rowsMax, unpackedMax });
    } catch (error) {
      assert.ok(error instanceof TableRefused, String(error));
      isRefused = true;
    }
    return { isRefused, ms: performance.now() - start };
  };
  const { read } = createBigBodies();
  /** The most memory that the process has beside what it had. */
  const memoryOf = async (bytes: Buffer) => {
    collect();
    const before = process.memoryUsage.rss();
    let most = before;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 2);
    await read({ bytes, media: 'table', rowsMax: 10_000 }).catch(({ code }) =>
      assert.equal(code, 'validation_failed'),
    );
    clearInterval(timer);
    return most - before;
  };

  before(async () => {
    for (const of of Object.values(limits)) assert.equal(timed(honest, of).isRefused, false);
    await memoryOf(honest);
  });

  for (const [what, make] of bombs)
    it(`by ${what} is refused in less than ${TIMES_MAX} × the time of an honest one`, async () => {
      const bytes = make();
      for (const [kind, of] of Object.entries(limits)) {
        const times = Array.from({ length: TRIES }, () => {
          const { ms, isRefused } = timed(bytes, of);
          assert.ok(isRefused, `${kind}: it was read`);
          return ms / timed(honest, of).ms;
        });
        assert.ok(Math.min(...times) < TIMES_MAX, `${kind}: ${times}`);
      }
      const memory = await memoryOf(bytes);
      assert.ok(memory < MEMORY_MAX, `${Math.round(memory / MIB)} MiB`);
    });
});
