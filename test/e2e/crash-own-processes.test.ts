// tests: long
import { useGateway } from '../support/gateway.ts';
import { carefulMerchant } from './careful-merchant.ts';
import { payoutTo, pushTo } from './own-kinds.ts';

describe('processes that die under the networks’ own protocols', () => {
  const gateway = useGateway({ LOCAL_CHANNELS: 'own' });
  const merchant = carefulMerchant(gateway);

  it('loses, doubles and forgets nothing when API, Temporal and Postgres are killed in turn', async () => {
    await merchant.assertSurvives({
      // M-Pesa and Airtel: two that refuse a reference the second time, so that nothing stays open.
      kinds: [pushTo('0754'), payoutTo('0784'), pushTo('0784'), payoutTo('0754')],
      endings: ['456', '149', '169', '039'],
      blows: [
        ['API', 'SIGKILL'],
        ['Temporal', 'SIGKILL'],
        ['Postgres', 'SIGKILL'],
      ],
      requests: 16,
      everyMs: 1_000,
    });
  }).timeout(240_000);

  it('has one transaction for each key, nothing broken, and a ledger that adds up', () =>
    merchant.assertNothingElse());
});
