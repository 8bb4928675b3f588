import assert from 'node:assert/strict';
import { createDeskClient, type DeskClient } from '../../support/desk-client.ts';
import { openOperatorDesk, useOperatorDesk } from '../../support/operator-desk.ts';
import { pick } from '../../support/pick.ts';

describe('sessions at the desk', () => {
  const { test, desk } = useOperatorDesk({ each: true });

  async function signedIn(name: string): Promise<DeskClient> {
    const client = createDeskClient(desk.url);
    assert.equal((await client.signIn(desk.tokens[name] ?? '')).status, 303);
    return client;
  }
  const isIn = async (client: DeskClient) => (await client.get('/desk/me')).status === 200;
  const age = (column: string, interval: string) =>
    test.database.query(`UPDATE operator_sessions SET ${column} = now() - $1::interval`, [interval]);

  it('are made at the sign-in alone: what a browser brought along is none, before and after it', async () => {
    const fixed = createDeskClient(desk.url, { cookie: 'malipo-desk=known-to-somebody-else' });
    assert.equal((await fixed.get('/desk/me')).status, 303);
    await fixed.signIn(desk.tokens.asha ?? '');
    assert.doesNotMatch(fixed.cookie, /known-to-somebody-else/);
    assert.ok(await isIn(fixed));
    assert.ok(!(await isIn(createDeskClient(desk.url, { cookie: 'malipo-desk=known-to-somebody-else' }))));
  });

  it('are a cookie that no script reads and no other site sends; only its hash is kept', async () => {
    const client = createDeskClient(desk.url);
    const { headers } = await client.signIn(desk.tokens.asha ?? '');
    assert.match(
      headers.get('set-cookie') ?? '',
      /^malipo-desk=[\w-]{55}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const rows = await test.sql`SELECT row_to_json(s)::text AS text FROM operator_sessions s`;
    assert.ok(!rows[0].text.includes(client.cookie.split('=')[1]));
  });

  it('end after 15 minutes without a click, and after 8 hours with clicks', async () => {
    const client = await signedIn('asha');
    await age('last_seen_at', '14 minutes');
    assert.ok(await isIn(client));
    await age('last_seen_at', '15 minutes 1 second');
    assert.ok(!(await isIn(client)));
    const other = await signedIn('asha');
    await age('created_at', '8 hours 1 second');
    assert.ok(!(await isIn(other)));
  });

  const ends = async (action: string, payload: object) =>
    (await desk.propose('asha', action, payload)).status;

  it('end with the operator, with the token, with the sign-out, and by an admin, at the next click', async () => {
    const juma = await signedIn('juma');
    await ends('operators.disable', { operator: 'juma' });
    assert.ok(!(await isIn(juma)));

    const support = await signedIn('only-support');
    const { body } = await desk.call('asha', 'GET', 'operators');
    const { tokens, sessions } = body.data.find(({ name }: { name: string }) => name === 'only-support');
    assert.deepEqual(
      [sessions.length, sessions[0].token_id, sessions[0].address],
      [1, tokens[0].id, '127.0.0.1'],
    );
    await ends('operators.revoke', { token_id: tokens[0].id });
    assert.ok(!(await isIn(support)));

    const finance = await signedIn('only-finance');
    assert.equal((await finance.post('/desk/sign-out', { csrf: 'wrong' })).status, 403);
    assert.ok(await isIn(finance));
    const { cookie } = finance;
    assert.equal(
      (await finance.post('/desk/sign-out', { csrf: await finance.csrf() })).location,
      '/desk/sign-in',
    );
    assert.ok(!(await isIn(createDeskClient(desk.url, { cookie }))));

    const viewer = await signedIn('only-viewer');
    const all = (await desk.call('asha', 'GET', 'operators')).body.data;
    const [session] = all.find(({ name }: { name: string }) => name === 'only-viewer').sessions;
    assert.equal(await ends('operators.end-session', { session_id: session.id }), 200);
    assert.ok(!(await isIn(viewer)));
    assert.equal(await ends('operators.end-session', { session_id: session.id }), 404);
  });

  it('go on after the API was started anew', async () => {
    const client = await signedIn('asha');
    const next = await openOperatorDesk(test.database, { hires: false });
    try {
      assert.ok(await isIn(createDeskClient(next.url, { cookie: client.cookie })));
    } finally {
      await next.stop();
    }
  });

  it('lead to the page that was asked for, and to no other site', async () => {
    const client = createDeskClient(desk.url);
    const asked = await client.get('/desk/proposals?state=proposed');
    assert.equal(asked.location, '/desk/sign-in?next=%2Fdesk%2Fproposals%3Fstate%3Dproposed');
    assert.equal(
      (await client.signIn(desk.tokens.asha ?? '', '/desk/proposals?state=proposed')).location,
      '/desk/proposals?state=proposed',
    );
    for (const elsewhere of [
      'https://evil.example',
      '//evil.example',
      '/desk/\\evil',
      '/deskevil',
      'javascript:1',
      '/desk/\r\nx: y',
    ])
      assert.equal(
        (await createDeskClient(desk.url).signIn(desk.tokens.asha ?? '', elsewhere)).location,
        '/desk',
        elsewhere,
      );
  });

  it('are asked for again by a page that was linked from elsewhere', async () => {
    const { status, text } = await createDeskClient(desk.url).get('/desk/proposals', {
      'sec-fetch-site': 'cross-site',
    });
    assert.equal(status, 200);
    assert.match(text, /<meta http-equiv="refresh" content="0">/);
  });

  it('are not guessed: more than 30 wrong tokens a minute are refused, a good one never', async () => {
    const client = createDeskClient(desk.url);
    const statuses: number[] = [];
    for (let count = 0; count < 32; count += 1) statuses.push((await client.signIn('op_wrong')).status);
    assert.deepEqual([statuses[29], statuses[30]], [403, 429]);
    assert.equal((await desk.call('op_wrong', 'GET', 'me')).status, 429);
    assert.equal((await client.signIn(desk.tokens.asha ?? '')).status, 303);
    assert.equal((await desk.call('asha', 'GET', 'me')).status, 200);
  });

  it('leave a line in the audit log when they begin and when they end', async () => {
    const client = await signedIn('asha');
    await client.post('/desk/sign-out', { csrf: await client.csrf() });
    const rows = await test.sql`SELECT action, actor, subject, detail FROM audit_log
      WHERE action LIKE 'desk.%' ORDER BY id`;
    assert.deepEqual(pick(rows, 'action', 'actor', 'subject'), [
      ['desk.sign-in', 'operator:asha', 'asha'],
      ['desk.sign-out', 'operator:asha', 'asha'],
    ]);
    assert.equal(rows[0].detail.session, rows[1].detail.session);
  });
});

describe('the desk in production', () => {
  const { desk } = useOperatorDesk({ needsTls: true, proxies: ['127.0.0.1'] });

  it('lets nobody sign in but through a proxy that speaks TLS, and gives its cookie to nobody else', async () => {
    const plain = createDeskClient(desk.url);
    for (const refused of [
      await plain.get('/desk/sign-in'),
      await plain.signIn(desk.tokens.asha ?? ''),
      await plain.get('/desk', { 'x-forwarded-proto': 'http' }),
    ]) {
      assert.equal(refused.status, 403);
      assert.match(refused.text, /over https/);
      assert.equal(refused.headers.get('set-cookie'), null);
    }
    const client = createDeskClient(desk.url, { headers: { 'x-forwarded-proto': 'https' } });
    const { status, headers } = await client.signIn(desk.tokens.asha ?? '');
    assert.equal(status, 303);
    assert.match(
      headers.get('set-cookie') ?? '',
      /^__Host-malipo-desk=[\w-]{55}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.equal((await client.get('/desk/me')).status, 200);
  });
});

describe('the desk in production without a proxy that is believed', () => {
  const { desk } = useOperatorDesk({ needsTls: true });

  it('believes nobody who says that it was TLS', async () => {
    const client = createDeskClient(desk.url, { headers: { 'x-forwarded-proto': 'https' } });
    assert.equal((await client.signIn(desk.tokens.asha ?? '')).status, 403);
  });
});
