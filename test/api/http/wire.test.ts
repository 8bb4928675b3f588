import assert from 'node:assert/strict';
import net from 'node:net';
import { errorAnswer } from '../../../src/contract/error-schema.ts';
import { freshKey } from '../support/api.ts';
import { useTestApi } from '../support/use-api.ts';

const body = JSON.stringify({ amount: 5000, currency: 'TZS', phone_number: '0754123456' });

describe('requests as bytes on the wire', () => {
  const { api, test } = useTestApi();

  /** Sends bytes as they are; what comes back until the connection is closed, or `enough` is there. */
  function wire(bytes: string | Buffer, enough: (text: string) => boolean = () => false): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(api.port, '127.0.0.1', () => socket.write(bytes));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (enough(text)) socket.destroy();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
    });
  }
  const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  const head = (...lines: string[]) =>
    ['POST /api/v1/payments/ussd HTTP/1.1', 'Host: x', 'Connection: close', ...lines, '', ''].join('\r\n');
  const keyed = (...lines: string[]) =>
    head(
      `Authorization: Bearer ${api.apiKey}`,
      `Idempotency-Key: ${freshKey()['idempotency-key']}`,
      ...lines,
    );

  const malformed: [name: string, bytes: () => string, status: number][] = [
    ['two lengths', () => `${keyed('Content-Length: 5', 'Content-Length: 6')}hello`, 400],
    [
      'a length and chunks',
      () => `${keyed('Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      400,
    ],
    ['chunks that are named twice', () => `${keyed('Transfer-Encoding: chunked, identity')}0\r\n\r\n`, 400],
    ['an unknown transfer encoding', () => `${keyed('Transfer-Encoding: cow')}0\r\n\r\n`, 400],
    ['a chunk of no size', () => `${keyed('Transfer-Encoding: chunked')}xyz\r\n\r\n`, 400],
    ['a length that is no number', () => `${keyed('Content-Length: 1e3')}`, 400],
    ['a length below zero', () => `${keyed('Content-Length: -1')}`, 400],
    ['a header with a space in its name', () => keyed('Content Length: 4'), 400],
    ['a header with a NUL', () => keyed('X-A: a\0b'), 400],
    ['a control character in its Idempotency-Key', () => head('Idempotency-Key: a\x01b'), 400],
    ['no Host', () => 'GET /api/v1/status HTTP/1.1\r\n\r\n', 400],
    ['another protocol', () => 'HELLO\r\n\r\n', 400],
    ['a header of 17 KiB', () => keyed(`X-A: ${'a'.repeat(17 * 1024)}`), 431],
    ['an expectation nobody has', () => keyed('Expect: a miracle', 'Content-Length: 2'), 417],
  ];
  for (const [name, bytes, status] of malformed) {
    it(`a request with ${name} is ${status}`, async () => {
      const text = await wire(bytes());
      assert.equal(statusOf(text), status);
      const [header = '', answer = ''] = text.split('\r\n\r\n');
      assert.match(header, /content-type: application\/json; charset=utf-8/i);
      errorAnswer.parse(JSON.parse(answer));
    });
  }

  it('a client that asks whether to go on is told to', async () => {
    const lines = ['Expect: 100-continue', `Content-Length: ${body.length}`];
    const text = await wire(keyed(...lines) + body);
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it('a client that asks whether to go on with too much, or without a key, need not', async () => {
    const tooMuch = await wire(keyed('Expect: 100-continue', 'Content-Length: 70000'), (text) =>
      / 413 /.test(text),
    );
    assert.match(tooMuch, /HTTP\/1\.1 413 /);
    const noKey = await wire(head('Expect: 100-continue', 'Content-Length: 2'), (text) => / 401 /.test(text));
    assert.match(noKey, /HTTP\/1\.1 401 /);
  });

  it('a body may come in chunks, one byte at a time', async () => {
    const chunks = [...body].map((char) => `1\r\n${char}\r\n`).join('');
    const text = await wire(`${keyed('Transfer-Encoding: chunked')}${chunks}0\r\n\r\n`);
    assert.equal(statusOf(text), 200, text);
  });

  it('chunks without an end are refused when the limit is reached', async () => {
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const text = await wire(`${keyed('Transfer-Encoding: chunked')}${chunk.repeat(20)}`, (seen) =>
      / 413 /.test(seen),
    );
    assert.match(text, /HTTP\/1\.1 413 /);
  });

  it('a body that breaks off starts nothing', async () => {
    const count = async () => (await test.database.query('SELECT count(*) FROM transactions')).rows[0].count;
    const before = await count();
    const socket = net.connect(api.port, '127.0.0.1');
    socket.write(keyed(`Content-Length: ${body.length + 10}`) + body);
    await new Promise((resolve) => setImmediate(resolve));
    socket.end();
    await new Promise((resolve) => socket.once('close', resolve).resume());
    assert.equal(await count(), before);
  });

  it('an Idempotency-Key twice is refused, also when both are one', async () => {
    const text = await wire(keyed('Idempotency-Key: again', `Content-Length: ${body.length}`) + body);
    assert.equal(statusOf(text), 400);
    assert.match(text, /idempotency_key_invalid/);
  });

  it('the method and the address may be odd', async () => {
    const ask = async (line: string) =>
      statusOf(
        await wire(`${line}\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${api.apiKey}\r\n\r\n`),
      );
    assert.equal(await ask('GET http://elsewhere/api/v1/status HTTP/1.1'), 200);
    assert.equal(await ask('GET /api/v1/balance? HTTP/1.1'), 200);
    assert.equal(await ask('GET /api/v1/balance?x#y HTTP/1.1'), 200);
    assert.equal(await ask('TRACE /api/v1/balance HTTP/1.1'), 405);
    assert.equal(await ask('OPTIONS * HTTP/1.1'), 404);
    assert.equal(await ask('GET /api/v1/../v1/status HTTP/1.1'), 404);
    assert.equal(await ask('GET //api/v1/status HTTP/1.1'), 404);
    assert.equal(await ask('get /api/v1/balance HTTP/1.1'), 400);
  });
});
