import assert from 'node:assert/strict';
import { type By, createProposals, type Proposal } from '../../src/operators/actions/proposals.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { headOf, settlementRuleOf } from '../../src/settlements/settlement-rules.ts';
import { actions } from '../support/actions.ts';
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hire } from '../support/finance.ts';
import { ringOf } from '../support/key-rings.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';

const bank = { bic: 'corutztzxxx', account_number: '0150-123 456 789', full_name: 'Duka la Mama Asha' };
const terms = { days: ['mon', 'thu'], keep: 100_000_00, smallest: 50_000_00, cap: 20_000_000_00 };

describe('where a merchant’s own money goes', () => {
  let test: TestDatabase;
  let merchant: Merchant;
  let proposals: ReturnType<typeof createProposals>;
  before(async () => {
    test = await createTestDatabase({ poolMax: 10 });
    proposals = createProposals({ database: asRole(test.database, 'api'), actions, fourEyes: true });
    await hire(test.database);
  });
  after(() => test.drop());
  beforeEach(async () => {
    merchant = await createMerchant(test.database, { callbackUrl: 'https://shop.example/callbacks' });
  });

  const by = (name: string): By => ({
    caller: { name, roles: ['finance'], tokenId: 't' },
    actor: { operator: name, address: '192.0.2.1', requestId: 'req_1' },
  });
  const propose = (more: object = {}) => {
    const payload = { account_id: merchant.accountId, bank, ...terms, ...more };
    return proposals.propose({ action: 'settlement.set', payload, reason: 'by letter' }, by('asha'));
  };
  const approve = ({ id, payloadHash }: Proposal) => proposals.approve({ id, payloadHash }, by('juma'));
  async function set(more: object = {}) {
    const done = await approve(await propose(more));
    assert.equal(done.proposal.state, 'executed', done.proposal.outcome ?? '');
    const rule = await settlementRuleOf(test.database, merchant.accountId);
    assert.ok(rule);
    return { ...done, rule };
  }
  const told = async () => {
    const rows = await test.sql`SELECT body FROM callback_events WHERE account_id = ${merchant.accountId}
      AND event = 'settlement.account_changed'`;
    return rows.map((row) => JSON.parse(row.body));
  };

  it('is set by two of them, in one spelling, and may be paid at once the first time', async () => {
    const { rule, proposal } = await set();
    assert.match(
      proposal.summary,
      /^Settle Test shop \(.+\) with CORUTZTZ 0150.*789.* on mon, thu at 06:00: all above 100,000.00 TZS, 50,000.00 TZS to 20,000,000.00 TZS each time$/,
    );
    const { accountNumber, bic, fullName } = rule.to as {
      accountNumber: string;
      bic: string;
      fullName: string;
    };
    assert.deepEqual([bic, accountNumber, fullName], ['CORUTZTZ', '0150123456789', 'Duka la Mama Asha']);
    assert.deepEqual(
      [rule.days, rule.keep, rule.smallest, rule.cap, rule.waits, rule.apiKeyId],
      [[1, 4], 100_000_00, 50_000_00, 20_000_000_00, false, merchant.apiKeyId],
    );
    assert.deepEqual(await told(), []);
  });

  it('waits 48 hours for another account and tells the merchant; other terms neither wait nor end a wait', async () => {
    await set();
    assert.equal((await set({ keep: 0 })).rule.waits, false, 'the same account');
    const other = await set({ bank: undefined, wallet: { phone_number: '+255 754 000 111' } });
    assert.deepEqual(
      [other.rule.to, other.rule.waits],
      [{ channel: 'm-pesa', msisdn: '255754000111' }, true],
    );
    const rows = await test.sql`SELECT pays_from - set_at = interval '48 hours' AS waits
      FROM settlement_rules WHERE version = ${other.rule.version}`;
    assert.deepEqual(rows, [{ waits: true }]);
    const [event, ...more] = await told();
    assert.deepEqual(
      [event.new_account, event.paid_from, more],
      ['m-pesa 0754***111', other.rule.paysFrom, []],
    );
    assert.equal(other.deliver?.length, 1);
    const again = await set({ bank: undefined, wallet: { phone_number: '0754000111' }, days: [] });
    assert.deepEqual([again.rule.paysFrom, again.rule.days], [other.rule.paysFrom, []]);
    assert.equal((await told()).length, 1);
  });

  it('is set again where nobody can prove the one before: its key is gone, or a role of Postgres planted it', async () => {
    const replaced = createDatabase({
      url: test.urlOf('api'),
      poolMax: 3,
      applicationName: 'api',
      rowKeys: ringOf(),
    });
    const before = await set();
    const open = await propose({ keep: 0 });
    const at = createProposals({ database: replaced, actions, fourEyes: true });
    try {
      const { items } = await at.list({ state: null, page: 1, perPage: 50 }, by('juma').caller);
      const { facts } = items.find(({ id }) => id === open.id) ?? assert.fail();
      assert.deepEqual(new Set(facts?.map((one) => one.before)), new Set(['not proven']));
    } finally {
      await replaced.end();
    }
    await approve(open);
    // Numbers and moments that no process of ours writes, beside an account of his, on a chain of another merchant.
    const other = await createMerchant(test.database);
    for (const [version, accountId, replaces] of [
      ['planted', merchant.accountId, open.id],
      ['beside', other.accountId, before.rule.version],
    ])
      await asRole(test.database, 'api').query(
        `INSERT INTO settlement_rules (version, account_id, api_key_id, channel, bic, account_number, full_name, days, currency,
           keep, smallest, cap, pays_from, replaces, mac)
         SELECT $1, $2, api_key_id, channel, bic, '666000666', full_name, days, currency, 0, 1, 9223372036854775807, 'infinity', $3, mac
         FROM settlement_rules WHERE version = $4`,
        [version, accountId, replaces, before.rule.version],
      );
    assert.deepEqual(await headOf(test.database, merchant.accountId), { version: 'planted', rule: null });
    const again = await set();
    assert.deepEqual(
      [again.rule.waits, (await told()).length],
      [true, 1],
      'nobody knows whom the one before paid',
    );
    const rows = await test.sql`SELECT pays_from - set_at = interval '48 hours' AS waits
      FROM settlement_rules WHERE version = ${again.rule.version}`;
    assert.deepEqual(rows, [{ waits: true }]);
  });

  it('is refused where another rule was set since, and where a number, a bank or an amount is not right', async () => {
    const [first, second] = [await propose(), await propose({ keep: 0 })];
    await approve(first);
    const { proposal } = await approve(second);
    assert.match(
      `${proposal.state}: ${proposal.outcome}`,
      /^failed: It has changed since you looked at it \(replaces\)/,
    );
    for (const [more, message] of [
      [{ bank: { ...bank, bic: 'XXXXTZTZ' } }, /payload.bank.bic must be the BIC/],
      [{ bank: { ...bank, account_number: '1' } }, /payload.bank.account_number must have 5/],
      [{ wallet: { phone_number: '0754000111' } }, /a bank account or a wallet, and not both/],
      [{ bank: undefined }, /a bank account or a wallet/],
      [{ cap: 100 }, /payload.cap must not be less than smallest/],
      [{ keep: 50 }, /payload.keep must be whole shillings/],
      [{ days: ['noday'] }, /payload.days.0 must be one of mon, tue/],
      [{ key_id: 'of nobody' }, /no such key/],
    ] as const)
      await assert.rejects(propose(more), message);
  });
});
