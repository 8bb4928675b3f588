import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { channelsFile } from '../../sandbox/local/channels.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { kinds } from '../support/gateway.ts';
import { startParts } from '../support/parts.ts';
import { batches, batchStarts, dailySettlements, settlements } from './crash-batches.ts';
import { prompts } from './crash-prompts.ts';
import {
  paybacks,
  payoutTo,
  pushTo,
  refundTo,
  sending,
  transactions,
  unsent as unsentSteps,
} from './crash-transactions.ts';
import { createCrashes, type Death, type Flow } from './crashes.ts';

/** Selcom prints no code for a repeated or an unknown reference, so nothing is ever sent to it twice. */
const unsent = 'for a person';
const push = transactions('push', kinds.push);
const mobile = transactions('mobile payout', kinds['mobile payout']);
const bank = transactions('bank payout', kinds['bank payout']);
const refund = transactions('refund', refundTo('0754', 'm-pesa'));
const ownProtocols = [
  transactions('push over Airtel', pushTo('0784'), sending),
  transactions('payout over Airtel', payoutTo('0784'), sending),
  transactions('push over Selcom', { ...pushTo('0654'), unsent }, sending),
  transactions('payout over Selcom', { ...payoutTo('0654'), unsent }, sending),
  transactions('refund over Selcom', { ...refundTo('0654', 'tigo-pesa'), unsent }, sending),
];

/** What dies, while each of these is at each of its steps. */
const rounds: [death: Death, flows: Flow[]][] = [
  ['the worker dies', [push, mobile, bank, refund, paybacks]],
  ['the worker dies', ownProtocols],
  ['the worker dies', [batches, settlements, dailySettlements]],
  ['the API and the worker die', [prompts('bill'), prompts('number')]],
  ['the API dies', [batchStarts]],
  ['the API and the worker die', [batchStarts]],
  ['Temporal dies', [push, mobile]],
  // That is what a Postgres that dies and comes back is to us. kills.test.ts kills it.
  ['Postgres drops all connections', [push, mobile]],
  ['the worker freezes', [mobile, bank].map((flow) => ({ ...flow, steps: unsentSteps }))],
];

/** Everything over GSMA, but Airtel Money over Airtel's protocol and Tigo Pesa over Selcom. */
function mixedChannels() {
  const [mixed, own] = (['gsma', 'own'] as const).map((name) =>
    JSON.parse(readFileSync(channelsFile(name), 'utf8')),
  );
  // Its account would show the receipts of two number spaces.
  delete mixed.statementAccounts['airtel-money'];
  for (const name of ['airtel-money', 'selcom']) mixed.connections[name] = own.connections[name];
  Object.assign(mixed.networks['airtel-money'], { payments: 'airtel-money', payouts: 'airtel-money' });
  Object.assign(mixed.networks['tigo-pesa'], { payments: 'selcom', payouts: 'selcom' });
  return mixed;
}

describe('one Malipo that is struck between any two steps', () => {
  const file = path.join(os.tmpdir(), `malipo-crashes-${process.pid}.json`);
  let parts: Awaited<ReturnType<typeof startParts>>;
  let crashes: Awaited<ReturnType<typeof createCrashes>>;
  before(async function () {
    this.timeout(180_000);
    writeFileSync(file, JSON.stringify(mixedChannels()));
    parts = await startParts({ CHANNELS_FILE: file });
    crashes = await createCrashes(parts);
  });
  after(async function () {
    this.timeout(30_000);
    rmSync(file, { force: true });
    await crashes?.stop();
  });

  for (const [index, [death, flows]] of rounds.entries())
    describe(`round ${index + 1}:`, () => {
      const rows = flows.flatMap((flow) => flow.steps.map((step) => ({ flow, step })));
      let assertRight: Awaited<ReturnType<typeof crashes.strike>>;
      before(async function () {
        this.timeout(400_000);
        assertRight = await crashes.strike(death, rows);
      });
      for (const { flow, step } of rows)
        it(`${death} ${step}: a ${flow.what} ${flow.fact(step)}`, () => assertRight({ flow, step })).timeout(
          240_000,
        );
    });

  // A describe, because mocha runs what stands beside others before them.
  describe('after all rounds', () => {
    it('leaves a ledger that adds up, and nothing on its way but what waits for a person', async () => {
      assert.deepEqual(await checkInvariants(parts.database), []);
      const { rows } = await parts.database.query(
        `SELECT (SELECT sum(e.amount)::int FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
           WHERE a.kind = 'payable') AS payable,
           count(*)::int AS holds FROM holds h JOIN transactions t ON t.id = h.transaction_id
         WHERE NOT EXISTS (SELECT FROM hold_resolutions r WHERE r.transaction_id = h.transaction_id)`,
      );
      // A payout and a refund over Selcom, each at the two steps with a recorded send.
      assert.deepEqual(rows, [{ payable: 0, holds: 4 }]);
    });
  });
});
