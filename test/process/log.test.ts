import assert from 'node:assert/strict';
import { createLog } from '../../src/process/log.ts';

function linesOf(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(
    createLog({ level: 'info', name: 'test', destination: { write: (line: string) => lines.push(line) } }),
  );
  return lines.map((line) => JSON.parse(line));
}

describe('a log line', () => {
  it('is one JSON object with time, level, process and words', () => {
    const [line] = linesOf((log) => log.info({ status: 200 }, 'request'));
    assert.equal(line?.level, 'info');
    assert.equal(line?.name, 'test');
    assert.equal(line?.status, 200);
    assert.equal(line?.msg, 'request');
    assert.ok(Date.parse(String(line?.time)) > 0);
  });

  it('masks what slips into a text', () => {
    const [line] = linesOf((log) =>
      log.warn({ detail: 'no answer of https://a:b@bank.example/x?k=1' }, 'send'),
    );
    assert.equal(line?.detail, 'no answer of https://bank.example/…');
  });

  it('describes an error without the row that Postgres quotes', () => {
    const error = Object.assign(new Error('duplicate'), { detail: 'Key (name)=(Asha Juma)', code: '23505' });
    const [line] = linesOf((log) => log.error({ err: error }, 'unexpected'));
    assert.equal(JSON.stringify(line).includes('Asha'), false);
    assert.equal(Object(line?.err).code, '23505');
  });

  it('carries what was bound to it on the way', () => {
    const lines = linesOf((log) => {
      const child = log.child({ request_id: 'req_1' });
      child.setBindings({ transaction_id: 'tx' });
      child.info('request');
    });
    assert.deepEqual([lines[0]?.request_id, lines[0]?.transaction_id], ['req_1', 'tx']);
  });
});
