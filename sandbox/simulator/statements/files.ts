import { rowOf } from '../../../src/base/csv.ts';
import { clockTimeOf } from '../../../src/domain/day.ts';
import { formatMoney, type Minor, toFixedDecimal } from '../../../src/domain/money.ts';
import type { ShownLine } from '../core/statement-lines.ts';

export type StatementPeriod = {
  theirs: string;
  from: Date;
  to: Date;
  opening: Minor;
  lines: readonly ShownLine[];
};

type Write = (period: StatementPeriod) => string;

/** Writes a time with the separator given: `2026-01-04T17:16:40.123` → `04-01-2026 17:16:40`. */
function timeOf(at: Date, separator: string): string {
  const clock = clockTimeOf(at.getTime());
  const [year, month, day] = clock.slice(0, 10).split('-');
  return `${[day, month, year].join(separator)} ${clock.slice(11, 19)}`;
}

/** Writes commas unless a spreadsheet would read the amount as a formula. */
const shown = (amount: Minor) => (amount < 0 ? toFixedDecimal(amount) : formatMoney(amount));
const paidIn = ({ amount }: ShownLine) => (amount > 0 ? shown(amount) : '');
const paidOut = ({ amount }: ShownLine) => (amount < 0 ? shown(amount) : '');
const masked = (party: string) => (party === '' ? '' : `${party.slice(0, 5)}****${party.slice(-3)}`);
const newestFirst = (lines: readonly ShownLine[]) => [...lines].reverse();
const closingOf = ({ opening, lines }: StatementPeriod) => lines.at(-1)?.balance ?? opening;
const sumOf = (lines: readonly ShownLine[], sign: 1 | -1) =>
  lines.reduce((sum, { amount }) => sum + Math.max(0, sign * amount), 0) as Minor;

function detailsOf({ kind, party, reference, original }: ShownLine): string {
  const account = reference === '' ? '' : ` Acc. ${reference}`;
  if (kind === 'charge') return 'Pay Bill Charge';
  if (kind === 'return') return `Reversal of ${original}`;
  // A wallet's statement has none of our references: its receipt identifies a payout.
  return kind === 'payout'
    ? `Business Payment to ${masked(party)}`
    : `Pay Bill from ${masked(party)}${account}`;
}

const LEGACY_HEADER =
  'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,' +
  'Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.,Currency';

const legacy: Write = (period) => {
  const { theirs, from, to, opening, lines } = period;
  const last = new Date(to.getTime() - 1_000);
  const rows = [
    ['Account Holder:', 'Malipo'],
    ['Short Code:', theirs],
    ['Account:', 'Utility Account'],
    ['Time Period:', 'From', timeOf(from, '-'), 'To', timeOf(last, '-')],
    ['Operator:', 'simulator', 'Organization:', 'Malipo', 'Date of Report:', timeOf(new Date(), '-')],
    [
      'Opening Balance:',
      shown(opening),
      'Closing Balance:',
      shown(closingOf(period)),
      'Total Paid In:',
      shown(sumOf(lines, 1)),
      'Total Withdrawn:',
      shown(sumOf(lines, -1)),
    ],
    LEGACY_HEADER.split(','),
    ...newestFirst(lines).map((line) => [
      line.receipt,
      timeOf(line.at, '-'),
      timeOf(line.at, '-'),
      detailsOf(line),
      'Completed',
      paidIn(line),
      paidOut(line),
      shown(line.balance),
      'true',
      line.kind,
      masked(line.party),
      line.original,
      line.kind === 'payment' ? line.reference : '',
      'TZS',
    ]),
  ];
  return rows.map(rowOf).join('');
};

const newer: Write = ({ lines }) => {
  const header = ['Receipt No', 'Completion Time', 'Details', 'Transaction Status'];
  const rows = [
    [...header, 'Paid In (TZS)', 'Withdrawn (TZS)', 'Balance (TZS)'],
    ...newestFirst(lines).map((line) => [
      line.receipt,
      timeOf(line.at, '/'),
      detailsOf(line),
      'Completed',
      paidIn(line),
      paidOut(line),
      shown(line.balance),
    ]),
  ];
  return rows.map(rowOf).join('');
};

const crdb: Write = ({ theirs, lines }) => {
  const rows = [
    ['Account Number:', theirs],
    ['Posting Date', 'Details', 'Value Date', 'Debit', 'Credit', 'Book Balance'],
    ...lines.map((line) => [
      timeOf(line.at, '.'),
      bankDetailsOf(line),
      timeOf(line.at, '.').slice(0, 10),
      paidOut(line).replace('-', ''),
      paidIn(line),
      shown(line.balance),
    ]),
  ];
  return rows.map(rowOf).join('');
};

function bankDetailsOf({ kind, receipt, reference, original }: ShownLine): string {
  if (kind === 'charge') return 'Monthly Maintenance Fee';
  const about = kind === 'return' ? `RETURN OF ${original} ${reference}` : reference;
  return `REF:${receipt} IB FT ${about}`.trim();
}

const camt: Write = (period) => {
  const money = (amount: Minor) =>
    `<Amt Ccy="TZS">${toFixedDecimal(Math.abs(amount) as Minor)}</Amt>` +
    `<CdtDbtInd>${amount < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
  const local = (at: Date) => `${clockTimeOf(at.getTime()).slice(0, 19)}+03:00`;
  const balance = (code: string, amount: Minor, at: Date) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(amount)}<Dt>` +
    `<DtTm>${local(at)}</DtTm></Dt></Bal>`;
  const entry = (line: ShownLine) => {
    const returned = line.kind === 'return' ? '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>' : '';
    const family = line.kind === 'charge' ? 'CHRG' : 'OTHR';
    const details =
      `<NtryDtls><TxDtls><Refs><EndToEndId>${line.reference || 'NOTPROVIDED'}` +
      '</EndToEndId></Refs>' +
      `${returned}</TxDtls></NtryDtls>`;
    return (
      `<Ntry>${money(line.amount)}<Sts><Cd>BOOK</Cd></Sts><BookgDt>` +
      `<DtTm>${local(line.at)}</DtTm></BookgDt><AcctSvcrRef>${line.receipt}</AcctSvcrRef><BkTxCd><Domn>` +
      `<Cd>PMNT</Cd><Fmly><Cd>OTHR</Cd><SubFmlyCd>${family}</SubFmlyCd></Fmly></Domn></BkTxCd>` +
      `${details}</Ntry>`
    );
  };
  const { theirs, from, to, opening, lines } = period;
  const id = `${theirs}-${clockTimeOf(from.getTime()).slice(0, 10)}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>',
    `<GrpHdr><MsgId>${id}</MsgId><CreDtTm>${local(to)}</CreDtTm></GrpHdr><Stmt><Id>${id}</Id>`,
    `<FrToDt><FrDtTm>${local(from)}</FrDtTm><ToDtTm>${local(to)}</ToDtTm></FrToDt>`,
    `<Acct><Id><Othr><Id>${theirs}</Id></Othr></Id><Ccy>TZS</Ccy></Acct>`,
    balance('OPBD', opening, from),
    balance('CLBD', closingOf(period), to),
    ...lines.map(entry),
    '</Stmt></BkToCstmrStmt></Document>\n',
  ].join('\n');
};

export const writers: Record<string, Write> = { legacy, newer, crdb, camt };
