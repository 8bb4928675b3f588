import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { buildEventBody, insertCallbackEvent, type TransactionEvent } from '../../src/callbacks/event.ts';
import { BrokenInvariant } from '../../src/domain/errors.ts';
import { isPayout, type MerchantTransaction } from '../../src/domain/transaction.ts';
import { assertCallbackAsDocumented } from '../support/contract.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant } from '../support/merchant.ts';
import { bankPayout, examples, mobilePayout, push } from './event-examples.ts';
import { loadEvent, plantCompletedPush } from './planted.ts';

describe('the body of a callback', () => {
  for (const { what, transaction, event, expected } of examples) {
    it(`is exactly the published one: ${what}`, () => {
      const { id, body } = buildEventBody(transaction, { event, sequence: 1 });
      assert.equal(body, expected.replace('ID', id).replace('TRANSACTION', transaction.id));
      assertCallbackAsDocumented(body);
    });
  }

  it('carries the metadata byte for byte: number forms, key order, escapes and look-alikes of our own keys', () => {
    const bodyOf = (metadata: string) =>
      buildEventBody({ ...push, metadata }, { event: 'payment.received', sequence: 1 }).body;
    const odd = '{"z":1.50,"a":"\\u00e9","timestamp":{"json":"no"}}';
    assert.ok(bodyOf(odd).includes(`"metadata":${odd},"created_at"`));
    const strings = fc.string({ unit: 'grapheme', maxLength: 99 });
    const any = fc.dictionary(
      strings.filter((key) => key !== '' && key !== '__proto__'),
      fc.oneof(strings, fc.jsonValue({ maxDepth: 6 })),
      { maxKeys: 3 },
    );
    fc.assert(
      fc.property(any, (value) => {
        // White space and number forms too: it is the merchant's text, not ours.
        const text = JSON.stringify(value, null, 1);
        assert.ok(bodyOf(text).includes(`"metadata":${text},`));
      }),
    );
  });

  it('escapes what a channel says: a name cannot add a field', () => {
    const fullName = 'ASHA","status":"paid\u2028\\';
    const { body } = buildEventBody({ ...push, fullName }, { event: 'payment.received', sequence: 1 });
    assert.equal(JSON.parse(body).customer.full_name, fullName);
    assert.equal(JSON.parse(body).status, undefined);
  });

  it('names every network of payments in upper case and of payouts by its id', () => {
    const nameOf = (transaction: MerchantTransaction, event: TransactionEvent) =>
      JSON.parse(buildEventBody(transaction, { event, sequence: 1 }).body).channel.name;
    assert.equal(nameOf({ ...push, channel: 'airtel-money' }, 'payment.received'), 'AIRTEL-MONEY');
    assert.equal(nameOf({ ...mobilePayout, channel: 'airtel-money' }, 'payout.completed'), 'airtel-money');
    assert.equal(nameOf({ ...push, channel: 'gone-since' }, 'payment.received'), 'GONE-SINCE');
  });

  it('has an id that is the same for the same transaction and sequence, and another for any other', () => {
    const idOf = (transaction: MerchantTransaction, sequence: number) => {
      const event = isPayout(transaction) ? 'payout.completed' : 'payment.received';
      return buildEventBody(transaction, { event, sequence }).id;
    };
    assert.match(idOf(push, 1), /^evt_[0-9a-f]{32}$/);
    assert.equal(idOf(push, 1), idOf({ ...push, fullName: null }, 1));
    assert.notEqual(idOf(push, 1), idOf(push, 2));
    assert.notEqual(idOf(push, 1), idOf(mobilePayout, 1));
  });

  it('has an id that receivers know for ever, and another one for what is made anew after each restore', () => {
    const idOf = (epoch?: number) =>
      buildEventBody(push, {
        event: 'payment.received',
        sequence: 1,
        ...(epoch === undefined ? {} : { epoch }),
      }).id;
    const name = createHash('sha256').update(`${push.id}:1`).digest('hex');
    for (const epoch of [undefined, 0]) assert.equal(idOf(epoch), `evt_${name.slice(0, 32)}`);
    assert.equal(new Set([idOf(0), idOf(1), idOf(2)]).size, 3);
  });

  it('has the time of the payment, and of an older payout that of its end', () => {
    const paidAtOf = (changes: Partial<typeof mobilePayout>) =>
      JSON.parse(
        buildEventBody({ ...mobilePayout, ...changes }, { event: 'payout.completed', sequence: 1 }).body,
      ).paid_at;
    const [paidAt, statusAt] = ['2026-01-08T12:00:00.000000Z', '2026-01-08T12:00:01.000000Z'];
    assert.equal(paidAtOf({ paidAt, statusAt }), paidAt);
    assert.equal(paidAtOf({ paidAt: null, statusAt }), statusAt);
  });

  it('is not written for a transaction of another kind', () => {
    const written = (transaction: MerchantTransaction, event: TransactionEvent) => () =>
      buildEventBody(transaction, { event, sequence: 1 });
    for (const event of ['payment.received', 'payment.failed'] as const)
      assert.throws(written(mobilePayout, event), new RegExp(`is a mobile and has no ${event}`));
    for (const event of ['payout.completed', 'payout.failed', 'payout.returned'] as const)
      assert.throws(written(push, event), BrokenInvariant);
    for (const half of [{ returnReason: 'AC04' }, { returnedAt: bankPayout.statusAt }, {}]) {
      const payout = { ...bankPayout, returnReason: null, returnedAt: null, ...half };
      assert.throws(written(payout, 'payout.returned'), /was not returned/);
    }
  });

  it('is not written for a failure without a code', () => {
    assert.throws(() =>
      buildEventBody({ ...push, status: 'failed' }, { event: 'payment.failed', sequence: 1 }),
    );
  });
});

describe('the event of a settlement', () => {
  const test = useTestDatabase();

  it('is written once with the bytes it will be sent with, however often the step runs', async () => {
    const merchant = await createMerchant(test.database);
    const transaction = await plantCompletedPush(test.database, merchant);
    const first = await insertCallbackEvent(test.database, transaction, 'payment.received');
    const again = await insertCallbackEvent(test.database, transaction, 'payment.received');
    assert.equal(again, first);
    const rows = await test.sql`SELECT * FROM callback_events WHERE transaction_id = ${transaction.id}`;
    assert.equal(rows.length, 1);
    assert.equal(rows[0].body, buildEventBody(transaction, { event: 'payment.received', sequence: 1 }).body);
    assert.deepEqual(
      [rows[0].id, rows[0].sequence, rows[0].state, rows[0].api_key_id],
      [first, 1, 'pending', merchant.apiKeyId],
    );
  });

  for (const event of ['payment.received', 'payment.failed'] as const)
    it(`is not written when its key does not ask for ${event}, and the next one takes its number`, async () => {
      const merchant = await createMerchant(test.database);
      const subscribe = (events: string[]) => test.sql`UPDATE api_keys SET subscribed_events = ${events}
        WHERE id = ${merchant.apiKeyId}`;
      const completed = await plantCompletedPush(test.database, merchant);
      const transaction: MerchantTransaction = { ...completed, failureCode: 'reversed' };
      const other = event === 'payment.failed' ? 'payment.received' : 'payment.failed';
      await subscribe([other]);
      assert.equal(
        await loadEvent(test.database, await insertCallbackEvent(test.database, transaction, event)),
        null,
      );
      const next = await loadEvent(
        test.database,
        await insertCallbackEvent(test.database, transaction, other),
      );
      assert.equal(next?.sequence, 1);
    });

  it('is kept, but not queued, when the key has no callback URL', async () => {
    const merchant = await createMerchant(test.database);
    await test.database.query('UPDATE api_keys SET callback_url = NULL WHERE id = $1', [merchant.apiKeyId]);
    const transaction = await plantCompletedPush(test.database, merchant);
    const id = await insertCallbackEvent(test.database, transaction, 'payment.received');
    assert.equal((await loadEvent(test.database, id))?.state, 'no_url');
  });
});
