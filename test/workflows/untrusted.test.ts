import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import type { FlowInput, SignedSubmission, Submission } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { signSubmission } from '../../src/transactions/rows/submission-mac.ts';
import { startOfResumed, startOfSubmission } from '../../src/workflows/start-flow.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { ringOf, sign } from '../support/key-rings.ts';
import {
  bankPayoutRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';

/** Whoever may write to Temporal starts workflows as they like: none of these may move money. */
describe('a workflow that no API of ours started', function () {
  this.timeout(60_000);
  const server = useFlowServer('skipped');
  let { flows, script } = {} as OwnFlows;
  beforeEach(async () => {
    ({ flows, script } = await server.open());
    script.sends = [succeeded(50_000)];
  });

  const merchant = () => createMerchant(server.test.database, { balance: 1_000_000 });
  const start = async (submission: SignedSubmission, changes: Changes = {}) => {
    const { workflowType, ...options } = { ...startOfSubmission(submission), ...changes };
    const handle = await server.environment.client.workflow.start(workflowType, options);
    return { id: handle.workflowId, ended: await handle.result().catch((error: Error) => error) };
  };

  /** Nothing moved, and a person is called. */
  async function assertRefused({ id, ended }: { id: string; ended: unknown }, ...nobody: Merchant[]) {
    assert.ok(ended instanceof Error, `it ended ${ended}`);
    assert.deepEqual(pick(await attentionOf(server.test.database, id), 'reason'), ['untrusted_submission']);
    for (const { accountId } of nobody) {
      const stored = await server.test
        .sql`SELECT transaction_id FROM idempotency_keys WHERE account_id = ${accountId}
        UNION SELECT id FROM transactions WHERE account_id = ${accountId}`;
      assert.deepEqual(stored, []);
      const money = await balanceOf(server.test.database, accountId, 'TZS');
      assert.deepEqual(money, { current: 100_000_000, reserved: 0 });
    }
    assert.equal(script.sent.length, 0);
  }

  type Forgery = (genuine: SignedSubmission, other: SignedSubmission) => SignedSubmission;
  const forgeries: Record<string, Forgery> = {
    'without a proof': ({ mac: _, ...rest }) => rest as SignedSubmission,
    'with an empty proof': (genuine) => ({ ...genuine, mac: '' }),
    'with a proof that is no text': (genuine) => ({ ...genuine, mac: null as unknown as string }),
    'with a proof by another key': (genuine) =>
      signSubmission(ringOf(randomBytes(32), 'submissions'), genuine),
    'with a proof by a key nobody knows': (genuine) => signSubmission(ringOf(), genuine),
    "with another submission's proof": (genuine, other) => ({ ...genuine, mac: other.mac }),
    'for another account': (genuine, other) => ({ ...genuine, accountId: other.accountId }),
    'with another amount': (genuine) => ({
      ...genuine,
      request: {
        ...genuine.request,
        amount: minor(Number(genuine.request.amount) + 100),
      } as typeof genuine.request,
    }),
    'to another number': (genuine) => ({
      ...genuine,
      request: { ...genuine.request, msisdn: '255754999999' } as typeof genuine.request,
    }),
    'received at another time': (genuine) => ({
      ...genuine,
      receivedAt: new Date(Date.parse(genuine.receivedAt) + 1).toISOString(),
    }),
    'with other times to wait': (genuine) => ({
      ...genuine,
      timing: { ...genuine.timing, neverArrivedMs: 1 } as typeof genuine.timing,
    }),
    'under another transaction id': (genuine) => ({ ...genuine, transactionId: randomUUID() }),
    'with one more member': (genuine) => ({ ...genuine, note: 'x' }) as SignedSubmission,
  };
  for (const [how, forge] of Object.entries(forgeries)) {
    it(`books nothing ${how}, calls a person and ends`, async () => {
      const [by, another] = [await merchant(), await merchant()];
      const genuine = sign(submissionFor(by, mobilePayoutRequest()));
      const forged = forge(genuine, sign(submissionFor(another, mobilePayoutRequest())));
      await assertRefused(await start(forged), by, another);
    });
  }

  it('pays once when a genuine start is repeated after its end', async () => {
    const by = await merchant();
    const genuine = sign(submissionFor(by, mobilePayoutRequest()));
    assert.equal((await start(genuine)).ended.status, 'paid');
    assert.equal((await start(genuine)).ended.status, 'paid');
    assert.equal(script.sent.length, 1);
    const { current } = await balanceOf(server.test.database, by.accountId, 'TZS');
    assert.equal(current, 94_900_000);
  });

  type Changes = { workflowId?: string; workflowType?: string };
  const payout = (by: Merchant) => submissionFor(by, mobilePayoutRequest());
  /** Each has the proof of what it is. */
  const proven: [what: string, make: (by: Merchant, another: Merchant) => Submission, changes?: Changes][] = [
    ['under another workflow id', payout, { workflowId: `transaction/${randomUUID()}` }],
    ['as a flow of another type', payout, { workflowType: 'ussdPush' }],
    ['for a mobile payout above every limit', (by) => submissionFor(by, mobilePayoutRequest(300_001))],
    ['for a bank payout above the limit', (by) => submissionFor(by, bankPayoutRequest(1_000_001))],
    ['for a push below the minimum', (by) => submissionFor(by, pushRequest(499))],
    [
      'for a payout over no network of ours',
      (by) => submissionFor(by, { ...mobilePayoutRequest(), channel: 'no-network' }),
    ],
    ["with another's key", (by, { apiKeyId }) => submissionFor(by, mobilePayoutRequest(), { apiKeyId })],
  ];
  for (const [what, make, changes] of proven)
    it(`books nothing ${what}, even with a proof`, async () => {
      const [by, another] = [await merchant(), await merchant()];
      await assertRefused(await start(sign(make(by, another)), changes), by);
    });

  for (const [what, change] of [
    ['was revoked', 'revoked_at = now()'],
    ['has expired', "expires_at = now() - interval '1 second'"],
    ['lost its scope', "scopes = '{payments:write,payouts:read}'"],
  ])
    it(`books nothing when the API key ${what} meanwhile`, async () => {
      const by = await merchant();
      await server.test.database.query(`UPDATE api_keys SET ${change} WHERE id = $1`, [by.apiKeyId]);
      await assertRefused(await start(sign(payout(by))), by);
    });

  /** The sweep's own start of a payout whose send is unclear, as somebody else would like it to be. */
  async function resume(change: (input: FlowInput) => FlowInput) {
    const by = await merchant();
    const submission = submissionFor(by, mobilePayoutRequest());
    script.sends = [{ kind: 'unknown', detail: 'reset' }];
    script.enquiries = [{ kind: 'unknown', detail: '503' }];
    await flows.submit(submission);
    const { transactionId } = submission;
    await flows.handle(transactionId).terminate('lost');
    const transaction = await getTransaction(server.test.database, transactionId);
    assert.ok(transaction);
    script.enquiries = [{ kind: 'not_found' }];
    const { workflowType, args, ...options } = startOfResumed(transaction);
    const [input] = args;
    const handle = await server.environment.client.workflow.start(workflowType, {
      ...options,
      args: [change(input)],
    });
    const ended = await handle.result().catch((error: Error) => error);
    return { by, transactionId, ended };
  }

  it('does not go on with a transaction under other times than its own, which would end it too early', async () => {
    const { by, transactionId, ended } = await resume((input) => ({
      ...input,
      timing: { ...input.timing, sendsMax: 1, neverArrivedMs: 1 } as typeof input.timing,
    }));
    assert.ok(ended instanceof Error, `it ended ${ended}`);
    const called = await attentionOf(server.test.database, `transaction/${transactionId}`);
    assert.deepEqual(pick(called, 'reason'), ['untrusted_submission']);
    assert.equal(await server.statusOf(transactionId), 'pending');
    const { reserved } = await balanceOf(server.test.database, by.accountId, 'TZS');
    assert.equal(reserved, 5_100_000);
  });
});
