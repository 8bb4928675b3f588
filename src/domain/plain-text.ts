/** These control a terminal, reverse neighbours, or are invisible. */
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** True if the text is one line with nothing hidden. */
export function isPlain(text: string): boolean {
  return text.search(HIDDEN) === -1;
}

/** Writes hidden characters out (`\u001b`), for a terminal. JSON keeps its meaning. */
export function writtenOut(lines: string): string {
  return lines.replace(HIDDEN, (one) =>
    one === '\n' || one === '\t' ? one : one.split('').map(escaped).join(''),
  );
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
