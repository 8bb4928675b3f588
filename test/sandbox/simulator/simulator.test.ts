import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Simulator, SimulatorOptions } from '../../../sandbox/simulator/app.ts';
import type { Movement } from '../../../sandbox/simulator/core/book.ts';
import { type Inbox, openInbox } from '../../channels/inbox.ts';
import { useFolder } from '../../support/folder.ts';
import { pick } from '../../support/pick.ts';
import { openSimulator } from '../../support/simulator.ts';
import { until } from '../../support/wait.ts';

const DEADLINE = { deadlineMs: 10_000 };

describe('the simulator', () => {
  const inFolder = useFolder();
  const open: Simulator[] = [];
  let inbox: Inbox;

  beforeEach(async () => {
    inbox = await openInbox();
  });

  afterEach(async () => {
    for (const simulator of open.splice(0)) await simulator.close();
    await inbox.close();
  });

  async function start(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = await openSimulator({ timing: { customerMs: 20, promptMs: 5_000 }, ...options });
    open.push(simulator);
    return simulator;
  }

  function pay(
    simulator: Simulator,
    order: { reference: string; ending?: string; correlationId?: string; type?: string; amount?: string },
  ): Promise<Response> {
    const correlationId = order.correlationId ?? randomUUID();
    return fetch(`${simulator.url}/transactions/type/${order.type ?? 'merchantpay'}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-correlationid': correlationId,
        'x-callback-url': `${inbox.url}/channels/gsma/${correlationId}/token`,
      },
      body: JSON.stringify({
        amount: order.amount ?? '15000',
        currency: 'TZS',
        debitParty: [{ key: 'msisdn', value: `+255754000${order.ending ?? '001'}` }],
        creditParty: [{ key: 'organisationid', value: 'malipo' }],
        requestingOrganisationTransactionReference: order.reference,
      }),
    });
  }

  async function json<T>(simulator: Simulator, path: string): Promise<T> {
    return (await fetch(`${simulator.url}${path}`)).json() as Promise<T>;
  }

  type Truth = { movements: Movement[] };
  type Prompts = { prompts: { id: string; reference: string; phone_number: string; amount: number }[] };

  it('shows the money that moved, all of it or that of one reference', async () => {
    const simulator = await start();
    await pay(simulator, { reference: 'PY1' });
    await pay(simulator, { reference: 'PY2', amount: '1000.00' });
    await until(() => simulator.book.movements().length === 2, { ...DEADLINE, what: 'both moved' });
    const { movements } = await json<Truth>(simulator, '/truth?reference=PY2');
    assert.equal(movements.length, 1);
    assert.ok(movements[0]);
    const { receipt, at, ...rest } = movements[0];
    assert.deepEqual(rest, {
      reference: 'PY2',
      direction: 'in',
      network: 'm-pesa',
      party: '255754000001',
      amount: 1000,
    });
    assert.ok(receipt && !Number.isNaN(Date.parse(at)));
    assert.equal((await json<Truth>(simulator, '/truth')).movements.length, 2);
  });

  it('refuses a request it has seen, by its correlation id as by its reference', async () => {
    const simulator = await start();
    const correlationId = randomUUID();
    assert.equal((await pay(simulator, { reference: 'PY1', correlationId })).status, 202);
    for (const again of [
      { reference: 'PY1', correlationId },
      { reference: 'PY1' },
      { reference: 'PY9', correlationId },
    ]) {
      const answer = await pay(simulator, again);
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { errorCode: string }).errorCode, 'duplicateRequest');
    }
    await until(() => inbox.received.length > 0, { ...DEADLINE, what: 'a notification' });
    assert.equal(simulator.book.movements().length, 1);
  });

  it('records one of many equal requests at once', async () => {
    const simulator = await start();
    const correlationId = randomUUID();
    const all = await Promise.all(
      Array.from({ length: 16 }, () => pay(simulator, { reference: 'PY1', correlationId })),
    );
    assert.deepEqual(all.map(({ status }) => status).sort(), [202, ...Array(15).fill(400)]);
  });

  it('carries on after a restart: what was pending succeeds, what was told stays told', async () => {
    const bookFile = inFolder('book.jsonl');
    const correlationId = randomUUID();
    const first = await start({ bookFile, timing: { customerMs: 300, promptMs: 5_000 } });
    await pay(first, { reference: 'PYLATE', correlationId });
    await pay(first, { reference: 'PYDROP', ending: '169' }).catch(() => undefined);
    await pay(first, { reference: 'PYDONE', ending: '159' });
    await first.close();
    open.splice(open.indexOf(first), 1);

    const second = await start({ bookFile });
    const { link } = await json<{ link: string }>(second, `/responses/${correlationId}`);
    assert.match(link, /^\/(requeststates|transactions)\//);
    assert.equal((await pay(second, { reference: 'PYDONE' })).status, 400);
    assert.equal((await pay(second, { reference: 'PYDROP', ending: '169' })).status, 202);
    await until(() => inbox.received.length === 2, { ...DEADLINE, what: 'both notified' });
    assert.deepEqual(
      second.book
        .movements()
        .map(({ reference }) => reference)
        .sort(),
      ['PYDONE', 'PYDROP', 'PYLATE'],
    );
    await second.close();
    open.splice(open.indexOf(second), 1);
  });

  it('notifies again when the receiver answers 503, and not when it refuses', async () => {
    const simulator = await start();
    inbox.answers.push(503);
    await pay(simulator, { reference: 'PY1' });
    await until(() => inbox.received.length === 2, { ...DEADLINE, what: 'a second try' });
    assert.deepEqual(inbox.received[0]?.body, inbox.received[1]?.body);
    inbox.answers.push(401);
    await pay(simulator, { reference: 'PY2' });
    const over = () => simulator.orders.byReference('gsma', 'PY2')?.steps.length === 0;
    await until(over, { ...DEADLINE, what: 'the refused notification is given up' });
    assert.equal(inbox.received.length, 3);
  });

  it('lets a person approve and decline prompts when it is manual', async () => {
    const simulator = await start({ manual: true });
    await pay(simulator, { reference: 'PY1' });
    await pay(simulator, { reference: 'PY2' });
    await pay(simulator, { reference: 'PY3', ending: '002' });
    const { prompts } = await json<Prompts>(simulator, '/customer/prompts?phone_number=0754000001');
    assert.deepEqual(pick(prompts, 'reference'), ['PY1', 'PY2']);
    const [first, second] = prompts;
    assert.ok(first && second);
    assert.deepEqual([first.phone_number, first.amount], ['0754000001', 15000]);
    const answer = (id: string, action: string) =>
      fetch(`${simulator.url}/customer/prompts/${id}`, { method: 'POST', body: JSON.stringify({ action }) });
    assert.equal((await answer(first.id, 'approve')).status, 200);
    assert.equal((await answer(second.id, 'decline')).status, 200);
    assert.equal((await answer(second.id, 'approve')).status, 409);
    assert.equal((await answer(second.id, 'shrug')).status, 422);
    assert.equal((await answer(randomUUID(), 'approve')).status, 404);
    await until(() => inbox.received.length === 2, { ...DEADLINE, what: 'both notified' });
    assert.deepEqual(pick(simulator.book.movements(), 'reference'), ['PY1']);
    assert.equal((await json<Prompts>(simulator, '/customer/prompts')).prompts.length, 1);
  });

  it('lets a prompt that nobody answers expire', async () => {
    const simulator = await start({ manual: true, timing: { customerMs: 20, promptMs: 50 } });
    await pay(simulator, { reference: 'PY1' });
    const state = () => simulator.orders.byReference('gsma', 'PY1')?.state === 'failed';
    await until(state, { ...DEADLINE, what: 'it failed' });
    assert.deepEqual([simulator.book.movements(), inbox.received], [[], []]);
  });

  it('refuses what is no request of the protocol, in its own words', async () => {
    const simulator = await start();
    for (const [options, errorCode] of [
      [{ reference: 'PY1', type: 'billpay' }, 'transactionTypeError'],
      [{ reference: 'PY1', amount: '-5' }, 'formatError'],
      [{ reference: 'PY1', amount: '0' }, 'negativeValue'],
      [{ reference: 'PY1', correlationId: 'x' }, 'formatError'],
      [{ reference: 'PY1', ending: 'x' }, 'mandatoryValueNotSupplied'],
    ] as const) {
      const answer = await pay(simulator, options);
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { errorCode: string }).errorCode, errorCode);
    }
  });

  it('does not read bodies without end', async () => {
    const simulator = await start();
    const post = (path: string) =>
      fetch(`${simulator.url}${path}`, { method: 'POST', body: 'x'.repeat(300_000) }).then(
        ({ status }) => status,
        () => 'cut off',
      );
    for (const path of ['/receiver', '/transactions/type/merchantpay'])
      assert.ok([413, 'cut off'].includes(await post(path)), path);
    assert.equal((await json<{ events: unknown[] }>(simulator, '/receiver/events')).events.length, 0);
  });

  it('says that it lives', async () => {
    const simulator = await start();
    assert.deepEqual(await json(simulator, '/heartbeat'), { serviceStatus: 'available' });
    assert.deepEqual(await json(simulator, '/livez'), { status: 'ok' });
  });
});

describe('the demo receiver', () => {
  const PASSPHRASE = `whsec_${Buffer.from('a passphrase of the demo, 32 bytes').toString('base64')}`;
  let simulator: Simulator;

  before(async () => {
    simulator = await openSimulator({ receiverPassphrase: PASSPHRASE });
  });

  after(() => simulator.close());

  function headersOf(body: string, passphrase: string): Record<string, string> {
    const at = new Date();
    return {
      'service-signature': createHmac('sha256', passphrase).update(body).digest('hex'),
      'webhook-id': 'event-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(passphrase).sign('event-1', at, body),
    };
  }

  async function eventsOf(transactionId: string) {
    const answer = await fetch(`${simulator.url}/receiver/events?transaction_id=${transactionId}`);
    const { events } = (await answer.json()) as { events: Record<string, unknown>[] };
    return events;
  }

  it('keeps the bytes and says whether both signatures verify', async () => {
    const transactionId = randomUUID();
    const body = `{"transaction_id": "${transactionId}",  "event_id":"event-1"}`;
    await fetch(`${simulator.url}/receiver`, { method: 'POST', body, headers: headersOf(body, PASSPHRASE) });
    const [event, ...others] = await eventsOf(transactionId);
    assert.equal(others.length, 0);
    assert.deepEqual(
      [event?.body, event?.service_signature_verified, event?.standard_webhooks_verified],
      [body, true, true],
    );
  });

  it('sees a signature of another passphrase, an altered body and a stale timestamp', async () => {
    const another = `whsec_${Buffer.from('another passphrase, also 32 bytes').toString('base64')}`;
    const stale = (headers: Record<string, string>) => ({ ...headers, 'webhook-timestamp': '1700000000' });
    for (const [change, signed, webhook] of [
      [(body: string) => headersOf(body, another), false, false],
      [(body: string) => headersOf(`${body} `, PASSPHRASE), false, false],
      [(body: string) => stale(headersOf(body, PASSPHRASE)), true, false],
      [() => ({}), false, false],
    ] as const) {
      const transactionId = randomUUID();
      const body = JSON.stringify({ transaction_id: transactionId });
      await fetch(`${simulator.url}/receiver`, { method: 'POST', body, headers: change(body) });
      const [event] = await eventsOf(transactionId);
      assert.deepEqual(
        [event?.service_signature_verified, event?.standard_webhooks_verified],
        [signed, webhook],
      );
    }
  });
});
