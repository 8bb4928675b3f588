import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

/** These words begin a fragment: the reader has to guess what it is about. */
const FRAGMENT = /\/\*\*\s*(?:\*\s*)?(?:What|Who|Whose|Whom|Of|Those|That|By|With|As|Where)\b.*/g;

describe('doc comments', () => {
  it('begin with a sentence', () => {
    const files = ['src', 'sandbox']
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
      )
      .filter((file) => file.endsWith('.ts') && !file.includes('/db/statements/'));
    assert.ok(files.length > 800, `${files.length} files`);
    const fragments = files.flatMap((file) =>
      (readFileSync(file, 'utf8').match(FRAGMENT) ?? []).map((found) => `${file}: ${found}`),
    );
    assert.deepEqual(fragments, []);
  });
});
