import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { STATEMENT_BYTES_MAX } from '../../../src/reconciliation/formats/bytes.ts';
import { createDeskClient, type DeskClient } from '../../support/desk-client.ts';
import { createMerchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { WALLET_DAY as DAY, walletFile } from '../../support/wallet-file.ts';

const FILE = walletFile(30, '<script>alert(1)</script>');

describe('statements at the desk', () => {
  const { test, desk } = useOperatorDesk();
  const people = {} as Record<'asha' | 'juma' | 'only-finance' | 'only-support' | 'only-viewer', DeskClient>;
  before(async () => {
    await createMerchant(test.database);
    for (const name of ['asha', 'juma', 'only-finance', 'only-support', 'only-viewer'] as const) {
      people[name] = createDeskClient(desk.url);
      await people[name].signIn(desk.tokens[name] ?? '');
    }
  });
  const imported = async () =>
    (await test.database.query('SELECT count(*)::int AS n FROM statements')).rows[0].n;
  const upload = (who: keyof typeof people, file: Blob | string, fields: Record<string, string> = {}) =>
    people[who].upload('/desk/float', { act: 'import', account: 'm-pesa', ...fields }, file);
  const csv = async (path: string) =>
    (await people.asha.get(`/desk/${path}`)).text.trimEnd().split('\r\n').slice(1);

  it('are imported by a form of finance, of this session and this site, and by nobody else', async () => {
    const support = await upload('only-support', FILE, { csrf: await people['only-support'].csrf() });
    assert.equal(support.status, 415);
    assert.doesNotMatch((await people['only-support'].get('/desk/float')).text, /type="file"/);
    assert.equal((await upload('only-finance', FILE, { csrf: await people.asha.csrf() })).status, 403);
    const form = new FormData();
    form.append('file', new Blob([FILE]), 'f');
    const foreign = await fetch(`${desk.url}/desk/float`, {
      method: 'POST',
      headers: { cookie: people.asha.cookie, origin: 'https://evil.example' },
      body: form,
    });
    assert.equal(foreign.status, 403);
    assert.equal(await imported(), 0);
  });

  it('are refused with their sentence, whole, and where they are too large or broken', async () => {
    const wrong = await upload('only-finance', FILE.replace('"30,000.00"', '"31,000.00"'));
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /role="alert"><p>file .*line 33/);
    assert.match(wrong.text, /<details open><summary>Import a statement of m-pesa/);
    assert.match((await upload('only-finance', '')).text, /role="alert"><p>file /);
    assert.equal((await upload('only-finance', FILE, { account: 'nobody' })).status, 404);
    const large = await upload('only-finance', new Blob([Buffer.alloc(STATEMENT_BYTES_MAX + 128 * 1024)]));
    assert.equal(large.status, 413);
    const broken = await people['only-finance'].post('/desk/float', 'no part' as never, {
      'content-type': 'multipart/form-data; boundary=x',
    });
    assert.deepEqual([broken.status, /did not arrive completely/.test(broken.text)], [422, true]);
    const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n';
    const many = await people['only-finance'].post('/desk/float', `${part.repeat(20_000)}--x--` as never, {
      'content-type': 'multipart/form-data; boundary=x',
    });
    assert.deepEqual([many.status, /did not arrive completely/.test(many.text)], [422, true]);
    assert.equal(await imported(), 0);
  });

  it('are imported byte for byte, once, and say what came of them', async () => {
    const file = FILE.replaceAll('\n', '\r\n');
    const first = await upload('only-finance', file);
    assert.equal(first.status, 200, first.text);
    assert.match(first.text, /it is imported[\s\S]*30: 30 new, 0 known before[\s\S]*30 theirs only/);
    assert.match((await upload('only-finance', file)).text, /was imported before/);
    const { rows } = await test.database.query("SELECT encode(sha256, 'hex') AS sha256 FROM statements");
    assert.deepEqual(rows, [{ sha256: createHash('sha256').update(file).digest('hex') }]);
  });

  it('are listed by account, state and class, page by page and as a file, as text', async () => {
    const page = await people['only-support'].get('/desk/lines?account=m-pesa');
    assert.match(page.text, /Page 1 of 2, 30 in all/);
    assert.match(page.text, /&lt;script&gt;alert\(1\)/);
    assert.doesNotMatch(page.text, /<script/);
    const second = (await people.asha.get('/desk/lines?page=2')).text;
    assert.match(second, /Page 2 of 2/);
    assert.deepEqual(
      [page.text, second].map((text) => text.split('data-head="Line"').length - 1),
      [25, 5],
    );
    const all = await csv('lines?format=csv');
    assert.equal(all.length, 30);
    assert.match(
      all[1] ?? '',
      new RegExp(`^1000\\.00,m-pesa,${DAY},open,theirs only,unknown,R2,1,\\d days?,si_\\w+,ln_\\d+$`),
    );
    for (const [filter, found] of [
      ['class=theirs_only', 30],
      ['class=ours_only', 0],
      ['state=open', 30],
      ['state=matched', 0],
      ['account=bank', 0],
      ['state=open&class=theirs_only&account=m-pesa', 30],
    ] as const)
      assert.equal((await csv(`lines?${filter}&format=csv`)).length, found, filter);
    assert.equal((await people.asha.get('/desk/lines?account=nobody')).status, 404);
    for (const path of ['lines', 'lines/ln_1'])
      assert.equal((await people['only-viewer'].get(`/desk/${path}`)).status, 403, path);
  });

  it('have a page for each line, where finance proposes what it is and another approves', async () => {
    const [first = '', second = ''] = (await csv('lines?format=csv')).map((line) => line.split(',').at(-1));
    const path = `/desk/lines/${first}`;
    const support = await people['only-support'].get(path);
    assert.match(support.text, /1,000\.00 TZS/);
    assert.match(support.text, /\/desk\/suspense\/si_[0-9a-f]{12}/);
    assert.match(support.text, /Their time<\/dt><dd><time .*Original line<\/dt><dd>[^<]*\bR\d+\b/);
    assert.doesNotMatch(support.text, /Propose it/);
    const fields = { act: 'lines.own', note: 'our directors' };
    assert.equal(
      (await people['only-support'].submit(path, { ...fields, csrf: await people['only-support'].csrf() }))
        .status,
      403,
    );
    const seen = JSON.stringify({ line: first, amount: 100_001, currency: 'TZS' });
    const other = await people.asha.submit(path, { ...fields, seen });
    assert.equal(other.status, 409);
    assert.match(other.text, /look at it again/);
    await agree((await people.asha.submit(path, fields)).location);
    assert.match((await people.asha.get(path)).text, /<dd>decided<.*<dd>theirs only</);
    assert.doesNotMatch((await people.asha.get(path)).text, /Propose it/);
    await agree(
      (await people.asha.submit(`/desk/lines/${second}`, { ...fields, act: 'lines.charge' })).location,
    );
    assert.equal((await csv('lines?state=decided&format=csv')).length, 2);
    assert.equal((await people.asha.get('/desk/lines/ln_0')).status, 404);
  });

  it('have days with their equation in shillings, which two people close and open again', async () => {
    const day = async () => (await csv(`days?account=m-pesa&format=csv`))[0];
    assert.equal(await day(), `${DAY},m-pesa,open,30,0,2,28,30000.00,0.00,30000.00,0.00`);
    const fields = { seen: JSON.stringify({ account: 'm-pesa', day: DAY }), reason: 'all is explained' };
    const early = await people.asha.submit('/desk/days', { act: 'days.close', ...fields });
    assert.deepEqual([early.status, /28 of its lines and movements are open/.test(early.text)], [409, true]);
    for (const line of await csv('lines?format=csv')) {
      const own = { act: 'lines.own', note: 'ours' };
      await agree((await people.asha.submit(`/desk/lines/${line.split(',').at(-1)}`, own)).location);
    }
    assert.match((await people.asha.get('/desk/days')).text, /Close this day/);
    assert.doesNotMatch(
      (await people['only-viewer'].get('/desk/days')).text,
      /Propose|\/desk\/lines|Report/i,
    );
    await agree((await people.asha.submit('/desk/days', { act: 'days.close', ...fields })).location);
    assert.match((await day()) ?? '', /,closed,30,0,30,0,/);
    assert.match((await people.asha.get('/desk/days')).text, /Reopen this day/);
    const report = await people['only-finance'].get(`/desk/days/${DAY}`);
    assert.match(
      report.text,
      new RegExp(
        `<strong>${DAY}</strong>[\\s\\S]*>m-pesa</td>[\\s\\S]*>closed</td><td data-head="Lines">30<`,
      ),
    );
    assert.equal((await people['only-viewer'].get(`/desk/days/${DAY}`)).status, 403);
    await agree((await people.asha.submit('/desk/days', { act: 'days.reopen', ...fields })).location);
    assert.match((await day()) ?? '', /,balanced,/);
    const float = await people['only-viewer'].get('/desk/float');
    assert.match(float.text, /30,000\.00</);
  });

  /** juma approves what was proposed at this address. */
  async function agree(path: string | null): Promise<void> {
    assert.match(path ?? 'nowhere', /^\/desk\/proposals\/pr_/);
    const { body } = await desk.call('juma', 'GET', `proposals/${path?.split('/').at(-1)}`);
    const { payload_hash } = body.proposal;
    const token = desk.tokens.juma ?? '';
    const { status, text } = await people.juma.submit(path ?? '', { act: 'approve', payload_hash, token });
    assert.equal(status, 303, text);
  }
});
