// tests: hard
import assert from 'node:assert/strict';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { workbookOf } from '../../support/workbook.ts';
import { useTestApi } from '../support/use-api.ts';

const ROWS = 10_000;
const TIMES_MAX = 3;
/** Others' work on the machine is below the bound in one of so many. */
const TRIES = 4;

describe('a batch of 10,000 rows as a workbook', function () {
  this.timeout(300_000);
  const { api } = useTestApi({ balance: 0 });
  const rows = [
    ['phone', 'amount', 'ref', 'department', 'note'],
    ...Array.from({ length: ROWS }, (_, at) => [
      `0754${String(at).padStart(6, '0')}`,
      String(5_000 + at),
      `EMP-${at}`,
      'Sales',
      'November 2026, with what was left of October',
    ]),
  ];
  const quoted = (cell: string) => (cell.includes(',') ? `"${cell}"` : cell);
  const files = {
    csv: Buffer.from(rows.map((row) => row.map(quoted).join(',')).join('\n')),
    xlsx: workbookOf(rows),
  };
  let made = 0;
  /** How long the whole call took, and the longest time in which the loop did nothing else. */
  const cost = async (kind: keyof typeof files) => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    made += 1;
    delay.enable();
    const start = performance.now();
    const { status, body, text } = await api.call('POST', `payouts/batches?batch_number=HEAVY-${made}`, {
      raw: files[kind],
      headers: { 'content-type': 'text/csv' },
    });
    const ms = performance.now() - start;
    await pause(20);
    delay.disable();
    assert.equal(status, 200, text);
    assert.deepEqual([body.batch.totals.items, body.batch.errors], [ROWS, []]);
    return { ms, held: delay.max / 1e6 };
  };

  it(`takes at most ${TIMES_MAX} × the time of its CSV, and holds the loop no longer`, async () => {
    await cost('csv');
    await cost('xlsx');
    const tries: { time: number; held: number }[] = [];
    for (let at = 0; at < TRIES; at += 1) {
      const [csv, xlsx] = [await cost('csv'), await cost('xlsx')];
      tries.push({ time: xlsx.ms / csv.ms, held: xlsx.held / csv.held });
    }
    assert.ok(Math.min(...tries.map(({ time }) => time)) <= TIMES_MAX, JSON.stringify(tries));
    // The rows are the same; what is beside them, the kinds of their cells, crosses with them.
    assert.ok(Math.min(...tries.map(({ held }) => held)) <= 1.5, JSON.stringify(tries));
  });
});
