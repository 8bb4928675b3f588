import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Failed, Notification, Succeeded } from '../../src/domain/channel.ts';
import type { Cause } from '../../src/domain/ending.ts';
import { kinds } from '../../src/domain/kinds.ts';
import { formatMoney, minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { correctOurs } from '../../src/reconciliation/correct-ours.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { voidStatement } from '../../src/reconciliation/void.ts';
import { noteEnquiry } from '../../src/transactions/channel/enquiries.ts';
import {
  closeSendsAsNotFound,
  recordSend,
  recordSendOutcome,
  type SendOutcome,
  sendHistory,
} from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { actions } from '../support/actions.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { asRole } from '../support/database.ts';
import { getDecision, plantDecision, plantProposal } from '../support/decision.ts';
import { accepted, notify, type Started } from '../support/handed-over.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { bankAccount, importMoves, type Move, walletAccount } from '../support/statements-of-accounts.ts';
import { attentionOf } from '../support/unexplained.ts';
import { carryOut } from './agree.ts';
import { booksOf, movementsOf } from './books.ts';

/**
 * A story says word by word what is told of one transaction of 50,000 TZS, and by which way:
 *
 * - `success:R1:50000:TZS`, `failure:network_error`: its channel answers a send or an enquiry so; what is left out is as here,
 *   `-` is no receipt, `_` a space in one.
 * - `~success`, `~failure`, `~pending`, `~back:V1:50000:TZS`: its channel tells the door so. `?success`: it does, of more than a
 *   proof alone may move. `()`: its flow reads what lies there.
 * - `cancel`, `unsent`, `never_arrived`, `unanswered`: its flow wants to end it so; `never_arrived:after`: it asked since people decided.
 * - `new`: nothing has left us; otherwise the first send is recorded before. `send`: the next one is. `sent:accepted:A1`: what
 *   the last one is known to be. `closed:1`: those up to this number were not found. `not_found`, `taken`: an enquiry says so.
 * - `decided:paid`: two people say so. `released:R1`: they give that item to the merchant; `released:R1:V1`: they say that
 *   the channel's V1 took it back. `corrected`: they say that its channel never moved it.
 * - `line:R1:50000:ours`: a statement has a line that names us; `:return`, `:reversal`: one that names R1;
 *   `:return:ours`: one that names us. `void`: that statement is.
 * - `!word`: it is refused. `|`: the same begins for another transaction, `| @other` over another connection; the
 *   end is that one's.
 *
 * What tells dies before its commit, runs, and runs again: the first and the last change nothing.
 *
 * The end, in this order: the status, with the code of a failure that is not network_error; `receipt`; `came back`; `suspense`:
 * the open items, oldest first, in shillings or with their currency; `asks`: what people are asked about it; `answer` of the
 * channel to what people decided, and whether it was they who ended it, `by people`; `door`: what became of what its door was
 * told; `moved`: the movements at channels as books.ts writes them. Where the end does not name it, nothing is in suspense,
 * nobody is asked and it did not come back; receipt, answer, people, door and moved are looked at only where they are named.
 * A second text is in one of the sentences that people read, of a question or an item.
 */
export type Stories = Record<string, string | [end: string, says: string]>;
type Mode = keyof typeof requests;

const ASKED = 50_000;
const OPENING = 1_000_000;
const requests = {
  ussd: () => pushRequest(ASKED),
  mobile: () => mobilePayoutRequest(ASKED),
  bank: () => bankPayoutRequest(ASKED),
};

type Teller = Started & { mode: Mode; shown: Move[]; statement?: string; told: string[]; given: number };

/** `told`: `mobile: failure ~success`. */
export async function tellStory(database: Database, told: string, ends: Stories[string]): Promise<void> {
  const [mode, story] = told.split(': ') as [Mode, string];
  const tellers: Teller[] = [];
  for (const part of story.split(' | ')) {
    const words = part.split(' ');
    const elsewhere = words[0]?.startsWith('@') ? { connection: words.shift()?.slice(1) ?? '' } : {};
    const request = { ...requests[mode](), ...elsewhere };
    const one = await accepted(database, request, { balance: OPENING });
    const teller = { ...one, mode, shown: [], told: [], given: 0 };
    tellers.push(teller);
    if (words[0] === 'new') words.shift();
    else await recordSend(database, { transactionId: one.id, number: 1 });
    for (const word of words) await tellWord(database, teller, word);
  }
  for (const account of Object.values(accounts)) await matchAgain(asRole(database, 'worker'), account);
  for (const [at, teller] of tellers.entries()) await checkMoney(database, teller, at === tellers.length - 1);
  const last = tellers.at(-1);
  assert.ok(last);
  const [end, says] = [ends].flat();
  await checkEnd(database, last, end ?? '');
  if (says) await checkSaid(database, last, says);
}

async function tellWord(database: Database, teller: Teller, word: string): Promise<void> {
  const isRefused = word.startsWith('!');
  const isAtDoor = /^[~?]/.test(word);
  const [verb = '', ...args] = word.replace(/^[!~?]/, '').split(':');
  if (isAtDoor) await tellDoor(database, teller, contentOf(teller.mode, verb, args), word.startsWith('?'));
  else if (verb in people) {
    const done = people[verb]?.(database, teller, args);
    await (isRefused ? assert.rejects(done ?? Promise.resolve(), /is the receipt of/) : done);
  } else if (verb in sending)
    assert.equal(await sending[verb]?.(database, teller.id, args), !isRefused, word);
  else await endOnce(database, teller, causeOf(teller.mode, verb, args));
}

/** It changes something once, however often it runs, and nothing where it dies. */
async function once(
  database: Database,
  { teller, role }: { teller: Teller; role: 'api' | 'worker' },
  run: (its: Database) => Promise<unknown>,
) {
  const its = asRole(database, role);
  const before = await booksOf(database, teller.id);
  await assert.rejects(run(dying(its)), /it dies/);
  assert.deepEqual(await booksOf(database, teller.id), before, 'it died');
  await run(its);
  const after = await booksOf(database, teller.id);
  await run(its);
  assert.deepEqual(await booksOf(database, teller.id), after, 'it ran twice');
}

/** Its flow goes on asking for as long as people alone have ended it. */
const endOnce = (database: Database, teller: Teller, cause: Cause) =>
  once(database, { teller, role: 'worker' }, async (its) => {
    const { unconfirmed } = await tryToEnd(its, teller.id, cause);
    const { appliedAt = null, answer } = (await getDecision(database, teller.id)) ?? {};
    assert.equal(unconfirmed, appliedAt !== null && answer === null);
  });

/** The same message again, and another one that says the same: of a return that is another return. */
async function tellDoor(
  database: Database,
  teller: Teller,
  content: Notification['content'],
  isTooMuch: boolean,
) {
  const [api, eventKey] = [asRole(database, 'api'), randomUUID()];
  const how = { confirmAbove: isTooMuch ? minor(1) : null };
  const tell = (its: Database) => notify(its, teller.id, content, { ...how, eventKey });
  await once(database, { teller, role: 'api' }, tell);
  assert.equal((await tell(api)).outcome, 'duplicate');
  teller.told.push(eventKey);
  if (content.kind === 'returned') return;
  const told = await booksOf(database, teller.id);
  await notify(api, teller.id, content, how);
  assert.deepEqual(await booksOf(database, teller.id), told, 'it was told anew');
}

/** Every transaction breaks before it commits. */
const dying = (database: Database) =>
  beforeStatements(database, async (_on, text) => {
    if (text === 'COMMIT') throw new Error('it dies');
  });

function causeOf(mode: Mode, verb: string, args: string[]): Cause {
  switch (verb) {
    case '()':
      return { kind: 'notifications' };
    case 'cancel':
    case 'unsent':
    case 'unanswered':
      return { kind: verb };
    case 'never_arrived':
      return { kind: verb, ...(args[0] === 'after' && { afterDecision: true }) };
    default:
      return { kind: 'answer', result: contentOf(mode, verb, args) as Succeeded | Failed };
  }
}

function contentOf(mode: Mode, verb: string, [name, amount = `${ASKED}`, currency = 'TZS']: string[]) {
  const money = { amount: minor(Number(amount) * 100), currency };
  const channelReference = receiptOf(name ?? (verb === 'back' ? 'V1' : 'R1'));
  // Banks say that money came back only of what they moved.
  const orFailed = { ussd: 'reversed', mobile: 'network_error', bank: undefined }[mode];
  const contents: Record<string, object> = {
    success: { kind: 'succeeded', ...money, channelReference, fullName: null },
    failure: { kind: 'failed', code: name ?? 'network_error', channelReference: null },
    pending: { kind: 'pending' },
    back: { kind: 'returned', ...money, reason: 'AC04', channelReference, ...(orFailed && { orFailed }) },
  };
  const content = contents[verb];
  assert.ok(content, verb);
  return content as Notification['content'];
}

const receiptOf = (name: string) => (name === '-' ? null : name.replaceAll('_', ' '));

/** Each says whether it is granted, or holds. */
const sending: Record<string, (db: Database, id: string, args: string[]) => Promise<boolean>> = {
  async send(database, transactionId) {
    const { last } = await sendHistory(database, transactionId);
    return (await recordSend(database, { transactionId, number: last + 1 })).granted;
  },
  async sent(database, transactionId, [outcome, channelReference = null]) {
    const { last: number } = await sendHistory(database, transactionId);
    const answer = { transactionId, number, outcome: outcome as SendOutcome, channelReference };
    return recordSendOutcome(database, answer);
  },
  async closed(database, transactionId, [upTo]) {
    await closeSendsAsNotFound(database, { transactionId, upTo: Number(upTo) });
    return true;
  },
  not_found: (database, id) => isNotedAs(database, id, 'not_found'),
  taken: async (database, id) => !(await isNotedAs(database, id, 'accepted')),
};

async function isNotedAs(database: Database, transactionId: string, said: 'accepted' | 'not_found') {
  const at = new Date().toISOString();
  return (await noteEnquiry(database, { transactionId, said, at, nextAt: at })) !== null;
}

const accounts = { wallet: walletAccount({ graceMs: 1 }), bank: bankAccount({ graceMs: 1 }) };

const people: Record<string, (db: Database, teller: Teller, args: string[]) => Promise<void>> = {
  decided: (database, { id }, [outcome]) => plantDecision(database, id, outcome as 'paid' | 'failed'),
  /** Each file is of the whole day. */
  async line(database, teller, [name = '-', amount, what = 'nobody', of = 'R1']) {
    const { mode, shown, reference } = teller;
    const at = new Date(Date.now() - 60_000 + shown.length);
    const move = { at, receipt: receiptOf(name), amount: Number(amount) };
    if (what === 'return' || what === 'reversal')
      shown.push({ ...move, kind: what, names: [of === 'ours' ? reference : of] });
    else shown.push({ ...move, reference: what === 'ours' ? reference : null });
    const account = mode === 'bank' ? accounts.bank : accounts.wallet;
    teller.statement = (await importMoves(asRole(database, 'api'), account, shown)).id;
  },
  async void(database, { shown, statement = '' }) {
    const agreed = await agreedOn(database, 'statements.void');
    await inTransaction(asRole(database, 'api'), (db) => voidStatement(db, statement, agreed));
    shown.length = 0;
  },
  async corrected(database, { id }) {
    const entries = 'SELECT entry_id FROM movement_entries WHERE transaction_id = $1';
    const [{ entry_id: entry }] = (await database.query(entries, [id])).rows;
    const asked = { entry, group: [accounts.wallet], agreed: await agreedOn(database, 'lines.ours') };
    const correct = () => inTransaction(asRole(database, 'api'), (db) => correctOurs(db, asked));
    assert.deepEqual([await correct(), await correct()], [true, false]);
  },
  async released(database, teller, [name = '-', back]) {
    const { rows } = await database.query(
      'SELECT id, receipt, amount, currency FROM suspense_items WHERE receipt = coalesce($1, receipt)',
      [receiptOf(name)],
    );
    const { id: item, ...money } = rows[0];
    const to = back ? { return_receipt: back } : { account_id: teller.merchant.accountId };
    const way = back ? 'suspense.given-back' : 'suspense.to-merchant';
    const action = actions[way];
    assert.ok(action);
    const payload = { item, ...money, note: 'a test', ...to };
    const proposalId = await plantProposal(database, way);
    await inTransaction(asRole(database, 'api'), (db) => carryOut(db, { action, payload, proposalId }));
    if (!back) teller.given += money.amount;
  },
};

const agreedOn = async (database: Database, action: string) => ({
  proposalId: await plantProposal(database, action),
  note: 'a test',
});

/** What the merchant has, what we earned and what it is told follow from the end alone. */
async function checkMoney(database: Database, { id, mode, merchant, given }: Teller, isLast: boolean) {
  const transaction = await getTransaction(database, id);
  assert.ok(transaction);
  const { status, amount, fee, returnedAt, settled } = transaction;
  const { success, events, money } = kinds[mode];
  const isWon = status === success;
  const [sign, current] = money === 'credit' ? [1, amount - fee] : [-1, amount + fee];
  const held = money === 'hold' && status === 'pending' ? amount + fee : 0;
  // What people released to it before is not given back again.
  assert.deepEqual(await balanceOf(database, merchant.accountId, 'TZS'), {
    current:
      OPENING * 100 + (isWon ? sign * current : 0) + (returnedAt && given === 0 ? amount : given) - held,
    reserved: held,
  });
  assert.equal(settled, isWon && money === 'credit' ? amount - fee : null);
  const { rows } = await database.query(
    `SELECT coalesce(sum(e.amount), 0)::bigint AS sum FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
     JOIN transfers t ON t.id = e.transfer_id WHERE a.kind = 'fees' AND t.transaction_id = $1`,
    [id],
  );
  assert.equal(rows[0].sum, isWon ? fee : 0, 'our fee');
  if (!isLast) return;
  const told = await database.query(
    'SELECT event, body FROM callback_events WHERE transaction_id = $1 ORDER BY sequence',
    [id],
  );
  const ending = status === 'pending' ? [] : [isWon ? events.success : events.failure];
  const expected = [...ending, ...(returnedAt ? ['payout.returned'] : [])];
  assert.deepEqual(
    told.rows.map(({ event }) => event),
    expected,
  );
  if (money !== 'credit' || !isWon) return;
  const shown = [amount, fee, minor(amount - fee)].map((one) => formatMoney(one));
  const [value, cost, rest] = shown;
  assert.deepEqual(JSON.parse(told.rows[0].body).amount, { value, fee: cost, settled: rest });
}

async function checkEnd(database: Database, { id, told }: Teller, end: string): Promise<void> {
  const transaction = await getTransaction(database, id);
  assert.ok(transaction);
  const { status, failureCode, channelReference, returnedAt } = transaction;
  const suspense = (await openItems(database)).map(({ shillings, currency }) =>
    currency === 'TZS' ? shillings : `${shillings} ${currency}`,
  );
  const asks = new Set((await attentionOf(database, id)).map(({ reason }) => reason));
  const decision = await getDecision(database, id);
  const door = await database.query(
    'SELECT state FROM notifications WHERE transaction_id = $1 AND event_key = ANY($2) ORDER BY id',
    [id, told],
  );
  const isNamed = (part: string) => end.split(', ').some((one) => one.startsWith(part));
  const parts = [
    failureCode === (status === 'failed' ? 'network_error' : null) ? status : `${status} ${failureCode}`,
    isNamed('receipt') && `receipt ${channelReference}`,
    returnedAt !== null && 'came back',
    suspense.length > 0 && `suspense ${suspense.join(' ')}`,
    asks.size > 0 && `asks ${[...asks].sort().join(' ')}`,
    isNamed('answer') && `answer ${decision && (decision.answer ?? 'open')}`,
    isNamed('by people') && decision?.appliedAt && 'by people',
    isNamed('not by people') && decision?.appliedAt === null && 'not by people',
    isNamed('door') && `door ${door.rows.map(({ state }) => state).join(' ')}`,
    isNamed('moved') && `moved ${(await movementsOf(database)).join(' and ')}`,
  ];
  assert.equal(parts.filter(Boolean).join(', '), end);
}

async function checkSaid(database: Database, { id }: Teller, says: string): Promise<void> {
  const details = [...(await attentionOf(database, id)), ...(await openItems(database))];
  const sentences = details.map(({ detail }) => detail);
  const isSaid = sentences.some((sentence) => sentence.includes(says));
  assert.ok(isSaid, sentences.join('; '));
}

async function openItems(database: Database) {
  const { rows } = await database.query(
    'SELECT amount / 100 AS shillings, currency, detail FROM suspense_items WHERE is_open ORDER BY created_at, id',
  );
  return rows;
}
