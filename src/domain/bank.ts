import { bankData, bareBankName, namesOf } from './data/banks.ts';
import { type Message, say } from './messages.ts';

export type Bank = { name: string; value: string; bic: string; aliases?: string[] | undefined };

export const banks: readonly Bank[] = [...bankData.banks].sort((a, b) => (a.name < b.name ? -1 : 1));

export type BankLookup = { bank: Bank; bic: string } | { unknown: Message };

// Test before changing the case: other letters become these capitals too (`ß` becomes `SS`).
const BIC = /^[A-Z]{4}TZ[A-Z0-9]{2}([A-Z0-9]{3})?$/i;
const ACCOUNT = /^[0-9A-Z]{5,34}$/i;

/** Finds a bank by a BIC's first 8 of 8 or 11 characters. `unknown` names a likely BIC. */
export function findBank(input: string): BankLookup {
  const bic = input.trim();
  if (!BIC.test(bic)) return { unknown: say('must_be_bic') };
  const institution = bic.slice(0, 8).toUpperCase();
  const bank = banks.find((b) => b.bic === institution);
  if (bank) return { bank, bic: institution };
  const retired = bankData.retired.find((r) => r.bic === institution);
  if (retired) {
    const { name: bank, since, successor_bic: successor } = retired;
    const year = since.slice(0, 4);
    return { unknown: say('bank_taken_over', { bic: institution, bank, year, successor }) };
  }
  const likely = bankData.often_mistyped[institution];
  if (likely) return { unknown: say('bank_mistyped', { bic: institution, likely }) };
  return { unknown: say('bank_unknown', { bic: institution }) };
}

export function bankNamed(text: string): Bank | undefined {
  const name = bareBankName(text);
  return banks.find((bank) => namesOf(bank).has(name));
}

export function bankByBic(bic: string): Bank | undefined {
  return banks.find((b) => b.bic === bic.slice(0, 8));
}

/**
 * Returns the account number without spaces and dashes, upper-cased; null unless 5–34 letters and digits. No
 * national check digit exists.
 */
export function parseAccountNumber(input: string): string | null {
  const account = input.replace(/[ -]/g, '');
  return ACCOUNT.test(account) ? account.toUpperCase() : null;
}

/** Compares sets of words, without accents or extra middle names; `NG OMBE` equals `Ng'ombe`. */
export function namesMatch(given: string, known: string): boolean {
  return spellingsOf(given).some((a) => spellingsOf(known).some((b) => wordsMatch(a, b)));
}

function wordsMatch(given: Set<string>, known: Set<string>): boolean {
  const [a, b] = [given, known].sort((x, y) => x.size - y.size) as [Set<string>, Set<string>];
  if (a.size === 0) return false;
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared === a.size && (a.size === b.size || a.size >= 2);
}

const APOSTROPHES = /['’‘`´ʼ]/g;

/** Returns two spellings: without apostrophes, and with spaces for them. */
function spellingsOf(name: string): Set<string>[] {
  const plain = name.replace(APOSTROPHES, "'").normalize('NFKD').replace(/\p{M}/gu, '');
  return ['', ' '].map(
    (sign) =>
      new Set(
        plain
          .toUpperCase()
          .replaceAll("'", sign)
          .split(/[^\p{L}\p{N}]+/u)
          .filter(Boolean),
      ),
  );
}
