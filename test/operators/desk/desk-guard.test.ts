import assert from 'node:assert/strict';
import { pages } from '../../../src/operators/desk/pages.ts';
import { actions } from '../../support/actions.ts';
import { createDeskClient } from '../../support/desk-client.ts';

import { useSignedIn } from '../api/signed-in.ts';

describe('the desk refuses', () => {
  const { test, desk, money, asha, signedIn, proposals, balance, addressOf, proposeTopUp } = useSignedIn();

  it('refuses a form of another site, of another session, or without what proves it', async () => {
    const path = `/desk/merchants/${money.accountId}`;
    const seen = JSON.stringify({ account_id: money.accountId });
    const fields = { act: 'accounts.freeze', seen, reason: 'attack' };
    const csrf = await asha.csrf();
    const other = await (await signedIn('juma')).csrf();
    for (const [given, headers] of [
      [{ ...fields, csrf }, { origin: 'https://evil.example' }],
      [{ ...fields, csrf }, { origin: 'null' }],
      [{ ...fields, csrf }, { 'sec-fetch-site': 'cross-site' }],
      [{ ...fields, csrf }, { 'sec-fetch-site': 'same-site' }],
      [{ ...fields, csrf: other }, {}],
      [fields, {}],
    ] as const)
      assert.equal((await asha.post(path, given, headers)).status, 403, JSON.stringify({ given, headers }));
    assert.equal((await asha.post(path, { ...fields, csrf }, { 'content-type': 'text/plain' })).status, 415);
    const rows = await test.sql`SELECT FROM freezes WHERE account_id = ${money.accountId}`;
    assert.equal(rows.length, 0);
    const foreign = await createDeskClient(desk.url).post(
      '/desk/sign-in',
      { token: desk.tokens.asha ?? '' },
      { origin: 'https://evil.example' },
    );
    assert.deepEqual([foreign.status, foreign.headers.get('set-cookie')], [403, null]);
  });

  it('lets a viewer do nothing with any form', async () => {
    const viewer = await signedIn('only-viewer');
    const id = await proposeTopUp('asha', 'for a viewer');
    const before = [await proposals(), await balance()];
    let forms = 0;
    for (const { path, acts } of pages)
      for (const act of [...Object.keys(acts ?? {}), ...(path === 'me' ? Object.keys(actions) : [])]) {
        const { status, text } = await viewer.post(addressOf(path, { proposals: id }), {
          csrf: await viewer.csrf(),
          act,
          ...everything,
          token: path === 'me' ? 'op_none' : (desk.tokens['only-viewer'] ?? ''),
        });
        assert.equal(status, 403, `${path} ${act}: ${text.slice(-600)}`);
        assert.match(text, /This needs the role|This is not the token/, `${path} ${act}`);
        forms += 1;
      }
    assert.ok(forms > 30);
    assert.deepEqual([await proposals(), await balance()], before);
  });
  const words =
    'subject note reason outcome event_id account key_id reference name email channel services session_id token_id';
  const others = 'roles days seen merchant payload_hash';
  const everything = Object.fromEntries(
    `${words} ${others}`.split(' ').map((name) => [name, name === 'days' ? '1' : 'x']),
  );

  it('asks for the token of this very session before anything is approved', async () => {
    const juma = await signedIn('juma');
    const id = await proposeTopUp('asha', 'asked again');
    const path = `/desk/proposals/${id}`;
    const { body } = await desk.call('juma', 'GET', `proposals/${id}`);
    const { payload_hash } = body.proposal;
    for (const token of ['', 'op_wrong', desk.tokens.asha ?? '']) {
      const refused = await juma.submit(path, { act: 'approve', payload_hash, token });
      assert.equal(refused.status, 403, token);
      assert.doesNotMatch(refused.text, /op_/);
    }
    const token = desk.tokens.juma ?? '';
    assert.equal(
      (await juma.submit(path, { act: 'approve', payload_hash: 'f'.repeat(64), token })).status,
      409,
    );
    const before = await balance();
    const done = await juma.submit(path, { act: 'approve', payload_hash, token });
    assert.deepEqual([done.status, done.location], [303, path]);
    assert.notEqual(await balance(), before);
    const again = await juma.submit(path, { act: 'approve', payload_hash, token });
    assert.equal(again.status, 409);
    assert.match(again.text, /The proposal is executed already \(decided by juma\)/);
  });

  it('is read by a token of the API neither, nor is the API by its cookie', async () => {
    const bearer = { authorization: `Bearer ${desk.tokens.asha}` };
    assert.equal((await createDeskClient(desk.url).get('/desk/suspense', bearer)).status, 303);
    const response = await fetch(`${desk.url}/operator/v1/me`, { headers: { cookie: asha.cookie } });
    assert.equal(response.status, 401);
  });
});
