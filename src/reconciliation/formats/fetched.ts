import { z } from 'zod';
import { RECEIPT_FIELD as AIRTEL_RECEIPT } from '../../channels/airtel-openapi/wire.ts';
import { RECEIPT_FIELD as GSMA_RECEIPT } from '../../channels/gsma/wire.ts';
import { parseCleanJson } from '../../channels/kit/clean-json.ts';
import { type Minor, minor, minorFromDecimal } from '../../domain/money.ts';
import { createProblems, refuseFile, type Statement, type StatementLine } from '../statement.ts';
import { refuseMore } from './bytes.ts';
import { isoTime, othersOf, ownReferenceIn, refuseCell } from './cells.ts';
import type { StatementSettings } from './settings.ts';

/**
 * We fetched this statement from a network's API, page by page, and keep its entries as received. `balance`
 * (null: the API gives none) is the current one, after `entries` and `later`. Without `later` it is the
 * balance at `to`; without any entry it must equal the previous statement's.
 */
export type FetchedStatement = {
  theirs: string;
  from: string;
  to: string;
  /** end of the previous statement, if after `from`; lines before it are read a second time */
  again?: string;
  balance: string | null;
  entries: readonly unknown[];
  /** entries from `to` on, which are not lines of this statement */
  later: readonly unknown[];
};

const ASK = 'ask the network what it means, and import its file meanwhile';
const AS_FILE = 'import what the portal gives, as CSV or .xlsx';

/** A pending entry delays a statement's end this long. A completed one keeps its first time. */
const PENDING_HOLDS_MS = 86_400_000;

const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const schema = z.strictObject({
  theirs: z.string(),
  from: moment,
  to: moment,
  again: moment.optional(),
  balance: z.string().optional(),
  entries: z.array(z.unknown()),
  later: z.array(z.unknown()),
});

const text = z.string().max(1_000);
const parties = z.array(z.object({ key: text, value: text })).default([]);
const loose = z
  .union([z.string().max(256), z.number(), z.boolean()])
  .transform((shown) => (typeof shown === 'boolean' ? undefined : String(shown)))
  .optional();

/** `GET …/statemententries` of GSMA's Mobile Money API 1.2. */
const gsmaEntry = z.object({
  transactionReference: text,
  transactionReceipt: text.optional(),
  transactionStatus: text,
  amount: text,
  currency: text,
  creditParty: parties,
  debitParty: parties,
  requestingOrganisationTransactionReference: text.optional(),
  descriptionText: text.optional(),
  displayType: text.optional(),
  type: text.optional(),
  creationDate: text.optional(),
  modificationDate: text.optional(),
  originalTransactionReference: text.optional(),
});

/** `GET /merchant/v1/transactions` of Airtel. */
const airtelParty = z.object({ msisdn: loose, name: text.optional() }).optional();
const airtelEntry = z.object({
  payee: airtelParty,
  payer: airtelParty,
  service: z.object({ type: text.optional() }).optional(),
  transaction: z.object({
    airtel_money_id: text.optional(),
    amount: loose,
    created_at: loose,
    id: loose,
    reference_number: loose,
    status: text.optional(),
  }),
});

type Read = (
  entry: unknown,
  place: { no: number; settings: StatementSettings },
) => Omit<StatementLine, 'no' | 'raw'>;

export function readFetched(
  content: string,
  settings: StatementSettings,
  format: 'gsma' | 'airtel',
): Statement {
  const parsed = schema.safeParse(jsonOf(content));
  if (!parsed.success) return refuseFile('this is no statement that was fetched', AS_FILE);
  const { theirs, from, to: wanted, again = from, balance, entries, later } = parsed.data;
  refuseMore(entries.length + later.length);
  const read = format === 'gsma' ? readGsma : readAirtel;
  const problems = createProblems();
  const linesOf = (some: readonly unknown[], before: number, between: readonly [Date, Date]) =>
    some.flatMap((entry, index) => {
      const no = before + index + 1;
      const one = () => ({ no, raw: JSON.stringify(entry), ...read(entry, { no, settings }) });
      return problems.read(() => [askedFor(one(), between)]);
    });
  // Both lists may contain entries at `to`.
  const all = [
    ...linesOf(entries, 0, [from, wanted]).filter(({ at }) => at >= from && at < wanted),
    ...linesOf(later, entries.length, [wanted, FOR_EVER]).filter(({ at }) => at >= wanted),
  ];
  problems.refuse();
  const to = endOf(all, { from: again, wanted });
  const lines = all.filter(({ at }) => at < to);
  const now = balance === undefined ? null : balanceIn(balance);
  const closing = now === null ? null : minor(now - sumOf(all.filter(({ at }) => at >= to)));
  return {
    theirs,
    currency: null,
    period: { from, to },
    opening: closing === null ? null : minor(closing - sumOf(lines)),
    closing,
    totals: { lines: null, paidIn: null, paidOut: null },
    lines,
    isFetched: true,
  };
}

const FOR_EVER = new Date(8.64e15);
const SECOND_MS = 1_000;

/** Throws StatementRefused outside the period. Allows one second more, for APIs that count whole seconds. */
function askedFor(line: StatementLine, [from, to]: readonly [Date, Date]): StatementLine {
  const at = line.at.getTime();
  if (at >= from.getTime() - SECOND_MS && at <= to.getTime() + SECOND_MS) return line;
  return refuseFile(
    `line ${line.no}: ${line.at.toISOString()} is not of the time that was asked for, ` +
      `${from.toISOString()} to ${to.toISOString()}`,
    ASK,
  );
}

/** A statement ends before the first pending entry, which may later change a period already read. */
function endOf(lines: readonly StatementLine[], { from, wanted }: { from: Date; wanted: Date }): Date {
  const holds = ({ status, at }: StatementLine) =>
    status === 'pending' && at >= from && wanted.getTime() - at.getTime() < PENDING_HOLDS_MS;
  const end = lines.reduce(
    (to, line) => (holds(line) ? Math.min(to, line.at.getTime()) : to),
    wanted.getTime(),
  );
  return new Date(Math.max(from.getTime(), end));
}

const sumOf = (lines: readonly StatementLine[]) =>
  lines.reduce((sum, { status, amount }) => sum + (status === 'done' ? amount : 0), 0);

function jsonOf(content: string): unknown {
  try {
    return parseCleanJson(content);
  } catch {
    return refuseFile('this is no JSON', AS_FILE);
  }
}

/** Reads a balance of an API, with or without commas. Throws StatementRefused. */
export function balanceIn(shown: string): Minor {
  const digits = shown.replaceAll(',', '');
  const amount = minorFromDecimal(digits.replace(/^-/, ''));
  if (amount === null) return refuseFile(`the balance ${JSON.stringify(shown)} is no amount`, ASK);
  return digits.startsWith('-') && amount !== 0 ? minor(-amount) : amount;
}

const readGsma: Read = (entry, { no, settings }) => {
  const one = parse(gsmaEntry, entry, no);
  const isOurs = (party: typeof one.creditParty) => party.some(({ value }) => value === settings.theirs);
  const [isIn, isOut] = [isOurs(one.creditParty), isOurs(one.debitParty)];
  const other = isIn ? one.debitParty : one.creditParty;
  const status = ({ completed: 'done', failed: 'failed', reversed: 'done' } as const)[one.transactionStatus];
  const description = one.descriptionText ?? one.displayType ?? '';
  return {
    receipt: one[GSMA_RECEIPT] || null,
    alsoKnownAs: othersOf(one.transactionReceipt, one.requestingOrganisationTransactionReference),
    kind:
      ({ reversal: 'reversal', fee: 'fee', tax: 'tax' } as const)[one.type ?? one.displayType ?? ''] ??
      'unknown',
    status: status ?? 'pending',
    amount: signed(one.amount, { isIn, isOut, no, theirs: settings.theirs }),
    currency: one.currency,
    at:
      isoTime(one.creationDate ?? one.modificationDate ?? '') ??
      refuse(no, 'creationDate', one.creationDate, 'is no time'),
    reference: one.requestingOrganisationTransactionReference ?? ownReferenceIn(description),
    names: one.originalTransactionReference === undefined ? [] : [one.originalTransactionReference],
    sweepTo: null,
    party: other.find(({ key }) => key === 'msisdn')?.value ?? null,
    balanceAfter: null,
    text: description,
  };
};

const readAirtel: Read = (entry, { no, settings }) => {
  const { payee, payer, service, transaction } = parse(airtelEntry, entry, no);
  const isOurs = (party: typeof payee) => nationalOf(party?.msisdn) === nationalOf(settings.theirs);
  const status = ({ TS: 'done', TF: 'failed' } as const)[transaction.status ?? ''];
  const [isIn, isOut] = [isOurs(payee), isOurs(payer)];
  const seconds = Number(transaction.created_at);
  const other = isIn ? payer : payee;
  if (!(seconds > 0)) refuse(no, 'created_at', transaction.created_at, 'is no time');
  return {
    receipt: transaction[AIRTEL_RECEIPT] || null,
    alsoKnownAs: othersOf(transaction.id, transaction.reference_number),
    kind: 'unknown',
    status: status ?? 'pending',
    amount: signed(transaction.amount, { isIn, isOut, no, theirs: settings.theirs }),
    currency: settings.currency,
    // Some countries send milliseconds.
    at: new Date(seconds > 1e11 ? seconds : seconds * 1_000),
    reference: transaction.id ?? transaction.reference_number ?? null,
    names: [],
    sweepTo: null,
    party: [other?.msisdn, other?.name].filter(Boolean).join(' - ') || null,
    balanceAfter: null,
    text: service?.type ?? '',
  };
};

/** `255780000000`, `0780000000` and `780000000` are one number. */
const nationalOf = (number: string | undefined) => number?.replace(/^(?:\+?255|0)(?=\d{9}$)/, '');

function signed(
  shown: string | undefined,
  { isIn, isOut, no, theirs }: { isIn: boolean; isOut: boolean; no: number; theirs: string },
): Minor {
  const amount = minorFromDecimal(shown?.replaceAll(',', '') ?? '');
  if (amount === null) return refuse(no, 'amount', shown, 'is no amount');
  if (isIn === isOut) return refuse(no, 'account', theirs, 'must be one of payer and payee');
  return isOut && amount !== 0 ? minor(-amount) : amount;
}

function parse<S extends z.ZodType>(shape: S, entry: unknown, no: number): z.output<S> {
  const parsed = shape.safeParse(entry);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return refuseFile(`line ${no}: ${issue?.path.join('.')}: ${issue?.message}`, ASK);
}

const refuse = (no: number, what: string, shown: string | undefined, why: string) =>
  refuseCell({ line: no, what }, shown ?? '', why, ASK);
