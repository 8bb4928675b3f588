import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { keyOf, type ToAsk } from '../../src/api/pay/ask-prompt.ts';
import { minor, toUnits } from '../../src/domain/money.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { findPage } from '../../src/transactions/rows/payable.ts';
import { newKey } from '../support/gateway.ts';
import { crashingWorker, type Parts, startParts } from '../support/parts.ts';
import { type Step, type StopPlan, steps } from '../support/stop-at.ts';
import { until } from '../support/wait.ts';
import { endingAt, unsent } from './crash-transactions.ts';
import { askOnPage, assertPaidOnce, type Page, readPage } from './payer.ts';

type Case = Page & { step: Step; what: 'bill' | 'number'; form: Record<string, string>; promptId: string };

const AMOUNT = minor(2_500_000);
/** The callback is the bill's, whose id is known before it is paid; the payment of a number has its id from its receipt. */
const isOfCallback = (step: Step) => step.includes('callback');

describe('a worker and an API that are killed between any two steps of a question to a phone', () => {
  let parts: Parts;
  let cases: Case[];
  const log = path.join(os.tmpdir(), `malipo-prompts-${process.pid}.log`);

  before(async function () {
    this.timeout(240_000);
    parts = await startParts();
    const first = await parts.startWorker();
    cases = await Promise.all(
      steps.flatMap((step, index) =>
        (['bill', 'number'] as const)
          .filter((what) => what === 'bill' || !isOfCallback(step))
          .map((what) => caseOf({ step, what, phone: `0754${100 + index * 2 + (what === 'bill' ? 0 : 1)}` })),
      ),
    );
    await first.stop(8_000);
    const at = cases.map(({ step, id, promptId }) => [isOfCallback(step) ? id : promptId, step]);
    const plan: StopPlan = { signal: 'SIGKILL', at: Object.fromEntries(at) };
    const worker = await parts.startWorker({
      entry: crashingWorker,
      environment: { STOP_PLAN: JSON.stringify(plan), STOP_LOG: log },
    });
    const asked = Promise.all(cases.map(({ url, form }) => askOnPage(url, form)));
    asked.catch(() => {});
    await until(() => worker.child.signalCode === 'SIGKILL', {
      deadlineMs: 60_000,
      what: 'every question is at its step and the worker dies',
    }).catch((error) => {
      throw new Error(`${error.message}; there: ${readFileSync(log, 'utf8')} ${worker.lastOutput()}`);
    });
    // The API dies with it: the forms that wait for it get no answer, and are sent again to the one that is started.
    process.kill(parts.firstApi.pid, 'SIGKILL');
    await parts.firstApi.exited;
    const { API_PORT, PAY_PORT, PAY_URL, PUBLIC_URL } = parts.environment;
    await parts.startApi({ API_PORT, PAY_PORT, PAY_URL, PUBLIC_URL });
    await parts.startWorker({ entry: crashingWorker, environment: { STOP_LOG: log } });
    for (const [index, url] of (await asked).entries()) (cases[index] as Case).url = url;
  });
  after(async function () {
    this.timeout(30_000);
    rmSync(log, { force: true });
    await parts?.stop();
  });

  /** What is to be paid, and the question that its form will ask: it is known before it is asked. */
  async function caseOf(one: { step: Step; what: 'bill' | 'number'; phone: string }): Promise<Case> {
    const made =
      one.what === 'bill'
        ? await parts.request('POST', 'payments/billpay', {
            body: { amount: toUnits(AMOUNT), payment_number: newKey(), description: 'Ada' },
          })
        : await parts.request('POST', 'payments/numbers', { body: { customer_reference: newKey() } });
    assert.equal(made.status, 200, made.text);
    const id = one.what === 'bill' ? made.json.transaction_id : made.json.number.id;
    const url = one.what === 'bill' ? made.json.pay_url : made.json.number.pay_url;
    const amount = one.what === 'bill' ? '' : String(toUnits(AMOUNT));
    const form = { once: newKey(), phone: `${one.phone}${endingAt(one.step)}`, network: '', amount };
    return { ...one, id, url, form, promptId: await promptIdOf(id, form) };
  }

  async function promptIdOf(id: string, typed: ToAsk['typed']): Promise<string> {
    const page = await findPage(parts.database, [id]);
    assert.ok(page);
    return transactionIdOf(parts.accountId, keyOf({ payable: page.payable, typed }));
  }

  for (const step of steps)
    for (const what of ['bill', 'number'] as const)
      if (what === 'bill' || !isOfCallback(step))
        it(`${step}: the money of a ${what} counts once, and its page says what happened`, async () => {
          const one = cases.find((candidate) => candidate.step === step && candidate.what === what);
          assert.ok(one);
          const struck = `stopped ${step} ${isOfCallback(step) ? one.id : one.promptId}`;
          assert.ok(readFileSync(log, 'utf8').split('\n').includes(struck), 'it was struck there');
          const said = await readPage(one.url);
          if (said.outcome === 'failed') assert.ok(unsent.includes(step), 'it had reached the phone');
          await assertPaidOnce(parts, one, said);
        }).timeout(90_000);

  it('leaves a ledger that adds up', async () => {
    assert.deepEqual(await checkInvariants(parts.database), []);
  });
});
