import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { pick } from '../support/pick.ts';
import { agree, cli, movementsOf, openAccount, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

const PHONE = '0754000001';

describe('a live test of a connection, by the command line alone', function () {
  this.timeout(180_000);

  it('takes a payment of the least amount and gives it back, each once, as the network’s book says', async () => {
    const gateway = await sharedGateway();
    const { accountId } = await openAccount(gateway, { balance: 5_000 });
    const test = ['channels', 'live-send', accountId, PHONE, '--reason', 'the first day'];
    const [proposal] = /pr_\w+/.exec(await agree(gateway, ...test)) ?? [];
    assert.ok(proposal);
    const result = () => cli(gateway, 'channels', 'check', '--live-result', proposal);
    const ended = await until(async () => {
      const shown = await result();
      return shown.includes('Check the network') ? shown : null;
    }, 'payment and refund end');
    const [payment = '', refund = ''] = [...ended.matchAll(/ours: (\S+)/g)].map(([, reference]) => reference);
    const moved = [...(await movementsOf(gateway, payment)), ...(await movementsOf(gateway, refund))];
    const [party, sum] = [`255${PHONE.slice(1)}`, moved[0]?.amount];
    assert.deepEqual(pick(moved, 'direction', 'party', 'amount'), [
      ['in', party, sum],
      ['out', party, sum],
    ]);
    assert.equal(await result(), ended, 'asked again, it is the same');
    assert.deepEqual(await checkInvariants(gateway.database), []);
  });
});
