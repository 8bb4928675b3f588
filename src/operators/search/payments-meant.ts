import { DAY_MS, dayOf } from '../../domain/day.ts';
import { minorTyped, toDecimal } from '../../domain/money.ts';
import { networkByName } from '../../domain/network.ts';

export type PaymentsMeant = { amount: string; from?: string; to?: string; network?: string };

/**
 * Reads an amount with a day, a network or both: `25,000 today`, `25000 26/11`, `25,000 M-Pesa`. Without a
 * year, a day is the latest one that has begun. Returns null for other texts.
 */
export function paymentsMeant(text: string, now = new Date()): PaymentsMeant | null {
  const [typed = '', ...words] = text
    .trim()
    .replace(/ (tzs|tsh)\b/i, '')
    .split(/\s+/);
  const amount = minorTyped(typed.replace(/\/[=-]$/, ''));
  if (amount === null || words.length === 0) return null;
  const days = words.map((word) => dayMeant(word.toLowerCase(), now));
  const day = days.find((one) => one !== null);
  const name = words.filter((_, at) => days[at] === null).join(' ');
  const network = networkByName(name)?.id;
  if (words.length - days.filter((one) => one === null).length > 1) return null;
  if (name !== '' && network === undefined) return null;
  return {
    amount: toDecimal(amount),
    ...(day && { from: day, to: dayAfter(day) }),
    ...(network !== undefined && { network }),
  };
}

const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);

function dayMeant(word: string, now: Date): string | null {
  if (word === 'today') return dayOf(now);
  if (word === 'yesterday') return dayOf(new Date(now.getTime() - DAY_MS));
  const [, day = '', month = '', year] = /^(\d{1,2})[/.](\d{1,2})(?:[/.](\d{4}))?$/.exec(word) ?? [];
  const thisYear = Number(dayOf(now).slice(0, 4));
  const read = (of: number) => validDay(`${of}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  if (day === '') return validDay(word);
  if (year !== undefined) return read(Number(year));
  const latest = read(thisYear);
  return latest !== null && latest > dayOf(now) ? read(thisYear - 1) : latest;
}

function validDay(text: string): string | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : new Date(Number.NaN);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text ? null : text;
}
