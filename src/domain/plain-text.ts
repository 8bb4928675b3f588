/** What a terminal obeys, and what changes the order in which its neighbours are shown: with it a text reads as another. */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Whether everybody sees the text as it is: one line, and nothing hidden in it. */
export function isPlain(text: string): boolean {
  return text.search(HIDDEN) === -1;
}

/** The lines with what is hidden in them written out (`\u001b`), for a terminal. JSON means the same as before. */
export function writtenOut(lines: string): string {
  return lines.replace(HIDDEN, (one) =>
    one === '\n' || one === '\t' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
