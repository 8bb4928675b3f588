const TEXT_LENGTH_MAX = 140;

/** Unicode decomposition does not turn these letters into ASCII. */
const REPLACEMENTS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
  '’': "'",
  '‘': "'",
  '`': "'",
  '´': "'",
  '“': "'",
  '”': "'",
  '"': "'",
  '–': '-',
  '—': '-',
  _: '-',
  '&': '+',
  ';': ',',
};

/** Keeps a-z A-Z 0-9 / - ? : ( ) . , ' + and space, at most 140; replaces other signs by similar ones. */
export function toAllowedText(text: string): string {
  return [...text]
    .map((letter) => REPLACEMENTS[letter] ?? letter)
    .join('')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9/\-?:().,'+ ]/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, TEXT_LENGTH_MAX)
    .trimEnd();
}

/** Returns false without a letter or digit: the standard requires a name, "not given" would be untrue. */
export function carriesName(fullName: string): boolean {
  return /[a-zA-Z0-9]/.test(toAllowedText(fullName));
}
