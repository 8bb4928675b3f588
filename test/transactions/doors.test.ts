import assert from 'node:assert/strict';
import { makeControlNumber } from '../../src/domain/control-number.ts';
import { billLimits } from '../../src/domain/network.ts';
import { isBilled } from '../../src/domain/transaction.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { setNumberStatus } from '../../src/transactions/rows/number-store.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { controlNumberOf, endTimeOf, expireBill, paymentOf } from '../support/bill-customer.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { accepted } from '../support/handed-over.ts';
import { billRequest } from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { pick } from '../support/pick.ts';
import type { Database } from '../support/queryable.ts';
import { listAttention } from '../support/unexplained.ts';

/**
 * A story says word by word what networks tell a door of one number, and behind `=` how it answers:
 *
 * - `ask:R1:25000@juma`: a network asks before it collects. `pay:R1:25000:TZS@juma`: it has collected, and gives back what is
 *   refused; `keep`: it cannot. What is left out is as here, but that asha pays; `@-` is nobody whom it names, `_` a space.
 * - `cancel`, `!cancel`: its merchant does, or may not. `expire`: its flow ends it at its time. `over`: its time is over.
 *   `unclaimed`: the time of every claim is. `close`, `open`: its merchant does that to a number.
 *
 * Whatever a network has collected is told by a process that dies before its commit, then told, and told again: the first and
 * the last change nothing.
 *
 * The end, in this order: the status of a bill; `paid`, `suspense`: in shillings or with their currency, nothing where they are
 * not named; `asks`: what people are asked. A second text ends the first question.
 */
const ASKED = 25_000;
const MOST = billLimits.maximum / 100;
const PAYERS: Record<string, string | null> = { asha: '255754123456', juma: '255784555666', '-': null };
const stories: Record<string, string | [end: string, says: string]> = {
  // An exact bill is kept for who is asked first, for as long as the claim lives.
  'exact: ask:R1=accepted ask:R2=accepted ask:R3@juma=in_progress unclaimed ask:R3@juma=accepted': 'pending',
  'exact: ask:R1@-=accepted ask:R2@-=in_progress': 'pending',
  'exact: ask:R1@juma=accepted pay:R2=in_progress unclaimed pay:R2=in_progress': 'pending',
  'exact: ask:R1@juma=accepted keep:R2=accepted pay:R1@juma=bill_closed': 'completed, paid 25000',
  'exact: ask:R1@-=accepted pay:R1=accepted': 'completed, paid 25000',
  'exact: ask:R1=accepted pay:R1@-=accepted': 'completed, paid 25000',
  'exact: ask:R1=accepted ask:R2=accepted pay:R1@-=accepted': 'completed, paid 25000',
  'exact: ask:R1=accepted !cancel unclaimed cancel': 'cancelled',
  // A flexible one is kept from nobody, its merchant included, until somebody has paid.
  'flexible: ask:R1:5000=accepted ask:R2:5000@juma=accepted ask:R3:5000@-=accepted cancel': 'cancelled',
  'flexible: pay:R1:5000=accepted !cancel': 'pending, paid 5000',
  // It comes too late, or is not what was asked for.
  'exact: cancel pay:R1=bill_closed': 'cancelled',
  'exact: cancel keep:R1=suspended': 'cancelled, suspense 25000, asks unexpected_payment',
  'exact: expire pay:R1=bill_closed': 'failed',
  'exact: expire keep:R1=suspended': 'failed, suspense 25000, asks unexpected_payment',
  'exact: pay:R1@juma=accepted pay:R2=bill_closed': 'completed, paid 25000',
  'exact: pay:R1@juma=accepted keep:R2=suspended':
    'completed, paid 25000, suspense 25000, asks unexpected_payment',
  'exact: over ask:R1=bill_closed pay:R1=bill_closed': 'pending',
  'exact: keep:R1:24000=suspended': ['pending, suspense 24000, asks unexpected_payment', ': amount_too_low'],
  'exact: keep:R1:25000:USD=suspended': 'pending, suspense 25000 USD, asks unexpected_payment',
  [`exact: pay:R1:${MOST}=amount_too_high pay:R2:${MOST + 0.01}=suspended`]: [
    `pending, suspense ${MOST + 0.01}, asks unexpected_payment`,
    ': amount_too_high',
  ],
  'flexible: pay:R1:5000=accepted pay:R1:5000:USD=suspended pay:R1:5000=repeated':
    'pending, paid 5000, suspense 5000 USD, asks receipt_mismatch unexpected_payment',
  // Nobody has this number, or it is none.
  'nobody: ask:R1=unknown_reference pay:R1=unknown_reference': 'pending',
  'mistyped: ask:R1=unknown_reference pay:R1=unknown_reference': 'pending',
  'mistyped: keep:R1:700=suspended': 'pending, suspense 700, asks unexpected_payment',
  'nobody: keep:R1=suspended keep:R1:24000=suspended':
    'pending, suspense 25000 24000, asks receipt_mismatch unexpected_payment unexpected_payment',
  // A number is paid again and again, within its bounds and while it is open.
  'number: pay:ABC123:5000=accepted pay:abc123:5000=repeated pay:ABC_123:5000=repeated': 'paid 5000',
  'bounded: pay:R1:999.99=amount_too_low pay:R2:2000.01=amount_too_high pay:R3:1000=accepted': 'paid 1000',
  'bounded: pay:R1:1000=accepted close pay:R2:1000=bill_closed open pay:R3:2000=accepted': 'paid 3000',
  'number: close keep:R1:5000=suspended': 'suspense 5000, asks unexpected_payment',
};

const kinds = {
  exact: (db: Database) => billOf(db, 'exact'),
  flexible: (db: Database) => billOf(db, 'flexible'),
  number: (db: Database) => numberOf(db, {}),
  bounded: (db: Database) => numberOf(db, { minimum: 1_000, maximum: 2_000 }),
  nobody: (db: Database) => nobodys(db, makeControlNumber('77', 999_999_999)),
  mistyped: (db: Database) => nobodys(db, null),
};
type Begun = { id: string; accountId: string; number: string | null };

async function billOf(database: Database, mode: 'exact' | 'flexible'): Promise<Begun> {
  const { id, merchant } = await accepted(database, billRequest(ASKED, { mode }), { balance: 0 });
  return { id, accountId: merchant.accountId, number: await controlNumberOf(database, id) };
}
async function numberOf(database: Database, bounds: { minimum?: number; maximum?: number }): Promise<Begun> {
  const { merchant } = await accepted(database, billRequest(), { balance: 0 });
  const { id, controlNumber: number } = await makeNumber(database, merchant, bounds);
  return { id, accountId: merchant.accountId, number };
}
const nobodys = async (database: Database, number: string | null): Promise<Begun> => ({
  ...(await billOf(database, 'exact')),
  number,
});

describe('what a door of bills answers, and what comes of it', () => {
  const test = useTestDatabase({ each: true });
  const door = () => asRole(test.database, 'api');
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const books = async () => [
    await test.sql`SELECT t.status, t.event, b.paid, b.payments FROM transactions t LEFT JOIN bills b ON b.transaction_id = t.id`,
    await test.sql`SELECT (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM callback_events) AS events,
        (SELECT count(*) FROM suspense_items) AS items, (SELECT count(*) FROM attention) AS asks`,
  ];
  const dying = (database: Database) =>
    beforeStatements(database, async (_on, text) => {
      if (text === 'COMMIT') throw new Error('it dies');
    });

  async function tellOnce(payment: ReturnType<typeof paymentOf>, wanted: string) {
    const before = await books();
    await assert.rejects(receiveBillPayment(dying(door()), payment), /it dies/);
    assert.deepEqual(await books(), before, 'it died');
    assert.equal(saidOf(await receiveBillPayment(door(), payment)), wanted);
    const after = await books();
    const again = wanted === 'accepted' ? 'repeated' : wanted;
    assert.equal(saidOf(await receiveBillPayment(door(), payment)), again, 'told again');
    assert.deepEqual(await books(), after, 'told again');
  }
  const saidOf = (answer: { outcome: string; reason?: string }) => answer.reason ?? answer.outcome;

  /** What its merchant, its flow or the time does to it. */
  async function change(word: string, { id, accountId }: Begun) {
    if (word === 'over') return endTimeOf(test.database, id);
    if (word === 'expire') return expireBill(test.database, id);
    if (word === 'unclaimed') return test.sql`UPDATE bills SET claimed_until = now() - interval '1 second'`;
    if (word === 'close') return setNumberStatus(door(), { id, accountId, status: 'closed' });
    if (word === 'open') return setNumberStatus(door(), { id, accountId, status: 'open' });
    const { status } = await tryToEnd(test.database, id, { kind: 'cancel' });
    return assert.equal(status, { cancel: 'cancelled', '!cancel': 'pending' }[word], word);
  }

  async function hear(word: string, { number }: Begun) {
    const [, verb, args = '', payer = 'asha', wanted = ''] =
      /^(\w+):([^@=]*)(?:@([^=]+))?=(\w+)$/.exec(word) ?? [];
    const [receipt = '', amount = `${ASKED}`, currency = 'TZS'] = args.split(':');
    const payment = paymentOf(number ?? '770000000048', Number(amount), {
      receipt: receipt.replaceAll('_', ' '),
      controlNumber: number,
      currency,
      msisdn: PAYERS[payer] ?? null,
      refusalReturnsMoney: verb !== 'keep',
    });
    if (verb === 'ask') assert.equal(saidOf(await validateBillPayment(door(), payment)), wanted, word);
    else await tellOnce(payment, wanted);
  }

  for (const [told, ends] of Object.entries(stories)) {
    const [end, says] = [ends].flat();
    it(`${told} is ${end}`, async () => {
      const [kind, story] = told.split(': ') as [keyof typeof kinds, string];
      const begun = await kinds[kind](test.database);
      const words = story.split(' ');
      for (const word of words) await (word.includes('=') ? hear(word, begun) : change(word, begun));

      const bill = await getTransaction(test.database, begun.id);
      const status = bill && isBilled(bill) ? bill.status : null;
      const { current } = await balanceOf(test.database, begun.accountId, 'TZS');
      const items =
        await test.sql`SELECT amount, currency FROM suspense_items WHERE is_open ORDER BY created_at, id`;
      const suspense = items.map(({ amount, currency }) =>
        currency === 'TZS' ? amount / 100 : `${amount / 100} ${currency}`,
      );
      const asked = await listAttention(test.database);
      const asks = asked.map(({ reason }) => reason).sort();
      const parts = [
        status,
        // 1.5 % is the fee.
        current !== 0 && `paid ${current / 98.5}`,
        suspense.length > 0 && `suspense ${suspense.join(' ')}`,
        asks.length > 0 && `asks ${asks.join(' ')}`,
      ];
      assert.equal(parts.filter(Boolean).join(', '), end);
      if (says) assert.ok(asked[0]?.detail.endsWith(says), asked[0]?.detail);
      const events = pick(await test.sql`SELECT event FROM callback_events ORDER BY sequence`, 'event');
      const received = words.filter((word) => word.endsWith('=accepted') && !word.startsWith('ask'));
      const ended = status === 'failed' || status === 'cancelled' ? ['payment.failed'] : [];
      assert.deepEqual(events, [...received.map(() => 'payment.received'), ...ended]);
    });
  }
});
