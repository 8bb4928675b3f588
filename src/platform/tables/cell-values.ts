import { DAY_MS } from '../../domain/day.ts';

const WRITTEN = /^(-?)(\d{1,24})(?:\.(\d{1,24}))?(?:[Ee]([+-]?\d{1,3}))?$/;
/** Spreadsheets compute and show 15 digits but write 17. */
const DIGITS_MAX = 15;
const PLACES_MAX = 24;

/**
 * `1.5E7` → `15000000`, `1100.5499999999999` → `1100.55`; unchanged if too long for money; null: no number.
 */
export function plainNumber(text: string): string | null {
  const [all, sign, whole = '', fraction = '', exponent = '0'] = WRITTEN.exec(text) ?? [];
  if (all === undefined) return null;
  let places = fraction.length - Number(exponent);
  if (Math.abs(places) > PLACES_MAX) return text;
  let digits = BigInt(whole + fraction) * 10n ** BigInt(Math.max(-places, 0));
  places = Math.max(places, 0);
  const more = Math.min(String(digits).length - DIGITS_MAX, places);
  if (more > 0 && String(digits).length - places <= DIGITS_MAX) {
    const unit = 10n ** BigInt(more);
    digits = (digits + unit / 2n) / unit;
    places -= more;
  }
  const written = String(digits).padStart(places + 1, '0');
  const decimals = written.slice(written.length - places).replace(/0+$/, '');
  const units = written.slice(0, written.length - places);
  return `${digits === 0n ? '' : sign}${units}${decimals && `.${decimals}`}`;
}

const FIRST_DAY = Date.UTC(1899, 11, 30);
const DAYS_1904 = 1_462;
/**
 * Excel counts a 29 February 1900, which did not exist, so days before March 1900 are uncertain. Its last
 * year is 9999.
 */
const DAYS = { least: 61, most: 2_958_465 };
/** A double may be just below the whole second, so this is added before the fraction is cut off. */
const SLIP_SECONDS = 0.005;

/** Days since 1900 → `2026-11-20`, or with a clock `2026-11-20 10:31:05`; null if it is no day. */
export function dateText(days: string, { is1904, hasClock }: { is1904: boolean; hasClock: boolean }) {
  const count = Number(days) + (is1904 ? DAYS_1904 : 0);
  if (!(count >= DAYS.least && count <= DAYS.most)) return null;
  const seconds = Math.floor((count * DAY_MS) / 1_000 + SLIP_SECONDS);
  const [day, clock] = new Date(FIRST_DAY + seconds * 1_000).toISOString().slice(0, 19).split('T');
  return hasClock || clock !== '00:00:00' ? `${day} ${clock}` : day;
}

const CLOCKS = [18, 19, 20, 21, 22, 45, 46, 47];
const DAYS_ONLY = [14, 15, 16, 17];

/** Returns null for plain numbers. `code` is the workbook's own format with this id. */
export function dateStyle(id: number, code: string | undefined): 'day' | 'clock' | null {
  if (code === undefined) return CLOCKS.includes(id) ? 'clock' : DAYS_ONLY.includes(id) ? 'day' : null;
  const [first = ''] = code.replace(/"[^"]{0,200}"|\\.|[_*]./g, '').split(';');
  const letters = first.replace(/\[(?![hms]{1,9}\])[^[\]]{0,50}\]/gi, '').replace(/general/i, '');
  if (/[hs]/i.test(letters)) return 'clock';
  return /[dmy]/i.test(letters) ? 'day' : null;
}
