import assert from 'node:assert/strict';
import { createMerchant } from '../support/merchant.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { until } from '../support/wait.ts';

describe('what operators stop, and let go on', () => {
  const { test, desk } = useOperatorDesk();

  const lineOf = async (channel: string, service: string) =>
    (await desk.cli('asha', 'channels', 'list')).find((line) =>
      new RegExp(`^${channel} +${service} `).test(line),
    ) ?? '';
  const approve = (lines: string[]) => desk.approve('juma', lines);
  /** As in `close m-pesa payouts`. */
  const say = (as: string, words: string, reason: string) => {
    const [verb = '', what = '', services = ''] = words.split(' ');
    return desk.cli(as, 'channels', verb, what, '--services', services, '--reason', reason);
  };
  const audited = async (action: string) =>
    (await test.database.query('SELECT subject, detail FROM audit_log WHERE action = $1', [action])).rows;

  it('closes a channel by the word of one, and opens it by the word of two', async () => {
    await say('only-support', 'close m-pesa payouts', 'they called us');
    assert.match(await lineOf('m-pesa', 'payouts'), /down +only-support .* they called us$/);
    assert.match(await lineOf('m-pesa', 'payments'), / up$/);
    const proposed = await say('asha', 'open m-pesa payouts', 'they work');
    assert.match(await lineOf('m-pesa', 'payouts'), / down +only-support/, 'not yet');
    assert.deepEqual(await approve(proposed), ['m-pesa is open again for payouts']);
    await until(async () => / up$/.test(await lineOf('m-pesa', 'payouts')), 'it is open');
    assert.deepEqual((await audited('channels.close'))[0].subject, 'm-pesa');
    assert.deepEqual((await audited('channels.open'))[0].detail.services, ['payouts']);
  });

  it('closes a kind over every channel', async () => {
    await say('asha', 'close all payouts', 'our float is wrong');
    for (const channel of ['m-pesa', 'bank'])
      assert.match(await lineOf(channel, 'payouts'), / down +asha .* yes +our float/, channel);
    assert.match(await lineOf('bank', 'payments'), / up$/);
    await approve(await say('asha', 'open all payouts', 'it is right'));
    await until(async () => / up$/.test(await lineOf('bank', 'payouts')), 'it is open');
  });

  const close = (reason: string) => say('asha', 'close halopesa payouts', reason);
  const openAgain = () => say('asha', 'open halopesa all', 'they work');

  it('opens nothing that was closed again since, for a reason that nobody of the two saw', async () => {
    await close('they are late');
    const [proposed, other] = [await openAgain(), await openAgain()];
    assert.match(proposed.join(), /again for payments and payouts \(closed 20\S+\+03:00\)/);
    await approve(proposed);
    await close('they pay twice');
    await assert.rejects(approve(other), /changed since you looked at it \(closed at\)/);
    assert.match(await lineOf('halopesa', 'payouts'), / they pay twice$/);
    assert.equal((await audited('channels.open')).filter(({ subject }) => subject === 'halopesa').length, 1);
    await approve(await openAgain());
  });

  it('opens what of it is still closed', async () => {
    await desk.cli('asha', 'channel', 'close', 'halopesa', '--reason', 'both');
    const both = await openAgain();
    await approve(await say('asha', 'open halopesa payments', 'one works'));
    assert.deepEqual(await approve(both), ['halopesa is open again for payouts']);
  });

  for (const what of ['account', 'key'] as const)
    it(`lets no ${what} go on that was frozen again since`, async () => {
      const { accountId, apiKeyId } = await createMerchant(test.database);
      const which = [accountId, ...(what === 'key' ? ['--key', apiKeyId] : [])];
      const freeze = (reason: string) => desk.cli('juma', 'accounts', 'freeze', ...which, '--reason', reason);
      const unfreeze = () => desk.cli('asha', 'accounts', 'unfreeze', ...which, '--reason', 'all is well');
      await assert.rejects(unfreeze(), /is not frozen/);
      await freeze('payouts that nobody knows');
      const [proposed, other] = [await unfreeze(), await unfreeze()];
      assert.match(proposed.join(), /Lift the freeze of .*, frozen 20\S+\+03:00/);
      await approve(proposed);
      await freeze('the key was in a repository');
      await assert.rejects(approve(other), /changed since you looked at it \(frozen at\)/);
      await approve(await unfreeze());
      await assert.rejects(unfreeze(), /is not frozen/);
    });

  it('refuses what is not there', async () => {
    for (const [payload, field] of [
      [{ channel: 'm-pesas', services: ['payouts'] }, 'payload.channel'],
      [{ channel: 'm-pesa', services: [] }, 'payload.services'],
    ] as const) {
      const none = await desk.propose('asha', 'channels.close', payload);
      assert.deepEqual([none.status, none.body.errors[0].field], [422, field]);
    }
    const payload = { channel: 'm-pesa', services: ['payouts'] };
    const refused = await desk.propose('asha', 'channels.open', payload);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  });
});
