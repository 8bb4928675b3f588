import { MINOR_PER_UNIT, type Minor, minor } from './money.ts';

/**
 * TANQR is the national merchant-presented QR code of the Bank of Tanzania (EMVCo MPM): tags `TT LL value`,
 * `00` first, `63` (the checksum) last, any order between.
 */
export type TanqrRequest = {
  /** 5 digits; `merchantId`: at most 15. Our place in the national scheme */
  acquirerId: string;
  merchantId: string;
  /** 4 digits (ISO 18245) */
  categoryCode: string;
  /** whole shillings: the scheme has no cents; null: a static code, whose payer types it */
  amount: Minor | null;
  /** any text: made safe here */
  merchantName: string;
  city: string;
  /** 5 digits */
  postcode: string;
  controlNumber: string;
  /** printed once and paid many times: static, even with an amount */
  isStanding?: boolean;
};

type TanqrTags = { [tag: string]: string | { [tag: string]: string } };

export type Tanqr = {
  tags: TanqrTags;
  dynamic: boolean;
  /** null on a static code without an amount: the payer types it */
  amount: Minor | null;
  merchantName: string;
  /** tag 62/01: the control number of a code of ours */
  billNumber: string | null;
};

export type TanqrRefusal =
  | 'characters'
  | 'length'
  | 'order'
  | 'checksum'
  | 'duplicate_tag'
  | 'version'
  | 'initiation'
  | 'merchant'
  | 'currency'
  | 'country'
  | 'amount_missing'
  | 'amount';

const SCHEME = 'tz.go.bot.tips';
const SHILLING = '834';
const NAME_MAX = 25;
const CITY_MAX = 15;

/** A dynamic code is for one payment, a static one for many. Throws RangeError if it does not fit. */
export function buildTanqr(request: TanqrRequest): string {
  requireDigits(request.acquirerId, 5, 5);
  requireDigits(request.merchantId, 1, 15);
  requireDigits(request.categoryCode, 4, 4);
  requireDigits(request.postcode, 5, 5);
  requireDigits(request.controlNumber, 1, 25);
  const open = [
    tag('00', '01'),
    tag('01', request.amount === null || request.isStanding ? '11' : '12'),
    tag('26', tag('00', SCHEME) + tag('01', request.acquirerId) + tag('02', request.merchantId)),
    tag('52', request.categoryCode),
    tag('53', SHILLING),
    request.amount === null ? '' : tag('54', wholeShillings(request.amount)),
    tag('58', 'TZ'),
    tag('59', safeText(request.merchantName, NAME_MAX) || 'MERCHANT'),
    tag('60', safeText(request.city, CITY_MAX) || 'TANZANIA'),
    tag('61', request.postcode),
    tag('62', tag('01', request.controlNumber) + tag('05', request.controlNumber)),
    '6304',
  ].join('');
  return open + crc16(open);
}

/**
 * Reads any TANQR payload as found in use: checksum and scheme letters in upper or lower case, several
 * accounts, a scanner's line end. Keeps unknown tags.
 */
export function parseTanqr(scanned: string): { tanqr: Tanqr } | { refused: TanqrRefusal } {
  const payload = scanned.replace(/[\r\n]{1,2}$/, '');
  if (!/^[\x20-\x7e]*$/.test(payload)) return { refused: 'characters' };
  const pairs = splitTags(payload);
  if (!pairs) return { refused: 'length' };
  if (pairs[0]?.tag !== '00' || pairs.at(-1)?.tag !== '63') return { refused: 'order' };
  if (pairs.at(-1)?.value.toUpperCase() !== crc16(payload.slice(0, -4))) return { refused: 'checksum' };
  if (hasDuplicates(pairs)) return { refused: 'duplicate_tag' };
  const tags: TanqrTags = Object.fromEntries(pairs.map((pair) => [pair.tag, pair.value]));
  for (const { tag: name, value } of pairs.filter((pair) => isTemplate(pair.tag))) {
    const inner = splitTags(value);
    if (inner && hasDuplicates(inner)) return { refused: 'duplicate_tag' };
    if (inner) tags[name] = Object.fromEntries(inner.map((pair) => [pair.tag, pair.value]));
    else if (name === '26' || name === '62') return { refused: 'length' };
  }
  return check(tags);
}

const accounts = Array.from({ length: 26 }, (_, at) => String(26 + at));

function check(tags: TanqrTags): { tanqr: Tanqr } | { refused: TanqrRefusal } {
  if (tags['00'] !== '01') return { refused: 'version' };
  // A sticker may omit the initiation: then it is static.
  if (!['11', '12', undefined].includes(tags['01'] as string | undefined)) return { refused: 'initiation' };
  const dynamic = tags['01'] === '12';
  if (!accounts.some((name) => inside(tags, name, '00')?.toLowerCase() === SCHEME))
    return { refused: 'merchant' };
  if (tags['53'] !== SHILLING) return { refused: 'currency' };
  if (tags['58'] !== 'TZ') return { refused: 'country' };
  const amount = tags['54'];
  if (dynamic && amount === undefined) return { refused: 'amount_missing' };
  if (amount !== undefined && !/^[1-9][0-9]{0,12}(\.0{1,2})?$/.test(String(amount)))
    return { refused: 'amount' };
  return {
    tanqr: {
      tags,
      dynamic,
      amount: amount === undefined ? null : minor(Number(amount) * MINOR_PER_UNIT),
      merchantName: String(tags['59'] ?? ''),
      billNumber: inside(tags, '62', '01') ?? null,
    },
  };
}

/** Returns CRC-16/CCITT-FALSE of ASCII text as four upper-case hex digits: `123456789` → `29B1`. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (let i = 0; i < text.length; i += 1) {
    crc ^= text.charCodeAt(i) << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** Makes printable upper-case ASCII without accents, which every wallet can show. May be empty. */
export function safeText(text: string, max: number): string {
  return text
    .replace(/[‘’`´ʼ]/g, "'")
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, max)
    .trim();
}

function tag(name: string, value: string): string {
  return name + String(value.length).padStart(2, '0') + value;
}

function wholeShillings(amount: Minor): string {
  if (amount <= 0 || amount % MINOR_PER_UNIT !== 0)
    throw new RangeError(`a QR code holds whole shillings above 0, not ${amount} minor units`);
  return String(amount / MINOR_PER_UNIT);
}

function requireDigits(text: string, min: number, max: number): void {
  if (!/^[0-9]+$/.test(text) || text.length < min || text.length > max)
    throw new RangeError(`not ${min === max ? min : `${min} to ${max}`} digits: ${text}`);
}

type Pair = { tag: string; value: string };

/** Returns null if a tag or length is not two digits, or a value runs past the end. */
function splitTags(text: string): Pair[] | null {
  const pairs: Pair[] = [];
  let at = 0;
  while (at < text.length) {
    const head = /^([0-9]{2})([0-9]{2})$/.exec(text.slice(at, at + 4));
    if (!head) return null;
    const end = at + 4 + Number(head[2]);
    if (end > text.length) return null;
    pairs.push({ tag: head[1] as string, value: text.slice(at + 4, end) });
    at = end;
  }
  return pairs;
}

function hasDuplicates(pairs: Pair[]): boolean {
  return new Set(pairs.map((pair) => pair.tag)).size !== pairs.length;
}

/** Merchant accounts, additional data, the second language and unreserved templates contain tags. */
function isTemplate(name: string): boolean {
  const number = Number(name);
  return (number >= 26 && number <= 51) || number === 62 || number === 64 || number >= 80;
}

function inside(tags: TanqrTags, template: string, name: string): string | undefined {
  const value = tags[template];
  return typeof value === 'object' ? value[name] : undefined;
}
