import { RECEIPT_FIELD } from '../../channels/iso20022/wire.ts';
import { findAll, textAt } from '../../channels/iso20022/xml.ts';
import { NotXml, type TakeElement, treeOf, type XmlElement } from '../../channels/kit/xml.ts';
import { DAY_MS } from '../../domain/day.ts';
import { type Minor, minor, minorFromDecimal } from '../../domain/money.ts';
import { type LineKind, type Statement, type StatementLine, StatementRefused } from '../statement.ts';
import { refuseMore } from './bytes.ts';
import { isoTime, othersOf, ownReferenceIn, refuseCell } from './cells.ts';
import type { StatementSettings } from './settings.ts';

/**
 * The end-of-day statement of a bank, camt.053.001.02 to .08. Its entries are read one by one, so that a long one needs no
 * more memory than a short one. The sign is CdtDbtInd's alone, also of a reversal.
 */

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(?:0[2-8])$/;
/** Of an entry, and of what stands around all of them. */
const LIMITS = { sizeMax: 4 * 1024 * 1024, elementsMax: 100_000, attributesMax: 20_000, depthMax: 64 };
const END = /<\/(?:[\w.-]{1,64}:)?Ntry\s{0,9}>/;
/** Sub-families of bank transaction codes that are no payment. */
const kindOfFamily: Record<string, LineKind> = { CHRG: 'fee', COMM: 'fee', FEES: 'fee', TAXE: 'tax' };

export function readCamt(text: string, settings: StatementSettings): Statement {
  const lines: StatementLine[] = [];
  let entries = 0;
  const take: TakeElement = (entry, parent) => {
    entries += 1;
    requireCamt(entry);
    const currency = currencyOf(parent, settings);
    for (const line of linesOf(entry, { no: entries, currency })) lines.push(line);
    refuseMore(lines.length);
  };
  const document = elementsOf(text, take, () => entries + 1);
  requireCamt(document);
  const [statement, another] = findAll(document, 'BkToCstmrStmt/Stmt');
  if (!statement || another) throw new StatementRefused('the file must have one statement (Stmt)');
  const currency = currencyOf(statement, settings);
  if (lines.some((line) => line.currency !== currency))
    throw new StatementRefused('the account (Acct) must stand before its entries (Ntry)');
  return {
    theirs: textAt(statement, 'Acct/Id/IBAN') ?? textAt(statement, 'Acct/Id/Othr/Id'),
    currency,
    period: periodOf(statement, lines),
    opening: balanceOf(statement, ['OPBD', 'PRCD'], currency),
    closing: balanceOf(statement, ['CLBD'], currency),
    totals: totalsOf(statement, { entries, lines }),
    lines,
  };
}

/** The document without its entries, each of which is taken when it is complete. Throws StatementRefused. */
function elementsOf(text: string, take: TakeElement, next: () => number): XmlElement {
  try {
    return treeOf(text, { limits: LIMITS, isStrict: true, apart: 'Ntry', take });
  } catch (error) {
    if (!(error instanceof NotXml)) throw error;
    if (error.isMarkup)
      throw new StatementRefused('a document type, an entity or CDATA is not read: a bank sends none');
    if (error.rest === null) throw new StatementRefused('this is no XML of a bank in UTF-8');
    const why = END.test(error.rest) ? 'cannot be read' : 'has no end';
    throw new StatementRefused(`line ${next()}: the entry ${why}`);
  }
}

function requireCamt({ namespace }: XmlElement): void {
  if (!NAMESPACE.test(namespace))
    throw new StatementRefused(`this is ${namespace}, not a camt.053 statement`);
}

const currencyOf = (statement: XmlElement | undefined, settings: StatementSettings) =>
  textAt(statement, 'Acct/Ccy') ?? settings.currency;

type Place = { no: number; currency: string };

/** One line; or one for each payment of a batch, where every one has an amount and their sum is the entry's. */
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
  // Banks number a payout anew in their statements: of what we sent they know our number first.
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
    at: dateOf(entry, 'BookgDt') ?? dateOf(entry, 'ValDt') ?? refuse(no, 'BookgDt', '', 'is no date'),
    reference: ownReferenceIn(textAt(entry, 'AddtlNtryInf') ?? ''),
    names: [],
    sweepTo: null,
    party: null,
    balanceAfter: null,
    text: textAt(entry, 'AddtlNtryInf') ?? '',
  };
}

/** `amount` is 0 where the detail has none of its own: it never has the entry's. */
function partOf(detail: XmlElement, whole: StatementLine, { no, currency }: Place): StatementLine {
  const remittance = findAll(detail, 'RmtInf/Ustrd').map((one) => one.text);
  const text = [whole.text, ...remittance].filter((one) => one !== '').join(' ');
  const names = ['EndToEndId', 'InstrId', 'TxId', 'ClrSysRef'].map((name) => textAt(detail, `Refs/${name}`));
  const alsoKnownAs = othersOf(...names.filter((one) => one !== 'NOTPROVIDED'));
  const [named] = alsoKnownAs;
  const path = ['Amt', 'AmtDtls/TxAmt/Amt'].find((one) => findAll(detail, one).length > 0);
  const direction = textAt(detail, 'CdtDbtInd') ?? (whole.amount < 0 ? 'DBIT' : 'CRDT');
  const other = direction === 'CRDT' ? 'Dbtr' : 'Cdtr';
  return {
    ...whole,
    raw: detail.raw,
    receipt: textAt(detail, `Refs/${RECEIPT_FIELD}`),
    alsoKnownAs,
    kind: findAll(detail, 'RtrInf').length > 0 ? 'return' : whole.kind,
    amount: path === undefined ? minor(0) : signedOf(detail, path, { no, currency, direction }),
    reference: ownReferenceIn(`${names.join(' ')} ${text}`) ?? named ?? null,
    party: textAt(detail, `RltdPties/${other}/Nm`) ?? textAt(detail, `RltdPties/${other}/Pty/Nm`),
    text,
  };
}

/** .02 writes the word itself, .08 its code. Only booked money moved; INFO never does. */
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
  }: { no: number; currency: string; direction?: string | null },
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

/** A day alone begins in Dar es Salaam. */
function dateOf(element: XmlElement, path: string): Date | null {
  return isoTime(textAt(element, `${path}/DtTm`) ?? textAt(element, `${path}/Dt`) ?? '');
}

function balanceOf(statement: XmlElement, codes: readonly string[], currency: string): Minor {
  const found = findAll(statement, 'Bal').find((one) => codes.includes(textAt(one, 'Tp/CdOrPrtry/Cd') ?? ''));
  if (!found)
    throw new StatementRefused(
      `the balance ${codes[0]} is missing: one page of a statement, or a report within the day, proves no day`,
    );
  return signedOf(found, 'Amt', { no: 0, currency });
}

/** FrToDt, else the day of the closing balance and those of the entries. */
function periodOf(statement: XmlElement, lines: readonly StatementLine[]): Statement['period'] {
  const from = isoTime(textAt(statement, 'FrToDt/FrDtTm') ?? '');
  const to = isoTime(textAt(statement, 'FrToDt/ToDtTm') ?? '');
  // 23:59:59 means the end of the day.
  if (from && to) return { from, to: to.getTime() % 60_000 === 59_000 ? new Date(to.getTime() + 1_000) : to };
  const closing = findAll(statement, 'Bal').find((one) => textAt(one, 'Tp/CdOrPrtry/Cd') === 'CLBD');
  const day = closing && isoTime((textAt(closing, 'Dt/Dt') ?? textAt(closing, 'Dt/DtTm') ?? '').slice(0, 10));
  if (!day) return null;
  const first = lines.reduce((least, { at }) => Math.min(least, at.getTime()), day.getTime());
  return { from: new Date(first), to: new Date(day.getTime() + DAY_MS) };
}

/** Their sums count pending entries too, so they are compared only where there are none. */
function totalsOf(
  statement: XmlElement,
  { entries, lines }: { entries: number; lines: readonly StatementLine[] },
): Statement['totals'] {
  const count = textAt(statement, 'TxsSummry/TtlNtries/NbOfNtries');
  if (count !== null && Number(count) !== entries)
    throw new StatementRefused(`the statement says ${count} entries and has ${entries}`);
  const allBooked = lines.every(({ status }) => status === 'done');
  const sum = (path: string) =>
    allBooked ? minorFromDecimal(textAt(statement, `TxsSummry/${path}/Sum`) ?? '') : null;
  return { lines: null, paidIn: sum('TtlCdtNtries'), paidOut: sum('TtlDbtNtries') };
}

const sumOf = (lines: readonly StatementLine[]) => lines.reduce((sum, { amount }) => sum + amount, 0);
const refuse = (no: number, what: string, text: string, why: string) =>
  refuseCell({ line: no, what }, text, why);
