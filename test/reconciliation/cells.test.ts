// tests: slow
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { DAY_MS, startOfDay } from '../../src/domain/day.ts';
import { minor } from '../../src/domain/money.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { parseStatement } from '../../src/reconciliation/formats/parse.ts';
import { importStatement } from '../../src/reconciliation/import.ts';
import { StatementRefused } from '../../src/reconciliation/statement.ts';
import type { ShownLine } from '../../src/simulator/core/statement-lines.ts';
import { writers } from '../../src/simulator/statements/files.ts';
import { settle } from '../../src/transactions/ending/settle.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { digestOf, importOf, keys, walletAccount } from '../support/statements-of-accounts.ts';

/**
 * Every single cell of a statement is changed once, in several ways: the file is refused, or what it shows is classed as
 * something that a person sees, or the cell has no meaning, and books and open items are those of the file as it was.
 */

const THEIRS = '600100';
const MOVED = [5_000, -1_000, 2_000, 700] as const;
const receiptOf = (index: number) => `REC${7_001 + index}`;

type Format = {
  name: string;
  account: AccountInUse;
  text: string;
  /** each changed file, with the cell that it was and what it is */
  changed: () => Iterable<[where: string, text: string]>;
};

describe('one cell of a statement is changed', () => {
  let test: TestDatabase;
  before(async function () {
    this.timeout(60_000);
    test = await createTestDatabase();
    for (const [index, amount] of MOVED.entries()) {
      const request = amount > 0 ? pushRequest(amount) : mobilePayoutRequest(-amount);
      const { id } = await handedOver(test.database, request, { balance: amount > 0 ? 0 : 100_000 });
      const result = succeeded(Math.abs(amount), receiptOf(index));
      await settle(test.database, id, { kind: 'answer', result });
    }
  });
  after(() => test.drop());

  for (const make of [legacy, newer, crdb, camt, gsma, airtel, unproven]) {
    const { name, account, text, changed } = make();
    it(`(${name}): it is refused, classed, or without a meaning`, async function () {
      this.timeout(300_000);
      const whole = await attempt(account, text);
      assert.ok(whole !== 'refused' && whole.classes.join() === 'receipt', JSON.stringify(whole));
      const counts = { refused: 0, classed: 0, left: 0, meaningless: 0 };
      for (const [where, other] of changed()) {
        const found = await attempt(account, other);
        if (found === 'refused') counts.refused += 1;
        else if (found.classes.some((one) => SEEN.has(one))) counts.classed += 1;
        // What is pending ends it: nothing after it is taken before the next one.
        else if (found.until < whole.until) counts.left += 1;
        else {
          assert.equal(found.digest, whole.digest, `${where}: taken as ${found.classes}`);
          counts.meaningless += 1;
        }
      }
      assert.ok(counts.refused > 10, JSON.stringify(counts));
    });
  }

  it('after it was imported: nothing is booked, and what contradicts it is refused or open', async function () {
    this.timeout(300_000);
    const { account, text, changed } = legacy();
    const own = await createTestDatabase();
    try {
      await importOf(own.database, account, parseStatement(account, Buffer.from(text)), { bytes: text });
      const before = await digestOf(own.database);
      for (const [where, other] of changed()) {
        const found = await attempt(account, other, own.database);
        if (found === 'refused' || found.classes.some((one) => SEEN.has(one))) continue;
        assert.equal(found.digest, before, where);
      }
      assert.equal(await digestOf(own.database), before);
    } finally {
      await own.drop();
    }
  });

  /** What a person sees of it: lines that are open, that wait, or that a rule for charges booked. */
  const SEEN = new Set([
    'theirs_only',
    'differs',
    'twice',
    'changed',
    'waiting',
    'opening',
    'charge',
    'pending',
  ]);

  /** Imports it up to its commit, which is taken back. */
  async function attempt(
    account: AccountInUse,
    file: string,
    database: Database = test.database,
  ): Promise<'refused' | Seen> {
    let seen: Omit<Seen, 'until'> | null = null;
    let until = Number.POSITIVE_INFINITY;
    const looking = beforeStatements(asRole(database, 'api'), async (on, query) => {
      if (query !== 'COMMIT') return;
      await on.query('SET CONSTRAINTS ALL IMMEDIATE');
      const { rows } = await on.query('SELECT outcome FROM statements ORDER BY imported_at DESC LIMIT 1');
      seen = { digest: await digestOf(on as Database), classes: Object.keys(rows[0]?.outcome.classes ?? {}) };
      throw new TakenBack();
    });
    try {
      const bytes = Buffer.from(file);
      const statement = parseStatement(account, bytes);
      until = statement.period?.to.getTime() ?? until;
      await importStatement(looking, { account, bytes, statement, keys, actor: 'test' });
    } catch (error) {
      if (error instanceof StatementRefused) return 'refused';
      if (!(error instanceof TakenBack)) throw error;
    }
    const { digest, classes } = seen ?? (assert.fail('it neither ended nor was refused') as never);
    return { digest, classes, until };
  }
});

class TakenBack extends Error {}

type Seen = { digest: string; classes: string[]; until: number };

/** Other texts for a cell: none, another digit, another sign, another word. */
function* others(cell: string): Iterable<string> {
  const digit = cell.replace(/\d/, (one) => String((Number(one) + 1) % 10));
  const sign = cell.startsWith('-') ? cell.slice(1) : `-${cell}`;
  const word = cell.replace(/[A-Za-z]+/, 'Zz');
  if (cell === '') yield '1.00';
  for (const one of new Set(['', digit, /\d/.test(cell) ? sign : cell, word])) if (one !== cell) yield one;
}

function lines(): ShownLine[] {
  const now = Math.floor(Date.now() / 1_000) * 1_000;
  let balance = 0;
  return MOVED.map((amount, index) => {
    balance += amount * 100;
    return {
      receipt: receiptOf(index),
      kind: amount > 0 ? 'payment' : 'payout',
      at: new Date(now - (10 - index) * 1_000),
      amount: minor(amount * 100),
      balance: minor(balance),
      party: '255754123456',
      reference: '',
      original: '',
    };
  });
}

function fileOf(writer: string): string {
  const [first] = lines();
  const from = new Date(startOfDay(first?.at ?? new Date()));
  const period = { theirs: THEIRS, from, to: new Date(from.getTime() + 2 * DAY_MS), opening: minor(0) };
  return writers[writer]?.({ ...period, lines: lines() }) ?? assert.fail(writer);
}

function account(also: Partial<AccountInUse>): AccountInUse {
  return walletAccount({ theirs: THEIRS, ...also });
}
function legacy(): Format {
  return csv('legacy', account({ mapping: 'mpesa-legacy' }));
}
function newer(): Format {
  return csv('newer', account({ mapping: 'mpesa-newer' }));
}
function crdb(): Format {
  return csv('crdb', account({ mapping: 'crdb' }));
}

function csv(name: string, of: AccountInUse): Format {
  const text = fileOf(name);
  const rows: string[][] = parse(text, { relax_column_count: true });
  const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return {
    name,
    account: of,
    text,
    *changed() {
      for (const [y, row] of rows.entries())
        for (const [x, cell] of row.entries())
          for (const other of others(cell)) {
            const changed = rows.map((one, at) => (at === y ? row.with(x, other) : one));
            const file = changed.map((one) => one.map(quoted).join(',')).join('\n');
            yield [`row ${y + 1}, column ${x + 1}: ${cell} → ${other}`, file];
          }
    },
  };
}

function camt(): Format {
  const text = fileOf('camt');
  return {
    name: 'camt',
    account: account({ format: 'camt', mapping: null }),
    text,
    *changed() {
      // Texts between tags, and values of attributes.
      for (const { 1: before = '', 2: cell = '', index } of text.matchAll(/(>|=")([^<>"\n]+)(?=[<"])/g)) {
        const from = index + before.length;
        for (const other of others(cell))
          yield [`${cell} → ${other}`, text.slice(0, from) + other + text.slice(from + cell.length)];
      }
    },
  };
}

function gsma(): Format {
  return fetched('gsma', { balance: '6700.00' });
}
function airtel(): Format {
  return fetched('airtel', { balance: '6,700.00' });
}
function unproven(): Format {
  return fetched('gsma', {});
}

function fetched(format: 'gsma' | 'airtel', also: object): Format {
  const entryOf = ({ receipt, amount, at, party }: ShownLine) => {
    const isIn = amount > 0;
    const shown = (Math.abs(amount) / 100).toFixed(2);
    if (format === 'gsma') {
      const [ours, other] = [[{ key: 'accountid', value: THEIRS }], [{ key: 'msisdn', value: party }]];
      return {
        ...{ transactionReference: receipt, transactionStatus: 'completed', amount: shown, currency: 'TZS' },
        ...{ creditParty: isIn ? ours : other, debitParty: isIn ? other : ours },
        creationDate: at.toISOString(),
      };
    }
    const [ours, other] = [{ msisdn: THEIRS }, { msisdn: party, name: 'ASHA' }];
    const created = String(at.getTime() / 1_000);
    return {
      ...{ payee: isIn ? ours : other, payer: isIn ? other : ours, service: { type: 'MERCHPAY' } },
      transaction: { airtel_money_id: receipt, amount: shown, created_at: created, status: 'TS' },
    };
  };
  const all = lines();
  const from = startOfDay(all[0]?.at ?? new Date());
  const to = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
  const document = { theirs: THEIRS, from, to, ...also, entries: all.map(entryOf), later: [] };
  return {
    name: 'balance' in also ? format : `${format} without a balance`,
    account: account({ format, mapping: null }),
    text: JSON.stringify(document),
    *changed() {
      for (const [path, cell] of leavesOf(document.entries, ''))
        for (const other of others(cell)) yield [`${path}: ${cell} → ${other}`, withLeaf(path, other)];
    },
  };

  function withLeaf(path: string, other: string): string {
    const copy = structuredClone(document);
    const steps = path.slice(1).split('/');
    const last = steps.pop() ?? '';
    const holder = steps.reduce((one: unknown, step) => Reflect.get(one as object, step), copy.entries);
    Reflect.set(holder as object, last, other);
    return JSON.stringify(copy);
  }
}

function* leavesOf(value: unknown, path: string): Iterable<[path: string, cell: string]> {
  if (typeof value === 'string') yield [path, value];
  else for (const [key, one] of Object.entries(value ?? {})) yield* leavesOf(one, `${path}/${key}`);
}
