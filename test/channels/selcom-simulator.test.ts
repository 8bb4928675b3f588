import assert from 'node:assert/strict';
import type { Simulator, SimulatorOptions } from '../../sandbox/simulator/app.ts';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import { createSelcomClient, floatBalance, type SelcomClient } from '../../src/channels/selcom/client.ts';
import { createSelcomChannel } from '../../src/channels/selcom/index.ts';
import { selcomSettings } from '../../src/channels/selcom/settings.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { useFolder } from '../support/folder.ts';
import { openSimulator } from '../support/simulator.ts';
import { until } from '../support/wait.ts';
import { type Inbox, openInbox } from './inbox.ts';
import { say } from './scripted.ts';

const keys = { apiKey: 'test-key', apiSecret: 'test-secret' };
const CALL = { timeoutMs: 5_000 };
const timing = { customerMs: 30, promptMs: 200, slowAnswerMs: 400 };

describe('the Selcom gateway of the simulator', () => {
  const inFolder = useFolder();
  let simulator: Simulator;
  let inbox: Inbox;

  async function start(options: SimulatorOptions = {}): Promise<void> {
    simulator = await openSimulator({
      timing,
      ...options,
      selcom: { ...keys, floatPin: '4321', ...options.selcom },
    });
  }

  beforeEach(async () => {
    inbox = await openInbox();
    await start();
  });
  afterEach(async () => {
    await simulator.close();
    await inbox.close();
  });

  function settingsOf(changes: object = {}) {
    const url = `${simulator.url}/v1`;
    const sender = { msisdn: '255754000900' };
    return selcomSettings.parse({ url, ...keys, vendor: 'TILL1', floatPin: '4321', sender, ...changes });
  }
  const clientOf = (changes: object = {}, now?: () => number): SelcomClient =>
    createSelcomClient(settingsOf(changes), createHttpClient(), now);
  function channelOf(network: string, changes: object = {}, now?: () => number): Channel {
    const settings = settingsOf(changes);
    return createSelcomChannel({ client: clientOf(changes, now), settings, network, publicUrl: inbox.url });
  }
  const walletOf = (ending: string) => ({ kind: 'wallet', msisdn: `255654000${ending}` }) as const;
  const push = (channel: Channel, ending: string) =>
    say(channel, 'push', { reference: `PY0000000000000${ending}`, party: walletOf(ending) }, CALL);
  const pay = (channel: Channel, ending: string) =>
    say(channel, 'payout', { reference: `PO${ending}`, party: walletOf(ending) }, CALL);
  function enquiryOf(reference: string, direction: 'collection' | 'payout') {
    return { transactionId: 'x', reference, direction, channelReference: null };
  }

  it('refuses a clock that is ten minutes off, before anything happens, in both directions', async () => {
    for (const offMs of [-600_000, 600_000]) {
      const channel = channelOf('tigo-pesa', {}, () => Date.now() + offMs);
      assert.equal((await push(channel, '001')).kind, 'not_sent');
    }
    assert.deepEqual(simulator.book.movements(), []);
    const within = channelOf('tigo-pesa', {}, () => Date.now() + 240_000);
    assert.equal((await push(within, '001')).kind, 'accepted');
  });

  it('refuses a wrong key or secret, and the channel knows that nothing was sent', async () => {
    for (const wrong of [{ apiKey: 'another' }, { apiSecret: 'another' }])
      assert.equal((await push(channelOf('tigo-pesa', wrong), '001')).kind, 'not_sent');
  });

  it('refuses a call without a mandatory field, as the gateway does', async () => {
    const fields = { vendor: 'TILL1', order_id: 'O1', buyer_email: 'a@example.com', buyer_name: 'A' };
    const order = { ...fields, buyer_phone: '255654000001', amount: 1_000, currency: 'TZS' };
    const answer = await clientOf().post('/checkout/create-order-minimal', order, CALL);
    assert.ok(answer.kind === 'envelope');
    assert.deepEqual(
      [answer.status, answer.envelope.resultcode, answer.envelope.message],
      [412, '412', 'Parameter no_of_items is invalid or missing'],
    );
  });

  it('refuses a wrong PIN, and pays nothing', async () => {
    const channel = channelOf('tigo-pesa', { floatPin: '0000' });
    assert.equal((await pay(channel, '001')).kind, 'unknown');
    assert.deepEqual(simulator.book.movements(), []);
  });

  it('takes an order_id and a transid once', async () => {
    const channel = channelOf('tigo-pesa');
    await push(channel, '139');
    const again = await push(channel, '139');
    assert.ok(again.kind === 'unknown' && again.seen, 'the order is under way');
    const read = async () => simulator.book.movements('PY0000000000000139').length === 1;
    await until(read, 'the money moves');
  });

  it('says of what it never saw what it says of anything unclear: 999', async () => {
    for (const [network, direction] of [
      ['tigo-pesa', 'collection'],
      ['tigo-pesa', 'payout'],
      ['bank', 'payout'],
    ] as const) {
      const result = await channelOf(network).enquire(enquiryOf('PX0', direction), CALL);
      assert.deepEqual([result.kind, 'seen' in result], ['unknown', false]);
    }
  });

  it('keeps an order over a restart between its two calls', async () => {
    await simulator.close();
    await start({ bookFile: inFolder('book') });
    const client = clientOf();
    const order = {
      vendor: 'TILL1',
      order_id: 'PYR',
      buyer_email: 'a@example.com',
      buyer_name: 'A',
      buyer_phone: '255654000139',
      amount: 1_000,
      currency: 'TZS',
      no_of_items: 1,
    };
    await client.post('/checkout/create-order-minimal', order, CALL);
    await simulator.close();
    await start({ bookFile: inFolder('book') });
    const found = await channelOf('tigo-pesa').enquire(enquiryOf('PYR', 'collection'), CALL);
    assert.equal(found.kind, 'accepted');
    const fields = { transid: 'PYR', order_id: 'PYR', msisdn: '255654000139' };
    await clientOf().post('/checkout/wallet-payment', fields, CALL);
    const paid = async () => simulator.book.movements('PYR')[0]?.amount === 1_000;
    await until(paid, 'the order is paid');
  });

  it('answers a payout with its end when that comes in time', async () => {
    await simulator.close();
    await start({ selcom: { payoutAnswerMs: 5_000 } });
    for (const [ending, kind] of [
      ['001', 'succeeded'],
      ['029', 'failed'],
      ['129', 'accepted'],
    ] as const)
      assert.equal((await pay(channelOf('tigo-pesa'), ending)).kind, kind);
  });

  it('signs what is printed, so that its notification is only a hint, and tells of no failure', async () => {
    const channel = channelOf('tigo-pesa');
    await push(channel, '039');
    await push(channel, '001');
    await until(() => inbox.received.length > 0, 'a notification');
    const read = inbox.received.map((raw) => [
      channel.verifyNotification(raw),
      channel.translateNotification(raw)?.subject,
      channel.translateNotification(raw)?.content,
    ]);
    assert.deepEqual(read, [[true, { reference: 'PY0000000000000001' }, { kind: 'ask' }]]);
  });

  it('tells names, except of M-Pesa wallets, and nothing of a silent network', async () => {
    const bank = { kind: 'bank', bic: 'NMIBTZTZ', accountNumber: '0150000000001', fullName: 'X' } as const;
    const name = (
      network: string,
      party: Parameters<NonNullable<Channel['lookupName']>>[0],
      timeoutMs = 3_000,
    ) => channelOf(network).lookupName?.(party, { timeoutMs });
    assert.deepEqual(await name('tigo-pesa', walletOf('001')), { kind: 'found', fullName: 'ASHA JUMA' });
    assert.deepEqual(await name('azampesa', walletOf('001')), { kind: 'found', fullName: 'ASHA JUMA' });
    assert.deepEqual(await name('bank', bank), { kind: 'found', fullName: 'ASHA JUMA' });
    assert.deepEqual(await name('tigo-pesa', walletOf('029')), { kind: 'not_found' });
    assert.deepEqual(await name('tigo-pesa', walletOf('219'), 100), { kind: 'unknown' });
    assert.deepEqual(await name('bank', { ...bank, bic: 'MUOBTZTZ' }), { kind: 'unknown' });
    assert.deepEqual(await name('m-pesa', walletOf('001')), { kind: 'unknown' });
    const asked = channelOf('m-pesa', { namelessCodes: [] }).lookupName?.(walletOf('001'), CALL);
    assert.deepEqual(await asked, { kind: 'unknown' });
  });

  it('tells what the float holds, and nothing to a stranger', async () => {
    assert.equal(await floatBalance(clientOf(), settingsOf(), CALL), 100_000_000);
    await assert.rejects(floatBalance(clientOf({ apiSecret: 'another' }), settingsOf(), CALL), /HTTP 401/);
    await assert.rejects(
      floatBalance(clientOf({ url: 'http://127.0.0.1:1' }), settingsOf(), CALL),
      /ECONNREFUSED/,
    );
  });
});
