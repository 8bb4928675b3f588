import { type Element, findAll, readXml, textAt } from '../../channels/iso20022/xml.ts';
import { receiptFields } from '../../channels/kit/receipt-fields.ts';
import { DAY_MS } from '../../domain/day.ts';
import { type Minor, minor, minorFromDecimal } from '../../domain/money.ts';
import { type LineKind, type Statement, type StatementLine, StatementRefused } from '../statement.ts';
import { refuseMore } from './bytes.ts';
import { isoTime, othersOf, ownReferenceIn, refuseCell } from './cells.ts';
import type { StatementSettings } from './settings.ts';

/**
 * The end-of-day statement of a bank, camt.053.001.02 to .08. Its entries are parsed one by one, so that a long one needs
 * no more memory than a short one. The sign is CdtDbtInd's alone, also of a reversal.
 */

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(?:0[2-8])$/;
const OPENED = {
  Ntry: /<((?:[\w.-]+:)?)Ntry(?=[\s/>])[^<>]*>/g,
  TxDtls: /<((?:[\w.-]+:)?)TxDtls(?=[\s/>])[^<>]*>/g,
};
const LIMITS = { bytesMax: 4 * 1024 * 1024, elementsMax: 100_000, attributesMax: 20_000 };
/** Sub-families of bank transaction codes that are no payment. */
const kindOfFamily: Record<string, LineKind> = { CHRG: 'fee', COMM: 'fee', FEES: 'fee', TAXE: 'tax' };

export function readCamt(text: string, settings: StatementSettings): Statement {
  const { shell, entries } = split(text);
  const document = readXml(Buffer.from(shell), LIMITS);
  if (!document) throw new StatementRefused('this is no XML of a bank in UTF-8');
  if (!NAMESPACE.test(document.namespace))
    throw new StatementRefused(`this is ${document.namespace}, not a camt.053 statement`);
  const [statement, another] = findAll(document.root, 'BkToCstmrStmt/Stmt');
  if (!statement || another) throw new StatementRefused('the file must have one statement (Stmt)');
  const currency = textAt(statement, 'Acct/Ccy') ?? settings.currency;
  const lines: StatementLine[] = [];
  for (const [index, { prefix, xml }] of entries.entries()) {
    const scope = prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`;
    const wrapped = `<${prefix}Document ${scope}="${document.namespace}">${xml}</${prefix}Document>`;
    const [entry] = findAll(readXml(Buffer.from(wrapped), LIMITS)?.root ?? NOTHING, 'Ntry');
    if (!entry) throw new StatementRefused(`line ${index + 1}: the entry cannot be read`);
    for (const line of linesOf(entry, { no: index + 1, raw: xml, currency })) lines.push(line);
    refuseMore(lines.length);
  }
  return {
    theirs: textAt(statement, 'Acct/Id/IBAN') ?? textAt(statement, 'Acct/Id/Othr/Id'),
    currency,
    period: periodOf(statement, lines),
    opening: balanceOf(statement, ['OPBD', 'PRCD'], currency),
    closing: balanceOf(statement, ['CLBD'], currency),
    totals: totalsOf(statement, { entries: entries.length, lines }),
    lines,
  };
}

const NOTHING: Element = { name: '', attributes: {}, text: '', children: [] };

/** The document without its entries, and those. Throws StatementRefused for what could be read in two ways. */
function split(text: string): { shell: string; entries: Part[] } {
  const plain = withoutComments(text);
  if (plain.includes('<!'))
    throw new StatementRefused('a document type, an entity or CDATA is not read: a bank sends none');
  const entries = partsOf(plain, 'Ntry');
  const ends = [0, ...entries.map(({ to }) => to)];
  const shell = ends.map((from, at) => plain.slice(from, entries[at]?.from));
  return { shell: shell.join(''), entries };
}

/** A comment without an end stays, and is refused. */
function withoutComments(text: string): string {
  const [first = '', ...others] = text.split('<!--');
  const after = (piece: string) => {
    const end = piece.indexOf('-->');
    return end < 0 ? `<!${piece}` : piece.slice(end + '-->'.length);
  };
  return [first, ...others.map(after)].join('');
}

type Part = { prefix: string; xml: string; from: number; to: number };

/** The elements of a name, each up to its first end. Throws StatementRefused where one has none. */
function partsOf(xml: string, name: keyof typeof OPENED): Part[] {
  const parts: Part[] = [];
  const opened = OPENED[name];
  opened.lastIndex = 0;
  for (let start = opened.exec(xml); start; start = opened.exec(xml)) {
    const [begin, prefix = ''] = start;
    const close = begin.endsWith('/>') ? begin : `</${prefix}${name}>`;
    const end = xml.indexOf(close, start.index);
    if (end < 0) throw new StatementRefused(`line ${parts.length + 1}: the entry has no end`);
    const to = end + close.length;
    parts.push({ prefix, xml: xml.slice(start.index, to), from: start.index, to });
    opened.lastIndex = to;
    refuseMore(parts.length);
  }
  return parts;
}

type Place = { no: number; raw: string; currency: string };

/** One line; or one for each payment of a batch, where every one has an amount and their sum is the entry's. */
function linesOf(entry: Element, place: Place): StatementLine[] {
  const whole = lineOf(entry, place);
  const details = findAll(entry, 'NtryDtls/TxDtls');
  if (details.length === 0) return [whole];
  const raws = partsOf(place.raw, 'TxDtls');
  const parts = details.map((detail, index) => ({
    ...partOf(detail, whole, place),
    raw: raws[index]?.xml ?? '',
  }));
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

function lineOf(entry: Element, { no, raw, currency }: Place): StatementLine {
  const family = textAt(entry, 'BkTxCd/Domn/Fmly/SubFmlyCd') ?? '';
  const isReversal = ['true', '1'].includes(textAt(entry, 'RvslInd') ?? '');
  return {
    no,
    raw,
    receipt: textAt(entry, receiptFields.iso20022),
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
function partOf(detail: Element, whole: StatementLine, { no, currency }: Place): StatementLine {
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
    receipt: textAt(detail, `Refs/${receiptFields.iso20022}`),
    alsoKnownAs,
    kind: findAll(detail, 'RtrInf').length > 0 ? 'return' : whole.kind,
    amount: path === undefined ? minor(0) : signedOf(detail, path, { no, currency, direction }),
    reference: ownReferenceIn(`${names.join(' ')} ${text}`) ?? named ?? null,
    party: textAt(detail, `RltdPties/${other}/Nm`) ?? textAt(detail, `RltdPties/${other}/Pty/Nm`),
    text,
  };
}

/** .02 writes the word itself, .08 its code. Only booked money moved; INFO never does. */
function statusOf(entry: Element, no: number): StatementLine['status'] {
  const word = textAt(entry, 'Sts/Cd') ?? textAt(entry, 'Sts') ?? '';
  if (word === 'BOOK') return 'done';
  if (word === 'PDNG' || word === 'FUTR') return 'pending';
  return word === 'INFO' ? 'failed' : refuse(no, 'Sts', word, 'is no status that we know');
}

function signedOf(
  element: Element,
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
function dateOf(element: Element, path: string): Date | null {
  return isoTime(textAt(element, `${path}/DtTm`) ?? textAt(element, `${path}/Dt`) ?? '');
}

function balanceOf(statement: Element, codes: readonly string[], currency: string): Minor {
  const found = findAll(statement, 'Bal').find((one) => codes.includes(textAt(one, 'Tp/CdOrPrtry/Cd') ?? ''));
  if (!found)
    throw new StatementRefused(
      `the balance ${codes[0]} is missing: one page of a statement, or a report within the day, proves no day`,
    );
  return signedOf(found, 'Amt', { no: 0, currency });
}

/** FrToDt, else the day of the closing balance and those of the entries. */
function periodOf(statement: Element, lines: readonly StatementLine[]): Statement['period'] {
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
  statement: Element,
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
