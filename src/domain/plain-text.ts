/** A terminal obeys these characters, they turn neighbours around, or nobody sees them. */
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Returns true if everybody sees the text as it is: one line with nothing hidden. */
export function isPlain(text: string): boolean {
  return text.search(HIDDEN) === -1;
}

/** The lines with what is hidden in them written out (`\u001b`), for a terminal. JSON means the same as before. */
export function writtenOut(lines: string): string {
  return lines.replace(HIDDEN, (one) =>
    one === '\n' || one === '\t' ? one : one.split('').map(escaped).join(''),
  );
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
