import assert from 'node:assert/strict';
import { payoutLookup, settlementAnswer, transactionList } from '../../src/contract/answer-schemas.ts';
import { feeStatementAnswer, statementAnswer } from '../../src/contract/statement-schemas.ts';
import { answered } from '../support/handed-over.ts';
import { failure } from '../support/scripted-channel.ts';
import { forgeRule, setRule } from '../support/settlement.ts';
import { assertRefused, freshKey } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

describe('POST payouts/settlement', () => {
  const { api, test } = useTestApi({ each: true });
  const merchant = () => ({ accountId: api.accountId, apiKeyId: api.keyId });
  const ask = (body: object = {}, headers = freshKey()) =>
    api.call('POST', 'payouts/settlement', { headers, body });

  it('is 409 without a rule, and the key stays free', async () => {
    const headers = freshKey();
    assertRefused(await ask({}, headers), 409, 'not_settleable');
    await setRule(test.database, merchant());
    assert.equal((await ask({}, headers)).status, 200);
  });

  it('is 409 by a rule that nobody can prove', async () => {
    await setRule(test.database, merchant());
    await forgeRule(test.database, merchant());
    assertRefused(await ask(), 409, 'not_settleable');
    await setRule(test.database, merchant());
    assert.equal((await ask()).status, 200);
  });

  it('answers the payouts that it makes, and repeats that answer', async () => {
    await setRule(test.database, merchant(), { to: { channel: 'm-pesa', msisdn: '255754123456' } });
    const headers = freshKey();
    const metadata = { week: 47 };
    const first = await ask({ amount: 700_000, metadata }, headers);
    const { settlement, ...rest } = settlementAnswer.parse(first.body);
    assert.deepEqual(
      [settlement.amount, settlement.payouts.length, settlement.payouts[0]],
      [700_000, 3, settlement.id],
    );
    assert.deepEqual(rest.metadata, metadata);
    const again = await ask({ amount: 700_000, metadata }, headers);
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true']);
    assertRefused(await ask({ amount: 1 }, headers), 422, 'idempotency_key_reused');

    const { payout } = payoutLookup.parse((await api.call('GET', `payouts/${settlement.payouts[2]}`)).body);
    assert.deepEqual([payout.mobile?.phone_number, payout.amount.value], ['0754123456', '100,000.00']);
    const { data } = transactionList.parse((await api.call('GET', 'transactions?mode=settlement')).body);
    assert.deepEqual(data.map(({ transaction_id: id }) => id).sort(), [...settlement.payouts].sort());
  });

  it('refuses what is no amount, what the rule does not allow, and what would leave too little', async () => {
    await setRule(test.database, merchant(), { smallest: 5_000, cap: 2_000_000_000 });
    for (const amount of [0, -1, 1.5, '5000']) assertRefused(await ask({ amount }), 422, 'validation_failed');
    assertRefused(await ask({ amount: 4_999 }), 409, 'not_settleable');
    const { current } = (await api.call('GET', 'balance')).body.balance;
    assertRefused(await ask({ amount: current - 100_000 }), 409, 'insufficient_balance');
  });
});

describe('GET statements/fees', () => {
  const { api, test } = useTestApi();

  it('adds up the fees of the lines of a month, those that were given back, too', async () => {
    await setRule(test.database, { accountId: api.accountId, apiKeyId: api.keyId });
    const headers = () => freshKey();
    const { body } = await api.call('POST', 'payouts/settlement', {
      headers: headers(),
      body: { amount: 1_500_000 },
    });
    const [paid, failed] = body.settlement.payouts;
    await answered(test.database, failed, failure('invalid_account'));
    const read = async (query: string) =>
      feeStatementAnswer.parse((await api.call('GET', `statements/fees${query}`)).body);
    const { month, fees, total, from, to } = await read('');
    assert.deepEqual(fees, [
      { transaction_mode: 'settlement', description: 'Fee: Settlement', lines: 2, amount: '-4,720.00' },
      {
        transaction_mode: 'settlement',
        description: 'Fee: Settlement that was not made',
        lines: 1,
        amount: '2,360.00',
      },
    ]);
    assert.equal(total, '-2,360.00');
    const range = `from=${from}&to=${to}&per_page=100`;
    const lines = statementAnswer.parse((await api.call('GET', `statements?${range}`)).body).data;
    assert.deepEqual(
      lines.filter(({ type }) => type === 'fee').map(({ amount }) => amount),
      ['-2,360.00', '-2,360.00', '2,360.00'],
    );
    assert.ok(lines.some(({ transaction_id: id, type }) => id === paid && type === 'payout'));

    const csv = await api.call('GET', `statements/fees?month=${month}&format=csv`);
    assert.deepEqual(csv.text.split('\r\n'), [
      'transaction_mode,description,lines,amount',
      'settlement,Fee: Settlement,2,-4720.00',
      'settlement,Fee: Settlement that was not made,1,2360.00',
      ',Total,3,-2360.00',
      '',
    ]);
    const before = await read('?month=2020-12');
    assert.deepEqual(
      [before.from, before.to, before.fees, before.total, before.final],
      ['2020-11-30T21:00:00.000000Z', '2020-12-31T21:00:00.000000Z', [], '0.00', true],
    );
    for (const query of ['?month=2026-13', '?month=2026', '?month=2026-1', '?year=2026'])
      assertRefused(await api.call('GET', `statements/fees${query}`), 422, 'validation_failed');
  });
});
