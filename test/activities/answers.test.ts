import assert from 'node:assert/strict';
import { CompleteAsyncError } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createSendActivities } from '../../src/activities/channel.ts';
import {
  createEnquiryActivities,
  type EnquireInput,
  type EnquireReport,
} from '../../src/activities/enquire.ts';
import { entriesOf } from '../../src/ledger/accounts.ts';
import { closeSendsAsNotFound, recordSend, sendHistory } from '../../src/transactions/channel/sends.ts';
import { endReported, tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { gateOf } from '../support/gate.ts';
import { createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';

describe('an answer of a channel', () => {
  const test = useTestDatabase();

  async function prepared() {
    const merchant = await createMerchant(test.database, { balance: 100_000 });
    const submission = submissionFor(merchant, mobilePayoutRequest(50_000));
    await accept(test.database, submission);
    const script = createScriptedChannel();
    script.sends = [succeeded(50_000)];
    script.enquiries = [succeeded(50_000)];
    const deps = { database: test.database, channels: script.channels, gate: gateOf(test.database) };
    const id = submission.transactionId;
    const enquiry = {
      transactionId: id,
      delaysMs: [1_000],
      overdueAfterMs: null,
      notFoundHoldMs: 1_000,
      mismatchFlagged: false,
      timeoutMs: 1_000,
    };
    // Ahead of ours, so that its clock alone says when an enquiry was made.
    const info = { currentAttemptScheduledTimestampMs: Date.now() + 60_000 };
    const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
    return {
      id,
      script,
      gate: deps.gate,
      send: () => environment.run(createSendActivities(deps).requestPayout, { transactionId: id, number: 1 }),
      enquire: (other: Partial<EnquireInput> = {}) =>
        environment.run(createEnquiryActivities(deps).enquire, { ...enquiry, ...other }),
    };
  }
  const statusOf = async (id: string) => (await getTransaction(test.database, id))?.status;
  const failed = {
    kind: 'answer',
    result: { kind: 'failed', code: 'network_error', channelReference: null },
  } as const;

  for (const way of ['send', 'enquire'] as const) {
    it(`of success to ${way === 'send' ? 'a send' : 'an enquiry'} is settled before anything else can come between`, async () => {
      const one = await prepared();
      await one[way]();
      assert.equal(await statusOf(one.id), 'paid');
      assert.equal((await tryToEnd(test.database, one.id, failed)).status, 'paid');
    });
  }

  it('cannot come where its connection was taken out of the channels file: no send is recorded', async () => {
    const one = await prepared();
    one.script.channels.channelOf = () => {
      throw new Error('no such connection');
    };
    assert.deepEqual(await one.send(), { kind: 'not_sent' });
    assert.deepEqual([one.script.sent.length, await statusOf(one.id)], [0, 'pending']);
    const { rows } = await test.database.query('SELECT FROM sends WHERE transaction_id = $1', [one.id]);
    assert.equal(rows.length, 0);
  });

  it('of failure to a send is settled at once, unless a later send may have been made meanwhile', async () => {
    const refusal = { kind: 'failed', code: 'account_blocked', channelReference: null } as const;
    const prompt = await prepared();
    prompt.script.sends = [refusal];
    assert.deepEqual(await prompt.send(), { kind: 'answered' });
    assert.equal(await statusOf(prompt.id), 'failed');

    const late = await prepared();
    late.script.sends = [
      async () => {
        // Its worker was frozen: "not found" has held, and the money went out with the next number.
        await closeSendsAsNotFound(test.database, { transactionId: late.id, upTo: 1 });
        const next = await recordSend(test.database, { transactionId: late.id, number: 2 });
        assert.equal(next.granted, true);
        return refusal;
      },
    ];
    assert.deepEqual(await late.send(), { kind: 'unknown' });
    assert.equal(await statusOf(late.id), 'pending');
  });

  it('that it has the transaction leaves the send open for its notification, where there is time for that', async () => {
    const one = await prepared();
    one.script.sends = [{ kind: 'accepted', channelReference: null }];
    await assert.rejects(one.send(), CompleteAsyncError);
    assert.equal((await sendHistory(test.database, one.id)).answered, true);
  });

  it('that refuses the login of an enquiry counts against its connection, and against no other of its network', async () => {
    for (const [refused, counted] of [
      ['login', ['@']],
      ['page', ['@']],
      [undefined, ['']],
    ] as const) {
      await test.database.query('TRUNCATE channel_results');
      const one = await prepared();
      one.script.enquiries = [{ kind: 'unknown', detail: 'no', ...(refused ? { refused } : {}) }];
      await assert.rejects(one.enquire(), /no answer yet/);
      await one.gate.flush();
      const { rows } = await test.database.query('SELECT channel FROM channel_results WHERE failed > 0');
      assert.deepEqual(
        rows.map(({ channel }) => (channel.startsWith('@') ? '@' : '')),
        counted,
        refused,
      );
    }
  });

  it('of success to a later enquiry, of yet another amount and movement, goes to suspense though one was flagged before', async () => {
    const one = await prepared();
    for (const [units, receipt] of [
      [49_000, 'W1'],
      [48_000, 'W2'],
    ] as const) {
      one.script.enquiries = [{ ...succeeded(units), channelReference: receipt }];
      await assert.rejects(one.enquire({ mismatchFlagged: true }), /no answer yet/);
    }
    const suspended = (await entriesOf(test.database, one.id)).filter(
      (entry) => entry.account === 'suspense',
    );
    assert.deepEqual(pick(suspended, 'amount'), [-4_900_000, -4_800_000]);
    assert.equal(await statusOf(one.id), 'pending');
  });

  describe('that is unclear, though the channel has the transaction,', () => {
    const unsure = { kind: 'unknown', detail: 'a duplicate', seen: true } as const;
    /** Whether "not found", held for no time at all, would let a second send go. */
    async function isTakenForLost(one: Awaited<ReturnType<typeof prepared>>): Promise<boolean> {
      one.script.enquiries = [{ kind: 'not_found' }];
      return one.enquire({ notFoundHoldMs: 0 }).then(
        (report) => (report as EnquireReport).kind === 'not_found',
        () => false,
      );
    }

    it('lets no "not found" count that comes after it, when it was to a send', async () => {
      for (const [answer, lost] of [
        [unsure, false],
        [{ kind: 'unknown', detail: 'lost' }, true],
      ] as const) {
        const one = await prepared();
        one.script.sends = [answer];
        await one.send();
        assert.equal(await isTakenForLost(one), lost, answer.detail);
      }
    });

    it('lets no "not found" count that comes after it, when it was to an enquiry', async () => {
      const one = await prepared();
      one.script.sends = [{ kind: 'unknown', detail: 'broken' }];
      await one.send();
      one.script.enquiries = [unsure];
      await assert.rejects(one.enquire(), /no answer yet/);
      assert.equal(await isTakenForLost(one), false);
    });
  });

  describe('of success that cannot be settled', () => {
    /** A success is heard; what stands in its way stands there only then. */
    async function hearIn(trouble: () => Promise<() => Promise<unknown>>) {
      const one = await prepared();
      const mended = await trouble();
      await endReported(test.database, one.id, succeeded(50_000));
      await mended();
      return one.id;
    }
    const reasonsOf = async (id: string) =>
      (await listAttention(test.database))
        .filter((entry) => entry.subject === id)
        .map((entry) => entry.reason);
    /** Postgres refuses every transfer. */
    const noTransfers = async () => {
      await test.database.query('ALTER TABLE transfers ADD CONSTRAINT in_the_way CHECK (false) NOT VALID');
      return () => test.database.query('ALTER TABLE transfers DROP CONSTRAINT in_the_way');
    };

    it('calls a person, who still sees it when something else ends the transaction', async () => {
      const id = await hearIn(noTransfers);
      assert.equal(await statusOf(id), 'pending');
      assert.deepEqual(await reasonsOf(id), ['broken']);
      assert.equal((await tryToEnd(test.database, id, failed)).status, 'failed');
      assert.deepEqual(await reasonsOf(id), ['broken']);
    });
  });
});
