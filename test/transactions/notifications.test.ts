import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Failed, Notification } from '../../src/domain/channel.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import { type Minor, minor } from '../../src/domain/money.ts';
import { recordSend, recordSendOutcome, sendHistory } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { type Received, receiveNotification } from '../../src/transactions/ending/notifications.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { accepted, answered, handedOver } from '../support/handed-over.ts';
import { bankPayoutRequest, billRequest, CONNECTION, pushRequest } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';

type Content = Notification['content'];

const SUCCESS: Content = succeeded(5_000, 'R1');
const FAILURE: Failed = failure('customer_declined');
const PENDING: Content = { kind: 'pending' };
const RETURN: Content = {
  kind: 'returned',
  amount: minor(500_000),
  currency: 'TZS',
  reason: 'AC04',
  channelReference: 'RT1',
};
const raw = { method: 'POST', transactionId: null, token: null, headers: {}, body: Buffer.from('{}') };

const usual = () => ({ eventKey: randomUUID(), subject: { reference: '' }, content: SUCCESS });

describe('what comes in at the door', () => {
  const test = useTestDatabase({ each: true });

  /** What is received is read as `notification`, or cannot be read; its sender is `connection`, or not proven. */
  function receive(
    notification: Partial<Notification> | null,
    {
      connection = CONNECTION,
      proven = true,
      confirmAbove,
    }: { connection?: string; proven?: boolean; confirmAbove?: Minor } = {},
  ): Promise<Received> {
    const channel = {
      verifyNotification: () => proven,
      translateNotification: () => notification && { ...usual(), ...notification },
    };
    const connections = [{ id: connection, channel, ...(confirmAbove && { confirmAbove }) }];
    return receiveNotification(test.database, { connections, raw });
  }

  it('is read by the transaction’s own connection, where the proof of two fits', async () => {
    const id = await push();
    const message = { eventKey: randomUUID(), subject: { transactionId: id }, content: SUCCESS };
    const channel = { verifyNotification: () => true, translateNotification: () => message };
    const connections = ['another', CONNECTION].map((name) => ({ id: name, channel }));
    const { outcome, connection } = await receiveNotification(test.database, { connections, raw });
    assert.deepEqual([outcome, connection], ['stored', CONNECTION]);
  });

  const about = (id: string, content: Content, changes: Partial<Notification> = {}) =>
    receive({ subject: { transactionId: id }, content, ...changes });
  const push = async () => (await handedOver(test.database, pushRequest(5_000))).id;
  const ended = async (content: Content & { kind: 'succeeded' | 'failed' }) => {
    const id = await push();
    await answered(test.database, id, content);
    return id;
  };
  const storedAs = async (id: string) => {
    const rows = await test.sql`SELECT state FROM notifications WHERE transaction_id = ${id} ORDER BY id`;
    return rows.map(({ state }) => state);
  };

  it('is unreadable, or refused where its sender is not proven either', async () => {
    const nothing = { transactionId: null, news: null };
    assert.deepEqual(await receive(null), { ...nothing, outcome: 'unreadable', connection: CONNECTION });
    const stranger = await receive(null, { proven: false });
    assert.deepEqual(stranger, { ...nothing, outcome: 'refused', connection: null });
  });

  for (const subject of [{ transactionId: randomUUID() }, { reference: `PY${'X'.repeat(90)}` }])
    it(`is of nobody we know: ${Object.keys(subject)}; money is shown to a person`, async () => {
      const name = String(Object.values(subject)[0]).slice(0, 64);
      const nothing = { transactionId: null, news: null };
      for (const content of [FAILURE, PENDING]) await receive({ subject, content });
      const stranger = await receive({ subject }, { proven: false });
      assert.deepEqual(stranger, { ...nothing, outcome: 'refused', connection: null });
      assert.deepEqual(await attentionOf(test.database, `notification:${name}`), []);
      const unknown = await receive({ subject });
      assert.deepEqual(unknown, { ...nothing, outcome: 'unknown', connection: CONNECTION });
      const [shown, ...rest] = await attentionOf(test.database, `notification:${name}`);
      assert.deepEqual([shown?.reason, rest], ['unexpected_payment', []]);
      assert.equal(
        shown?.detail,
        'A proven notification says that 5,000.00 TZS moved (R1), but no transaction has this name',
      );
    });

  it('changes nothing where the protocol has no proof but, once a minute, makes us ask the channel', async () => {
    const id = await push();
    const channel = {
      verifyNotification: () => false,
      translateNotification: () => assert.fail('what is not proven is not read'),
      hintOf: () => ({ transactionId: id }),
    };
    const knock = async () => {
      const connections = [{ id: CONNECTION, channel }];
      const { outcome, news } = await receiveNotification(test.database, { connections, raw });
      return [outcome, news];
    };
    assert.deepEqual(await knock(), ['noted', 'hint']);
    assert.deepEqual(await knock(), ['noted', null]);
    assert.equal((await tryToEnd(test.database, id, { kind: 'notifications' })).status, 'pending');
    assert.deepEqual(await storedAs(id), []);
  });

  it('is, where the protocol has no proof, unreadable without a name, and unknown by one that is not ours', async () => {
    const proof = { verifyNotification: () => false, translateNotification: () => null };
    for (const [hint, outcome] of [
      [null, 'unreadable'],
      [{ reference: 'PYNOBODY' }, 'unknown'],
    ] as const) {
      const connections = [{ id: CONNECTION, channel: { ...proof, hintOf: () => hint } }];
      const received = await receiveNotification(test.database, { connections, raw });
      assert.deepEqual(received, { connection: null, transactionId: null, news: null, outcome });
    }
  });

  it('finds its transaction by our reference, in whatever letters and between spaces', async () => {
    const id = await push();
    const reference = ` ${channelReferenceOf('collection', id).toLowerCase()}\n`;
    assert.equal((await receive({ subject: { reference } })).transactionId, id);
  });

  it('is money that came back to nobody we know, without a reference', async () => {
    const reference = 'POLOST';
    await receive({ subject: { reference }, content: { ...RETURN, channelReference: null } });
    const [shown] = await attentionOf(test.database, `notification:${reference}`);
    assert.match(shown?.detail ?? '', /says that 5,000.00 TZS came back \(no receipt\)/);
  });

  it('is refused where another connection carries the transaction, and for a bill, which has a door of its own', async () => {
    const refused = { outcome: 'refused', news: null } as const;
    const id = await push();
    const bill = await accepted(test.database, billRequest());
    const elsewhere = await receive({ subject: { transactionId: id } }, { connection: 'other' });
    assert.deepEqual(elsewhere, { ...refused, connection: 'other', transactionId: id });
    assert.deepEqual(await about(bill.id, SUCCESS), {
      ...refused,
      connection: CONNECTION,
      transactionId: bill.id,
    });
    assert.deepEqual([await storedAs(id), await storedAs(bill.id)], [[], []]);
  });

  for (const [what, content, state, news] of [
    ['a success', SUCCESS, 'unapplied', 'stored'],
    ['a success of another amount', succeeded(4_000, 'R2'), 'contradicting', 'stored'],
    ['a failure', FAILURE, 'unapplied', 'stored'],
    ['word that it goes on', PENDING, 'ignored', null],
    ['nothing that can be believed', { kind: 'ask' }, 'ignored', 'hint'],
  ] as const)
    it(`is ${what} of a pending push: ${state}, and its workflow gets: ${news}`, async () => {
      const id = await push();
      const received = await about(id, content);
      const told = { connection: CONNECTION, transactionId: id, news, send: 1, callback: null };
      assert.deepEqual(received, { ...told, outcome: 'stored' });
      assert.deepEqual(await storedAs(id), [state]);
    });

  it('is, of more than a proof alone may move, a reason to ask: the channel itself has to say so', async () => {
    const above = async (id: string, most: number) => {
      const success = { subject: { transactionId: id }, content: SUCCESS };
      const { news } = await receive(success, { confirmAbove: minor(most) });
      return [news, (await storedAs(id)).at(-1)];
    };
    assert.deepEqual(await above(await push(), 500_000), ['stored', 'unapplied']);
    const id = await push();
    assert.deepEqual(await above(id, 499_999), ['hint', 'ignored']);
    assert.equal((await tryToEnd(test.database, id, { kind: 'notifications' })).status, 'pending');
    const failed = await ended(FAILURE);
    assert.deepEqual(await above(failed, 499_999), [null, 'contradicting']);
  });

  it('is signalled again to the workflow when it comes again, as long as that runs', async () => {
    const id = await push();
    const again = { eventKey: randomUUID() };
    assert.equal((await about(id, SUCCESS, again)).outcome, 'stored');
    const { outcome, news } = await about(id, SUCCESS, again);
    assert.deepEqual([outcome, news], ['duplicate', 'stored']);
    await tryToEnd(test.database, id, { kind: 'notifications' });
    const late = await about(id, SUCCESS, again);
    assert.deepEqual([late.outcome, late.news, late.transactionId], ['duplicate', null, id]);
    assert.deepEqual(await storedAs(id), ['applied']);
  });

  it('is of each of three transactions that its sender gave one number, once', async () => {
    const ids = [await push(), await push(), await push()];
    const numbered = { eventKey: randomUUID() };
    for (const id of [...ids, ...ids]) await about(id, FAILURE, numbered);
    for (const id of ids) assert.deepEqual(await storedAs(id), ['unapplied']);
  });

  it('is what it means for the very transaction, where it names neither direction nor amount', async () => {
    const [id, over] = [await push(), await ended(FAILURE)];
    const named: unknown[] = [];
    const contentFor = (one: unknown) => {
      named.push(one);
      return SUCCESS;
    };
    for (const one of [id, over]) await about(one, PENDING, { contentFor });
    const money = { direction: 'collection', amount: 500_000, currency: 'TZS' };
    assert.deepEqual(
      named,
      [false, true].map((isFinal) => ({ ...money, isFinal })),
    );
    assert.deepEqual([await storedAs(id), await storedAs(over)], [['unapplied'], ['contradicting']]);
  });

  it('is of each that it names, where it is about several', async () => {
    const [id, other] = [await push(), await push()];
    const others = [{ ...usual(), subject: { transactionId: other }, content: FAILURE }];
    const received = await about(id, SUCCESS, { others });
    assert.deepEqual(
      [received.outcome, received.also?.map(({ outcome }) => outcome)],
      ['stored', ['stored']],
    );
    for (const [one, end] of [
      [id, 'completed'],
      [other, 'failed'],
    ] as const)
      assert.equal((await tryToEnd(test.database, one, { kind: 'notifications' })).status, end);
  });

  for (const outcome of ['not_found', 'not_sent'] as const)
    it(`shows that the channel has what was ${outcome}, unless it only refuses`, async () => {
      for (const [content, open] of [
        [PENDING, true],
        [SUCCESS, true],
        [FAILURE, false],
      ] as const) {
        const id = await push();
        await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'unknown' });
        await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome });
        await about(id, content);
        assert.equal((await sendHistory(test.database, id)).mayHaveArrived, open, content.kind);
      }
    });

  it('is, when it refuses a message that a later one has overtaken, a reason to ask and nothing more', async () => {
    const id = await push();
    await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'not_sent' });
    await recordSend(test.database, { transactionId: id, number: 2 });
    assert.equal((await about(id, FAILURE, { sendNumber: 1 })).news, 'hint');
    assert.equal((await about(id, FAILURE, { sendNumber: 2 })).news, 'stored');
    assert.deepEqual(await storedAs(id), ['ignored', 'unapplied']);
  });

  it('is, when it refuses an overtaken message of what people decided, no answer to their decision', async () => {
    const id = await push();
    await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'not_sent' });
    await recordSend(test.database, { transactionId: id, number: 2 });
    await plantDecision(test.database, id, 'paid');
    await tryToEnd(test.database, id, { kind: 'notifications' });
    assert.equal((await about(id, FAILURE, { sendNumber: 1 })).news, null);
    assert.deepEqual(await attentionOf(test.database, id), []);
    await about(id, FAILURE, { sendNumber: 2 });
    assert.deepEqual(await storedAs(id), ['ignored', 'contradicting']);
    assert.deepEqual(pick(await attentionOf(test.database, id), 'reason'), ['conflicting_failure']);
  });

  it('is a return: a reason to ask while the payout is pending, and a callback of its own once it was paid', async () => {
    const { id, merchant } = await handedOver(test.database, bankPayoutRequest(5_000));
    await test.sql`UPDATE api_keys SET subscribed_events = subscribed_events || '{payout.returned}'
      WHERE id = ${merchant.apiKeyId}`;
    await answered(test.database, id, succeeded(5_000, 'FT1'));
    const { news, callback } = await about(id, RETURN);
    const rows = await test.sql`SELECT id FROM callback_events
        WHERE transaction_id = ${id} AND event = 'payout.returned'`;
    assert.deepEqual([news, callback], [null, { eventId: rows[0].id, round: 1 }]);
    assert.equal((await about(id, RETURN)).callback, null, 'the second one is in suspense');

    const pending = await handedOver(test.database, bankPayoutRequest(5_000));
    const early = await about(pending.id, RETURN);
    assert.deepEqual([early.news, early.callback], ['hint', null]);
  });
});
