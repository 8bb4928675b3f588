import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSimulator } from '../../../sandbox/simulator/app.ts';
import { pick } from '../../support/pick.ts';
import { until } from '../../support/wait.ts';
import { calls, checkThat, end, python } from '../foreign.ts';

/**
 * clickpesa-python-sdk 0.2.0 (MIT), as it is on the package index, against the simulator over loopback: whatever it
 * reads as an answer, the simulator speaks as ClickPesa does. `node --import tsx test/clients/clickpesa/run.ts`; needs
 * Python 3.
 */
const PACKAGE = 'clickpesa-python-sdk==0.2.0';

// biome-ignore lint/suspicious/noExplicitAny: answers of another program
type Answer = any;
const webhooks: object[] = [];
const receiver = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  webhooks.push(JSON.parse(Buffer.concat(parts).toString('utf8')));
  response.end();
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
const account = { clientId: 'malipo', apiKey: 'a key of ours', checksumKey: 'chk-secret' };
const simulator = createSimulator({ timing: { customerMs: 50 }, clickpesa: { ...account, callbackUrl } });

try {
  await simulator.listen(0);
  const client = await python(PACKAGE);
  const script = new URL('calls.py', import.meta.url).pathname;
  const told = async (more: object): Promise<Map<string, Answer>> => {
    const asked = JSON.stringify({ ...account, url: simulator.url, ...more });
    return new Map((await calls(client, [script, asked])).map(({ call, answer }) => [call, answer]));
  };

  const answers = await told({});
  const refusals: Record<string, [error: string, message: RegExp]> = {
    'with a wrong key': ['AuthenticationError', /Invalid client-id or api-key/],
    'with a wrong check sum': ['ValidationError', /Invalid checksum/],
    'the same push again': ['ConflictError', /PYCLIENT1 already used/],
    'push to no number': ['ValidationError', /Invalid phone number/],
    'an order that is not there': ['NotFoundError', /Invalid or missing payment: PYNOTHERE/],
    'the same payout again': ['ConflictError', /POCLIENT1 already used/],
  };
  for (const [call, [error, message]] of Object.entries(refusals)) {
    const answer = answers.get(call);
    checkThat(call, answer, () => {
      assert.equal(answer?.error, error);
      assert.match(answer?.message, message);
    });
  }
  const expected: Record<string, object> = {
    push: { orderReference: 'PYCLIENT1', status: 'PROCESSING', collectedCurrency: 'TZS' },
    'preview of a payout': { amount: 1047.1, fee: 47.1 },
    payout: { orderReference: 'POCLIENT1', status: 'AUTHORIZED', channel: 'MOBILE MONEY' },
    'preview of a payout to a bank': { amount: 1047.1 },
    'payout to a bank': { orderReference: 'POCLIENT2', channel: 'BANK TRANSFER' },
  };
  for (const [call, members] of Object.entries(expected)) {
    const answer = answers.get(call);
    checkThat(call, answer, () => assertHas(answer, members));
  }
  const [ended] = answers.get('how the push ended') ?? [];
  checkThat('how the push ended', ended, () =>
    assert.deepEqual([ended?.status, Number(ended?.collectedAmount)], ['SUCCESS', 1_500]),
  );
  const [paid] = answers.get('how the payout ended') ?? [];
  checkThat('how the payout ended', paid, () => {
    assert.ok(['AUTHORIZED', 'PROCESSING', 'SUCCESS'].includes(paid?.status));
    assert.equal(Number(paid?.beneficiary.amount), 1_000);
  });
  const [balance] = answers.get('balance') ?? [];
  checkThat('balance', balance, () => assert.equal(balance?.currency, 'TZS'));

  await until(() => webhooks.length >= 3, 'webhooks');
  for (const webhook of webhooks) {
    const answer = (await told({ webhook })).get('webhook');
    checkThat(`webhook ${(webhook as { event: string }).event}`, webhook, () => assert.equal(answer, true));
    const changed = { ...webhook, event: 'PAYMENT FAILED' };
    const forged = (await told({ webhook: changed })).get('webhook');
    checkThat('the same one, changed', changed, () => assert.equal(forged, false));
  }

  const movements = simulator.book.movements();
  checkThat('the book: each moved once', movements, () => {
    const moved = pick(movements, 'reference', 'direction', 'amount');
    assert.deepEqual(moved.sort(), [
      ['POCLIENT1', 'out', 1_000],
      ['POCLIENT2', 'out', 1_000],
      ['PYCLIENT1', 'in', 1_500],
    ]);
  });
} finally {
  receiver.close();
  await simulator.close();
}
end();

function assertHas(answer: Answer, members: object): void {
  for (const [name, value] of Object.entries(members)) assert.deepEqual(answer?.[name], value, name);
}
