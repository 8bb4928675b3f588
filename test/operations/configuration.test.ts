import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configVariables, loadConfig } from '../../src/config.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const key = () => randomBytes(32).toString('base64');

/** .env.example as an operator fills it in. */
function production(changes: Record<string, string> = {}): Record<string, string> {
  const lines = read('.env.example').matchAll(/^(\w+)=(.*)$/gm);
  return {
    ...Object.fromEntries([...lines].map(([, name, value]) => [name, value])),
    KEY_HASH_SECRET: key(),
    ENCRYPTION_KEY: key(),
    NOTIFICATION_SECRET: key(),
    PAYLOAD_ENCRYPTION_KEYS: `new:${key()},old:${key()}`,
    CODEC_UI_ORIGINS: 'https://temporal.example.com',
    CODEC_TOKEN: randomBytes(24).toString('hex'),
    ...changes,
  };
}

const toldWhatToDo = (file: string) =>
  `${file} and src/config.ts differ. Whoever adds a variable describes it in docs/operations/configuration.md (a row: name, default, where, what it does) and in .env.example (NAME=default, with a comment)`;

describe('the configuration', () => {
  it('is explained in docs/operations/configuration.md: exactly the variables that there are', () => {
    const rows = read('docs/operations/configuration.md').matchAll(/^\| (`[A-Z_`, ]+`) \|/gm);
    const explained = [...rows].flatMap(([, names = '']) => names.match(/[A-Z_]+/g) ?? []);
    assert.deepEqual(
      explained.sort(),
      [...configVariables].sort(),
      toldWhatToDo('docs/operations/configuration.md'),
    );
  });

  it('is in .env.example to copy: exactly the variables that there are', () => {
    const names = [...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
    assert.deepEqual(names.sort(), [...configVariables].sort(), toldWhatToDo('.env.example'));
  });

  it('is what .env.example says once the secrets are filled in, in production', () => {
    const config = loadConfig(production());
    assert.equal(config.MALIPO_ENV, 'production');
    assert.deepEqual(
      config.PAYLOAD_ENCRYPTION_KEYS?.map(({ id }) => id),
      ['new', 'old'],
    );
  });

  it('has the defaults that .env.example and the page name', () => {
    const example = production();
    const {
      DATABASE_URL = '',
      KEY_HASH_SECRET = '',
      ENCRYPTION_KEY = '',
      NOTIFICATION_SECRET = '',
    } = example;
    const defaults = {
      ...loadConfig({
        MALIPO_ENV: 'development',
        DATABASE_URL,
        KEY_HASH_SECRET,
        ENCRYPTION_KEY,
        NOTIFICATION_SECRET,
      }),
      MALIPO_ENV: 'production',
    };
    const page = read('docs/operations/configuration.md');
    for (const [name, value] of Object.entries(defaults)) {
      if (typeof value !== 'number' && typeof value !== 'string') continue;
      const given = example[name] ?? '';
      const isOwn =
        name.endsWith('_URL') || name.includes('SECRET') || name === 'ENCRYPTION_KEY' || given === '';
      if (!isOwn) assert.equal(given, String(value), `.env.example: ${name}`);
      const row = new RegExp(`^\\| \`${name}\` \\| \`?([^|\`]*)\`? \\|`, 'm').exec(page)?.[1]?.trim();
      if (row === undefined || row === 'required' || value === '') continue;
      assert.equal(row, String(value), `configuration.md: ${name}`);
    }
  });

  const same = Buffer.alloc(32, 7).toString('base64');
  for (const [name, value] of [
    ['KEY_HASH_SECRET', same],
    ['ENCRYPTION_KEY', same],
    ['NOTIFICATION_SECRET', same],
    ['PAYLOAD_ENCRYPTION_KEYS', `new:${same}`],
    ['CODEC_TOKEN', ''],
    ['GATEWAY_TIMING', 'fast'],
    ['FOUR_EYES', 'false'],
    ['PUBLIC_URL', 'http://pay.example.com'],
    ['DOCS_DEMO_KEY', 'sk_test_1_2'],
  ] as const) {
    it(`is refused in production with an unsafe ${name}, and names it`, () => {
      assert.throws(
        () => loadConfig(production({ [name]: value })),
        new RegExp(`unsafe in production:\\s+${name}`),
      );
      loadConfig(production({ [name]: value, MALIPO_ENV: 'development' }));
    });
  }

  for (const [name, value] of [
    ['PAYLOAD_ENCRYPTION_KEYS', 'a-name-without-a-key'],
    ['PAYLOAD_ENCRYPTION_KEYS', `same:${key()},same:${key()}`],
    ['PAYLOAD_ENCRYPTION_KEYS', 'short:AAAAAAAA'],
    ['CODEC_UI_ORIGINS', 'https://temporal.example.com/path'],
    ['CODEC_UI_ORIGINS', '*.example.com'],
    ['CODEC_TOKEN', 'a-short-one'],
    ['SHUTDOWN_GRACE_MS', '30000'],
    ['SHUTDOWN_GRACE_MS', '2000'],
    ['ENCRYPTION_KEY', 'AAAAAAAA'],
  ] as const) {
    it(`is refused with ${name}=${value.slice(0, 20)}, without a word of the value`, () => {
      const refused = (error: Error) =>
        error.message.includes(name) && !error.message.includes(value.slice(-20));
      assert.throws(() => loadConfig(production({ [name]: value })), refused);
    });
  }
});

describe('the pages for operators', () => {
  const folder = `${root}docs/operations/`;
  const pages = readdirSync(folder).filter((file) => file.endsWith('.md'));

  it('lead only to files that are there', () => {
    let links = 0;
    for (const page of pages) {
      for (const [, target = ''] of readFileSync(folder + page, 'utf8').matchAll(
        /\]\((?!https?:)([^)#]+)[^)]*\)/g,
      )) {
        assert.ok(existsSync(folder + target), `${page}: ${target}`);
        links += 1;
      }
    }
    assert.ok(links > 10);
  });

  it('are all found from the README of the folder', () => {
    const index = readFileSync(`${folder}README.md`, 'utf8');
    for (const page of pages) if (page !== 'README.md') assert.ok(index.includes(`(${page})`), page);
  });

  it('have one for each reason of the attention list', () => {
    const reasons = /type AttentionReason =([^;]+);/.exec(read('src/transactions/attention.ts'))?.[1] ?? '';
    const named = [...reasons.matchAll(/'(\w+)'/g)].map(([, reason]) => reason);
    assert.ok(named.length >= 8);
    const index = readFileSync(`${folder}README.md`, 'utf8');
    for (const reason of named) assert.match(index, new RegExp(`\\|.*\`${reason}\`.*\\| \\[`), reason);
  });
});
