import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dayOf } from '../../src/domain/day.ts';
import { calls } from '../../src/operators/api/calls.ts';
import { useGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { push, wallet } from './example-bodies.ts';
import { createRecorder, type Json } from './recorder.ts';
import { openShop, type Shop } from './shop.ts';
import { agreed, askOperator, type OperatorCall } from './walker.ts';

const file = new URL('../../src/operators/api/examples.json', import.meta.url);

/** A line of M-Pesa's CSV, whose times are local. */
const RAW =
  'XCK1D2E3F40,20-11-2026 12:05:30,20-11-2026 12:05:30,Pay Bill from 25575****439,Completed,' +
  '"3,000,000.00",,"5,965,000.00",true,payment,25575****439,,,TZS';

type Asked = NonNullable<Parameters<typeof askOperator>[2]> & {
  /** the name of the example of the body */
  sent?: string;
  /** members that differ from run to run */
  fixed?: Record<string, Json>;
};

/** A walk over a whole service records the examples of the operators' API (`npm run examples`). */
describe('the examples of the operators’ API', function () {
  this.timeout(180_000);
  const gateway = useGateway({ GATEWAY_TIMING: 'normal' });
  const seen = new Set<string>();
  const today = dayOf(new Date());
  const tomorrow = dayOf(new Date(Date.now() + 86_400_000));
  let recorder: ReturnType<typeof createRecorder>;
  let shop: Shop;
  let keyId = '';
  let late = '';

  before(async () => {
    const { local } = gateway;
    shop = await openShop({ gateway, balance: 20_000_000 });
    const idOf = (text = '') => text.split('_').at(-2) ?? '';
    keyId = idOf(shop.apiKey);
    recorder = createRecorder([
      [local.temporal_ui_url ?? 'no UI', 'https://temporal.example.com'],
      [local.callback_url, 'https://shop.example/callbacks'],
      ['End to end', 'Duka la Asha'],
      [keyId, '4Fq81ZbnR0tx'],
      [idOf(local.api_key), '8Dc51MfqT7az'],
      [idOf(local.approver_api_key), '2Kw94XhgV3be'],
      ...local.operators.map(({ token }): [string, string] => [idOf(token), '7Hs20KpmQ4wy']),
    ]);
  });
  beforeEach(() => recorder.scene());

  async function see(call: OperatorCall, name: string, { sent, fixed, ...asked }: Asked = {}, operator = 0) {
    const answer = await askOperator(gateway, call, asked, operator);
    if (sent !== undefined) recorder.record([call, 'body', sent], asked.body as Json);
    recorder.record([call, 'answer', name], answer, fixed);
    seen.add(call);
    return answer;
  }
  const ask = (call: OperatorCall, asked: Asked) => askOperator(gateway, call, asked);
  const final = async (path: string, body: object) => {
    const { json } = await shop.post(path, body);
    await shop.final(`${path.split('/')[0]}/${json.transaction_id}`);
    return json.transaction_id as string;
  };

  it('people, and what two of them agree on', async () => {
    await see('whoAmI', 'asha');
    const neema = { name: 'neema', email: 'neema@example.com' };
    await see('createOperator', 'added', { body: neema, sent: 'neema' });
    const asked = { action: 'operators.roles', payload: { operator: 'neema', roles: ['support'] } };
    const body = { ...asked, reason: 'joined the desk' };
    const { proposal } = await see('propose', 'proposed', { body });
    const { id, payload_hash } = proposal;
    await see('getProposal', 'open', { id });
    await see('queue', 'one_proposal', { fixed: { since: '2026-11-19T08:15:30.123456Z' } }, 1);
    await see('approve', 'executed', { id, body: { payload_hash }, sent: 'seen' }, 1);
    const again = { ...asked, payload: { operator: 'neema', roles: ['admin'] }, reason: 'is on call' };
    const other = (await ask('propose', { body: again })).proposal.id;
    const reason = { reason: 'asked for by mistake' };
    await see('reject', 'withdrawn', { id: other, body: reason, sent: 'why' });
    await see('listProposals', 'both');
    await see('getOperator', 'neema', { id: 'neema' });
    await see('listOperators', 'all', {
      fixed: { id: '7Hs20KpmQ4wy', last_used_at: null, expires_at: '2027-11-20T08:15:30.123456Z' },
    });
  });

  it('merchants', async () => {
    await see('createAccount', 'opened', { body: { name: 'Duka la Zuhura' }, sent: 'name' });
    const { data } = await see('listAccounts', 'one', { query: '?name=zuhura' });
    const freeze = { action: 'accounts.freeze', payload: { account_id: data[0].id } };
    await see('propose', 'done_at_once', { body: { ...freeze, reason: 'the key was in a repository' } });
    const id = shop.accountId;
    await shop.listen();
    await see('getAccount', 'account', { id });
    await see('listKeys', 'one', {
      query: `?account=${id}`,
      fixed: { last_used_at: '2026-11-20T08:15:00Z' },
    });
    await see('getLimits', 'limits', { id });
    await see('getFees', 'fees', { id });
    const { event_id } = await see('pingCallbacks', 'queued', { id: keyId });
    const delivered = `?state=delivered`;
    await until(
      async () => (await ask('listCallbacks', { id, query: delivered })).data.length > 0,
      'the ping is delivered',
    );
    await see('listCallbacks', 'delivered', { id, query: delivered });
    await see('resendCallback', 'queued', { id, body: { event_id }, sent: 'event' });
  });

  it('money, and where it is', async () => {
    await final('payments/ussd', push);
    await final('payouts/mobile', wallet);
    late = await final('payments/ussd', { ...push, phone_number: '0754123199' });
    await until(async () => (await ask('listSuspense', {})).data.length > 0, 'a success comes late');
    await see('find', 'late_success', { query: `?q=${late}` });
    await see('getTransaction', 'late_success', { id: late });
    await see('listAttention', 'late_success');
    const { data } = await see('listSuspense', 'one');
    await see('getSuspenseItem', 'open', { id: data[0].id });
    await see('listPayments', 'part', {
      query: '?per_page=2',
      fixed: { next: '2026-11-20T08:25:30.123456Z_0b5f6d1c-3a77-5e21-9c40-8d2e6f4a1b93' },
    });
    await see('counts', 'last_hour', { query: '?hours=1' });
    await see('getStatement', 'two_lines', { id: shop.accountId, query: '?per_page=2' });
    const month = { month: '2026-11' };
    await see('getFeeStatement', 'one_month', {
      id: shop.accountId,
      query: `?month=${today.slice(0, 7)}`,
      fixed: month,
    });
  });

  it('money on its way', async () => {
    const slow = { ...push, phone_number: '0754123219' };
    const id = await final('payments/ussd', slow);
    await shop.post(`payments/${id}/refunds`, {});
    await until(
      async () => (await ask('listReturns', {})).data[0]?.situation === 'sent',
      'the refund is handed over',
    );
    await see('listReturns', 'refund');
    const { json } = await shop.post('payments/ussd', { ...push, phone_number: '0754123129' });
    const { transaction_id: waits } = json;
    await until(
      async () => (await ask('getTransaction', { id: waits })).transaction.situation === 'prompted',
      'its customer has the prompt',
    );
    await see('enquire', 'asked', { id: waits });
  });

  it('the books', async () => {
    await final('payments/ussd', { ...push, amount: 3_000_000, phone_number: '0754123439' });
    const statement = await fetch(`${gateway.local.simulator_url}/statements/m-pesa.csv`);
    await see('importStatement', 'imported', { id: 'm-pesa', file: await statement.text() });
    const { lines } = await see('listLines', 'one');
    await see('getLine', 'open', { id: lines[0].id, fixed: { raw: RAW } });
    await see('listDays', 'today', { query: '?account=m-pesa' });
    await see('dailyReport', 'today', { id: today });
    await see('listFloat', 'float', {
      fixed: { mean_24h_minor: 4_200_000, dry_at: '2026-11-27T05:00:00.000Z' },
    });
    await see('ledgerBalances', 'all');
    await see('checkLedger', 'right', { body: { full: true }, sent: 'full' });
    const range = `?from=${today}&to=${tomorrow}`;
    await see('listVolumes', 'one_day', { query: range, fixed: { month: '2026-11' } });
    await see('listLargeMovements', 'one', { query: range });
    await see('erasePayers', 'counted', { body: { number: '0754123456', dry_run: true }, sent: 'number' });
  });

  it('figures', async () => {
    const drawn = { values: [1_250_000, 2_500_000] };
    await see('figureOfToday', 'today', { fixed: drawn });
    const quarters = { at: ['2026-11-19T08:15:00.000Z', '2026-11-19T08:30:00.000Z'], values: [null, 92.3] };
    await see('figureOfNetworks', 'networks', { fixed: quarters });
    await see('figureOfFloat', 'float', { fixed: { ...drawn, at: ['2026-11-14', '2026-11-15'] } });
    await see('figureOfSuspense', 'suspense');
    const ofMonth = { ...drawn, at: ['2026-10-22', '2026-10-23'] };
    await see('figureOfMerchant', 'merchant', { id: shop.accountId, fixed: ofMonth });
  });

  it('connections', async () => {
    await see('listChannels', 'all');
    await see('checkChannels', 'all');
    const payload = { account_id: shop.accountId, number: '0754000001' };
    const id = await agreed(gateway, { action: 'channels.live-send', payload, reason: 'the first day' });
    await until(
      async () => (await ask('continueLiveSend', { id })).state.startsWith('Both have succeeded'),
      'payment and refund end',
    );
    await see('continueLiveSend', 'both_ended', { id });
  });

  it('the audit log', async () => {
    const head = { id: 1842, hash: '45cacf968c97fdd307538108effea02f9bcce29dea4abd1455d764f34cd64afe' };
    await see('readAudit', 'two_lines', { query: '?limit=2', fixed: { head } });
    await see('listAudit', 'newest', {
      query: '?only=changes&per_page=1',
      fixed: { id: 1842, at: '2026-11-20T09:35:32.592590Z', total_items: 412, last_page: 412 },
    });
    await see('verifyAudit', 'as_written', { fixed: { head, lines: 1842 } });
    const token = {
      token: 'op_7Hs20KpmQ4wy_1ZQfYx0bV9cGm3nLk8Rt5WdPj2Sa4hE7uXi6oTqKvBsN',
      token_id: '7Hs20KpmQ4wy',
      expires_at: '2026-12-20T09:36:30.123456Z',
    };
    await see('rotateOwnToken', 'shown_once', { body: { days: 30 }, sent: 'a_month', fixed: token }, 1);
  });

  it('are what a walk sees now, one of every call', () => {
    assert.deepEqual([...seen].sort(), Object.keys(calls).sort());
    const written = Object.entries(recorder.written() as object);
    const lines = written.map(([call, its]) => `${JSON.stringify(call)}: ${JSON.stringify(its)}`);
    if (process.env.RECORD_EXAMPLES === 'true') writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
    const recorded = JSON.parse(readFileSync(file, 'utf8'));
    for (const [call, its] of written) assert.deepEqual(its, recorded[call], `${call}: run npm run examples`);
  });
});
