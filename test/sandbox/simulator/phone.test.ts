import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Simulator, SimulatorOptions } from '../../../sandbox/simulator/app.ts';
import { specialEndings } from '../../../sandbox/simulator/core/scenario.ts';
import { useFolder } from '../../support/folder.ts';
import { openSimulator } from '../../support/simulator.ts';
import { until } from '../../support/wait.ts';

const DEADLINE_MS = 5_000;
const PAGE = new URL('../../../sandbox/simulator/page/', import.meta.url);

// biome-ignore lint/suspicious/noExplicitAny: an answer of the simulator, read by assertions only
type Json = any;

describe('the phone of the simulator', () => {
  const inFolder = useFolder();
  const open: Simulator[] = [];
  afterEach(async () => {
    for (const simulator of open.splice(0)) await simulator.close();
  });

  async function start(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = await openSimulator({ timing: { customerMs: 10, promptMs: 60_000 }, ...options });
    open.push(simulator);
    return simulator;
  }

  const get = async (simulator: Simulator, path: string): Promise<Json> =>
    (await fetch(`${simulator.url}${path}`)).json();

  const post = (simulator: Simulator, path: string, body: unknown, type = 'application/json') =>
    fetch(`${simulator.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });

  function move(simulator: Simulator, type: 'merchantpay' | 'disbursement', amount: number) {
    const party = [{ key: 'msisdn', value: '+255754000001' }];
    return post(simulator, `/transactions/type/${type}`, {
      amount: String(amount),
      currency: 'TZS',
      [type === 'merchantpay' ? 'debitParty' : 'creditParty']: party,
      requestingOrganisationTransactionReference: randomUUID(),
    });
  }

  const phone = (simulator: Simulator) => get(simulator, '/phone/wallet?phone_number=0754 000 001');
  const byHand = (simulator: Simulator, by_hand: unknown) => post(simulator, '/phone/settings', { by_hand });
  const messages = (simulator: Simulator, count: number): Promise<Json[]> =>
    until(
      async () => {
        const { messages } = await phone(simulator);
        return messages.length === count && messages;
      },
      { deadlineMs: DEADLINE_MS, what: `${count} messages` },
    );

  it('shows who owns it, its balance, and a message for each payment', async () => {
    const simulator = await start();
    const before = await phone(simulator);
    assert.deepEqual([before.owner, before.network, before.messages], ['ASHA JUMA', 'M-PESA', []]);
    await move(simulator, 'merchantpay', 15_000);
    await messages(simulator, 1);
    await move(simulator, 'disbursement', 4_000);
    const [received, paid] = await messages(simulator, 2);
    assert.deepEqual(
      [paid.kind, paid.amount, paid.balance, received.kind, received.amount, received.balance],
      ['paid', 15_000, before.balance - 15_000, 'received', 4_000, before.balance - 11_000],
    );
    assert.equal((await phone(simulator)).balance, before.balance - 11_000);
    assert.equal((await fetch(`${simulator.url}/phone/wallet?phone_number=12`)).status, 422);
  });

  it('is given to a person and taken back without a restart, and a restart keeps it', async () => {
    const bookFile = inFolder('book.jsonl');
    const first = await start({ bookFile });
    assert.equal((await get(first, '/phone/settings')).by_hand, false);
    assert.equal((await byHand(first, true)).status, 200);
    await move(first, 'merchantpay', 15_000);
    assert.equal((await phone(first)).prompts.length, 1);
    assert.equal((await byHand(first, 'yes')).status, 422);
    await open.pop()?.close();

    const second = await start({ bookFile });
    assert.equal((await get(second, '/phone/settings')).by_hand, true);
    assert.equal((await phone(second)).prompts.length, 1, 'the prompt is still on the phone');
    await byHand(second, false);
    await move(second, 'merchantpay', 2_000);
    const [paid] = await messages(second, 1);
    assert.equal(paid.amount, 2_000);
    assert.equal((await phone(second)).prompts.length, 1, 'a prompt stays with its person');
  });

  it('cannot pay more than the wallet has', async () => {
    const simulator = await start({ manual: true });
    const { balance } = await phone(simulator);
    await move(simulator, 'merchantpay', balance + 1);
    const [prompt] = (await phone(simulator)).prompts;
    assert.equal(
      (await post(simulator, `/customer/prompts/${prompt.id}`, { action: 'approve' })).status,
      200,
    );
    const [message] = await messages(simulator, 1);
    assert.equal(message.kind, 'insufficient_funds');
    assert.equal((await phone(simulator)).balance, balance);
    assert.deepEqual(simulator.book.movements(), []);
  });

  it('takes no orders from a page of another origin', async () => {
    const simulator = await start();
    for (const path of ['/phone/settings', '/merchant/push', '/merchant/start'])
      assert.equal((await post(simulator, path, { by_hand: true }, 'text/plain')).status, 415, path);
    assert.equal((await get(simulator, '/phone/settings')).by_hand, false);
  });

  it('has no merchant beside it without a key, and says so', async () => {
    const simulator = await start();
    assert.equal((await get(simulator, '/merchant/activity')).known, false);
    assert.equal((await post(simulator, '/merchant/push', {})).status, 503);
    assert.equal((await post(simulator, '/merchant/keys', {})).status, 404);
  });

  it('says that the service is away while it is', async () => {
    const simulator = await start({ merchant: { url: 'http://127.0.0.1:1', apiKey: 'key' } });
    assert.deepEqual(await get(simulator, '/merchant/activity'), {
      known: true,
      reached: false,
      transactions: [],
      batches: [],
      callbacks: [],
    });
    assert.equal((await post(simulator, '/merchant/push', {})).status, 503);
  });

  it('starts nothing but a batch by its id', async () => {
    const simulator = await start({ merchant: { url: 'http://127.0.0.1:1', apiKey: 'key' } });
    for (const id of ['../../balance', 7, undefined])
      assert.equal((await post(simulator, '/merchant/start', { id })).status, 422, String(id));
  });
});

describe('the page of the simulator', () => {
  let simulator: Simulator;
  before(async () => {
    simulator = await openSimulator();
  });
  after(() => simulator.close());

  it('is plain files under a policy that runs and asks nothing from elsewhere', async () => {
    const html = await fetch(simulator.url);
    assert.match(html.headers.get('content-type') ?? '', /^text\/html/);
    const text = await html.text();
    assert.doesNotMatch(text, /<style|style="|<script(?! type="module" src="\/page\/)|\son\w+="|https?:/);
    for (const path of ['/', '/page/app.js', '/page/style.css', '/page/jsqr.js']) {
      const answer = await fetch(`${simulator.url}${path}`);
      assert.equal(answer.status, 200, path);
      const policy = answer.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
      assert.doesNotMatch(policy, /unsafe/);
    }
    assert.equal((await fetch(`${simulator.url}/page/..%2fapp.ts`)).status, 404);
  });

  it('has every word, message and ending in both languages, with the same blanks', async () => {
    const { languages }: Json = await import(new URL('words.js', PAGE).href);
    const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();
    for (const part of ['words', 'messages', 'endings']) {
      const [english, swahili] = [languages.en[part], languages.sw[part]];
      assert.deepEqual(Object.keys(swahili), Object.keys(english), part);
      for (const key of Object.keys(english)) {
        assert.deepEqual(blanks(swahili[key]), blanks(english[key]), key);
        if (part !== 'words' || !['owner'].includes(key)) assert.notEqual(swahili[key], english[key], key);
      }
    }
    assert.deepEqual(Object.keys(languages.en.endings).sort(), [...specialEndings]);
    const named = [...readFileSync(new URL('index.html', PAGE), 'utf8').matchAll(/data-word="(\w+)"/g)];
    assert.ok(named.length > 30);
    const missing = named.map(([, key]) => key ?? '').filter((key) => !(key in languages.en.words));
    assert.deepEqual(missing, []);
  });
});
