import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import type { Channel, SendResult } from '../../src/domain/channel.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import { minor } from '../../src/domain/money.ts';
import { openSimulator } from '../support/simulator.ts';
import { heard } from './scripted.ts';
import { vodacomChannel, vodacomSimulator } from './vodacom-openapi/rig.ts';

const call = { timeoutMs: 5_000 };
const amount = minor(1_500_000);

describe('a synchronous application of the vodacom openapi', () => {
  let simulator: Simulator;
  let channel: Channel;

  async function open(simulated: object = {}, settings: object = {}): Promise<void> {
    simulator = await openSimulator({
      timing: { customerMs: 30, promptMs: 300, slowAnswerMs: 600 },
      ...vodacomSimulator({ mode: 'synchronous', ...simulated }),
    });
    channel = vodacomChannel(simulator.url, { mode: 'synchronous', ...settings });
  }
  afterEach(() => simulator.close());

  function order(ending: string) {
    const transactionId = randomUUID();
    return {
      transactionId,
      reference: channelReferenceOf('collection', transactionId),
      amount,
      currency: 'TZS',
      description: 'Payment',
      party: { kind: 'wallet', msisdn: `255754000${ending}` },
    } as const;
  }
  const push = async (one: ReturnType<typeof order>, timeoutMs = call.timeoutMs) =>
    (await channel.requestPush?.(one, { timeoutMs })) as SendResult;
  const enquire = (one: ReturnType<typeof order>) =>
    channel.enquire({ ...one, direction: 'collection', channelReference: null }, call);
  const moved = (one: ReturnType<typeof order>) => simulator.book.movements(one.reference).length;

  for (const [direction, ending, said] of [
    ['push', '019', 'failed payer_limit_reached'],
    ['push', '029', 'failed payer_not_found'],
    ['push', '039', 'failed network_error'],
    ['push', '049', 'failed insufficient_funds'],
    ['push', '069', 'failed network_error'],
    ['push', '000', 'succeeded TZS 15000'],
    ['payout', '019', 'failed recipient_limit_reached'],
    ['payout', '029', 'failed recipient_not_found'],
    ['payout', '049', 'failed insufficient_float'],
  ] as const)
    it(`has the outcome of a ${direction} in the answer: ${said} (${ending})`, async () => {
      await open();
      const payout = () => channel.requestPayout?.({ ...order(ending), sendNumber: 1 }, call);
      const result = direction === 'push' ? await push(order(ending)) : await payout();
      const words = heard(result).split(' ');
      assert.equal(words.slice(0, said.split(' ').length).join(' '), said);
      if (result?.kind === 'succeeded') assert.ok(result.channelReference);
    });

  it('does not know when the customer types longer than we wait, and finds it later', async () => {
    await open({}, { sendTimeoutMs: 1_000 });
    const unanswered = order('059');
    assert.equal((await push(unanswered)).kind, 'unknown');
    assert.match(heard(await enquire(unanswered)), /^failed customer_timeout/);
    const late = order('219');
    assert.equal((await push(late, 100)).kind, 'unknown');
    assert.equal((await enquire(late)).kind, 'accepted');
  });

  it('finds what a lost answer hid, and moves no money twice', async () => {
    await open();
    for (const ending of ['149', '159']) {
      const one = order(ending);
      assert.equal((await push(one)).kind, 'unknown');
      assert.equal((await enquire(one)).kind, 'succeeded');
      assert.equal(heard(await push(one)), 'unknown seen');
      assert.equal(moved(one), 1);
    }
  });

  it('keeps a payment open of which the network says N/A', async () => {
    await open({ statusWhilePending: 'N/A' });
    const one = order('129');
    await push(one);
    assert.equal(heard(await enquire(one)), 'unknown seen');
  });

  it('replaces a session that ended in the middle, and sends once', async () => {
    let at = 0;
    await open({ sessionLifeMs: 60_000, now: () => at });
    assert.equal((await push(order('000'))).kind, 'succeeded');
    at += 60_000;
    const one = order('000');
    assert.equal((await push(one)).kind, 'succeeded');
    assert.equal(moved(one), 1);
  });

  it('gets through with a session that needs a while, when it waits for it', async () => {
    await open({ sessionYoungMs: 300 });
    const hasty = await push(order('000'));
    assert.equal(hasty.kind, 'not_sent', 'a session that is too young is refused before anything is done');
    channel = vodacomChannel(simulator.url, { mode: 'synchronous', sessionSettleMs: 400 });
    assert.equal((await push(order('000'))).kind, 'succeeded');
  });

  it('goes on with a new session when the limits of one are used up', async () => {
    await open({ paymentsPerSession: 1 });
    assert.equal((await push(order('000'))).kind, 'succeeded');
    const limited = await push(order('000'));
    assert.ok(limited.kind === 'not_sent' && limited.detail.includes('an operator must look'));
    assert.equal((await push(order('000'))).kind, 'succeeded');
  });

  it('is not let in from another origin, or with another key or code', async () => {
    await open({ trustedSources: ['https://pay.example'] });
    assert.equal((await push(order('000'))).kind, 'not_sent');
    for (const wrong of [
      { apiKey: 'another' },
      { serviceProviderCode: '111111' },
      { origin: 'https://x.example' },
    ]) {
      channel = vodacomChannel(simulator.url, {
        mode: 'synchronous',
        origin: 'https://pay.example',
        ...wrong,
      });
      assert.equal((await push(order('000'))).kind, 'not_sent', JSON.stringify(wrong));
    }
    channel = vodacomChannel(simulator.url, { mode: 'synchronous', origin: 'https://pay.example' });
    assert.equal((await push(order('000'))).kind, 'succeeded');
  });
});
