import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { useTestApi } from '../support/use-api.ts';

type Found = { title: string; address: string };

/** What people type, and a page that is among the first three. */
const WANTED: Record<string, string> = {
  timeout: '/docs/errors#outcome_unknown',
  'm-pesa': '/docs/api#networks',
  'test mode': '/docs/sandbox#sandbox',
  timezone: '/docs/api#fields',
  invoice: '/docs/bills#bills-and-qr-codes-for-merchants',
  'ip address': '/docs/api#addresses-and-keys',
  'payout reversed': '/docs/api#returned-payouts',
  kadi: '/docs/api#what-we-do-not-do',
  webhook: '/docs/callbacks#what-arrives',
  signature: '/docs/callbacks#checking-it',
  retry: '/docs/api#idempotency-send-it-again-safely',
  sandbox: '/docs/sandbox#sandbox',
  refund: '/docs/refunds#refunds',
  fee: '/docs/fees#fees',
  limit: '/docs/errors#limit_exceeded',
  balance: '/docs/reference/balance#getBalance',
  QR: '/docs/bills#bills-and-qr-codes-for-merchants',
  statement: '/docs/statements#statements',
  key: '/docs/api#addresses-and-keys',
  status: '/docs/reference/status#getStatus',
  batch: '/docs/quickstart#4-pay-out-as-a-batch',
  'rate limit': '/docs/errors#rate_limited',
  'where is a payout refused for its limit': '/docs/questions#where-is-a-payout-refused-for-its-limit',
  'how do I add a network': '/docs/questions#how-do-i-add-a-network',
  'what happens if Postgres dies between hold and send':
    '/docs/questions#what-happens-if-postgres-dies-between-hold-and-send',
  'what does a merchant see when a bank returns money':
    '/docs/questions#what-does-a-merchant-see-when-a-bank-returns-money',
  'how is a key taken back': '/docs/questions#how-is-a-key-taken-back',
};

describe('the search of the docs', () => {
  const { api } = useTestApi({ docs: {} });
  let find: (text: string) => Found[];
  let bytes = 0;

  before(async () => {
    const { finderOf } = await import(new URL('../../../docs/site/find.js', import.meta.url).href);
    const { default: MiniSearch } = await import('minisearch');
    const index = await api.call('GET', '/docs/search.json', { key: null });
    const library = await api.call('GET', '/docs/minisearch.js', { key: null });
    bytes = gzipSync(index.text).length + gzipSync(library.text).length;
    find = finderOf(MiniSearch, index.body);
  });

  for (const [text, page] of Object.entries(WANTED))
    it(`finds ${page} for ${text}`, () => {
      const first = find(text).slice(0, 3);
      assert.ok(
        first.some(({ address }) => address === page),
        first.map(({ address }) => address).join(', '),
      );
    });

  it('finds what is typed in part, or with a letter that is wrong', () => {
    for (const text of ['idempot', 'idempotncy', 'Idempotency key', 'the settlment'])
      assert.ok(find(text).length > 0, text);
    assert.deepEqual(find(''), []);
    assert.deepEqual(find('xyzzyqwert'), []);
  });

  it('weighs at most 60 kB as sent, library and index together', () => {
    assert.ok(bytes > 10_000 && bytes <= 60_000, `${bytes} bytes`);
  });
});
