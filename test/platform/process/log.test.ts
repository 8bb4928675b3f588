import assert from 'node:assert/strict';
import { createLog, noteFacts } from '../../../src/platform/process/log.ts';
import { pick } from '../../support/pick.ts';

function linesOf(
  write: (log: ReturnType<typeof createLog>) => void,
  facts?: () => object,
): Record<string, unknown>[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  write(createLog({ level: 'info', name: 'test', destination, ...(facts ? { facts } : {}) }));
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
      noteFacts(child, { transaction_id: 'tx' });
      child.info('request');
      log.info('another');
    });
    assert.deepEqual([lines[0]?.request_id, lines[0]?.transaction_id], ['req_1', 'tx']);
    assert.equal(lines[1]?.transaction_id, undefined);
  });

  it('carries the facts of the moment, unless it has its own, masked like all others', () => {
    let transaction_id = 'tx1';
    const lines = linesOf(
      (log) => {
        log.info('first');
        transaction_id = 'tx2';
        log.info({ method: 'GET' }, 'second');
        log.info({ transaction_id: 'own' }, 'third');
      },
      () => ({ transaction_id, called: '255754123456' }),
    );
    assert.deepEqual(pick(lines, 'transaction_id'), ['tx1', 'tx2', 'own']);
    assert.equal(lines[0]?.called, '0754***456');
  });
});
