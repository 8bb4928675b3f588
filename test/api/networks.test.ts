import assert from 'node:assert/strict';
import { close, open } from '../../src/channels/traffic/closures.ts';
import { networks } from '../../src/domain/network.ts';
import { plantProposal } from '../support/decision.ts';
import { gateOf } from '../support/gate.ts';
import { assertRefused, freshKey, routeOver } from './support/api.ts';
import { push as body } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

describe('GET networks, and what a network that is down refuses', () => {
  const routeOf = routeOver();
  const { api, test, flows, restart } = useTestApi({
    // Nothing pays out over HaloPesa here.
    routeOf: (id, direction) =>
      id === 'halopesa' && direction === 'payout' ? undefined : routeOf(id, direction),
  });
  let clock = 0;
  before(() => restart({ gate: gateOf(test.database, () => clock) }));
  /** What the gate remembers is too old now. */
  const later = () => {
    clock += 2_000;
  };
  beforeEach(later);

  const closing = { services: ['payments', 'payouts'] as const, reason: 'a test', actor: 'test' };
  const reopen = async (channel: string | null) => {
    const proposalId = await plantProposal(test.database, 'channels.open');
    await open(test.database, { ...closing, channel, proposalId });
  };
  const list = async () => {
    const { status, body } = await api.call('GET', 'networks');
    assert.equal(status, 200);
    return body.networks as { id: string; payments: { status: string }; payouts: { status: string } }[];
  };
  const statusesOf = async (id: string) => {
    const found = (await list()).find((network) => network.id === id);
    return [found?.payments.status, found?.payouts.status];
  };
  const push = (headers = freshKey()) => api.call('POST', 'payments/ussd', { headers, body });
  const started = () => flows.submissions.length;
  const goDown = (service: string, probe = "now() + interval '1 hour'") =>
    test.database.query(
      `INSERT INTO channel_breakers (channel, service, down_since, probe_at) VALUES ('m-pesa', $1, now(), ${probe})
       ON CONFLICT (channel, service) DO UPDATE SET down_since = now(), probe_at = excluded.probe_at, probe_of = NULL`,
      [service],
    );

  it('lists every network with its limits, those that are not offered too', async () => {
    const shown = await list();
    assert.deepEqual(
      shown.map(({ id }) => id),
      networks.map(({ id }) => id),
    );
    assert.deepEqual(shown[0], {
      id: 'm-pesa',
      name: 'M-PESA',
      prefixes: ['074', '075', '076', '079'],
      payments: { status: 'up', min: 1000, max: 10_000_000 },
      payouts: { status: 'up', min: 1, max: 300_000 },
    });
    assert.deepEqual(await statusesOf('halopesa'), ['up', 'unavailable']);
  });

  it('says down where operators closed it, refuses pushes with nothing started, and takes payouts', async () => {
    await close(test.database, { ...closing, channel: 'm-pesa' });
    later();
    assert.deepEqual(await statusesOf('m-pesa'), ['down', 'down']);
    assert.deepEqual(await statusesOf('airtel-money'), ['up', 'up']);
    const headers = freshKey();
    const before = started();
    const refused = await push(headers);
    assertRefused(refused, 503, 'unavailable');
    assert.equal(refused.headers['retry-after'], '5');
    assert.match(refused.body.message, /^Payments over M-PESA are not available/);
    assert.equal(started(), before);
    const taken = await api.call('POST', 'payouts/mobile', { headers: freshKey(), body });
    assert.equal(taken.status, 200);
    await reopen('m-pesa');
    later();
    assert.equal((await push(headers)).status, 200, 'the refusal left the key free');
    const wrong = await api.call('POST', 'payments/ussd', {
      headers: freshKey(),
      body: { ...body, amount: 1 },
    });
    assertRefused(wrong, 422, 'amount_out_of_range');
  });

  it('answers a key that was answered before, also while its network is down', async () => {
    const headers = freshKey();
    const first = await push(headers);
    await close(test.database, { ...closing, channel: null });
    later();
    const again = await push(headers);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    await reopen(null);
  });

  it('lets one push probe a network that is down, when the time has come', async () => {
    await goDown('payments');
    later();
    assertRefused(await push(), 503, 'unavailable');
    assert.deepEqual(await statusesOf('m-pesa'), ['down', 'up']);
    await goDown('payments', 'now()');
    later();
    assert.deepEqual(await statusesOf('m-pesa'), ['degraded', 'up']);
    const answers = await Promise.all([push(), push(), push(), push()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 503, 503, 503]);
    await test.database.query('DELETE FROM channel_breakers');
  });
});
