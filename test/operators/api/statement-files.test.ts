import assert from 'node:assert/strict';
import { request } from 'node:http';
import { createDeskClient } from '../../support/desk-client.ts';
import { createMerchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { until } from '../../support/wait.ts';

const HEADER =
  'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.,Currency';
/** Two days ago: what is older than some weeks is with people. */
const DAY = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10).split('-').reverse().join('-');
const FILE = `Account Holder,MALIPO\nShort Code,100100\n${HEADER}
R1,${DAY} 10:00:00,${DAY} 10:00:00,Pay Bill from 2547****376 - JANE DOE Acc. 1,Completed,"1,000.00",,"1,000.00",true,Pay Utility,2547****376 - JANE DOE,,1,TZS\n`;

describe('a file of a statement', () => {
  const { test, desk } = useOperatorDesk();
  before(() => createMerchant(test.database));

  const send = async (
    account: string,
    file: string,
    who: 'only-finance' | 'only-support' = 'only-finance',
  ) => {
    const response = await fetch(`${desk.url}/operator/v1/statements/${account}/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.tokens[who]}`, 'content-type': 'application/octet-stream' },
      body: file,
    });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: (await response.json()) as Record<string, unknown> };
  };

  it('is imported by finance, once, and by nobody else', async () => {
    const { status, body } = await send('m-pesa', FILE);
    assert.deepEqual(
      [status, body.repeated, body.lines, body.added, body.classes],
      [200, false, 1, 1, [{ class: 'theirs_only', lines: 1 }]],
      JSON.stringify(body),
    );
    const again = await send('m-pesa', FILE);
    assert.deepEqual([again.body.repeated, again.body.statement], [true, body.statement]);
    assert.equal((await send('m-pesa', FILE, 'only-support')).status, 403);
  });

  it('comes alone: another one is told to come again, at the desk too, while it arrives', async () => {
    const target = `${desk.url}/operator/v1/statements/m-pesa/files`;
    const slow = request(target, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.tokens['only-finance']}` },
    });
    const answered = new Promise((resolve) => slow.once('response', ({ statusCode }) => resolve(statusCode)));
    slow.write(FILE.slice(0, 100));
    const second = await until(async () => {
      const answer = await send('m-pesa', FILE);
      return answer.status === 503 ? answer : null;
    }, 'a second one is told to wait');
    assert.deepEqual([second.body.code, second.retryAfter], ['unavailable', '5']);
    const asha = createDeskClient(desk.url);
    await asha.signIn(desk.tokens.asha ?? '');
    const page = await asha.upload('/desk/float', { act: 'import', account: 'm-pesa' }, FILE);
    assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '5']);
    assert.match(page.text, /role="alert"><p>Another file is being taken/);
    slow.end(FILE.slice(100));
    assert.equal(await answered, 200);
    await until(async () => (await send('m-pesa', FILE)).status === 200, 'the next one is taken');
  });

  it('is refused with the reason, and of no account', async () => {
    const { status, body } = await send(
      'm-pesa',
      FILE.replace('"1,000.00",true', '"1,001.00",true').replace('R1', 'R2').replace('JANE', 'ANNE'),
    );
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), /within its period|difference/);
    assert.equal((await send('nobody', FILE)).status, 404);
    assert.equal((await send('m-pesa', '')).status, 422);
  });
});
