import { RECEIPT_FIELD } from '../../channels/iso20022/wire.ts';
import { findAll, textAt } from '../../channels/iso20022/xml.ts';
import { NotXml, type TakeElement, treesOf, type XmlElement } from '../../channels/kit/xml.ts';
import { DAY_MS } from '../../domain/day.ts';
import { type Minor, minor, minorFromDecimal } from '../../domain/money.ts';
import {
  createProblems,
  type LineKind,
  plainNumber,
  refuseFile,
  type Statement,
  type StatementLine,
} from '../statement.ts';
import { refuseMore } from './bytes.ts';
import { isoTime, othersOf, ownReferenceIn, refuseCell } from './cells.ts';
import { joined } from './joined.ts';
import type { StatementSettings } from './settings.ts';

/**
 * Reads camt.053.001.02 to .14 in any envelope, entry by entry, to bound the memory. Only CdtDbtInd gives the
 * sign, also for a reversal. No amount is converted.
 */

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(?:0[2-9]|1[0-4])$/;
const ASK = 'ask the bank for the file again';
/** limits for each entry, and for the text around all entries */
const LIMITS = { sizeMax: 4 * 1024 * 1024, elementsMax: 100_000, attributesMax: 20_000, depthMax: 64 };
const END = /<\/(?:[\w.-]{1,64}:)?Ntry\s{0,9}>/;
/** Sub-families of bank transaction codes that are no payments. */
const kindOfFamily: Record<string, LineKind> = { CHRG: 'fee', COMM: 'fee', FEES: 'fee', TAXE: 'tax' };

/** Entries of one Stmt, as far as it is read. `hasTime`: one has a time of day. */
type Entries = { count: number; lines: StatementLine[]; hasTime: boolean };
const newEntries = (): Entries => ({ count: 0, lines: [], hasTime: false });

export function readCamt(text: string, settings: StatementSettings): Statement {
  const entriesOf = new Map<XmlElement | undefined, Entries>();
  const problems = createProblems();
  let [entries, lines] = [0, 0];
  const take: TakeElement = (entry, statement) => {
    requireCamt(entry);
    entries += 1;
    const its = entriesOf.get(statement) ?? newEntries();
    entriesOf.set(statement, its);
    its.count += 1;
    const currency = currencyOf(statement, settings);
    const read = problems.read(() => linesOf(entry, { no: entries, currency }));
    for (const line of read) its.lines.push(line);
    its.hasTime ||= textAt(entry, `${dateIn(entry)}/DtTm`) !== null;
    lines += read.length;
    refuseMore(lines);
  };
  const documents = documentsOf(text, take, () => entries + 1);
  documents.forEach(requireCamt);
  problems.refuse();
  const found = documents.flatMap((document) => findAll(document, 'BkToCstmrStmt/Stmt'));
  if (found.length === 0) refuseFile('the file has no statement (Stmt)', 'ask the bank for camt.053');
  requireOneAccount(found, settings);
  const parts = pagesOf(found).map((pages) => ({
    name: textAt(pages[0], 'Id') ?? 'without a number',
    statement: statementOf(
      pages,
      pages.map((page) => entriesOf.get(page) ?? newEntries()),
      settings,
    ),
  }));
  return joined(parts);
}

/** Passes each complete entry to `take`, and returns the documents without them. Throws StatementRefused. */
function documentsOf(text: string, take: TakeElement, next: () => number): XmlElement[] {
  try {
    return treesOf(text, { limits: LIMITS, isStrict: true, within: 'Document', apart: 'Ntry', take });
  } catch (error) {
    if (!(error instanceof NotXml)) throw error;
    if (error.isMarkup) refuseFile('a document type, or a comment that is none, is not read', ASK);
    if (error.rest === null)
      return refuseFile('this is no XML of a bank', 'ask it for camt.053, or download the file again');
    const why = END.test(error.rest) ? 'cannot be read' : 'has no end';
    return refuseFile(`line ${next()}: the entry ${why}`);
  }
}

function requireCamt({ namespace }: XmlElement): void {
  if (!NAMESPACE.test(namespace))
    refuseFile(
      `this is ${namespace || 'XML of nobody'}, not a camt.053 statement`,
      'ask the bank for camt.053.001.02 to .14',
    );
}

const numberOf = (statement: XmlElement | undefined) =>
  textAt(statement, 'Acct/Id/IBAN') ?? textAt(statement, 'Acct/Id/Othr/Id');

/** Throws StatementRefused, with the accounts, if the file has several. */
function requireOneAccount(found: readonly XmlElement[], settings: StatementSettings): void {
  const accounts = found.map((one) => {
    const currency = currencyOf(one, settings);
    const number = plainNumber(numberOf(one) ?? 'an account without a number');
    return currency === settings.currency ? number : `${number} in ${currency}`;
  });
  const each = [...new Set(accounts)];
  if (each.length > 1)
    refuseFile(`the file has statements of ${each.join(' and ')}`, 'ask the bank for a file of each account');
}

/**
 * Returns each statement's pages in order. A page without a number is a whole statement. Throws
 * StatementRefused.
 */
function pagesOf(found: readonly XmlElement[]): XmlElement[][] {
  const pageOf = (one: XmlElement) => textAt(one, 'StmtPgntn/PgNb');
  const byId = new Map<unknown, XmlElement[]>();
  for (const one of found) {
    const id = pageOf(one) === null ? one : textAt(one, 'Id');
    byId.set(id, [...(byId.get(id) ?? []), one]);
  }
  return [...byId.values()].map((pages) => {
    if (pageOf(pages[0] as XmlElement) === null) return pages;
    const inOrder = pages.toSorted((a, b) => Number(pageOf(a)) - Number(pageOf(b)));
    const isWhole = inOrder.every((one, index) => {
      const isLast = ['true', '1'].includes(textAt(one, 'StmtPgntn/LastPgInd') ?? '');
      return Number(pageOf(one)) === index + 1 && isLast === (index === pages.length - 1);
    });
    if (isWhole) return inOrder;
    return refuseFile(
      `of the statement ${textAt(pages[0], 'Id')} there are the pages ` +
        `${inOrder.map(pageOf).join(', ')}, not all of them`,
      'ask the bank for the whole of it',
    );
  });
}

/** The first page has the opening, the last one the closing. */
function statementOf(
  pages: readonly XmlElement[],
  each: readonly Entries[],
  settings: StatementSettings,
): Statement {
  const [first, last] = [pages[0] as XmlElement, pages.at(-1) as XmlElement];
  const lines = each.flatMap((its) => its.lines);
  const currency = currencyOf(first, settings);
  if (lines.some((line) => line.currency !== currency))
    refuseFile('the account (Acct) must stand before its entries (Ntry)', ASK);
  return {
    theirs: numberOf(first),
    currency,
    period: periodOf({ first, last }, { lines, hasTime: each.some(({ hasTime }) => hasTime) }),
    opening: balanceOf(first, ['OPBD', 'PRCD'], currency),
    closing: balanceOf(last, ['CLBD'], currency),
    totals: totalsOf(pages, each),
    lines,
    whose: `a bank's statement of account ${numberOf(first)}`,
  };
}

const currencyOf = (statement: XmlElement | undefined, settings: StatementSettings) =>
  textAt(statement, 'Acct/Ccy') ?? settings.currency;

type Place = { no: number; currency: string };

/** Makes one line of an entry, or one per payment of a batch if their amounts sum to the entry's. */
function linesOf(entry: XmlElement, place: Place): StatementLine[] {
  const whole = lineOf(entry, place);
  const details = findAll(entry, 'NtryDtls/TxDtls');
  if (details.length === 0) return [whole];
  const parts = details.map((detail) => partOf(detail, whole, place));
  const [only] = parts;
  if (only && parts.length === 1) {
    const alsoKnownAs = othersOf(...(whole.alsoKnownAs ?? []), ...(only.alsoKnownAs ?? []), only.receipt);
    return [
      { ...only, raw: whole.raw, amount: whole.amount, receipt: whole.receipt ?? only.receipt, alsoKnownAs },
    ];
  }
  const isWhole = parts.every(({ amount }) => amount !== 0) && sumOf(parts) === whole.amount;
  if (isWhole) return parts;
  // Banks renumber payouts in their statements, so our number comes first for our payments.
  const names = parts.flatMap(
    ({ receipt, reference }) => (whole.amount < 0 ? (reference ?? receipt) : (receipt ?? reference)) ?? [],
  );
  return [{ ...whole, names }];
}

function lineOf(entry: XmlElement, { no, currency }: Place): StatementLine {
  const family = textAt(entry, 'BkTxCd/Domn/Fmly/SubFmlyCd') ?? '';
  const isReversal = ['true', '1'].includes(textAt(entry, 'RvslInd') ?? '');
  return {
    no,
    raw: entry.raw,
    receipt: textAt(entry, RECEIPT_FIELD),
    alsoKnownAs: othersOf(textAt(entry, 'NtryRef')),
    kind: isReversal ? 'reversal' : (kindOfFamily[family] ?? 'unknown'),
    status: statusOf(entry, no),
    amount: signedOf(entry, 'Amt', { no, currency }),
    currency,
    at: bookedAt(entry, no),
    reference: ownReferenceIn(textAt(entry, 'AddtlNtryInf') ?? ''),
    names: [],
    sweepTo: null,
    party: null,
    balanceAfter: null,
    text: textAt(entry, 'AddtlNtryInf') ?? '',
  };
}

/** `amount`: the detail's, if it is in the account's currency, else 0; never the entry's. */
function partOf(detail: XmlElement, whole: StatementLine, { no, currency }: Place): StatementLine {
  const remittance = findAll(detail, 'RmtInf/Ustrd').map((one) => one.text);
  const text = [whole.text, ...remittance].filter((one) => one !== '').join(' ');
  const names = ['EndToEndId', 'InstrId', 'TxId', 'ClrSysRef'].map((name) => textAt(detail, `Refs/${name}`));
  const alsoKnownAs = othersOf(...names.filter((one) => one !== 'NOTPROVIDED'));
  const [named] = alsoKnownAs;
  const path = ['Amt', 'AmtDtls/TxAmt/Amt'].find((one) => findAll(detail, one).length > 0) ?? 'Amt';
  const isOwn = findAll(detail, path)[0]?.attributes.Ccy === currency;
  const direction = textAt(detail, 'CdtDbtInd') ?? (whole.amount < 0 ? 'DBIT' : 'CRDT');
  const other = direction === 'CRDT' ? 'Dbtr' : 'Cdtr';
  return {
    ...whole,
    raw: detail.raw,
    receipt: textAt(detail, `Refs/${RECEIPT_FIELD}`),
    alsoKnownAs,
    kind: findAll(detail, 'RtrInf').length > 0 ? 'return' : whole.kind,
    amount: isOwn ? signedOf(detail, path, { no, currency, direction }) : minor(0),
    reference: ownReferenceIn(`${names.join(' ')} ${text}`) ?? named ?? null,
    party: textAt(detail, `RltdPties/${other}/Nm`) ?? textAt(detail, `RltdPties/${other}/Pty/Nm`),
    text,
  };
}

/** Version .02 has the status as text, .08 as a code. Only booked money moved; INFO never moves any. */
function statusOf(entry: XmlElement, no: number): StatementLine['status'] {
  const word = textAt(entry, 'Sts/Cd') ?? textAt(entry, 'Sts') ?? '';
  if (word === 'BOOK') return 'done';
  if (word === 'PDNG' || word === 'FUTR') return 'pending';
  return word === 'INFO' ? 'failed' : refuse(no, 'Sts', word, 'is no status that we know');
}

function signedOf(
  element: XmlElement,
  path: string,
  {
    no,
    currency,
    direction = textAt(element, 'CdtDbtInd'),
  }: { no: number | string; currency: string; direction?: string | null },
): Minor {
  const [money] = findAll(element, path);
  const amount = minorFromDecimal(money?.text ?? '');
  if (amount === null) return refuse(no, path, money?.text ?? '', 'is no amount');
  if (money?.attributes.Ccy !== currency)
    refuse(no, `${path} Ccy`, money?.attributes.Ccy ?? '', `is not ${currency}`);
  if (direction !== 'CRDT' && direction !== 'DBIT')
    refuse(no, 'CdtDbtInd', direction ?? '', 'is no direction');
  return direction === 'DBIT' && amount !== 0 ? minor(-amount) : amount;
}

/** ValDt counts only if there is no BookgDt. If a BookgDt cannot be read, the day is unknown. */
const dateIn = (entry: XmlElement) => (findAll(entry, 'BookgDt').length > 0 ? 'BookgDt' : 'ValDt');

function bookedAt(entry: XmlElement, no: number): Date {
  const what = dateIn(entry);
  const day = textAt(entry, `${what}/Dt`);
  const text = textAt(entry, `${what}/DtTm`) ?? day ?? '';
  // A date is the bank's day, whatever its zone, and begins in Dar es Salaam.
  const at = isoTime(day === null ? text : text.replace(ZONE, ''));
  return at ?? refuse(no, what, text, 'is no date such as 2026-11-20');
}
const ZONE = /(?<=^\d{4}-\d\d-\d\d)(?:Z|[+-]\d\d:\d\d)$/;

function balanceOf(statement: XmlElement, codes: readonly string[], currency: string): Minor {
  const found = findAll(statement, 'Bal').find((one) => codes.includes(textAt(one, 'Tp/CdOrPrtry/Cd') ?? ''));
  if (!found)
    return refuseFile(
      `the balance ${codes[0]} is missing, and one page, or a report within the day, proves no day`,
      'ask the bank for the end-of-day statement',
    );
  return signedOf(found, 'Amt', { no: `the balance ${codes[0]}`, currency });
}

/** The period is FrToDt, else the days of the closing balance and the entries. */
function periodOf(
  { first, last }: { first: XmlElement; last: XmlElement },
  { lines, hasTime }: Omit<Entries, 'count'>,
): Statement['period'] {
  const [begins, ends] = [textAt(first, 'FrToDt/FrDtTm') ?? '', textAt(last, 'FrToDt/ToDtTm') ?? ''];
  const days = hasTime ? null : wholeDays(begins, ends);
  if (days) return days;
  const [from, to] = [isoTime(begins), isoTime(ends)];
  // 23:59:59 means the end of the day.
  if (from && to) return { from, to: to.getTime() % 60_000 === 59_000 ? new Date(to.getTime() + 1_000) : to };
  const closing = findAll(last, 'Bal').find((one) => textAt(one, 'Tp/CdOrPrtry/Cd') === 'CLBD');
  const day = closing && isoTime((textAt(closing, 'Dt/Dt') ?? textAt(closing, 'Dt/DtTm') ?? '').slice(0, 10));
  if (!day) return null;
  const earliest = lines.reduce((least, { at }) => Math.min(least, at.getTime()), day.getTime());
  return { from: new Date(earliest), to: new Date(day.getTime() + DAY_MS) };
}

const DAY_END = /^(\d{4}-\d\d-\d\d)T(?:00:00:00(?:\.0+)?|(23:59:59)(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/;

/** Two midnights of one offset mean whole days, which begin in Dar es Salaam. */
function wholeDays(begins: string, ends: string): Statement['period'] {
  const [, first = '', isLate, zone] = DAY_END.exec(begins) ?? [];
  const [, last = '', isInside, zoneOfEnd] = DAY_END.exec(ends) ?? [];
  const [from, to] = [isoTime(first), isoTime(last)];
  if (!from || !to || isLate || zone !== zoneOfEnd) return null;
  return { from, to: isInside || first === last ? new Date(to.getTime() + DAY_MS) : to };
}

/**
 * The totals include pending entries, so compare them only if none is pending. Some files count over all
 * pages.
 */
function totalsOf(pages: readonly XmlElement[], each: readonly Entries[]): Statement['totals'] {
  const all = each.reduce((sum, { count }) => sum + count, 0);
  for (const [index, page] of pages.entries()) {
    const said = textAt(page, 'TxsSummry/TtlNtries/NbOfNtries');
    const has = each[index]?.count ?? 0;
    if (said !== null && ![has, all].includes(Number(said)))
      refuseFile(`the statement says ${said} entries and has ${has}`, ASK);
  }
  const [page] = pages;
  const isSummed =
    pages.length === 1 && each.every(({ lines }) => lines.every(({ status }) => status === 'done'));
  const sum = (path: string) =>
    isSummed ? minorFromDecimal(textAt(page, `TxsSummry/${path}/Sum`) ?? '') : null;
  return { lines: null, paidIn: sum('TtlCdtNtries'), paidOut: sum('TtlDbtNtries') };
}

const sumOf = (lines: readonly StatementLine[]) => lines.reduce((sum, { amount }) => sum + amount, 0);
const refuse = (no: number | string, what: string, text: string, why: string) =>
  refuseCell({ line: no, what }, text, why, ASK);
