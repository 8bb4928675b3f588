import assert from 'node:assert/strict';
import data from '../../data/fees.json' with { type: 'json' };
import { feeList } from '../../src/contract/fee-schemas.ts';
import { formatMoney, minor } from '../../src/domain/money.ts';
import { flat, setOwnFees } from '../support/own-fees.ts';
import { assertRefused, freshKey } from './support/api.ts';
import { mobile } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

const [file] = data.versions as [(typeof data.versions)[number]];

describe('GET fees', () => {
  const { api, test } = useTestApi({ each: true });
  const fees = async () => feeList.parse((await api.call('GET', 'fees')).body);
  const own = (asked: Parameters<typeof setOwnFees>[2]) => setOwnFees(test.database, api.accountId, asked);
  const soon = () => new Date(Date.now() + 3_600_000).toISOString();

  it('shows the tiers of the file by mode, their version, and nothing that is not announced', async () => {
    const { body, status } = await api.call('GET', 'fees');
    assert.equal(status, 200);
    const services = Object.entries(file.services).map(([mode, { tiers }]) => [mode, { tiers }]);
    assert.deepEqual(body, {
      success: true,
      message: 'Fees retrieved successfully',
      fees: Object.fromEntries(services),
      version: file.version,
      effective_from: file.effective_from,
    });
    assertRefused(await api.call('GET', 'fees', { key: null }), 401, 'unauthorized');
    assertRefused(await api.call('POST', 'fees', { body: {} }), 405, 'method_not_allowed');
  });

  it("shows an account's own rows in the place of the file's, to that account alone", async () => {
    const version = await own({ rows: { mobile: flat(5) } });
    const shown = await fees();
    assert.deepEqual(shown.fees.mobile, flat(5));
    assert.deepEqual(shown.fees.ussd.tiers, file.services.ussd.tiers);
    assert.equal(shown.version, `${file.version}+${version}`);
    const { rows } = await test.database.query('SELECT effective_from FROM account_fees');
    assert.equal(shown.effective_from, rows[0].effective_from);
    const { id } = (
      await test.sql`INSERT INTO accounts (id, name) VALUES (gen_random_uuid(), 'B')
      RETURNING id`
    )[0];
    const { apiKey } = await api.createKey({ accountId: id, scopes: ['callbacks:write'] });
    const others = await api.call('GET', 'fees', { key: apiKey });
    assert.equal(others.body.version, file.version);
    assert.deepEqual(others.body.fees.mobile.tiers, file.services.mobile.tiers);
  });

  it('announces own rows that begin later, and the return to those of the file', async () => {
    const version = await own({ rows: { mobile: flat(5) } });
    const at = soon();
    await own({ rows: {}, effectiveFrom: at });
    const { next, ...now } = await fees();
    assert.deepEqual([now.fees.mobile, now.version], [flat(5), `${file.version}+${version}`]);
    assert.deepEqual(next?.fees.mobile.tiers, file.services.mobile.tiers);
    assert.deepEqual([next?.version, Date.parse(next?.effective_from ?? '')], [file.version, Date.parse(at)]);
  });

  it('agrees with the preview and with what is accepted, before and after own rows, and a preview keeps its fee', async () => {
    const preview = async () => (await api.call('POST', 'payouts/mobile/preview', { body: mobile })).body;
    const payout = (more = {}) =>
      api.call('POST', 'payouts/mobile', { headers: freshKey(), body: { ...mobile, ...more } });
    const agree = async (fee: number) => {
      const { version } = await fees();
      const { amount, preview_id } = await preview();
      assert.equal(amount.fee, fee);
      for (const more of [{}, { preview_id }]) {
        const { body } = await payout(more);
        assert.equal(body.amount.fee, fee);
        const found = await api.call('GET', `payouts/${body.transaction_id}`);
        assert.equal(found.body.payout.amount.fee, formatMoney(minor(fee * 100)));
        const stored = 'SELECT fee_version FROM transactions WHERE id = $1';
        const { rows } = await test.database.query(stored, [body.transaction_id]);
        assert.equal(rows[0].fee_version, version);
      }
    };
    await agree(1_000);
    const old = (await preview()).preview_id;
    await own({ rows: { mobile: flat(7) } });
    await agree(7);
    assert.equal((await payout({ preview_id: old })).body.amount.fee, 1_000);
    await own({ rows: { mobile: flat(9) }, effectiveFrom: soon() });
    await agree(7);
    await own({ rows: {} });
    await agree(1_000);
  });
});
