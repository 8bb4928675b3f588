import assert from 'node:assert/strict';
import { createClickpesaClient } from '../../src/channels/clickpesa/client.ts';
import table from '../../src/channels/clickpesa/codes.json' with { type: 'json' };
import { createClickpesaChannel } from '../../src/channels/clickpesa/index.ts';
import { hintOf, isProven, translateNotification } from '../../src/channels/clickpesa/notification.ts';
import { clickpesaProtocol } from '../../src/channels/clickpesa/protocol.ts';
import { clickpesaSettings } from '../../src/channels/clickpesa/settings.ts';
import { enquiryResultOf, nameOf, sendResultOf } from '../../src/channels/clickpesa/translate.ts';
import { checksumOf } from '../../src/channels/clickpesa/wire.ts';
import { createHttpClient, type HttpClient } from '../../src/channels/kit/http.ts';
import type { Direction } from '../../src/domain/kinds.ts';
import { minor } from '../../src/domain/money.ts';
import { rawOf } from './raw.ts';
import { itHears, useNetwork } from './scripted.ts';

const TOKEN = '/generate-token';

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
  let tokens = 0;
  beforeEach(() => {
    tokens = 0;
  });
  const network = useNetwork({
    paths: { push: '/', payout: '/' },
    besides: {
      [TOKEN]: () => {
        tokens += 1;
        return { status: 201, body: { success: true, token: `Bearer a-token-${tokens}` } };
      },
    },
    order: { reference: 'ORD1', amount: minor(150_000), party: { kind: 'wallet', msisdn: '255713000001' } },
    channelOf: (url) => {
      const own = { ...settings, url };
      return createClickpesaChannel(createClickpesaClient(own, createHttpClient()), own);
    },
  });

  it('is a push with its amount as text and the check sum of the pages, after a token', async () => {
    network.lay('push', { body: row('PROCESSING') });
    assert.match(await network.hear('push'), /^accepted/);
    const { 'client-id': id, 'api-key': key } = network.sent(TOKEN)[0]?.headers ?? {};
    assert.deepEqual([id, key], ['client', 'key']);
    const [asked] = network.sent('push');
    assert.equal(asked?.headers.authorization, 'Bearer a-token-1');
    assert.deepEqual(JSON.parse(asked?.body ?? ''), {
      amount: '1500',
      currency: 'TZS',
      orderReference: 'ORD1',
      phoneNumber: '255713000001',
      checksum: '2c950c6d0d4e8a844a903b66061f3caf46e633fdb9e99156c5acb2e93b9f0bd4',
    });
  });

  it('is a payout with its amount as a number', async () => {
    network.lay('payout', { body: row('AUTHORIZED') });
    assert.match(await network.hear('payout'), /^accepted/);
    assert.equal(JSON.parse(network.sent('payout')[0]?.body ?? '').amount, 1_500);
  });

  it('is repeated once with a new token, and not sent where that is refused too', async () => {
    network.lay('payout', { status: 401, body: { message: 'Unauthorized' } });
    assert.match(await network.hear('payout'), /^not_sent/);
    const bearers = network.sent('payout').map(({ headers }) => headers.authorization);
    assert.deepEqual(bearers, ['Bearer a-token-1', 'Bearer a-token-2']);
  });

  itHears(network, [
    ['payout', '429', { status: 429, body: { message: 'x' } }, 'not_sent login'],
    ['payout', '500', { status: 500, body: { message: 'x' } }, 'unknown'],
  ]);

  for (const change of [{ amount: minor(150_001) }, { currency: 'USD' }])
    it(`is nothing for cents or another currency: ${Object.values(change)}`, async () => {
      assert.match(await network.hear('payout', {}, change), /^failed/);
      assert.equal(network.asked.length, 0);
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
  const raw = (message: unknown, headers = {}) => rawOf(message, { headers });
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
        ?.content.kind;
    assert.deepEqual(['SUCCESS', 'PROCESSING', 'DELIVERED'].map(of), ['ask', 'pending', 'ask']);
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
