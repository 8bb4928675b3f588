import type { Tier } from './fees.ts';
import { CURRENCY } from './money.ts';

/** Writes tiers on one line, in whole shillings: `0-4,999: 300; 5,000-: 400 + 1.5 % min 500 max 2,000`. */
export function writeTiers(tiers: readonly Tier[]): string {
  return tiers
    .map(({ from, to, fixed, basis_points, min, max }) => {
      const share = basis_points === 0 ? [] : [`${basis_points / 100} %`];
      const fee = [...(fixed > 0 || share.length === 0 ? [number(fixed)] : []), ...share].join(' + ');
      const least = min > 0 ? ` min ${number(min)}` : '';
      return (
        `${number(from)}-${to === null ? '' : number(to)}: ` +
        `${fee}${least}${max === null ? '' : ` max ${number(max)}`}`
      );
    })
    .join('; ');
}

/** Says tiers in words, one sentence for each: `from 5,000 TZS on: 400 TZS + 1.5 %, at least 500 TZS`. */
export function sayTiers(tiers: readonly Tier[]): string[] {
  return tiers.map(({ from, to, fixed, basis_points, min, max }) => {
    const upTo = to === null ? `from ${money(from)} on` : `from ${money(from)} to ${money(to)}`;
    const parts = [
      ...(fixed > 0 ? [money(fixed)] : []),
      ...(basis_points > 0 ? [`${basis_points / 100} % of the amount`] : []),
    ];
    const bounds = [
      ...(min > 0 ? [`, at least ${money(min)}`] : []),
      ...(max === null ? [] : [`, at most ${money(max)}`]),
    ];
    const range = from === 0 && to === null ? 'every amount' : upTo;
    return parts.length === 0 ? `${range}: nothing` : `${range}: ${parts.join(' and ')}${bounds.join('')}`;
  });
}

const TIER =
  /^(?:([\d,]+) ?- ?([\d,]*) ?: ?)?(?:([\d,]+)(?![\d.,]| ?%))?(?: ?\+? ?(\d{1,3}(?:\.\d{1,2})?) ?%)?(?: min ([\d,]+))?(?: max ([\d,]+))?$/;

/** Reads the text of `writeTiers`, or one fee for every amount. Null if unreadable. Tiers stay unchecked. */
export function readTiers(text: string): Tier[] | null {
  const read = text.split(';').map((part) => {
    const [match, from = '0', to = '', fixed, percent, min = '0', max] = TIER.exec(part.trim()) ?? [];
    if (match === undefined || (fixed === undefined && percent === undefined)) return null;
    return {
      from: count(from),
      to: to === '' ? null : count(to),
      fixed: count(fixed ?? '0'),
      basis_points: Math.round(Number(percent ?? 0) * 100),
      min: count(min),
      max: max === undefined ? null : count(max),
    };
  });
  return read.includes(null) ? null : (read as Tier[]);
}

const money = (value: number) => `${number(value)} ${CURRENCY}`;
const number = (value: number) => value.toLocaleString('en-US');
const count = (text: string) => Number(text.replaceAll(',', ''));
