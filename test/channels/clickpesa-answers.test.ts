import assert from 'node:assert/strict';
import { createClickpesaClient } from '../../src/channels/clickpesa/client.ts';
import table from '../../src/channels/clickpesa/codes.json' with { type: 'json' };
import { createClickpesaChannel } from '../../src/channels/clickpesa/index.ts';
import { hintOf, isProven, translateNotification } from '../../src/channels/clickpesa/notification.ts';
import { clickpesaProtocol } from '../../src/channels/clickpesa/protocol.ts';
import { clickpesaSettings } from '../../src/channels/clickpesa/settings.ts';
import { enquiryResultOf, nameOf, sendResultOf } from '../../src/channels/clickpesa/translate.ts';
import { checksumOf } from '../../src/channels/clickpesa/wire.ts';
import type { HttpClient, HttpRequest } from '../../src/channels/kit/http.ts';
import type { Direction } from '../../src/domain/kinds.ts';
import { minor } from '../../src/domain/money.ts';

const settings = clickpesaSettings.parse({
  url: 'https://api.clickpesa.invalid/third-parties/',
  clientId: 'client',
  apiKey: 'key',
  checksumKey: ['chk-secret', 'chk-before'],
});
const asked = (direction: Direction) => ({ reference: 'ORD1', direction, currency: 'TZS' });
const answer = (json: unknown, status = 200) => ({ kind: 'json', status, json }) as const;
const row = (status: string, more: object = {}) => ({
  id: 'C1',
  orderReference: 'ORD1',
  status,
  collectedAmount: '1500',
  collectedCurrency: 'TZS',
  amount: '1547.10',
  order: { amount: '1500.00' },
  ...more,
});
const money = { amount: 150_000, currency: 'TZS' };

/** A network that answers in turn, and what it was asked. */
function scripted(...answers: { status: number; json: unknown }[]) {
  const requests: HttpRequest[] = [];
  const http: HttpClient = {
    async send(request) {
      requests.push(request);
      const { status, json } = answers.shift() ?? { status: 500, json: null };
      return { kind: 'answer', status, headers: {}, body: Buffer.from(JSON.stringify(json)) };
    },
    close: async () => {},
  };
  return { requests, channel: createClickpesaChannel(createClickpesaClient(settings, http), settings) };
}
const token = (name: string) => ({ status: 201, json: { success: true, token: `Bearer ${name}-token` } });
const order = {
  transactionId: 'T',
  reference: 'ORD1',
  amount: minor(150_000),
  currency: 'TZS',
  description: 'Shoes',
  sendNumber: 1,
  party: { kind: 'wallet', msisdn: '255713000001' },
} as const;

describe('what the ClickPesa channel makes of an answer', () => {
  for (const { code, outcome } of table.codes)
    it(`reads a refusal that says "${code}" as ${outcome}, as a text and in a list`, () => {
      for (const message of [`${code.toUpperCase()}: ORD1`, ['Sorry', `${code}.`]]) {
        const { kind } = sendResultOf(answer({ message }, 400), asked('payout'));
        assert.equal(kind, { final: 'failed', setup: 'not_sent', duplicate: 'unknown' }[outcome]);
      }
    });

  for (const { code, outcome } of table.states.filter((state) => state.code !== '*'))
    it(`reads the status ${code} as ${outcome}, of a payment and of a payout`, () => {
      for (const direction of ['collection', 'payout'] as const) {
        const result = enquiryResultOf(answer([row(` ${code.toLowerCase()} `)]), asked(direction));
        assert.equal(result.kind, { final: 'failed', pending: 'accepted', success: 'succeeded' }[outcome]);
        if (result.kind === 'succeeded') assert.deepEqual({ ...money, ...result }, result);
      }
    });

  it('does not know what becomes of anything else', () => {
    const odd: [unknown, number][] = [
      [{ message: 'Some words of next year' }, 400],
      [{ message: 'Error validating fee, try again later' }, 422],
      [row('DELIVERED'), 200],
      [row('SUCCESS', { collectedAmount: '0', order: {} }), 200],
      [row('SUCCESS', { orderReference: 'ORD2' }), 200],
      [[row('SUCCESS')], 200],
      [null, 200],
    ];
    for (const [json, status] of odd)
      for (const direction of ['collection', 'payout'] as const)
        assert.equal(
          sendResultOf(answer(json, status), asked(direction)).kind,
          'unknown',
          JSON.stringify(json),
        );
    for (const json of [[], row('SUCCESS'), [row('SUCCESS', { orderReference: 'ORD2' })], 'no'])
      assert.equal(enquiryResultOf(answer(json), asked('payout')).kind, 'unknown');
  });

  it('believes that an order was never seen only where ClickPesa says so of it', () => {
    const found = (message: string, status = 404) =>
      enquiryResultOf(answer({ message }, status), asked('payout')).kind;
    assert.equal(found('Invalid or missing payout: ORD1'), 'not_found');
    assert.equal(found('Cannot GET /payouts/ORD1'), 'unknown');
    assert.equal(found('Invalid or missing payout: ORD1', 400), 'unknown');
  });

  it('takes the success of several rows, and no failure while another is under way', () => {
    const of = (...words: string[]) =>
      enquiryResultOf(answer(words.map((word) => row(word))), asked('payout')).kind;
    assert.deepEqual(
      [of('FAILED', 'SUCCESS', 'PENDING'), of('FAILED', 'PENDING'), of('FAILED', 'REVERSED')],
      ['succeeded', 'accepted', 'failed'],
    );
  });

  it('names the owner of an account from the preview of a payout', () => {
    assert.deepEqual(nameOf(answer({ receiver: { accountName: ' ASHA JUMA ' } })), {
      kind: 'found',
      fullName: 'ASHA JUMA',
    });
    assert.equal(nameOf(answer({ message: 'Invalid phone number' }, 400)).kind, 'not_found');
    assert.equal(nameOf(answer({ message: 'Insufficient balance' }, 400)).kind, 'unknown');
  });
});

describe('what the ClickPesa channel sends', () => {
  it('is a push with its amount as text and the check sum of the pages, after a token', async () => {
    const { channel, requests } = scripted(token('first'), { status: 200, json: row('PROCESSING') });
    assert.equal((await channel.requestPush?.(order, { timeoutMs: 1_000 }))?.kind, 'accepted');
    assert.deepEqual(requests[0]?.headers, { 'client-id': 'client', 'api-key': 'key' });
    assert.equal(requests[1]?.headers.authorization, 'Bearer first-token');
    assert.deepEqual(JSON.parse(String(requests[1]?.body)), {
      amount: '1500',
      currency: 'TZS',
      orderReference: 'ORD1',
      phoneNumber: '255713000001',
      checksum: '2c950c6d0d4e8a844a903b66061f3caf46e633fdb9e99156c5acb2e93b9f0bd4',
    });
  });

  it('is a payout with its amount as a number', async () => {
    const { channel, requests } = scripted(token('first'), { status: 200, json: row('AUTHORIZED') });
    assert.equal((await channel.requestPayout?.(order, { timeoutMs: 1_000 }))?.kind, 'accepted');
    assert.equal(JSON.parse(String(requests[1]?.body)).amount, 1_500);
  });

  it('is repeated once with a new token, and not sent where that is refused too', async () => {
    const refused = { status: 401, json: { message: 'Unauthorized' } };
    const { channel, requests } = scripted(token('first'), refused, token('second'), refused);
    assert.equal((await channel.requestPayout?.(order, { timeoutMs: 1_000 }))?.kind, 'not_sent');
    assert.equal(requests[3]?.headers.authorization, 'Bearer second-token');
    assert.equal(requests.length, 4);
  });

  it('waits after a 429, and does not know of a 500', async () => {
    for (const [status, kind] of [
      [429, 'not_sent'],
      [500, 'unknown'],
    ] as const) {
      const { channel } = scripted(token('first'), { status, json: { message: 'x' } });
      assert.equal((await channel.requestPayout?.(order, { timeoutMs: 1_000 }))?.kind, kind);
    }
  });

  it('is nothing for cents or another currency', async () => {
    const { channel, requests } = scripted();
    for (const change of [{ amount: minor(150_001) }, { currency: 'USD' }])
      assert.equal(
        (await channel.requestPayout?.({ ...order, ...change }, { timeoutMs: 1 }))?.kind,
        'failed',
      );
    assert.equal(requests.length, 0);
  });

  it('pays nothing out without a check sum key, because a return would not be believed', () => {
    const world = {
      publicUrl: '',
      notificationSecrets: [] as never,
      log: {} as never,
      http: {} as HttpClient,
    };
    const payouts = (changes: object) =>
      clickpesaProtocol.open({ ...settings, ...changes }, world).capabilities.payouts;
    assert.deepEqual([payouts({}), payouts({ checksumKey: undefined })], [['wallet', 'bank'], []]);
  });
});

describe('what the ClickPesa channel makes of a notification', () => {
  const received = {
    event: 'PAYMENT RECEIVED',
    data: {
      id: 'ORD1LCP1',
      status: 'SUCCESS',
      paymentReference: 'PAY1',
      orderReference: 'ORD1',
      collectedAmount: '1500',
      collectedCurrency: 'TZS',
      message: 'success',
      channel: 'M-PESA',
      customer: { customerName: 'ASHA JUMA', customerPhoneNumber: '255713000001' },
    },
  };
  const printed = 'b07015281486896a0820a5ff6221af9eaa70c5106412decf8f08af39c6740cb0';
  const raw = (message: unknown, headers = {}) => ({
    method: 'POST',
    transactionId: null,
    token: null,
    headers,
    body: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)),
  });
  const named = { direction: 'payout', amount: minor(150_000), currency: 'TZS', isFinal: true } as const;

  it('believes the check sum of the pages, in the body or in the header that the settings name', () => {
    assert.equal(isProven(raw({ checksum: printed, ...received, checksumMethod: 'v2' }), settings), true);
    const inHeader = { ...settings, notificationChecksum: 'x-clickpesa-checksum' };
    assert.equal(isProven(raw(received, { 'x-clickpesa-checksum': printed }), inHeader), true);
    assert.equal(isProven(raw(received, { 'x-clickpesa-checksum': printed }), settings), false);
  });

  it('believes the key that is replaced, and no other', () => {
    for (const [key, believed] of [
      ['chk-before', true],
      ['chk-other', false],
    ] as const)
      assert.equal(isProven(raw({ ...received, checksum: checksumOf(received, key) }), settings), believed);
  });

  it('believes nothing that was changed, is no object, or is too deep', () => {
    const changed = { ...received, data: { ...received.data, collectedAmount: '15000' }, checksum: printed };
    const deep = `{"checksum":"${printed}","data":${'['.repeat(50)}${']'.repeat(50)}}`;
    for (const message of [changed, deep, '[]', '{', `{"checksum":"${printed}"`, received])
      assert.equal(isProven(raw(message), settings), false);
    const without = clickpesaSettings.parse({ url: settings.url, clientId: 'c', apiKey: 'k' });
    assert.equal(isProven(raw({ ...received, checksum: printed }), without), false);
  });

  it('reads a payment, with its payer and the number of its network', () => {
    const read = translateNotification(raw(received), 'TZS');
    assert.deepEqual(read?.subject, { reference: 'ORD1' });
    assert.deepEqual(read?.content, {
      kind: 'succeeded',
      ...money,
      channelReference: 'PAY1',
      alsoKnownAs: ['ORD1LCP1'],
      fullName: 'ASHA JUMA',
    });
    assert.equal(read?.contentFor?.(named).kind, 'ask', 'of a payout that has the same reference');
  });

  it('reads a payout that came back as a return, or as the failure of one that never went', () => {
    const reversed = { event: 'PAYOUT REVERSED', data: row('REVERSED', { order: undefined }) };
    const content = translateNotification(raw(reversed), 'TZS')?.contentFor?.(named);
    assert.deepEqual(content, {
      kind: 'returned',
      ...money,
      reason: 'The channel returned the money',
      channelReference: 'C1',
      orFailed: 'network_error',
    });
  });

  it('asks where it cannot tell how much moved, and waits while nothing is decided', () => {
    const of = (status: string) =>
      translateNotification(raw({ event: 'PAYOUT INITIATED', data: row(status, { order: {} }) }), 'TZS')
        ?.content;
    assert.deepEqual(
      [of('SUCCESS')?.kind, of('PROCESSING')?.kind, of('DELIVERED')?.kind],
      ['ask', 'pending', 'ask'],
    );
  });

  it('takes the old name of the event, and what has no order of ours', () => {
    const old = { eventType: 'PAYMENT FAILED', data: row('FAILED') };
    assert.equal(translateNotification(raw(old), 'TZS')?.content.kind, 'failed');
    const deposit = { event: 'DEPOSIT RECEIVED', data: { id: 'D1', amount: 1 } };
    assert.equal(translateNotification(raw(deposit), 'TZS')?.content.kind, 'pending');
  });

  it('finds the order in a notification that proves nothing', () => {
    assert.deepEqual(hintOf(raw(received)), { reference: 'ORD1' });
    for (const message of [
      '{',
      '[]',
      '{"data":{"orderReference":{}}}',
      `{"data":{"orderReference":"${'x'.repeat(65)}"}}`,
    ])
      assert.equal(hintOf(raw(message)), null);
  });
});
