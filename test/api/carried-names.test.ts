import assert from 'node:assert/strict';
import { carriesName } from '../../src/channels/iso20022/text.ts';
import { namesMatch } from '../../src/domain/bank.ts';
import { safeText } from '../../src/domain/tanqr.ts';
import { pick } from '../support/pick.ts';
import { assertRefused, freshKey, routeOver } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

describe('names', () => {
  const { api } = useTestApi({ balance: 10_000_000, routeOf: routeOver({ carriesName }) });
  const to = (full_name: string) => ({
    amount: 5_000,
    currency: 'TZS',
    account_number: '0150123456789',
    bic: 'CORUTZTZ',
    beneficiary: { full_name },
  });

  for (const name of ['محمد علي', '张伟', '😀', '-', '...']) {
    it(`that the rail cannot carry are refused at preview, payout and row: ${name}`, async () => {
      for (const path of ['payouts/bank/preview', 'payouts/bank']) {
        const refused = await api.call('POST', path, { body: to(name), headers: freshKey() });
        assertRefused(refused, 422, 'validation_failed', ['beneficiary.full_name']);
      }
      const { beneficiary, ...row } = to(name);
      const body = { batch_number: `N-${name}`, items: [{ ...row, ...beneficiary }] };
      const { batch } = (await api.call('POST', 'payouts/batches', { body })).body;
      assert.deepEqual(pick(batch.errors, 'row', 'field'), [[1, 'full_name']]);
    });
  }

  it('with some letter that it carries are taken', async () => {
    const taken = await api.call('POST', 'payouts/bank', { body: to('Ng’ombe Łukasz'), headers: freshKey() });
    assert.equal(taken.status, 200, taken.text);
  });

  it('match however accents and apostrophes are written', () => {
    const same: [string, string][] = [
      ['Jos\u00e9 Ali', 'Jose\u0301 Ali'],
      ['NGOMBE ALI', "Ng'ombe Ali"],
      ['NG OMBE ALI', 'Ng\u2019ombe Ali'],
      ['Ng\u2018ombe Ali', 'NG´OMBE ALI'],
    ];
    for (const [one, other] of same) assert.ok(namesMatch(one, other) && namesMatch(other, one), one);
    assert.ok(!namesMatch('Ngombe Ali', 'Ng ombe Juma'));
    assert.equal(safeText('Ng\u2019ombe', 25), "NG'OMBE");
  });
});
