import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configVariables, loadConfig } from '../../src/config/config.ts';
import { attentionGuides } from '../../src/domain/attention.ts';
import { production } from '../support/production.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');

describe('the configuration', () => {
  it('is in .env.example to copy, each with a comment: exactly the variables that there are', () => {
    const lines = read('.env.example').split('\n');
    const names = lines.flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    assert.deepEqual(
      names.sort(),
      [...configVariables].sort(),
      '.env.example and src/config/config.ts differ. Whoever adds a variable describes it there: a comment (who needs it, what it does) and NAME=default',
    );
    // A variable, or a group of them, stands right below its comment.
    for (const [index, line] of lines.entries())
      if (/^\w+=/.test(line)) assert.match(lines[index - 1] ?? '', /^#|^\w+=/, `${line} has no comment`);
  });

  it('is what .env.example says once the secrets are filled in, in production', () => {
    const config = loadConfig(production());
    assert.equal(config.MALIPO_ENV, 'production');
    assert.deepEqual(
      config.PAYLOAD_ENCRYPTION_KEYS?.map(({ id }) => id),
      ['new', 'old'],
    );
  });

  it('has the defaults that .env.example names', () => {
    const example = production();
    const needed = 'DATABASE_URL KEY_HASH_SECRET ENCRYPTION_KEY NOTIFICATION_SECRET SUBMISSION_KEY PAGE_KEY';
    const given = Object.fromEntries(needed.split(' ').map((name) => [name, example[name] ?? '']));
    const defaults = { ...loadConfig({ MALIPO_ENV: 'development', ...given }), MALIPO_ENV: 'production' };
    for (const [name, value] of Object.entries(defaults)) {
      if (typeof value !== 'number' && typeof value !== 'string') continue;
      const shown = example[name] ?? '';
      const isOwn = name.endsWith('_URL') || /^(QR|BILL_CONTROL)_/.test(name) || shown === '';
      if (!isOwn) assert.equal(shown, String(value), `.env.example: ${name}`);
    }
  });
});

describe('the pages for operators', () => {
  const folder = `${root}docs/operations/`;
  const pages = readdirSync(folder).filter((file) => file.endsWith('.md'));

  it('are all found from the README of the folder', () => {
    const index = readFileSync(`${folder}README.md`, 'utf8');
    for (const page of pages) if (page !== 'README.md') assert.ok(index.includes(`(${page})`), page);
  });

  it('have one for each reason of the attention list', () => {
    const index = readFileSync(`${folder}README.md`, 'utf8');
    for (const [reason, { page }] of Object.entries(attentionGuides))
      assert.match(index, new RegExp(`\\|.*\`${reason}\`.*\\| \\[${page}\\]`), reason);
  });
});
