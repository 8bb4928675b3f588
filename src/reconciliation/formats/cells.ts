import { DAY_MS, DAY_OFFSET } from '../../domain/day.ts';
import { type Minor, minor, minorTyped } from '../../domain/money.ts';
import { refuseFile } from '../statement.ts';

/** Reads one cell of a statement. If it is ambiguous, the whole statement is refused. */

type Place = { line: number | string; what: string };

const SHOWN_MAX = 60;

/** Throws StatementRefused: `line 7: Paid In "1.100,00" is no amount: download the file again`. */
export function refuseCell({ line, what }: Place, text: string, why: string, todo?: string): never {
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  const where = typeof line === 'string' ? line : `line ${line}`;
  return refuseFile(`${where}: ${what} ${JSON.stringify(shown)} ${why}`, todo);
}

/** `1,100.00`, `-1,100.00` → minor units; an empty cell is null. Throws StatementRefused. */
export function amountIn(text: string, place: Place): Minor | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const isNegative = trimmed.startsWith('-');
  const amount = minorTyped(isNegative ? trimmed.slice(1) : trimmed);
  if (amount === null) return refuseCell(place, text, 'is no amount such as 1,100.00');
  return isNegative && amount !== 0 ? minor(-amount) : amount;
}

/** `stepMs`: the precision, a second or a day. */
type ReadTime = { at: Date; stepMs: number };

const tokens: Record<string, string> = {
  yyyy: '(?<yyyy>\\d{4})',
  MM: '(?<MM>\\d{2})',
  dd: '(?<dd>\\d{2})',
  HH: '(?<HH>\\d{2})',
  mm: '(?<mm>\\d{2})',
  ss: '(?<ss>\\d{2})',
};
const patterns = new Map<string, RegExp>();

function patternOf(format: string): RegExp {
  const known = patterns.get(format);
  if (known) return known;
  const source = format.replace(/yyyy|MM|dd|HH|mm|ss|[./]/g, (part) => tokens[part] ?? `\\${part}`);
  const made = new RegExp(`^${source}$`);
  patterns.set(format, made);
  return made;
}

/** Reads a time of Dar es Salaam by the first format that fits. Throws StatementRefused. */
export function timeIn(text: string, formats: readonly string[], place: Place): ReadTime {
  const trimmed = text.trim();
  for (const format of formats) {
    const parts = patternOf(format).exec(trimmed)?.groups;
    if (!parts) continue;
    const { yyyy, MM, dd, HH = '00', mm = '00', ss = '00' } = parts;
    const at = isoTime(`${yyyy}-${MM}-${dd}T${HH}:${mm}:${ss}`);
    if (at) return { at, stepMs: format.includes('HH') ? 1_000 : DAY_MS };
  }
  return refuseCell(place, text, `is no time such as ${formats[0]}`);
}

const LOCAL = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/;

/** Reads ISO 8601, by default in Dar es Salaam's time. Null for an impossible time, such as 30 February. */
export function isoTime(text: string): Date | null {
  const parts = LOCAL.exec(text.trim());
  if (!parts) return null;
  const [, day = '', time = '00:00:00', zone = DAY_OFFSET] = parts;
  const clock = new Date(`${day}T${time}Z`);
  if (Number.isNaN(clock.getTime()) || clock.toISOString().slice(0, 10) !== day) return null;
  const at = new Date(`${day}T${time}${zone}`);
  return Number.isNaN(at.getTime()) ? null : at;
}

const OWN_REFERENCE = /(?<![0-9A-Za-z])P[YO][0-9A-HJKMNP-TV-Z]{16}(?![0-9A-Za-z])/i;

/** Returns the network's numbers, each once; leaves out references of ours. */
export function othersOf(...numbers: readonly (string | null | undefined)[]): string[] {
  return [...new Set(numbers.flatMap((one) => (one && ownReferenceIn(one) === null ? [one] : [])))];
}

/** Finds a reference of ours (ids.ts, channelReferenceOf) in a network's text, in upper or lower case. */
export function ownReferenceIn(text: string): string | null {
  return OWN_REFERENCE.exec(text)?.[0].toUpperCase() ?? null;
}
