import assert from 'node:assert/strict';
import type { ExecFileException } from 'node:child_process';
import { bankPayoutBody, type Json, mobilePayoutBody, pushBody } from '../support/gateway.ts';
import { cli } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { openShop, type Shop } from './shop.ts';

/**
 * What a person types who is called about it, and the beginning of the sentence of state, of where the money is, and of
 * what happens next. `test/operators/situations*.ts` has every sentence.
 */
const rows: [typed: string, path: string, body: object, ...told: [string, string, string]][] = [
  [
    '0754 000 149',
    'payments/ussd',
    { ...pushBody(), phone_number: '0754000149' },
    'It is completed: 0754000149',
    'With the merchant: 4,',
    'Nothing more happens',
  ],
  [
    '+255 754-001-129',
    'payouts/mobile',
    { ...mobilePayoutBody(), phone_number: '0754001129' },
    'It is pending: M-PESA has not reported the outcome',
    'Held: 51,',
    'M-PESA is ',
  ],
  [
    '0754001199',
    'payouts/mobile',
    { ...mobilePayoutBody(), phone_number: '0754001199' },
    'It is failed (network_error), but M-PESA paid the recipient anyway',
    'With the merchant: 51,',
    'Two operators decide where the money in suspense goes (docs/operations/suspense.md)',
  ],
  [
    '0150777888239',
    'payouts/bank',
    { ...bankPayoutBody(), account_number: '0150777888239' },
    'It is paid, but it was sent back at',
    'With the merchant again: 400,000.00 TZS',
    'Nothing more happens',
  ],
];

describe('"0754 000 149 says he paid": what became of it in one command', function () {
  this.timeout(150_000);
  let shop: Shop;
  before(async () => {
    shop = await openShop({ balance: 100_000_000 });
    await Promise.all(
      rows.map(([typed, path, body]) =>
        until(
          async () => (await shop.post(path, body, keyOf(typed))).status === 200,
          `${path} of ${typed} is answered`,
        ),
      ),
    );
  });
  const keyOf = (typed: string) => `find-${typed.replaceAll(/\D/g, '')}`;

  async function find(text: string): Promise<Json> {
    const { management_url, operators } = shop.gateway.local;
    const answer = await fetch(`${management_url}/operator/v1/find?q=${encodeURIComponent(text)}`, {
      headers: { authorization: `Bearer ${operators[0]?.token}` },
    });
    assert.equal(answer.status, 200);
    return answer.json();
  }

  for (const [typed, path, , ...told] of rows)
    it(`${path} asked for by ${typed}: ${told[0]}`, async () => {
      let hit: Json;
      await until(async () => {
        const { data } = await find(typed);
        assert.equal(data.length, 1, `${typed}: ${data.length} hits`);
        [hit] = data;
        return [hit.state, hit.money[0], hit.next[0]].every((said, at) => said.startsWith(told[at]));
      }, told.join(' / ')).catch((error) =>
        assert.fail(`${error.message}, but ${JSON.stringify(hit, null, 1)}`),
      );
      assert.equal(hit.merchant, 'End to end');
      assert.ok(hit.workflow_url === null || hit.workflow_url.endsWith(encodeURIComponent(hit.workflow_id)));
      assert.ok(hit.channel_words.length > 0, 'what the channel was asked and answered');
      assert.equal(hit.callbacks.length > 0, hit.status !== 'pending');
      for (const form of [keyOf(typed), hit.reference, hit.id])
        assert.equal((await find(form)).data[0].id, hit.id, form);
    });

  it('on the command line: one command answers, and what nobody knows ends with 1', async () => {
    const said = await cli(shop.gateway, 'find', '0754', '000', '149');
    assert.match(said, /^\S+ {2}payment \(ussd\) {2}completed\n {2}It is completed: 0754000149/);
    assert.match(said, /\n {2}money {5}With the merchant: 4,/);
    assert.match(said, /\n {2}next {6}Nothing more happens/);
    assert.match(said, /\n {4}\S+\+03:00 {2}sent \(1\)/);
    assert.match(said, /\n {4}\S+\+03:00 {2}asked[^\n]*: succeeded 5,000\.00 TZS/);
    assert.match(said, /\n {2}callback {2}payment\.received/);
    const nobody: ExecFileException & { stderr?: string } = await cli(
      shop.gateway,
      'find',
      '0754 999 111',
    ).then(
      () => assert.fail('nothing is known of it'),
      (error) => error,
    );
    assert.equal(nobody.code, 1);
    assert.match(
      nobody.stderr ?? '',
      /Nothing was found for 0754 999 111\. It was tried as .*phone number.*name of a merchant.*\./,
    );
  });

  it('asks a channel again when a person wants it, once a minute', async () => {
    const { data } = await find('0754001129');
    assert.match(await cli(shop.gateway, 're-enquire', data[0].id), /its channel is being asked/);
    await assert.rejects(cli(shop.gateway, 're-enquire', data[0].id), /asked within the last minute/);
    const paid = (await find('0754000149')).data[0].id;
    await assert.rejects(
      cli(shop.gateway, 're-enquire', paid),
      /It is completed: there is nothing left to ask/,
    );
  });

  it('counts for those who may see nobody’s data', async () => {
    assert.match(await cli(shop.gateway, 'counts', '--hours', '1'), /payment +ussd +m-pesa +completed +\d+/);
  });
});
