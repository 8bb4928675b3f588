import assert from 'node:assert/strict';
import { takeUnattendedRounds } from '../../src/callbacks/unattended.ts';
import type { Notification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { assertCallbackAsDocumented } from '../support/contract.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { bankPayoutRequest } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { succeeded } from '../support/scripted-channel.ts';

describe('the return of a paid payout', () => {
  const test = useTestDatabase();

  /** A bank payout that was handed over, of a merchant who asks for all events or for all but payout.returned. */
  async function payoutOf({ optedOut = false } = {}): Promise<string> {
    const { id, merchant } = await handedOver(test.database, bankPayoutRequest(400_000));
    if (optedOut)
      await test.database.query(
        "UPDATE api_keys SET subscribed_events = array_remove(subscribed_events, 'payout.returned') WHERE id = $1",
        [merchant.apiKeyId],
      );
    return id;
  }

  const paid = (id: string) =>
    tryToEnd(test.database, id, { kind: 'answer', result: succeeded(400_000, `FT${id}`) });

  function bankReturns(id: string, channelReference: string | null = null) {
    const content: Notification['content'] = {
      kind: 'returned',
      amount: minor(40_000_000),
      currency: 'TZS',
      reason: 'AC04',
      channelReference,
    };
    return notify(test.database, id, content);
  }

  async function eventsOf(id: string) {
    const { rows } = await test.database.query(
      'SELECT id, event, sequence, state, body FROM callback_events WHERE transaction_id = $1 ORDER BY sequence',
      [id],
    );
    return rows;
  }

  it('sends payout.returned, once, after payout.completed', async () => {
    const id = await payoutOf();
    await paid(id);
    const { callback } = await bankReturns(id);
    assert.equal((await bankReturns(id)).callback, null);
    const events = await eventsOf(id);
    assert.deepEqual(pick(events, 'event', 'sequence', 'state'), [
      ['payout.completed', 1, 'pending'],
      ['payout.returned', 2, 'pending'],
    ]);
    const payout = await getTransaction(test.database, id);
    assertCallbackAsDocumented(events[1]?.body);
    const { return_reason: reason, returned_at: at, ...body } = JSON.parse(events[1]?.body);
    assert.deepEqual([reason, at], ['AC04', payout?.returnedAt]);
    assert.deepEqual(
      [body.timestamp, body.paid_at, body.fee],
      [payout?.returnedAt, payout?.paidAt, undefined],
    );
    assert.equal(payout?.event, 'payout.completed', 'the payout stays paid');
    // Its flow has ended: whoever took the return has it sent, else the sweep.
    const [, returned] = events;
    assert.deepEqual(callback, { eventId: returned?.id, round: 1 });
    await test.database.query(
      "UPDATE callback_events SET next_attempt_at = now() - interval '1 hour', created_at = now() - interval '1 hour'",
    );
    assert.deepEqual(await takeUnattendedRounds(test.database, 60_000), [callback]);
  });

  it('has nothing to send where no URL is set', async () => {
    const id = await payoutOf();
    await test.database.query('UPDATE api_keys SET callback_url = NULL');
    await paid(id);
    const { callback } = await bankReturns(id);
    assert.equal(callback, null);
    assert.equal((await eventsOf(id)).length, 2);
  });

  it('sends it too when the return came before the payout was final', async () => {
    const id = await payoutOf();
    await bankReturns(id);
    const { events } = await paid(id);
    const stored = await eventsOf(id);
    assert.deepEqual(pick(stored, 'event'), ['payout.completed', 'payout.returned']);
    assert.equal(events.length, 2, 'the flow delivers both');
  });

  it('that came before the end moves `available` before `held`, as every other movement does: no two deadlock', async () => {
    const id = await payoutOf();
    await bankReturns(id);
    await paid(id);
    const { rows } = await test.database.query(
      `SELECT t.kind, a.kind AS account FROM entries e JOIN transfers t ON t.id = e.transfer_id
       JOIN ledger_accounts a ON a.id = e.ledger_account_id
       WHERE t.transaction_id = $1 AND t.kind <> 'hold' AND e.line IS NOT NULL ORDER BY e.id`,
      [id],
    );
    assert.deepEqual(pick(rows, 'kind', 'account'), [
      ['reversal', 'available'],
      ['payout', 'held'],
    ]);
  });

  it('tells nobody who does not ask for it', async () => {
    const id = await payoutOf({ optedOut: true });
    await paid(id);
    await bankReturns(id);
    assert.equal((await getTransaction(test.database, id))?.returnReason, 'AC04');
    assert.equal((await eventsOf(id)).length, 1);
  });
});
