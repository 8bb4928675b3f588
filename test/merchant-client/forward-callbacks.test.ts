import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createForwarder } from '../../clients/typescript/src/forward.ts';
import { nodeArguments } from '../support/node-entry.ts';
import { openScriptedServer, type ScriptedAnswer } from '../support/scripted-server.ts';
import { until } from '../support/wait.ts';

type Event = { event_id: string; event: string; created_at: string; own?: boolean };
type Server = Awaited<ReturnType<typeof openScriptedServer>>;

const json = (body: object, status = 200): ScriptedAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});
const nowPlus = (ms: number) => new Date(Date.now() + ms).toISOString().replace('Z', '000Z');

describe('the command callbacks forward', () => {
  let log: Event[];
  let api: Server;
  let receiver: Server;
  let answerOfReceiver: ScriptedAnswer;
  let isApiUp: boolean;
  let said: string[];
  let stop: AbortController;
  let following: Promise<void>;

  const forwarder = () =>
    createForwarder({
      access: { url: api.url, apiKey: 'sk_test_x' },
      to: `${receiver.url}/callbacks`,
      print: (line) => said.push(line),
      pollMs: 50,
    });
  const bodyOf = (id: string) => `{"event_id":"${id}","jina":"Zuhura ✓ é"}`;
  const happen = (id: string, more: Partial<Event> = {}) =>
    log.push({ event_id: id, event: 'payment.received', created_at: nowPlus(0), ...more });
  const arrived = () => receiver.asked.map(({ headers }) => headers['webhook-id']);
  const waitFor = (what: string, fits: () => boolean) =>
    until(async () => fits() || null, { deadlineMs: 15_000, what, everyMs: 20 });

  /** As the API answers: the log newest first, and one event with what goes with it. */
  function answerOfApi(path: string): ScriptedAnswer {
    if (!isApiUp) return { breaks: 'before' };
    const url = new URL(path, api.url);
    const id = /callbacks\/(.+)$/.exec(url.pathname)?.[1];
    if (id === undefined) {
      const from = url.searchParams.get('from') ?? '';
      const [page, perPage] = [
        Number(url.searchParams.get('page') ?? 1),
        Number(url.searchParams.get('per_page')),
      ];
      const fitting = log.filter(({ created_at }) => created_at >= from).reverse();
      return json({ success: true, data: fitting.slice((page - 1) * perPage, page * perPage) });
    }
    const found = log.find(({ event_id, own = true }) => event_id === id && own);
    if (!found) return json({ success: false, message: 'Not found', code: 'not_found' }, 404);
    const headers = { 'Content-Type': 'application/json', 'webhook-id': id, 'Service-Signature': 'abc' };
    return json({ success: true, event_id: id, event: found.event, headers, body: bodyOf(id) });
  }

  beforeEach(async () => {
    log = [];
    said = [];
    isApiUp = true;
    answerOfReceiver = {};
    stop = new AbortController();
    following = Promise.resolve();
    api = await openScriptedServer(({ path }) => answerOfApi(path));
    receiver = await openScriptedServer(() => answerOfReceiver);
  });
  afterEach(async () => {
    stop.abort();
    await following;
    await api.close();
    await receiver.close();
  });

  async function follow(): Promise<void> {
    following = forwarder().follow(stop.signal);
    await waitFor('it follows', () => said.some((line) => /Ctrl-C/.test(line)));
  }

  it('hands over what happens from now on, in its order, once, with its bytes and headers', async () => {
    happen('evt_before');
    await follow();
    for (const id of ['evt_1', 'evt_2', 'evt_3']) happen(id);
    await waitFor('three have come', () => receiver.asked.length === 3);
    const looks = api.asked.length;
    await waitFor('it has looked again', () => api.asked.length > looks + 1);
    assert.deepEqual(arrived(), ['evt_1', 'evt_2', 'evt_3']);
    const [first] = receiver.asked;
    assert.deepEqual([first?.path, first?.body], ['/callbacks', bodyOf('evt_1')]);
    assert.equal(first?.headers['service-signature'], 'abc');
    assert.equal(first?.headers.authorization, undefined, 'the key is not the receiver’s');
    assert.ok(said.includes('payment.received evt_1 → 200'), said.join('\n'));
  });

  it('finds an event that was committed late, and more than a page of them', async () => {
    await follow();
    happen('evt_new');
    await waitFor('the new one has come', () => arrived().includes('evt_new'));
    log.unshift({ event_id: 'evt_late', event: 'payout.failed', created_at: nowPlus(-30_000) });
    for (let index = 0; index < 120; index += 1) happen(`evt_many_${index}`);
    await waitFor('all have come', () => receiver.asked.length === 122);
    assert.equal(new Set(arrived()).size, 122);
  });

  it('says what a receiver answered, goes on, and hands the event over again when it is named', async () => {
    await follow();
    answerOfReceiver = { status: 500 };
    happen('evt_1');
    await waitFor('it was refused', () =>
      said.includes('payment.received evt_1 → 500; once more: --event evt_1'),
    );
    answerOfReceiver = { breaks: 'before' };
    happen('evt_2');
    await waitFor('it was dropped', () => said.some((line) => /evt_2 → no answer/.test(line)));
    answerOfReceiver = { status: 302, headers: { location: '/elsewhere' } };
    assert.equal(await forwarder().handOver('evt_1'), false);
    answerOfReceiver = { status: 204 };
    assert.equal(await forwarder().handOver('evt_1'), true);
    assert.deepEqual(arrived(), ['evt_1', 'evt_2', 'evt_1', 'evt_1']);
  });

  it('leaves out events of another key, and says so once', async () => {
    await follow();
    happen('evt_other', { own: false });
    happen('evt_1');
    await waitFor('the own one has come', () => arrived().includes('evt_1'));
    const looks = api.asked.length;
    await waitFor('it has looked again', () => api.asked.length > looks + 1);
    assert.deepEqual(arrived(), ['evt_1']);
    assert.equal(said.filter((line) => /evt_other is not an event of this API key/.test(line)).length, 1);
  });

  it('waits for a service that is away, and misses nothing', async () => {
    await follow();
    isApiUp = false;
    await waitFor('it says so', () => said.some((line) => /does not answer .*: looking again/.test(line)));
    happen('evt_meanwhile');
    isApiUp = true;
    await waitFor('it has come', () => arrived().includes('evt_meanwhile'));
    assert.equal(said.filter((line) => /looking again/.test(line)).length, 1);
  });

  it('takes no live key, no address that is none, and says what it needs', async () => {
    const run = (args: string[], MALIPO_API_KEY = '') =>
      promisify(execFile)(
        process.execPath,
        [...nodeArguments('clients/typescript/src/bin.ts'), 'callbacks', 'forward', ...args],
        { env: { ...process.env, MALIPO_API_URL: api.url, MALIPO_API_KEY } },
      );
    const to = ['--to', receiver.url];
    await assert.rejects(run(to, 'sk_live_x'), /This is a live key/);
    await assert.rejects(run(to), /Set MALIPO_API_URL and MALIPO_API_KEY/);
    await assert.rejects(run(['--to', 'localhost:8080'], 'sk_test_x'), /This is no address/);
    await assert.rejects(run([...to, '--event', 'evt_unknown'], 'sk_test_x'), /It was not taken/);
    assert.equal(receiver.asked.length, 0);
  }).timeout(60_000);
});
