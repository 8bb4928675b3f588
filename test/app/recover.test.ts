import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { closeFence, fenceOf } from '../../src/transactions/care/fence.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { cancel } from '../../src/workflows/messages.ts';
import { startOfFirst, startOfResumed, startOfSubmission } from '../../src/workflows/start-flow.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import { startFlows } from '../support/flows.ts';
import { sign } from '../support/key-rings.ts';
import {
  billRequest,
  createMerchant,
  mobilePayoutRequest,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../support/merchant.ts';
import { openOperatorDesk } from '../support/operator-desk.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { suspend } from '../support/suspend.ts';
import { until } from '../support/wait.ts';
import { useLostPostgres } from './lost-postgres.ts';
import { endsNow } from './memory.ts';
import { typeRecover } from './recover-command.ts';
import { endAsStranger } from './stranger.ts';

describe('a Postgres that lost a payout and its top-up', function () {
  this.timeout(60_000);
  const { temporal, lost, copy } = useLostPostgres();
  const other = useTestDatabase({ each: true });
  let flows: Awaited<ReturnType<typeof startFlows>>;
  const script = createScriptedChannel();
  const payout = mobilePayoutRequest(50_000);
  let paid: string;
  let collected: string;
  let refunded: string;
  let cancelled: string;
  let waiting: ReturnType<typeof submissionFor>;
  let answer: ReturnType<typeof flows.submit>;
  let accountId: string;

  const work = ({ database }: TestDatabase) => startFlows(temporal.environment, { database, script });

  before(async () => {
    const { client } = temporal.environment;
    const merchant = await createMerchant(lost.database, { balance: 100_000 });
    await createMerchant(copy.database, { balance: 10_000, as: merchant });
    flows = await work(lost);
    script.sends = [succeeded(50_000)];
    const submission = submissionFor(merchant, payout);
    paid = submission.transactionId;
    await flows.submit(submission);
    assert.equal((await flows.handle(paid).result()).status, 'paid');
    // The API gave up before a worker came: nobody asked this flow for its answer, and it pays all the same.
    const unasked = submissionFor(merchant, pushRequest(50_000));
    const { workflowType, ...start } = startOfSubmission(sign(unasked));
    assert.equal((await (await client.workflow.start(workflowType, start)).result()).status, 'completed');
    collected = unasked.transactionId;
    const refund = submissionFor(merchant, refundRequest(collected, { amount: 1_000 }));
    refunded = refund.transactionId;
    script.sends = [succeeded(1_000)];
    await flows.submit(refund);
    assert.equal((await flows.handle(refunded).result()).status, 'paid');
    const bill = submissionFor(merchant, billRequest());
    cancelled = bill.transactionId;
    await flows.submit(bill);
    assert.deepEqual(await flows.handle(cancelled).executeUpdate(cancel), { cancelled: true });
    assert.equal((await flows.handle(cancelled).result()).status, 'cancelled');
    await flows.stop();
    flows = await work(copy);
    await closeFence(copy.database, 'a test');
    script.sends = [{ kind: 'accepted', channelReference: null }];
    waiting = submissionFor(merchant, pushRequest());
    answer = flows.submit(waiting);
    answer.catch(() => {});
    const { transactionId } = waiting;
    await until(
      async () => {
        const { events } = await flows.handle(transactionId).fetchHistory();
        return events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
      },
      { deadlineMs: 30_000, what: 'a push waits at the fence, unanswered' },
    );
    accountId = merchant.accountId;
  });
  after(() => flows?.stop());

  const recover = (database: TestDatabase, ...options: string[]) =>
    typeRecover({ database, temporalAddress: temporal.address }, ...options);

  /** Two operators had agreed that money goes back to its payer: only its workflow is left of that. */
  async function startLostPayback(startOf: typeof startOfFirst | typeof startOfResumed): Promise<string> {
    const id = randomUUID();
    const known = await getTransaction(copy.database, paid);
    assert.ok(known);
    const { workflowType, ...start } = startOf({ ...known, id });
    await temporal.environment.client.workflow.start(workflowType, start);
    const lists = () => recover(copy, '--dry-run');
    await closeFence(copy.database, 'a test');
    await until(async () => (await lists()).printed.includes(id), {
      deadlineMs: 30_000,
      what: 'Temporal lists it',
    });
    return id;
  }

  const audited = async ({ database }: TestDatabase) =>
    (await database.query("SELECT detail FROM audit_log WHERE action = 'recover' ORDER BY id DESC LIMIT 1"))
      .rows[0]?.detail;

  it('leaves the fence closed over a copy that ends before what Temporal remembers', async () => {
    await closeFence(other.database, 'a test');
    const never = await recover(other);
    assert.match(
      never.printed,
      /this copy of Postgres ends at its beginning and Temporal remembers what ended since 20/,
    );
    await endsNow(other.database);
    await other.database.query("UPDATE fence SET swept_at = swept_at - interval '8 days'");
    const { printed, refused } = await recover(other);
    assert.match(
      printed,
      /ends at 20\S+Z and Temporal remembers what ended since 20\S+Z: transactions that were accepted in between are/,
    );
    assert.match(refused, /the fence stays closed/);
    assert.notEqual(await fenceOf(other.database), null);
  });

  /** Temporal lists a workflow a moment after it began. */
  it('is looked at without waiting for what nobody can answer', async () => {
    const { printed, refused } = await until(
      async () => {
        const found = await recover(copy, '--dry-run');
        return / 5 {2}transactions that Temporal/.test(found.printed) ? found : null;
      },
      { deadlineMs: 30_000, what: 'Temporal lists all' },
    );
    assert.equal(refused, '');
    assert.match(printed, / 1 {2}not answered yet/);
    assert.match(printed, / 1 {2}not covered/);
    assert.match(printed, / 3 {2}brought back/);
    assert.match(printed, / 1 {2}cancelled again/);
    assert.match(printed, / 0 {2}could not be brought back/);
    assert.match(printed, /Nothing was changed/);
  });

  it('stays fenced while money is missing', async () => {
    for (const _ of ['once', 'and again']) {
      const { printed, refused } = await recover(copy);
      assert.match(printed, / 1 {2}not covered/);
      assert.match(refused, /fence stays closed\. Make the lost top-ups again, then run recover again/);
      assert.equal(await fenceOf(copy.database), 'a test');
    }
    assert.deepEqual([(await audited(copy)).uncovered, (await audited(copy)).lifted], [1, false]);
    assert.equal(await getTransaction(copy.database, paid), null);
    assert.equal((await getTransaction(copy.database, collected))?.status, 'pending', 'its channel is asked');
    assert.equal(
      (await getTransaction(copy.database, refunded))?.status,
      'pending',
      'its payment came first',
    );
    assert.equal((await getTransaction(copy.database, cancelled))?.status, 'cancelled');
  });

  it('has the payout again once its top-up is made again, and then goes on', async () => {
    const desk = await openOperatorDesk(copy.database);
    try {
      const topUp = ['accounts', 'top-up', accountId, '90000', '--reference', 'bank-7'];
      const proposed = await desk.cli('asha', ...topUp);
      assert.match((await desk.approve('juma', proposed)).join(' '), /is posted/);
    } finally {
      await desk.stop();
    }
    const { printed, refused } = await recover(copy);
    assert.equal(refused, '');
    assert.match(printed, / 1 {2}brought back/);
    assert.match(printed, /The fence is lifted: payments go on/);
    assert.equal(await fenceOf(copy.database), null);
    assert.equal((await getTransaction(copy.database, paid))?.amount, payout.amount);
    const { mine } = await answer;
    assert.equal(mine, true, 'what waited at the fence is accepted');
    assert.notEqual(await getTransaction(copy.database, waiting.transactionId), null);
    assert.match((await recover(copy)).printed, /nothing to recover/);
  });

  it('goes on without it by the word of two operators about exactly that, which is audited', async () => {
    const desk = await openOperatorDesk(other.database);
    const lift = (closed: string, missing: string) =>
      desk.cli('asha', 'fence', 'lift', '--closed-at', closed, '--missing', missing, '--reason', 'gone');
    try {
      await assert.rejects(lift('2026-01-01', '1'), /The fence is not closed/);
      await endsNow(other.database);
      await createMerchant(other.database, { as: { accountId, apiKeyId: waiting.apiKeyId } });
      await closeFence(other.database, 'a test');
      // The second one's first start was lost: the sweep began it, as it resumes what Postgres knows.
      const paybacks = [await startLostPayback(startOfFirst), await startLostPayback(startOfResumed)];
      const { refused: stays } = await recover(other);
      const [, closed = '', missing = ''] = /fence lift --closed-at (\S+) --missing (\d+)/.exec(stays) ?? [];
      assert.equal(missing, '4', stays);
      await assert.rejects(lift('2026-01-01', '1'), /The fence was closed at/);
      const proposed = await lift(closed, missing);
      const [, proposal = ''] = /approve (\S+)/.exec(proposed.join(' ')) ?? [];
      for (const nothing of [proposal, 'pr_none'])
        assert.match((await recover(other, '--lift-anyway', nothing)).refused, /not an approved proposal/);
      assert.equal(await fenceOf(other.database), 'a test', 'one operator is not enough');
      await desk.approve('juma', proposed);
      assert.equal(await fenceOf(other.database), 'a test', 'recover lifts it');
      const { printed, refused } = await recover(other, '--lift-anyway', proposal);
      assert.equal(refused, '');
      assert.match(printed, / 2 {2}not covered/);
      for (const payback of paybacks)
        assert.match(
          printed,
          new RegExp(
            `${payback}: its data is lost, and it may have been paid \\(its workflow says 50,000\\.00 TZS, `,
          ),
        );
      assert.match(printed, /The fence is lifted although records are missing/);
      assert.equal(await fenceOf(other.database), null);
      const { uncovered, lifted, lifted_anyway, proposal: by } = await audited(other);
      assert.deepEqual([uncovered, lifted, lifted_anyway, by], [2, true, true, proposal]);
      await closeFence(other.database, 'another restore');
      assert.match((await recover(other, '--lift-anyway', proposal)).refused, /not an approved proposal/);
    } finally {
      await desk.stop();
    }
  });

  it('names what is in suspense in the copy: it may have left it since, and no workflow tells', async () => {
    await suspend(other.database, { receipt: 'LATE1', amount: minor(550_000) });
    await suspend(other.database, { receipt: 'UNREAD1', amount: null });
    await closeFence(other.database, 'a test');
    const { printed } = await recover(other, '--dry-run');
    assert.match(printed, / 2 {2}in suspense here, but may have been released after the copy/);
    assert.match(printed, /\n +si_\w+: 5,500\.00 TZS of m-pesa, receipt LATE1\n/);
    assert.match(printed, /\n +si_\w+: an unreadable amount of m-pesa, receipt UNREAD1/);
    await recover(other);
    assert.equal((await audited(other)).in_suspense, 2);
  });

  it('keeps what is held although somebody says that it was cancelled', async () => {
    const as = { accountId, apiKeyId: waiting.apiKeyId };
    await createMerchant(other.database, { balance: 100_000, as });
    await closeFence(other.database, 'a test');
    const said = { status: 'cancelled', failure_code: null, proof: 'guessed:AAAA' };
    await endAsStranger(temporal.environment, paid, said);
    const unproven = new RegExp(`${paid}: its cancellation does not carry the proof`);
    await until(async () => unproven.test((await recover(other, '--dry-run')).printed), {
      deadlineMs: 30_000,
      what: 'Temporal lists it',
    });
    const { printed, refused } = await recover(other);
    assert.match(printed, unproven);
    assert.match(printed, / 1 {2}cancelled again/);
    assert.match(refused, /fence stays closed/);
    assert.equal((await getTransaction(other.database, paid))?.status, 'pending', 'its channel is asked');
  });
});
