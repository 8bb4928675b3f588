import assert from 'node:assert/strict';
import {
  isSignedAnswer,
  isSignedRequest,
  keyNameOf,
  signAnswer,
  signRequest,
} from '../../src/channels/kit/signature.ts';

const secret = 'a secret of the bank';
const now = new Date('2025-01-01T10:00:00.900Z');
const signer = { secrets: [secret], now };
const request = { method: 'POST', path: '/payments', body: '<a/>' };

describe('the signature of a message', () => {
  it('is HMAC-SHA256 of its lines and body', () => {
    // printf 'request\nPOST\n/payments\n1735725600\n<a/>' | openssl dgst -sha256 -hmac 'a secret of the bank'
    assert.equal(
      signRequest(request, signer),
      't=1735725600,v1=4a2c22bb9a79f9c220697640d7f505fec13bd4b9ecf997731009441d3177f660',
    );
    // printf 'answer\nPOST\n/payments\n202\nt=1,v1=ab\n1735725600\n<b/>' | openssl dgst -sha256 -hmac 'a secret of the bank'
    assert.equal(
      signAnswer({ ...request, status: 202, request: 't=1,v1=ab', body: '<b/>' }, signer),
      't=1735725600,v1=77aeb9ae80b21f61247e5b6725493ca0b84b754b973381b6589d9bf44c6bed9a',
    );
  });

  it('proves a request as it was sent, for five minutes on either side', () => {
    const header = signRequest(request, signer);
    const proves = (changes: object, signing: object = {}) =>
      isSignedRequest(header, { ...request, ...changes }, { ...signer, ...signing });
    assert.equal(proves({}), true);
    for (const changes of [{ method: 'PUT' }, { path: '/payments/' }, { body: '<b/>' }])
      assert.equal(proves(changes), false, JSON.stringify(changes));
    assert.equal(proves({}, { secrets: [`${secret}.`] }), false);
    assert.equal(proves({}, { secrets: [] }), false);
    assert.equal(proves({}, { secrets: ['a new one', secret] }), true, 'while one replaces the other');
    const at = (minutes: number) => ({ now: new Date(now.getTime() + minutes * 60_000) });
    assert.deepEqual(
      [-5.1, -4.9, 4.9, 5.1].map((minutes) => proves({}, at(minutes))),
      [false, true, true, false],
    );
  });

  it('proves an answer only to its own request, with its own status', () => {
    const answer = { ...request, status: 202, request: signRequest(request, signer), body: '<b/>' };
    const header = signAnswer(answer, signer);
    assert.equal(isSignedAnswer(header, answer, signer), true);
    for (const changes of [{ status: 400 }, { request: '' }, { path: '/' }, { method: 'GET' }, { body: '' }])
      assert.equal(isSignedAnswer(header, { ...answer, ...changes }, signer), false, JSON.stringify(changes));
    assert.equal(isSignedRequest(header, request, signer), false);
  });

  it('is read with several values and a name of its key, and in no other form', () => {
    const header = signRequest(request, signer);
    const [, time = '', mac = ''] = /^(t=\d+),(v1=.*)$/.exec(header) ?? [];
    const other = `v1=${'0'.repeat(64)}`;
    const proves = (text: string | undefined) => isSignedRequest(text, request, signer);
    for (const good of [`${time},${other},${mac}`, `${time},${mac},${other}`, `k=2025-a,${header}`])
      assert.equal(proves(good), true, good);
    assert.deepEqual(
      [keyNameOf(`k=2025-a,${header}`), keyNameOf(header), keyNameOf('k=a')],
      ['2025-a', null, null],
    );
    const bad = [
      undefined,
      '',
      mac,
      time,
      `${time},${other}`,
      `${mac},${time}`,
      `${time},${mac.toUpperCase()}`,
      `${time},${mac.slice(0, -1)}`,
      `${time},${mac}0`,
      `${time}, ${mac}`,
      `t=x,${mac}`,
      `k=,${header}`,
      `${time},${Array(5).fill(other).join(',')},${mac}`,
      `${time},${'v1='.repeat(50_000)}`,
    ];
    for (const text of bad) assert.equal(proves(text), false, text?.slice(0, 80));
  });
});
