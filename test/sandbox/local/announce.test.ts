import assert from 'node:assert/strict';
import { announcement } from '../../../sandbox/local/announce.ts';
import type { LocalFile } from '../../../sandbox/local/stack.ts';

const local: LocalFile = {
  api_url: 'http://127.0.0.1:3000',
  management_url: 'http://127.0.0.1:3001',
  worker_management_url: 'http://127.0.0.1:3003',
  pay_url: 'http://127.0.0.1:3002',
  simulator_url: 'http://127.0.0.1:4010',
  temporal_address: '127.0.0.1:7233',
  temporal_ui_url: 'http://127.0.0.1:8233',
  callback_url: 'http://127.0.0.1:4010/receiver',
  database_url: 'postgresql://127.0.0.1:5433/malipo',
  account_id: 'an account',
  approver_api_key: 'sk_test_b',
  api_key: 'sk_test_key',
  passphrase: 'whsec_secret',
  channels_file: 'gsma.json',
  bill_tokens: { 'm-pesa': 'a token of the bill door' },
  operators: [{ name: 'asha', token: 'op_secret' }],
};
const said = (fence: string | null) =>
  announcement(local, {
    localFile: '.data/local.json',
    logs: '.data/logs',
    fence,
    payPage: 'http://127.0.0.1:3002/l/abc',
  });

describe('what npm start says', () => {
  it('is that a payment can be taken, and how', () => {
    assert.match(said(null), /^\nMalipo is ready\. Ctrl-C/);
    assert.match(said(null), /curl -sS http:\/\/127\.0\.0\.1:3000\/api\/v1\/payments\/ussd/);
    assert.doesNotMatch(said(null), /recover|a token of the bill door/);
  });

  it('leads to five places, and into the desk', () => {
    const lines = said(null)
      .split('\n')
      .filter((line) => line.startsWith('  ') && line.includes('http://127'));
    assert.deepEqual(
      lines.map((line) => line.trim().split(/ {2,}/).slice(0, 2)),
      [
        ['Pay', 'http://127.0.0.1:3002/l/abc'],
        ['Phone', 'http://127.0.0.1:4010'],
        ['Docs', 'http://127.0.0.1:3000/docs'],
        ['Desk', 'http://127.0.0.1:3001'],
        ['Workflows', 'http://127.0.0.1:8233'],
      ],
    );
    assert.match(said(null), /Desk .*sign in as asha: op_secret/);
  });

  it('is, over a database that was put back, what has to be done first', () => {
    const text = said('it is at step 3, but was at step 9 before');
    assert.doesNotMatch(text, /is ready/);
    assert.match(text, /takes no payment.*it is at step 3.*\n\nnode bin\/malipo\.js recover\n/);
  });
});
