import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { buildIdOf } from '../../../src/platform/temporal/build-id.ts';

describe('the build id', () => {
  it('is what the environment says', () => assert.equal(buildIdOf('0.2.0-rc.1'), '0.2.0-rc.1'));

  it('is version and commit of a checkout otherwise, and always the same', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    const buildId = buildIdOf(undefined);
    assert.equal(buildIdOf(undefined), buildId);
    assert.ok(buildId.startsWith(`${version}-`), buildId);
    assert.match(buildId, /-([0-9a-f]{12}|source)$/);
  });
});
