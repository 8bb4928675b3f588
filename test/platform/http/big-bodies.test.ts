import assert from 'node:assert/strict';
import { GatewayError } from '../../../src/domain/errors.ts';
import { createBigBodies } from '../../../src/platform/http/big-bodies.ts';

const KIB = 1024;

describe('the budget of big bodies', () => {
  const isRefused = (error: unknown) => error instanceof GatewayError && error.code === 'unavailable';

  it('counts what came above 64 KiB, of each account and of all, until its request is over', () => {
    const bodies = createBigBodies({ all: 300 * KIB, account: 200 * KIB });
    const first = bodies.holdFor('a');
    first.grow(150 * KIB);
    const small = bodies.holdFor('a');
    small.grow(64 * KIB);
    assert.throws(() => small.grow(1), isRefused, 'of the account');
    bodies.holdFor('b').grow(140 * KIB);
    assert.throws(() => bodies.holdFor('c').grow(70 * KIB), isRefused, 'of all');
    first.end();
    first.end();
    bodies.holdFor('c').grow(70 * KIB);
  });
});
