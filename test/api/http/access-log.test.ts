import assert from 'node:assert/strict';
import { createLog } from '../../../src/platform/process/log.ts';
import { until } from '../../support/wait.ts';
import { useTestApi } from '../support/use-api.ts';

describe('the access log', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { api } = useTestApi({ log: createLog({ level: 'info', name: 'test', destination }) });
  const lineOf = (requestId: string) =>
    lines
      .map((line) => JSON.parse(line))
      .find(({ request_id, msg }) => request_id === requestId && msg === 'request');

  it('says which key asked from where, and nothing of the key itself or of what it asked about', async () => {
    await api.call('GET', 'transactions?phone_number=0754000123', { headers: { 'x-request-id': 'ask-1' } });
    const line = lineOf('ask-1');
    assert.deepEqual([line.key_id, line.address, line.status], [api.keyId, '127.0.0.1', 200]);
    assert.ok(!lines.join('').includes(api.apiKey.slice(-20)));
    assert.ok(!lines.join('').includes('754000123'));
  });

  it('has each key once in every line, however often a request learnt something', async () => {
    const body = { amount: 5_000, currency: 'TZS', phone_number: '0754000123' };
    const key = { headers: { 'idempotency-key': 'once' } };
    const { transaction_id: id } = (await api.call('POST', 'payments/ussd', { body, ...key })).body;
    await api.call('POST', 'payments/ussd', { body, ...key });
    await api.call('GET', `payments/${id}`);
    await api.call('POST', `payments/${id}/refunds`, { body: {}, headers: { 'idempotency-key': 'back' } });
    await api.call('POST', `payments/${id}/cancel`);
    assert.ok(lines.some((line) => JSON.parse(line).transaction_id === id));
    for (const line of lines)
      for (const key of Object.keys(JSON.parse(line))) assert.equal(line.split(`"${key}":`).length, 2, line);
  });

  it('says from where somebody knocked who has no valid key', async () => {
    await api.call('GET', 'balance', { key: 'sk_test_wrong', headers: { 'x-request-id': 'ask-2' } });
    const line = lineOf('ask-2');
    assert.deepEqual([line.key_id, line.address, line.status], [undefined, '127.0.0.1', 401]);
    assert.equal(line.code, 'unauthorized');
    assert.match(
      await api.metrics.text(),
      /^http_requests_total\{(?=.*status="401").*code="unauthorized".*\} 1$/m,
    );
  });

  it('has, for its keys, when they were last used', async () => {
    await api.call('GET', 'balance');
    await until(
      async () =>
        (await api.keys.listKeys({ page: 1, perPage: 10 })).items.find(({ id }) => id === api.keyId)
          ?.lastUsedAt,
      'the note',
    );
  });
});
