// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { useTestDatabase } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { notify } from '../support/handed-over.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { withdraw } from '../support/withdraw.ts';
import { assertAddsUp, wholeStatement } from './statement-support.ts';

/** What writes lines: each is run again until it is known to have worked, as its callers do. */
type Writing = (database: Database) => Promise<unknown>;
/** [type, amount in TZS] */
type Line = [string, number];

const test = useTestDatabase();
let merchant: Merchant;
before(async () => {
  merchant = await createMerchant(test.database, { balance: 100_000_000 });
});

const linesAfter = async (line: number) => {
  const statement = await wholeStatement(test.database, merchant.accountId);
  assertAddsUp(statement);
  return statement.lines.slice(line).map(({ type, amount }): Line => [type, amount / 100]);
};
const lineCount = async () => (await wholeStatement(test.database, merchant.accountId)).lastLine;

const funding = (amount: number) => ({
  accountId: merchant.accountId,
  amount: minor(amount * 100),
  actor: 'test',
  dedupeKey: randomUUID(),
});

async function accepted(request: Parameters<typeof submissionFor>[1]): Promise<string> {
  const submission = submissionFor(merchant, request);
  await accept(test.database, submission);
  return submission.transactionId;
}

const writings: Record<string, { lines: Line[]; prepare: () => Promise<Writing> }> = {
  'a top-up': {
    lines: [['top_up', 700]],
    prepare: async () => {
      const money = funding(700);
      return (database) => topUp(database, money);
    },
  },
  'a withdrawal': {
    lines: [['withdrawal', -300]],
    prepare: async () => {
      const money = funding(300);
      return (database) => withdraw(database, money);
    },
  },
  'a payout that is accepted': {
    lines: [
      ['payout', -50_000],
      ['fee', -1_000],
    ],
    prepare: async () => {
      const submission = submissionFor(merchant, mobilePayoutRequest(50_000));
      return (database) => accept(database, submission);
    },
  },
  'a payout that fails': {
    lines: [
      ['payout_reversal', 50_000],
      ['fee', 1_000],
    ],
    prepare: async () => {
      const id = await accepted(mobilePayoutRequest(50_000));
      const result = { kind: 'failed', code: 'network_error', channelReference: null } as const;
      return (database) => tryToEnd(database, id, { kind: 'answer', result });
    },
  },
  'a payout that is paid': {
    lines: [],
    prepare: async () => {
      const id = await accepted(mobilePayoutRequest(50_000));
      return (database) => tryToEnd(database, id, { kind: 'answer', result: succeeded(50_000, id) });
    },
  },
  'a payout that a bank returns': {
    lines: [['return', 400_000]],
    prepare: async () => {
      const id = await accepted(bankPayoutRequest(400_000));
      await tryToEnd(test.database, id, { kind: 'answer', result: succeeded(400_000, id) });
      const money = { amount: minor(40_000_000), currency: 'TZS', channelReference: null };
      return (database) =>
        notify(database, id, { kind: 'returned', reason: 'AC04', ...money }, { eventKey: `return-${id}` });
    },
  },
  'a push that is paid': {
    lines: [
      ['payment', 5_000],
      ['fee', -100],
    ],
    prepare: async () => {
      const id = await accepted(pushRequest(5_000));
      return (database) => tryToEnd(database, id, { kind: 'answer', result: succeeded(5_000, id) });
    },
  },
  'a payment of a bill': {
    lines: [
      ['payment', 25_000],
      ['fee', -375],
    ],
    prepare: async () => {
      const number = await controlNumberOf(test.database, await accepted(billRequest(25_000)));
      const payment = paymentOf(number, 25_000);
      return (database) => receiveBillPayment(database, payment);
    },
  },
};

describe('the lines of a statement, where the connection breaks at any statement', () => {
  for (const [name, { lines, prepare }] of Object.entries(writings)) {
    for (const answerLost of [false, true]) {
      it(`${name}: all or none, and once when it is run again (${answerLost ? 'after' : 'before'} the statement)`, async function () {
        this.timeout(60_000);
        const seen: string[] = [];
        for (let at = 1; ; at += 1) {
          const write = await prepare();
          const before = await lineCount();
          const failing = failingDatabase(test.database, { at, answerLost });
          const isBroken = await write(failing.database).then(
            () => false,
            (error) => {
              assert.ok(error instanceof ConnectionLost, String(error?.stack));
              return true;
            },
          );
          const written = await linesAfter(before);
          seen.push(written.length === 0 ? 'none' : 'all');
          assert.deepEqual(written, written.length === 0 ? [] : lines, `broken at ${at}`);
          await write(test.database);
          await write(test.database);
          assert.deepEqual(await linesAfter(before), lines, `broken at ${at}, then run again`);
          if (!isBroken) break;
        }
        assert.ok(seen.length > 4, `${seen.length - 1} statements`);
        // Only the answer to COMMIT can be lost when it has happened; the last run broke nowhere.
        if (lines.length > 0)
          assert.equal(seen.indexOf('all'), seen.length - (answerLost ? 2 : 1), seen.join());
      });
    }
  }

  after(async () => assert.deepEqual(await checkInvariants(test.database), []));
});
