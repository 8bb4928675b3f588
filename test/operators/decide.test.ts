import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/ledger/invariants.ts';
import { type By, createProposals } from '../../src/operators/proposals.ts';
import { raiseAttention } from '../../src/transactions/attention.ts';
import { recordSend, recordSendOutcome } from '../../src/transactions/sends.ts';
import { actions } from '../support/actions.ts';
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { getDecision } from '../support/decision.ts';
import { handedOver } from '../support/handed-over.ts';
import { mobilePayoutRequest } from '../support/merchant.ts';

describe('the approval of a decision', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
    for (const name of ['asha', 'juma'])
      await test.database.query(
        "INSERT INTO operators (name, email, roles) VALUES ($1, $1 || '@example.com', '{finance}')",
        [name],
      );
  });
  after(() => test.drop());
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const desk = () => createProposals({ database: asRole(test.database, 'api'), actions, fourEyes: true });
  const by = (name: string): By => ({
    caller: { name, roles: ['finance'], tokenId: 't' },
    actor: { operator: name, address: '192.0.2.1', requestId: 'req_1' },
  });
  const propose = (id: string) =>
    desk().propose(
      {
        action: 'attention.decide',
        payload: { transaction_id: id, outcome: 'failed', note: 'ticket 123' },
        reason: 'r',
      },
      by('asha'),
    );
  const approve = async (proposal: { id: string; payloadHash: string }) =>
    (await desk().approve({ id: proposal.id, payloadHash: proposal.payloadHash }, by('juma'))).proposal;

  /** A payout whose channel gives no answer, and a person was called. */
  async function unknown(): Promise<string> {
    const { id } = await handedOver(test.database, mobilePayoutRequest());
    await raiseAttention(test.database, { transactionId: id, reason: 'unknown_outcome', detail: '' });
    return id;
  }
  async function sendAgain(transactionId: string): Promise<boolean> {
    await recordSendOutcome(test.database, { transactionId, number: 1, outcome: 'not_found' });
    return (await recordSend(test.database, { transactionId, number: 2 })).granted;
  }

  it('is refused where the transaction was sent again since it was proposed; a new proposal is taken', async () => {
    const id = await unknown();
    const proposal = await propose(id);
    assert.equal(await sendAgain(id), true);
    const { state, outcome } = await approve(proposal);
    assert.equal(state, 'failed');
    assert.match(outcome ?? '', /was sent again after this was proposed/);
    assert.equal(await getDecision(test.database, id), null);
    const again = await approve(await propose(id));
    assert.equal(again.state, 'executed', again.outcome ?? '');
  });

  it('leaves no second send behind it', async () => {
    const id = await unknown();
    const proposal = await approve(await propose(id));
    assert.equal(proposal.state, 'executed', proposal.outcome ?? '');
    assert.equal(await sendAgain(id), false);
  });
});
