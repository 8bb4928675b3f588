import assert from 'node:assert/strict';
import type { ExecFileException } from 'node:child_process';
import { bankPayoutBody, type Json, mobilePayoutBody, pushBody } from '../support/gateway.ts';
import { cli } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { openShop, type Shop } from './shop.ts';

type Kind = 'push' | 'mobile' | 'bank';
const paths = { push: 'payments/ussd', mobile: 'payouts/mobile', bank: 'payouts/bank' };
const bodies = {
  push: (ending: string) => ({ ...pushBody(), phone_number: `0754000${ending}` }),
  mobile: (ending: string) => ({ ...mobilePayoutBody(), phone_number: `0754001${ending}` }),
  bank: (ending: string) => ({ ...bankPayoutBody(), account_number: `0150777888${ending}` }),
};
/** What a person types who is called about it. */
const typed = {
  push: (ending: string) => `0754 000 ${ending}`,
  mobile: (ending: string) => `+255 754-001-${ending}`,
  bank: (ending: string) => `0150777888${ending}`,
};

/** The beginning of the sentence of state, of where the money is, and of what happens next. */
type Told = [state: string, money: string, next: string];
const DONE = 'Nothing more happens';
const SUSPENSE = 'Two operators decide where the money in suspense goes (docs/operations/suspense.md)';

const channelOf = { push: 'M-PESA', mobile: 'M-PESA', bank: 'CRDB BANK' };
const held = { push: '', mobile: 'Held: 51,', bank: 'Held: 40' };
const back = {
  push: 'With the customer: nothing was taken',
  mobile: 'With the merchant: 51,',
  bank: 'With the merchant: 40',
};
const well = (kind: Kind, ending: string): Told =>
  kind === 'push'
    ? [`It is completed: 0754000${ending}`, 'With the merchant: 4,', DONE]
    : [`It is paid: ${channelOf[kind]} paid`, 'With the recipient: ', DONE];
const failed = (kind: Kind, code: string): Told => [`It is failed: ${code}, `, back[kind], DONE];
const late = (kind: Kind): Told => [
  `It is failed (${{ push: 'customer_timeout', mobile: 'network_error', bank: 'network_unavailable' }[kind]}), but ${channelOf[kind]} ${kind === 'push' ? "took the customer's money" : 'paid the recipient'} anyway`,
  kind === 'push' ? 'Nothing was credited to the merchant for it' : back[kind],
  SUSPENSE,
];

/** An ending for each sentence; `test/operators/situations*.ts` has every one of them. */
const endings: Record<string, (kind: Kind, ending: string) => Told> = {
  '039': (kind) => failed(kind, kind === 'push' ? 'customer_declined' : 'account_blocked'),
  '129': (kind) => [
    `It is pending: ${channelOf[kind]} has not reported the outcome`,
    kind === 'push' ? 'With the customer or on its way to us' : held[kind],
    `${channelOf[kind]} is `,
  ],
  '149': well,
  '199': late,
  '209': (kind) => [
    `It is pending: ${channelOf[kind]} moved other money, not`,
    kind === 'push' ? 'Nothing was credited to the merchant' : held[kind],
    `${channelOf[kind]} is `,
  ],
  '239': (kind, ending) =>
    kind === 'bank'
      ? ['It is paid, but it was sent back at', 'With the merchant again: 400,000.00 TZS', DONE]
      : well(kind, ending),
};
const IN_SUSPENSE = ['199', '209'];
const kinds: Kind[] = ['push', 'mobile', 'bank'];

describe('"0754 000 149 says he paid": what became of it in one command', function () {
  this.timeout(150_000);
  let shop: Shop;
  before(async () => {
    shop = await openShop({ balance: 100_000_000 });
    await Promise.all(
      kinds.flatMap((kind) =>
        Object.keys(endings).map((ending) =>
          until(
            async () =>
              (await shop.post(paths[kind], bodies[kind](ending), `find-${kind}-${ending}`)).status === 200,
            {
              deadlineMs: 30_000,
              what: `${kind} ${ending} is answered`,
            },
          ),
        ),
      ),
    );
  });

  async function find(text: string): Promise<Json> {
    const { management_url, operators } = shop.gateway.local;
    const answer = await fetch(`${management_url}/operator/v1/find?q=${encodeURIComponent(text)}`, {
      headers: { authorization: `Bearer ${operators[0]?.token}` },
    });
    assert.equal(answer.status, 200);
    return answer.json();
  }
  /** The one hit, once its sentence is the expected one. */
  async function tells(text: string, [state, money, next]: Told): Promise<Json> {
    let seen: Json;
    await until(
      async () => {
        const { data } = await find(text);
        assert.equal(data.length, 1, `${text}: ${data.length} hits`);
        seen = data[0];
        return [
          [seen.state, state],
          [seen.money[0], money],
          [seen.next[0], next],
        ].every(([said, expected]) => said.startsWith(expected));
      },
      { deadlineMs: 20_000, what: `${state} / ${money} / ${next}`, everyMs: 200 },
    ).catch((error) => assert.fail(`${error.message}, but ${JSON.stringify(seen, null, 1)}`));
    return seen;
  }

  for (const kind of kinds)
    for (const [ending, expected] of Object.entries(endings))
      it(`a ${kind} to ${ending}`, async () => {
        const hit = await tells(typed[kind](ending), expected(kind, ending));
        assert.equal(hit.merchant, 'End to end');
        assert.ok(
          hit.workflow_url === null || hit.workflow_url.endsWith(encodeURIComponent(hit.workflow_id)),
        );
        assert.ok(hit.channel_words.length > 0, 'what the channel was asked and answered');
        const odd = hit.money.slice(1).join();
        assert.equal(/waits in suspense|is missing and waits/.test(odd), IN_SUSPENSE.includes(ending), odd);
        assert.equal(hit.callbacks.length > 0, hit.status !== 'pending');
        for (const form of [`find-${kind}-${ending}`, hit.reference, hit.id])
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
    const { data } = await find(typed.push('129'));
    assert.match(await cli(shop.gateway, 're-enquire', data[0].id), /its channel is being asked/);
    await assert.rejects(cli(shop.gateway, 're-enquire', data[0].id), /asked within the last minute/);
    const paid = (await find(typed.push('149'))).data[0].id;
    await assert.rejects(
      cli(shop.gateway, 're-enquire', paid),
      /It is completed: there is nothing left to ask/,
    );
  });

  it('counts for those who may see nobody’s data', async () => {
    assert.match(await cli(shop.gateway, 'counts', '--hours', '1'), /payment +ussd +m-pesa +completed +\d+/);
  });
});
