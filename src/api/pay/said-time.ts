import { clockTimeOf } from '../../domain/day.ts';
import type { Language } from '../../domain/language.ts';

/** Swahili has these parts of the day, each with its last hour. */
const PARTS = [
  { last: 3, name: 'usiku' },
  { last: 5, name: 'alfajiri' },
  { last: 11, name: 'asubuhi' },
  { last: 15, name: 'mchana' },
  { last: 18, name: 'jioni' },
  { last: 23, name: 'usiku' },
];

/** Writes a moment's (ISO 8601, UTC) day in Dar es Salaam: `26 Februari 2027`. */
export function saidDay(at: string, language: Language): string {
  const locale = language === 'sw' ? 'sw' : 'en-GB';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${clockTimeOf(Date.parse(at))}Z`),
  );
}

/**
 * Writes a moment (ISO 8601, UTC) as people in Dar es Salaam say it: `26 Februari 2027, saa 1:29 asubuhi
 * (07:29)`. Swahili hours are six behind the clock, whose time is in brackets.
 */
export function saidTime(at: string, language: Language): string {
  return `${saidDay(at, language)}, ${saidHour(at, language)}`;
}

/** Omits the day: `saa 1:29 asubuhi (07:29)`. */
export function saidHour(at: string, language: Language): string {
  const clock = clockTimeOf(Date.parse(at)).slice(11, 16);
  if (language === 'en') return clock;
  const hour = Number(clock.slice(0, 2));
  const part = PARTS.find(({ last }) => hour <= last)?.name ?? '';
  return `saa ${((hour + 5) % 12) + 1}${clock.slice(2)} ${part} (${clock})`;
}
