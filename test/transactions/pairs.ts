import type { Succeeded } from '../../src/domain/channel.ts';
import type { Action } from '../../src/operators/actions/actions.ts';
import { fundingActions } from '../../src/operators/actions/funding-actions.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { actionsWith } from '../support/actions.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { asRole, type TestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { ringOf } from '../support/key-rings.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { type Database, sqlOf } from '../support/queryable.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { bankAccount, importMoves, walletAccount } from '../support/statements-of-accounts.ts';
import { agree } from './agree.ts';

/** What is asked for, and what another one says; whole shillings. */
export const SHILLINGS = 50_000;
export const OTHER = 57_000;

/** A word about the money of one thing. `isOurs`: it names us, by our reference or control number. */
export type Word = {
  by: 'channel' | 'line' | 'people';
  receipt: string | null;
  isOurs: boolean;
  amount: number;
};
/** `isReleased`: two people gave the item of the first word to the merchant before the second was said. */
export type Pair = { first: Word; second: Word; isReleased: boolean };

export type Kind = {
  name: string;
  sign: 1 | -1;
  /** who says that it moved: an answer about our transaction, a door, or people who type the bank's number */
  told: 'answer' | 'door' | 'typed';
  /** it takes any amount, again and again */
  isStanding: boolean;
  /** a door's number that no bill has: its money is in suspense */
  isNobodys: boolean;
  isBank: boolean;
  /** our status when it has its money; null: it is no transaction before */
  status: string | null;
  begin(at: Place): Promise<Begun>;
};
/** `id`: the transaction whose end it is. */
type Begun = { id: string | null; reference: string; tell?: (word: Word) => Promise<unknown> };
type Place = { database: Database; merchant: Merchant; prefix: string };

/** Stands between whoever tells and Postgres. */
export type Hook = (database: Database) => Database;
const hooks = new WeakMap<Database, Hook>();
const hooked = (database: Database, role: 'api' | 'worker') =>
  (hooks.get(database) ?? ((its) => its))(asRole(database, role));
const worker = (database: Database) => hooked(database, 'worker');
const api = (database: Database) => hooked(database, 'api');

/** A transaction that its channel has. */
async function sent(
  { database, merchant }: Place,
  request: Parameters<typeof submissionFor>[1],
): Promise<Begun & { id: string }> {
  const submission = submissionFor(merchant, request);
  const { answer } = await accept(worker(database), submission);
  const id = submission.transactionId;
  const transaction = await getTransaction(database, id);
  if (!transaction) throw new Error(`refused: ${answer.body}`);
  await recordSend(worker(database), { transactionId: id, number: 1 });
  return { id, reference: transaction.reference };
}
/** Each asks a phone of its own: a page may ask one phone a few times only. */
let phones = 0;
function pushed(place: Place, pays?: string) {
  phones += 1;
  const phone = `25575${String(1_000_000 + phones)}`;
  return sent(place, { ...pushRequest(SHILLINGS, phone), ...(pays === undefined ? {} : { pays }) });
}

/** A bill of this merchant, or a number of its own. */
async function billOf({ database, merchant }: Place) {
  const submission = submissionFor(merchant, billRequest(SHILLINGS));
  await accept(worker(database), submission);
  const id = submission.transactionId;
  return { id, reference: await controlNumberOf(database, id) };
}
async function numberOf({ database, merchant }: Place, purpose: 'collect' | 'top_up' = 'collect') {
  const { id, controlNumber } = await makeNumber(database, merchant, { purpose });
  return { id, reference: controlNumber };
}
let numbers = 0;
/** A number that no bill has, another one each time. */
const nobodys = () => String(77_000_000 + ++numbers);
/** What a network tells at its door; a refusal would not give it back. */
const door =
  ({ database, prefix }: Place, number: string, channel = 'm-pesa') =>
  ({ receipt, amount }: Word) =>
    receiveBillPayment(
      api(database),
      paymentOf(number, amount, { channel, receipt: `${prefix}${receipt}`, refusalReturnsMoney: false }),
    );

/** Into the account whose statement shows it. */
const typed =
  (place: Place, name: string) =>
  ({ receipt, amount }: Word) =>
    agree(
      api(place.database),
      name,
      {
        account_id: place.merchant.accountId,
        amount: amount * 100,
        currency: 'TZS',
        reference: `${place.prefix}${receipt}`,
      },
      fundingActions(new Map([[place.prefix, bankAccount({ id: place.prefix })]])),
    );

/** It ends once, by what its channel says of it, into or out of a wallet. */
const paid = (name: string, begin: Kind['begin'], more: Partial<Kind> = {}): Kind => ({
  name,
  begin,
  sign: 1,
  status: 'completed',
  told: 'answer',
  isStanding: false,
  isNobodys: false,
  isBank: false,
  ...more,
});
const paidOut = (name: string, begin: Kind['begin'], more: Partial<Kind> = {}) =>
  paid(name, begin, { sign: -1, status: 'paid', ...more });

export const kinds: Kind[] = [
  paid('push', (place) => pushed(place)),
  paid('push of a page, of a bill', async (place) => pushed(place, (await billOf(place)).id)),
  paid('push of a page, of a number', async (place) => pushed(place, (await numberOf(place)).id)),
  paid(
    'bill at its door',
    async (place) => {
      const bill = await billOf(place);
      return { ...bill, tell: door(place, bill.reference) };
    },
    { told: 'door' },
  ),
  paid(
    'number at its door',
    async (place) => {
      const { reference } = await numberOf(place);
      return { id: null, reference, tell: door(place, reference) };
    },
    { told: 'door', isStanding: true, status: null },
  ),
  paid(
    'number of nobody at a door',
    async (place) => {
      const reference = nobodys();
      return { id: null, reference, tell: door(place, reference) };
    },
    { told: 'door', isStanding: true, isNobodys: true, status: null },
  ),
  paidOut('payout', (place) => sent(place, mobilePayoutRequest(SHILLINGS))),
  paidOut('bank payout', (place) => sent(place, bankPayoutRequest(SHILLINGS)), { isBank: true }),
  paidOut('refund', async (place) => {
    const { id } = await pushed(place);
    const result = succeeded(SHILLINGS, `${place.prefix}R0`);
    await tryToEnd(worker(place.database), id, { kind: 'answer', result });
    return sent(place, refundRequest(id));
  }),
  paidOut('payback', async (place) => {
    const { database, prefix } = place;
    await door(place, nobodys())({ by: 'channel', receipt: 'R0', isOurs: false, amount: SHILLINGS });
    const item = await itemOf(database, 'receipt = $1', `${prefix}R0`);
    const done = await agree(api(database), 'suspense.to-payer', item);
    if (!done?.begin) throw new Error('no payback');
    await recordSend(worker(database), { transactionId: done.begin, number: 1 });
    return { id: done.begin, reference: (await getTransaction(database, done.begin))?.reference ?? '' };
  }),
  paid(
    'top-up, and a number for it',
    async (place) => {
      const { reference } = await numberOf(place, 'top_up');
      const [people, channel] = [typed(place, 'accounts.top-up'), door(place, reference, 'bank')];
      const tell = (word: Word) => (word.by === 'people' ? people(word) : channel(word));
      return { id: null, reference, tell };
    },
    { told: 'typed', isStanding: true, isBank: true, status: null },
  ),
  paidOut(
    'withdrawal, and a bank payout',
    async (place) => {
      const its = await sent(place, bankPayoutRequest(SHILLINGS));
      const people = typed(place, 'accounts.withdraw');
      const tell = (word: Word) => (word.by === 'people' ? people(word) : answer(place, its.id, word));
      return { ...its, tell };
    },
    { told: 'typed', isBank: true },
  ),
];

const answer = ({ database, prefix }: Place, id: string, { amount, receipt }: Word) =>
  tryToEnd(worker(database), id, {
    kind: 'answer',
    result: succeeded(amount, receipt === null ? null : `${prefix}${receipt}`) as Succeeded,
  });

async function itemOf(database: Database, where: string, value: string) {
  const { rows } = await database.query(
    `SELECT id AS item, receipt, amount, currency, 'a test' AS note FROM suspense_items WHERE ${where} AND is_open`,
    [value],
  );
  if (rows.length !== 1) throw new Error(`${rows.length} items of ${value}`);
  return rows[0];
}

export type Books = { theirs: number; suspense: number; status: string | null };

/** Whole shillings: what networks and banks have for us, and what is in suspense. */
async function sumsOf(database: Database) {
  const rows = await sqlOf(
    database,
  )`SELECT coalesce(-sum(e.amount) FILTER (WHERE a.kind IN ('clearing', 'settlement')), 0)::bigint AS theirs,
       coalesce(sum(e.amount) FILTER (WHERE a.kind = 'suspense'), 0)::bigint AS suspense
     FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id`;
  return { theirs: rows[0].theirs / 100, suspense: rows[0].suspense / 100 };
}

/** Says the first word (or releases its item), and perhaps the second while it does; the hook is on whoever tells from then on. False: it was not said. */
export type Telling = (of: {
  first: () => Promise<unknown>;
  second: () => Promise<unknown>;
  hook: (one: Hook | null) => void;
}) => Promise<boolean>;

/** Says both, each of a channel twice, and reads what the books have of it then. `prefix`: of its receipts. */
export async function tellPair(
  { database }: Pick<TestDatabase, 'database'>,
  kind: Kind,
  {
    pair: { first, second, isReleased },
    prefix,
    isVoided = false,
  }: { pair: Pair; prefix: string; isVoided?: boolean },
  telling: Telling = ({ first }) => first().then(() => false),
): Promise<Books> {
  const merchant = await createMerchant(database, { balance: 1_000_000 });
  const place = { database, merchant, prefix };
  const begun = await kind.begin(place);
  const before = await sumsOf(database);
  // Each has a statement of its own: its lines are those of one account.
  const account: AccountInUse = (kind.isBank ? bankAccount : walletAccount)({ graceMs: 1, id: prefix });
  let isDecided = false;
  // Told again, it is the same line.
  const at = new Date(Date.now() - 60_000);
  const tell = async (word: Word) => {
    const { by, receipt, isOurs, amount } = word;
    if (by === 'line') {
      const its = receipt === null ? null : `${prefix}${receipt}`;
      const move = {
        at,
        receipt: its,
        amount: kind.sign * amount,
        reference: isOurs ? begun.reference : null,
        kind: kind.sign > 0 ? 'payment' : 'payout',
      } as const;
      await importMoves(api(database), account, [move]);
    } else if (begun.tell) await begun.tell(word);
    else if (begun.id !== null && by === 'channel') await answer(place, begun.id, word);
    else if (begun.id !== null) {
      if (!isDecided) await plantDecision(database, begun.id, 'paid');
      isDecided = true;
      await tryToEnd(worker(database), begun.id, { kind: 'notifications' });
    }
  };
  const hook = (one: Hook | null) => (one === null ? hooks.delete(database) : hooks.set(database, one));
  let release: (() => Promise<unknown>) | null = null;
  if (isReleased) {
    await tell(first);
    const its =
      'transfer_id IN (SELECT t.id FROM transfers t JOIN statement_lines l ON l.id = t.line_id WHERE l.account = $1)';
    const item = { ...(await itemOf(database, its, prefix)), account_id: merchant.accountId };
    release = () => agree(api(database), 'suspense.to-merchant', item);
    if (isVoided) {
      const { rows } = await database.query('SELECT id AS statement FROM statements WHERE account = $1', [
        prefix,
      ]);
      const known = actionsWith(ringOf(), 'test', new Map([[prefix, account]])) as Record<string, Action>;
      release = () => agree(api(database), 'statements.void', { ...rows[0], note: 'a test' }, known);
    }
  }
  const isSaid = await telling({ first: release ?? (() => tell(first)), second: () => tell(second), hook });
  if (!isSaid) await tell(second);
  if (second.by === 'channel') await tell(second);
  await matchAgain(worker(database), account);
  if (first.by === 'channel') await tell(first);
  const after = await sumsOf(database);
  const status = begun.id === null ? null : (await getTransaction(database, begun.id))?.status;
  const [theirs, suspense] = [after.theirs - before.theirs, after.suspense - before.suspense];
  return { theirs, suspense, status: status ?? null };
}
