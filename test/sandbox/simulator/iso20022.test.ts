import assert from 'node:assert/strict';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import { createIso20022Channel } from '../../../src/channels/iso20022/index.ts';
import type { Channel, Notification, PayoutOrder } from '../../../src/domain/channel.ts';
import { minor } from '../../../src/domain/money.ts';
import { type Inbox, openInbox } from '../../channels/inbox.ts';
import { useFolder } from '../../support/folder.ts';
import { failure } from '../../support/scripted-channel.ts';
import { openSimulator } from '../../support/simulator.ts';
import { until } from '../../support/wait.ts';

const secret = 'a secret of the bank';
const debtor = { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' };
const timing = { customerMs: 30, promptMs: 150, slowAnswerMs: 300 };
const call = { timeoutMs: 2_000 };
const deadlineMs = 5_000;

/**
 * The endings that all rails share are in the contract suite (test/channels/contract.ts); here is what only the bank
 * does.
 */
describe("the simulator's bank", () => {
  const inFolder = useFolder();
  let inbox: Inbox;
  let simulator: Simulator;
  let channel: Channel;
  let counter = 0;

  beforeEach(async () => {
    inbox = await openInbox();
    await start();
  });

  afterEach(async () => {
    await simulator.close();
    await inbox.close();
  });

  async function start(bookFile?: string): Promise<void> {
    const callbackUrl = `${inbox.url}/channels/iso20022`;
    simulator = await openSimulator({ timing, bookFile, bank: { secret, callbackUrl } });
    channel = createIso20022Channel({ url: simulator.url, secrets: [secret], debtor });
  }

  function orderTo(ending: string): PayoutOrder {
    counter += 1;
    return {
      transactionId: '6f1c3b52-5ad3-5f9c-a9f1-2b7a3e1d4c00',
      reference: `PO${String(counter).padStart(16, '0')}`,
      amount: minor(5_000_050),
      currency: 'TZS',
      description: 'Salary',
      party: { kind: 'bank', bic: 'NMIBTZTZ', accountNumber: `0150000000${ending}`, fullName: 'ASHA JUMA' },
      sendNumber: 1,
    };
  }

  const pay = (order: PayoutOrder, by = channel) => by.requestPayout?.(order, call);
  const enquire = ({ transactionId, reference }: PayoutOrder) =>
    channel.enquire({ transactionId, reference, direction: 'payout', channelReference: null }, call);
  const movements = ({ reference }: PayoutOrder) => simulator.book.movements(reference);
  const proven = () =>
    inbox.received
      .filter((raw) => channel.verifyNotification(raw))
      .map((raw) => channel.translateNotification(raw));
  const notified = (count: number): Promise<(Notification | null)[]> =>
    until(() => (proven().length >= count ? proven() : null), { deadlineMs, what: `${count} notifications` });
  const kinds = () => proven().map((notification) => notification?.content.kind);

  it('writes its movements as the bank, out, to the account number, to the cent', async () => {
    const order = orderTo('000');
    await pay(order);
    const [notification] = await notified(1);
    const [movement] = movements(order);
    assert.deepEqual(
      { ...movement, at: null, receipt: null },
      {
        reference: order.reference,
        direction: 'out',
        network: 'bank',
        party: '0150000000000',
        amount: 50_000.5,
        at: null,
        receipt: null,
      },
    );
    assert.deepEqual(notification?.content, {
      kind: 'succeeded',
      amount: 5_000_050,
      currency: 'TZS',
      channelReference: movement?.receipt,
      fullName: null,
    });
  });

  it('says once that 059 timed out further on, which is final only when it says it again', async () => {
    const order = orderTo('059');
    await pay(order);
    await until(async () => (await enquire(order)).kind === 'unknown', { deadlineMs, what: 'RJCT AB05' });
    assert.deepEqual(await enquire(order), {
      kind: 'failed',
      code: 'network_unavailable',
      channelReference: simulator.orders.byReference('iso20022', order.reference)?.receipt,
    });
    assert.deepEqual(inbox.received, []);
  });

  it('pays 239, sends it back, and still says that it was paid', async () => {
    const order = orderTo('239');
    await pay(order);
    const [, returned] = await notified(2);
    const receipt = movements(order)[0]?.receipt;
    assert.deepEqual(kinds(), ['succeeded', 'returned']);
    assert.deepEqual(returned, {
      eventKey: `pacs.004:R${receipt}`,
      subject: { reference: order.reference },
      content: {
        kind: 'returned',
        amount: 5_000_050,
        currency: 'TZS',
        reason: 'Bank account is closed',
        channelReference: `R${receipt}`,
      },
    });
    assert.equal((await enquire(order)).kind, 'succeeded');
    assert.equal(movements(order).length, 1);
  });

  it('forgets nothing when it is restarted, and carries on', async () => {
    try {
      await simulator.close();
      await start(inFolder('book.jsonl'));
      const order = orderTo('239');
      await pay(order);
      await notified(1);
      await simulator.close();
      await start(inFolder('book.jsonl'));
      await until(() => kinds().includes('returned'), { deadlineMs, what: 'the return after the restart' });
      assert.equal((await pay(order))?.kind, 'accepted');
      assert.equal(movements(order).length, 1);
    } finally {
    }
  });

  it('refuses a wrong signature, an unknown bank and another currency, and records nothing of it', async () => {
    const order = orderTo('000');
    const stranger = createIso20022Channel({ url: simulator.url, secrets: ['another secret'], debtor });
    // Whoever shares no secret can prove nothing to each other, not even a refusal.
    assert.equal((await pay(order, stranger))?.kind, 'unknown');
    const party = { ...order.party, bic: 'XXXXTZTZ' } as PayoutOrder['party'];
    const nowhere = failure('bank_not_reachable');
    assert.deepEqual(await pay({ ...order, party }), nowhere);
    assert.equal((await pay({ ...order, currency: 'USD' }))?.kind, 'failed');
    assert.deepEqual(await enquire(order), { kind: 'not_found' });
  });
});
