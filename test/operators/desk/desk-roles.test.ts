// tests: hard
import assert from 'node:assert/strict';
import { askersOf } from '../../../src/operators/actions/actions.ts';
import { roles } from '../../../src/operators/people/roles.ts';
import { actions } from '../../support/actions.ts';
import { useSignedIn } from '../api/signed-in.ts';

describe('an action at the desk', () => {
  const { signedIn } = useSignedIn();

  for (const role of roles)
    it(`is taken from ${role}, or refused, as its roles say, whichever it is`, async () => {
      const client = await signedIn(`only-${role}`);
      for (const [act, action] of Object.entries(actions)) {
        const [reason, payload] = action.example;
        const seen = JSON.stringify(payload);
        const { status, text, location } = await client.submit('/desk/me', { act, seen, reason });
        assert.equal(status === 403, !askersOf(action).includes(role), `${act} ${role}: ${status}`);
        if (status === 403) assert.match(text, /This needs the role/, act);
        assert.ok(status < 500, `${act}: ${status}`);
        assert.doesNotMatch(location ?? '', /sign-in/, act);
      }
    });
});
