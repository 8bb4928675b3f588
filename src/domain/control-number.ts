/** A customer types this number to pay: our prefix, a serial and a Damm check digit; unique for ever. */
const LENGTH = 12;

/** Detects every wrong digit and every swap of two neighbours. */
const DAMM = [
  '0317598642',
  '7092154863',
  '4206871359',
  '1750983426',
  '6123045978',
  '3674209581',
  '5869720134',
  '8945362017',
  '9438617205',
  '2581436790',
] as const;

/** Joins prefix (2 to 6 digits), padded serial and check digit. Throws RangeError if they do not fit. */
export function makeControlNumber(prefix: string, serial: number): string {
  if (!isControlNumberPrefix(prefix)) throw new RangeError(`not a control number prefix: ${prefix}`);
  if (serial > largestSerial(prefix) || serial < 0 || !Number.isSafeInteger(serial))
    throw new RangeError(`serial ${serial} does not fit behind the prefix ${prefix}`);
  const digits = prefix + String(serial).padStart(LENGTH - 1 - prefix.length, '0');
  return digits + dammDigit(digits);
}

export function serialOf(prefix: string, controlNumber: string): number {
  return Number(controlNumber.slice(prefix.length, -1));
}

export function largestSerial(prefix: string): number {
  return 10 ** (LENGTH - 1 - prefix.length) - 1;
}

/** A prefix has 2 to 6 digits; 99 is the government's. */
export function isControlNumberPrefix(prefix: string): boolean {
  return /^(?!99)[0-9]{2,6}$/.test(prefix);
}

/** Reads 12 ASCII digits, without spaces and dashes; null for anything else, or a wrong check digit. */
export function parseControlNumber(text: string): string | null {
  const digits = text.replace(/[\s\p{Dash_Punctuation}]/gu, '');
  return /^[0-9]{12}$/.test(digits) && isDammValid(digits) ? digits : null;
}

export function isDammValid(digits: string): boolean {
  return dammDigit(digits) === '0';
}

/** Returns the check digit of ASCII digits: `572` → `4`. */
export function dammDigit(digits: string): string {
  let interim = '0';
  for (const digit of digits) interim = (DAMM[Number(interim)] as string).charAt(Number(digit));
  return interim;
}
