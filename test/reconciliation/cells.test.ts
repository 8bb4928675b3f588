// tests: slow, generated
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { rowOf } from '../../src/base/csv.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { keptOf } from '../../src/reconciliation/formats/bytes.ts';
import { parseStatement } from '../../src/reconciliation/formats/parse.ts';
import { importStatement } from '../../src/reconciliation/import.ts';
import { StatementRefused } from '../../src/reconciliation/statement.ts';
import { withMethods } from '../support/before-statements.ts';
import { useTestDatabase } from '../support/database.ts';
import { portionOf } from '../support/generated.ts';
import type { Database } from '../support/queryable.ts';
import { bankAccount, keys, walletAccount } from '../support/statements-of-accounts.ts';
import { camtEntry, camtFile } from './formats/samples.ts';
import { bookMovements } from './generated-books.ts';
import { fileOf } from './generated-files.ts';
import { type Day, makeWorld } from './generator.ts';

/** A file with one cell changed, and which one. */
type Changed = { cell: string; text: string };
type Case = {
  name: string;
  account: AccountInUse;
  text: string;
  changes(text: string): Changed[];
  movements: { receipt: string; amount: number }[];
  /**
   * Cells that say nothing of money or of which line is which movement: names, texts, times within their order; those whose
   * line is booked by its text; labels and balances above the lines, without which the running balances prove it alone; and a
   * currency that is not said.
   */
  told: RegExp;
};

/** Another digit at its end, or another letter; nothing; something where nothing was. */
const otherThan = (value: string): string[] =>
  value === ''
    ? ['7']
    : [value.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)), `${value}7`, ''].filter(
        (other) => other !== value,
      );

/** Of lines that no receipt finds, the text says by which rule they are booked; their own number finds nothing. */
const byRule = /Charge|Withdrawal|Fee|VAT|CASH DEPOSIT|FROM WALLET/;

function changesOfCsv(text: string): Changed[] {
  const rows: string[][] = parse(text, { relaxColumnCount: true });
  const head = rows.findIndex(
    (row) => row.length > 5 && row.some((cell) => /^Balance|^Book Balance/.test(cell)),
  );
  const dropped = rows.slice(head + 1).map((row, y) => ({
    cell: `a row${row.some((one) => byRule.test(one)) ? ' by rule' : ''}`,
    text: rows
      .toSpliced(head + 1 + y, 1)
      .map(rowOf)
      .join(''),
  }));
  const put = (y: number, x: number, other: string) =>
    rows.map((each, at) => rowOf(at === y ? each.with(x, other) : each)).join('');
  const changed = rows.flatMap((row, y) =>
    row.flatMap((cell, x) => {
      const column = `${rows[head]?.[x] ?? ''}${row.some((one) => byRule.test(one)) ? ' by rule' : ''}`;
      const name = y > head ? column : y === head ? `header ${cell}` : `above ${row[0]} ${x}`;
      const others = [...otherThan(cell), ...(cell === 'Completed' ? ['Declined'] : [])].map((other) => ({
        cell: name,
        text: put(y, x, other),
      }));
      const [ref] = /REF:\w+/.exec(cell) ?? [];
      const inside = ref === undefined || byRule.test(cell) ? [] : otherThan(ref);
      return [
        ...others,
        ...inside.map((other) => ({ cell: 'REF', text: put(y, x, cell.replace(ref ?? '', other)) })),
      ];
    }),
  );
  return [...changed, ...dropped];
}

const changesOfXml = (text: string): Changed[] => [
  ...[...text.matchAll(/<Ntry>.*?<\/Ntry>/g)].map(([one]) => ({ cell: 'Ntry', text: text.replace(one, '') })),
  ...[...text.matchAll(/<([A-Za-z]+)(?: Ccy="(\w+)")?>([^<]+)<\/\1>/g)].flatMap((found) => {
    const [whole, tag = '', currency, value = ''] = found;
    const put = (other: string) =>
      text.slice(0, found.index) + other + text.slice(found.index + whole.length);
    const also =
      currency === undefined ? [] : [{ cell: 'Amt Ccy', text: put(whole.replace(currency, 'KES')) }];
    return [
      ...otherThan(value).map((other) => ({ cell: tag, text: put(whole.replace(value, other)) })),
      ...also,
    ];
  }),
];

function changesOfJson(text: string): Changed[] {
  const document = JSON.parse(text);
  const changes: Changed[] = [];
  const walk = (of: Record<string, unknown>, path: string) => {
    for (const [name, value] of Object.entries(of)) {
      const cell = Array.isArray(of) ? path : `${path}.${name}`;
      if (typeof value === 'object' && value !== null) walk(value as Record<string, unknown>, cell);
      else
        for (const other of otherThan(String(value))) {
          of[name] = other;
          changes.push({ cell, text: JSON.stringify(document) });
          of[name] = value;
        }
    }
  };
  walk(document, '');
  return changes;
}

const world = makeWorld({ days: 1, linesPerDay: 12, planted: 0 });
const dayOf = (id: string) => world.days.find(({ account }) => account.id === id) as Day;
const wallet = dayOf('m-pesa');
const bank = dayOf('bank');
const noon = new Date(wallet.from.getTime() + 43_200_000);

/** The newer export has the same lines without a preamble, newest first. */
function newer(): string {
  const rows: string[][] = parse(fileOf([wallet]), { relaxColumnCount: true });
  const head = rows.findIndex(([first]) => first === 'Receipt No.');
  const lines = rows.slice(head + 1).map((row) => [row[0], row[1]?.replaceAll('-', '/'), ...row.slice(3, 8)]);
  const header = [
    'Receipt No',
    'Completion Time',
    'Details',
    'Transaction Status',
    'Paid In (TZS)',
    'Withdrawn (TZS)',
    'Balance (TZS)',
  ];
  return [header, ...lines.reverse()].map((row) => rowOf(row.map((cell) => cell ?? ''))).join('');
}

const three = [1, 2, 3].map((n) => ({ receipt: `RCPT${n}`, amount: n * 100_000 }));
const fetched = (theirs: string, entries: unknown[]) =>
  JSON.stringify({
    theirs,
    from: wallet.from.toISOString(),
    to: new Date(noon.getTime() + 3_600_000).toISOString(),
    balance: '6000.00',
    entries,
    later: [],
  });
const movementsOf = ({ account }: Day) => world.movements.get(account.id) ?? [];
const also = { chargeCeiling: wallet.account.chargeCeiling, others: wallet.account.others };

/** The first of three on the 4th, the others on the 5th. */
function twoDays(): string {
  const [entry = '', ...entries] = three.map(({ receipt, amount }) =>
    camtEntry({ receipt, amount: (amount / 100).toFixed(2) }),
  );
  const next = camtFile(entries, { closing: '6000.00' })
    .replaceAll('2026-01-04', '2026-01-05')
    .replace('>0.00<', '>1000.00<');
  const [stmt = ''] = /<Stmt>.*<\/Stmt>/s.exec(next) ?? [];
  return camtFile([entry], { closing: '1000.00' }).replace('</Stmt>', () => `</Stmt>${stmt}`);
}

const cases: Case[] = [
  {
    name: 'csv mpesa-legacy',
    account: wallet.account,
    text: fileOf([wallet]).toString(),
    changes: changesOfCsv,
    movements: movementsOf(wallet),
    told: /^((Completion Time|Initiation Time|Details|Balance Confirmed|Reason Type|Other Party Info|Linked Transaction ID|A\/C No\.|Currency)( by rule)?|Receipt No\. by rule|header (Reason Type|Linked Transaction ID|A\/C No\.)|above .*)$/,
  },
  {
    name: 'csv mpesa-newer',
    account: walletAccount({ ...also, mapping: 'mpesa-newer' }),
    text: newer(),
    changes: changesOfCsv,
    movements: movementsOf(wallet),
    told: /^((Completion Time|Details)( by rule)?|Receipt No by rule)$/,
  },
  {
    name: 'csv crdb',
    account: bank.account,
    text: fileOf([bank]).toString(),
    changes: changesOfCsv,
    movements: movementsOf(bank),
    told: /^((Posting Date|Value Date|Details)( by rule)?|above Printed.*)$/,
  },
  {
    name: 'camt.053',
    account: bankAccount({ theirs: '0150123', format: 'camt', mapping: null }),
    text: camtFile(
      three.map(({ receipt, amount }) => camtEntry({ receipt, amount: (amount / 100).toFixed(2) })),
      { closing: '6000.00' },
    ),
    changes: changesOfXml,
    movements: three,
    told: /^(MsgId|Id|Dt|Ccy)$/,
  },
  {
    name: 'camt.053 of two days',
    account: bankAccount({ theirs: '0150123', format: 'camt', mapping: null }),
    text: twoDays(),
    changes: changesOfXml,
    movements: three,
    told: /^(MsgId|Id|Dt|Ccy)$/,
  },
  {
    name: 'gsma',
    account: walletAccount({ format: 'gsma', mapping: null, theirs: 'malipo' }),
    text: fetched(
      'malipo',
      three.map(({ receipt, amount }) => ({
        transactionReference: receipt,
        transactionStatus: 'completed',
        amount: (amount / 100).toFixed(2),
        currency: 'TZS',
        creditParty: [{ key: 'accountid', value: 'malipo' }],
        debitParty: [{ key: 'msisdn', value: '255754000111' }],
        creationDate: noon.toISOString(),
        descriptionText: 'Pay Bill',
      })),
    ),
    changes: changesOfJson,
    movements: three,
    told: /^\.(from|to|entries\.(creationDate|descriptionText|debitParty\.(key|value)|creditParty\.key))$/,
  },
  {
    name: 'airtel',
    account: walletAccount({ format: 'airtel', mapping: null, theirs: '780000000' }),
    text: fetched(
      '780000000',
      three.map(({ receipt, amount }) => ({
        payer: { msisdn: 754000111, name: 'ASHA' },
        payee: { msisdn: '780000000' },
        service: { type: 'MERCHPAY' },
        transaction: {
          airtel_money_id: receipt,
          amount: String(amount / 100),
          status: 'TS',
          created_at: String(noon.getTime() / 1_000),
          id: `PY${receipt}`,
        },
      })),
    ),
    changes: changesOfJson,
    movements: three,
    told: /^\.(from|to|entries\.(payer\..*|service\.type|transaction\.(created_at|id)))$/,
  },
];

/** Whatever it commits is gone. */
function forgetting(database: Database): Database {
  const connect = async () => {
    const client = await database.connect();
    const query = async (text: string, values?: unknown[]) =>
      text === 'COMMIT'
        ? { ...(await client.query('ROLLBACK')), command: 'COMMIT' }
        : client.query(text, values);
    return withMethods(client, { query });
  };
  return withMethods(database, { connect });
}

describe('a statement of which one cell is another', () => {
  const test = useTestDatabase({ each: true });

  for (const { name, account, text, changes, movements, told } of cases)
    it(`is refused, or what comes of its lines is: ${name}`, async () => {
      const books = [{ ...account, id: account.id }];
      await bookMovements(test.database, {
        accounts: books,
        movements: new Map([[account.id, movements]]),
        days: [],
        oracle: [],
      });
      const database = forgetting(test.database);
      const classesOf = async (content: string) => {
        const bytes = Buffer.from(content);
        const statement = parseStatement(account, bytes);
        const { outcome } = await importStatement(database, {
          account,
          ...keptOf(bytes),
          statement,
          keys,
          actor: 'test',
        });
        return JSON.stringify(outcome.classes);
      };
      const whole = await classesOf(text);
      assert.match(whole, new RegExp(`"receipt":${movements.length}`), 'as it came all of it is ours');
      const taken = new Set<string>();
      const refused = { count: 0, all: 0 };
      for (const { cell, text: changed } of portionOf(changes(text))) {
        refused.all += 1;
        try {
          if ((await classesOf(changed)) === whole) taken.add(cell);
        } catch (error) {
          if (!(error instanceof StatementRefused)) throw error;
          refused.count += 1;
        }
      }
      assert.deepEqual(
        [...taken].filter((cell) => !told.test(cell)),
        [],
      );
      assert.ok(refused.count > refused.all / 10, `${refused.count} of ${refused.all} were refused`);
    });
}).timeout(180_000);
