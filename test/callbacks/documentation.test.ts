import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { signatureHeaders } from '../../src/callbacks/sign.ts';
import { callbackDelaysMs } from '../../src/domain/timing.ts';

describe('docs/callbacks.md', () => {
  let page: string;
  const block = (language: string) =>
    new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1] ?? assert.fail(`no ${language}`);
  const body = () => block('json');
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, 'm').exec(block('http'))?.[1] ?? assert.fail(name);
  const passphrase = 'correct horse battery staple';

  before(async () => {
    page = await readFile(new URL('../../docs/callbacks.md', import.meta.url), 'utf8');
  });

  it('shows a test vector that the code makes', () => {
    assert.ok(page.includes(`\`${passphrase}\``));
    const headers = signatureHeaders({
      eventId: JSON.parse(body()).event_id,
      body: body(),
      passphrases: [passphrase],
      sentAtMs: Number(header('webhook-timestamp')) * 1000,
    });
    for (const [name, value] of Object.entries(headers)) assert.equal(header(name), value);
  });

  it('shows Node code that accepts the vector and nothing else', async () => {
    const file = fileURLToPath(new URL(`./.documented-${process.pid}.mjs`, import.meta.url));
    await writeFile(file, block('js'));
    const { isOurs, readCallback } = await import(file).finally(() => rm(file));
    assert.equal(isOurs(body(), header('Service-Signature'), passphrase), true);
    assert.equal(isOurs(`${body()} `, header('Service-Signature'), passphrase), false);
    const now = { eventId: 'evt_1', body: body(), sentAtMs: Date.now() };
    for (const secret of [passphrase, 'nenosiri-é', `whsec_${Buffer.alloc(24, 5).toString('base64')}`]) {
      const headers = signatureHeaders({ ...now, passphrases: [secret] });
      assert.equal(readCallback(body(), headers, secret).event, 'payment.received');
      assert.throws(() => readCallback(`${body()} `, headers, secret));
    }
  });

  it('names the pauses of the schedule', () => {
    const named = callbackDelaysMs('normal').map((delayMs) => {
      const seconds = delayMs / 1000;
      if (seconds < 60) return `${seconds} s`;
      return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
    });
    assert.ok(page.includes(named.join(' · ')), named.join(' · '));
  });
});
