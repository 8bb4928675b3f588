import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
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
    const moved = async (reference: string) =>
      (await movementsOf(gateway, reference)).map(({ direction, party, amount }) => [
        direction,
        party,
        amount,
      ]);
    const [took, gave] = [await moved(payment), await moved(refund)];
    const amount = took[0]?.[2];
    assert.deepEqual(
      [took, gave],
      [[['in', `255${PHONE.slice(1)}`, amount]], [['out', `255${PHONE.slice(1)}`, amount]]],
    );
    assert.equal(await result(), ended, 'asked again, it is the same');
    assert.deepEqual(await checkInvariants(gateway.database), []);
  });
});
