import assert from 'node:assert/strict';
import { createSimulator } from '../../../sandbox/simulator/app.ts';
import { MIXX_BILLER_CODE, MIXX_BILLER_MSISDN, MIXX_PATHS } from '../../../sandbox/simulator/mixx/common.ts';
import { referenceOfPush } from '../../../src/channels/mixx/wire.ts';
import { pick } from '../../support/pick.ts';
import { until } from '../../support/wait.ts';
import { calls, checkThat, end, python } from '../foreign.ts';

/**
 * tigopesasdk 0.1.0 (MIT), as it is on the package index, against the simulator over loopback: whatever it reads as an
 * answer, the simulator speaks as the network does. `node --import tsx test/clients/mixx/run.ts`; needs Python 3.
 */
const PACKAGES = ['tigopesasdk==0.1.0', 'requests==2.32.3', 'flask-restful==0.3.10'] as const;

const simulator = createSimulator({
  timing: { customerMs: 50 },
  mixx: { username: 'malipo', password: 'a password' },
});

try {
  await simulator.listen(0);
  const account = {
    username: 'malipo',
    password: 'a password',
    billerCode: MIXX_BILLER_CODE,
    billerMsisdn: MIXX_BILLER_MSISDN,
    tokenUrl: simulator.url + MIXX_PATHS.token,
    pushUrl: simulator.url + MIXX_PATHS.push,
  };
  const script = new URL('calls.py', import.meta.url).pathname;
  const told = await calls(await python(...PACKAGES), [script, JSON.stringify(account)]);
  const answers = new Map(told.map(({ call, answer }) => [call, answer]));

  const codes: Record<string, string> = {
    push: 'BILLER-18-0000-S',
    'the same push again': 'DuplicateRefID',
    'push that is declined later': 'BILLER-18-0000-S',
    'push to no number': 'DebitMandate-10-2004-V',
    'push for another biller': 'BILLER-18-3040-E',
    'push with a foreign reference': 'DebitMandate-10-2020-V',
  };
  const granted = answers.get('token');
  checkThat('token', granted, () => {
    assert.equal(granted?.expires_in, 86_399);
    assert.equal(granted?.token_type, 'bearer');
    assert.equal(typeof granted?.access_token, 'string');
  });
  const refused = answers.get('token with a wrong password');
  checkThat('token with a wrong password', refused, () => assert.equal(refused, null));
  for (const [call, code] of Object.entries(codes)) {
    const answer = answers.get(call);
    checkThat(call, answer, () => {
      assert.equal(answer?.response_code, code);
      assert.equal(answer?.response_status, code === 'BILLER-18-0000-S');
    });
  }

  const paid = referenceOfPush(`${MIXX_BILLER_CODE}0000000000000001`, MIXX_BILLER_CODE);
  await until(() => simulator.book.movements(paid).length > 0, 'the push is paid');
  const movements = simulator.book.movements();
  checkThat('the book: one push was paid, once, and nothing else', movements, () => {
    const moved = pick(movements, 'reference', 'direction', 'party', 'amount');
    assert.deepEqual(moved, [[paid, 'in', '255654000001', 1_500]]);
    assert.equal(simulator.orders.all().length, 2);
  });
} finally {
  await simulator.close();
}
end();
