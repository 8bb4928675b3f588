import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const COLUMNS_MAX = 110;

/** A regular expression cannot be broken, and a break in HTML would be sent to the browser. */
const WHOLE = [/^\s*\/.*\/[a-z]*[;,]$/, /<\/?[a-z]\w*[ >]|html`|^\$\{/];

describe('lines', () => {
  it('have 110 columns at most, strings and comments too', () => {
    const files = ['src', 'sandbox']
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
      )
      .filter((file) => /\.[jt]s$/.test(file) && !file.includes('/db/statements/'));
    assert.ok(files.length > 800, `${files.length} files`);
    const long = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          line.length > COLUMNS_MAX && !WHOLE.some((one) => one.test(line)) ? `${file}:${at + 1}` : [],
        ),
    );
    assert.deepEqual(long, []);
  });
});
