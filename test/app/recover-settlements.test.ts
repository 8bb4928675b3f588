import assert from 'node:assert/strict';
import { sentSoFar } from '../../src/activities/sent-so-far.ts';
import { createSettlements } from '../../src/app/settlements.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { closeFence, fenceOf } from '../../src/transactions/care/fence.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { asRole, type TestDatabase } from '../support/database.ts';
import { startFlows } from '../support/flows.ts';
import { sign, submissionKeys } from '../support/key-rings.ts';
import { billRequest, createMerchant, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { routeWith, setRule, settlementFor } from '../support/settlement.ts';
import { until } from '../support/wait.ts';
import { useLostPostgres } from './lost-postgres.ts';
import { typeRecover } from './recover-command.ts';
import { endAsStranger } from './stranger.ts';

const UNPROVEN = 'its history does not carry the proof that a worker of ours accepted it so';

/** A Temporal of its own: what other tests leave in the shared one would be missing here. */
describe('a Postgres that lost a settlement of three payouts', function () {
  this.timeout(60_000);
  const { temporal, lost, copy } = useLostPostgres();

  it('gets all of them back with their holds, to be asked about and not sent again; and nothing that nobody signed', async () => {
    const script = createScriptedChannel();
    const work = ({ database }: TestDatabase) =>
      startFlows(temporal.environment, {
        database,
        script,
        settlements: (client) =>
          createSettlements({
            database: asRole(database, 'worker'),
            client,
            timing: 'normal',
            submissionKeys,
            routeOf: () => routeWith(150_000),
          }),
      });
    const merchant = await createMerchant(lost.database, { balance: 500_000 });
    await createMerchant(copy.database, { balance: 500_000, as: merchant });
    await setRule(lost.database, merchant);
    script.sends = [async ({ amount, transactionId }) => succeeded(amount / 100, transactionId)];
    const before = await work(lost);
    const { answer } = await before.submit(
      await settlementFor(lost.database, merchant, { partMax: 150_000 }),
    );
    const ids: string[] = JSON.parse(answer.body).settlement.payouts;
    for (const id of ids) assert.equal((await before.handle(id).result()).status, 'paid');
    await before.stop();

    await closeFence(copy.database, 'a test');
    const recover = (...options: string[]) =>
      typeRecover({ database: copy, temporalAddress: temporal.address }, ...options);
    await until(async () => / 3 /.test((await recover('--dry-run')).printed), {
      deadlineMs: 30_000,
      what: 'Temporal lists the three flows',
    });
    const { printed, refused } = await recover();
    assert.equal(refused, '', printed);
    assert.equal(await fenceOf(copy.database), null, printed);
    assert.deepEqual(await balanceOf(copy.database, merchant.accountId, 'TZS'), {
      current: 100_000_00,
      reserved: 400_000_00,
    });

    // What a resumed flow goes by: it asks its channel before it sends anything.
    for (const id of ids) {
      assert.equal((await getTransaction(copy.database, id))?.status, 'pending');
      assert.equal((await sentSoFar(copy.database, id)).restored, true);
    }

    // A stranger lets a signed settlement of "all" that never ran say how much it was: a copy of the real answer, with more.
    const other = sign(await settlementFor(lost.database, merchant, { partMax: 150_000 }));
    const [input] = startOfSubmission(other).args;
    const { transactionId, submissionId } = other;
    const forged = { ...JSON.parse(answer.body), settlement: { amount: 90_000, payouts: [transactionId] } };
    const own = { ...answer, transactionId, submissionId, body: JSON.stringify(forged) };
    const accepted = { answer: own, mine: true, fees: { version: '2025-01', own: null } };
    await endAsStranger(temporal.environment, transactionId, { status: 'paid' }, { input, accepted });
    // A signed bill that never ran is told the control number of another one's, and fees that its merchant never had.
    const bill = sign(submissionFor(merchant, billRequest(12_000)));
    const [ordered] = startOfSubmission(bill).args;
    const ofBill = { ...answer, transactionId: bill.transactionId, submissionId: bill.submissionId };
    await endAsStranger(
      temporal.environment,
      bill.transactionId,
      { status: 'completed' },
      {
        input: ordered,
        accepted: {
          answer: ofBill,
          mine: true,
          fees: { version: '2025-01', own: null },
          rows: [{ amount: 12_000_00, fee: 0, reference: '990000000017' }],
        },
      },
    );
    await closeFence(copy.database, 'a test');
    await until(async () => (await recover('--dry-run')).printed.split(UNPROVEN).length === 3, {
      deadlineMs: 30_000,
      what: 'it is named',
    });
    assert.notEqual((await recover()).refused, '');
    for (const id of [transactionId, bill.transactionId])
      assert.equal(await getTransaction(copy.database, id), null);
    assert.notEqual(await fenceOf(copy.database), null);
  });
});
