import { mistakesBetween } from '../../base/mistakes.ts';
import { parseControlNumber } from '../../domain/control-number.ts';
import { GatewayError } from '../../domain/errors.ts';
import { showMsisdn } from '../../domain/msisdn.ts';
import { readList } from '../../platform/db/listing.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { queryUnlisted } from '../../platform/db/unlisted.ts';

/** The audit log gets `subject`. */
export type Near = { what: string; text: string; subject: string };

const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const CAPITALS = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const LETTERS = `${CAPITALS}abcdefghijklmnopqrstuvwxyz`;

const NEAR_MAX = 5;
/** Shorter texts resemble too many things, longer ones nothing. */
const [LENGTH_MIN, LENGTH_MAX] = [6, 40];

/** Uses the indexes of `find`. */
type NearSource = {
  what: string;
  /** variants that could be of this kind, or [] */
  variants(text: string): string[];
  /** SQL; $1: the variants, $2: the limit */
  found: string;
  show?(text: string): string;
};

/** Returns texts with one mistake: an extra, missing or wrong letter, or two neighbours swapped. */
export function variantsOf(text: string, alphabet: string): string[] {
  const variants = new Set<string>();
  for (let at = 0; at <= text.length; at += 1) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    variants.add(before + after.slice(1));
    if (after.length > 1) variants.add(`${before}${after[1]}${after[0]}${after.slice(2)}`);
    for (const letter of alphabet) {
      variants.add(before + letter + after);
      if (after !== '') variants.add(before + letter + after.slice(1));
    }
  }
  variants.delete(text);
  return [...variants];
}

/** People type identifiers in groups. */
const joined = (text: string) => text.replace(/[ -]/g, '');
const matching = (pattern: RegExp, texts: readonly string[]) => texts.filter((one) => pattern.test(one));
const capitalsOf = (text: string) => matching(/^[0-9A-Z]{6,20}$/, [joined(text).toUpperCase()])[0] ?? '';
const capitals = (text: string) => {
  const typed = capitalsOf(text);
  return typed === '' ? [] : variantsOf(typed, CAPITALS);
};
const alike = ['0OQD', '1IL7', '2Z', '5S', '6G', '8B', 'UV', 'MN', '3E'];
/** Returns usual mistakes: a similar letter, a neighbouring digit, a swap, a doubled or missing one. */
function misread(text: string): string[] {
  const variants = new Set(variantsOf(text, ''));
  for (const [at, letter] of [...text].entries()) {
    const [before, after] = [text.slice(0, at), text.slice(at + 1)];
    variants.add(`${before}${letter}${letter}${after}`);
    for (const other of alike.find((group) => group.includes(letter)) ?? '')
      variants.add(before + other + after);
    if (DIGITS.includes(letter))
      for (const step of [1, 9]) variants.add(`${before}${(Number(letter) + step) % 10}${after}`);
  }
  variants.delete(text);
  return [...variants];
}
const phones = (text: string) => {
  const national = /^(?:\+?255|00255|0)?(\d{8,10})$/.exec(text.replace(/[ .()-]/g, ''))?.[1] ?? '';
  return matching(/^[67]\d{8}$/, variantsOf(national, DIGITS)).map((one) => `255${one}`);
};

/** Only for few variants, because it looks once per merchant (thousands). */
const perAccount = (columns: string, from: string, column: string) =>
  `SELECT found.* FROM accounts a CROSS JOIN unnest($1::text[]) AS variant (text) CROSS JOIN LATERAL (
    SELECT ${columns} FROM ${from}
    WHERE account_id = a.id AND ${column} = variant.text LIMIT 1) found LIMIT $2`;

const sources: readonly NearSource[] = [
  {
    what: 'phone number',
    variants: phones,
    found: perAccount('msisdn AS text, id', 'transactions', 'msisdn'),
    show: showMsisdn,
  },
  {
    what: 'phone number',
    variants: phones,
    found: `SELECT msisdn AS text, transaction_id AS id FROM bill_receipts
      WHERE msisdn = ANY($1::text[]) LIMIT $2`,
    show: showMsisdn,
  },
  {
    what: 'control number',
    variants: (text) => variantsOf(joined(text), DIGITS).filter((one) => parseControlNumber(one) !== null),
    found: `SELECT control_number AS text, transaction_id AS id FROM bills
      WHERE control_number = ANY($1::text[]) LIMIT $2`,
  },
  {
    what: 'receipt',
    variants: capitals,
    found: `(SELECT receipt AS text, transaction_id AS id FROM bill_receipts
        WHERE outcome = 'accepted' AND receipt = ANY($1::text[]) LIMIT $2)
      UNION (SELECT receipt, transaction_id FROM suspense_items
        WHERE receipt = ANY($1::text[]) AND NOT is_void LIMIT $2)`,
  },
  {
    what: 'receipt',
    variants: (text) => misread(capitalsOf(text)),
    found: perAccount('channel_reference AS text, id', 'transactions', 'channel_reference'),
  },
  {
    what: 'reference',
    variants: (text) => matching(/^P[YO].{16}$/, capitals(text)),
    found: 'SELECT reference AS text, id FROM transactions WHERE reference = ANY($1::text[]) LIMIT $2',
  },
  {
    what: 'payment number',
    variants: misread,
    found: perAccount('payment_number AS text, transaction_id AS id', 'bills', 'payment_number'),
  },
  {
    what: 'id of a transaction',
    variants: (text) =>
      matching(/^[0-9a-f]{32}$/, variantsOf(joined(text).toLowerCase(), HEX)).map((one) =>
        one.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      ),
    found: 'SELECT id::text AS text, id FROM transactions WHERE id = ANY($1::uuid[]) LIMIT $2',
  },
  {
    what: 'item in suspense',
    variants: (text) => matching(/^si_[0-9a-f]{12}$/, variantsOf(text, HEX)),
    found: 'SELECT id AS text, transaction_id AS id FROM suspense_items WHERE id = ANY($1::text[]) LIMIT $2',
  },
  {
    what: 'proposal',
    variants: (text) => matching(/^pr_[0-9A-Za-z]{12}$/, variantsOf(text, LETTERS)),
    found: 'SELECT id AS text, NULL AS id FROM proposals WHERE id = ANY($1::text[]) LIMIT $2',
  },
];

/** Finds texts one mistake away. Returns none if that takes longer than 2 s. */
export async function findNear(database: Database, text: string): Promise<Near[]> {
  if (text.length < LENGTH_MIN || text.length > LENGTH_MAX) return [];
  try {
    return await readList(database, async (db) => {
      const near: Near[] = [];
      for (const source of sources) near.push(...(await nearOf(db, source, text)));
      near.push(...(await nearMerchants(db, text)));
      // Bills and a push may have the same number: keep it once.
      return near.filter((one, at) => near.findIndex(isSame(one)) === at).slice(0, NEAR_MAX);
    });
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'validation_failed') return [];
    throw error;
  }
}

async function nearOf(db: Queryable, source: NearSource, text: string): Promise<Near[]> {
  const { what, variants, found, show = (one) => one } = source;
  const asked = variants(text);
  if (asked.length === 0) return [];
  const { rows } = await queryUnlisted<{ text: string; id: string | null }>(
    db,
    'what is searched',
    `SELECT text, min(id::text) AS id FROM (${found}) near GROUP BY text LIMIT $2`,
    [asked, NEAR_MAX],
  );
  return rows.map((row) => ({ what, text: show(row.text), subject: row.id ?? row.text }));
}

/** Reads all merchants (thousands). Each typed word must resemble a word of the name. */
async function nearMerchants(db: Queryable, text: string): Promise<Near[]> {
  const wordsOf = (name: string) => name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const asked = wordsOf(text);
  if (asked.length === 0) return [];
  const { rows } = await db.query('SELECT id, name FROM accounts ORDER BY created_at, id LIMIT 10000');
  return rows
    .filter(({ name }) => {
      const words = wordsOf(name);
      return asked.every((one) => words.some((word) => isNear(one, word)));
    })
    .slice(0, NEAR_MAX)
    .map(({ id, name }) => ({ what: 'merchant', text: name, subject: `account:${id}` }));
}

const isSame = (one: Near) => (other: Near) => one.what === other.what && one.text === other.text;

/** A short word must be exact. */
const isNear = (typed: string, word: string) =>
  word.startsWith(typed) || mistakesBetween(typed, word) <= Math.floor(typed.length / 4);
