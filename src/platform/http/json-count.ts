/** Counts a text before it is parsed; it may not be JSON. */
export type JsonCount = { refused: 'empty' | 'too deep' | 'too many' } | { refused: null; dense: Dense };

/** Text without white space outside strings, because parsers are slow with long runs of it. */
export type Dense = {
  text: string;
  /** the offset in the text as sent */
  placeOf(offset: number): number;
};

const METADATA = '"metadata"';
/** The most members of one object or one `metadata`: ten times what is ever accepted. */
const MEMBERS_MAX = 2_000;
const SPACES_MAX = 2;

/** Counts depth and values, including the top value, and stops at the first excess. */
export function countJson(text: string, most: { valuesMax: number; depthMax: number }): JsonCount {
  const kept: [from: number, to: number][] = [];
  /** members of each open object; an array has none */
  const members: number[] = [];
  let keptTo = 0;
  let values = 0;
  let withinMetadata = 0;
  let metadataDepth = Number.POSITIVE_INFINITY;
  let isMetadata = false;
  let isFirst = true;
  const isOver = () => {
    const inMetadata = members.length >= metadataDepth;
    if (inMetadata) withinMetadata += 1;
    else values += 1;
    const ofObject = (members.at(-1) ?? Number.NaN) + 1;
    if (members.length > 0) members[members.length - 1] = ofObject;
    return values > most.valuesMax || withinMetadata > MEMBERS_MAX || ofObject > MEMBERS_MAX;
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (isSpace(sign)) {
      const end = endOfSpace(text, at);
      if (end - at > SPACES_MAX) {
        kept.push([keptTo, at + 1]);
        keptTo = end;
      }
      at = end - 1;
      continue;
    }
    const isEnd = sign === '}' || sign === ']';
    if ((sign === ',' || (isFirst && !isEnd)) && isOver()) return { refused: 'too many' };
    isFirst = sign === '{' || sign === '[';
    if (isFirst) {
      members.push(sign === '{' ? 0 : Number.NaN);
      if (members.length > most.depthMax) return { refused: 'too deep' };
      if (isMetadata && metadataDepth > members.length) {
        metadataDepth = members.length;
        withinMetadata = 0;
      }
    } else if (isEnd) {
      if (members.length === metadataDepth) metadataDepth = Number.POSITIVE_INFINITY;
      members.pop();
    }
    if (sign === '"') {
      const end = endOfString(text, at);
      isMetadata = end - at === METADATA.length && text.startsWith(METADATA, at);
      at = end - 1;
    } else if (sign !== ':') isMetadata = false;
  }
  if (isFirst && values === 0) return { refused: 'empty' };
  return { refused: null, dense: denseOf(text, [...kept, [keptTo, text.length]]) };
}

function denseOf(text: string, kept: [from: number, to: number][]): Dense {
  return {
    text: kept.length === 1 ? text : kept.map(([from, to]) => text.slice(from, to)).join(''),
    placeOf(offset) {
      let left = offset;
      for (const [from, to] of kept) {
        if (left < to - from) return from + left;
        left -= to - from;
      }
      return text.length;
    },
  };
}

export function withoutSpace(text: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const from = isSpace(text[at] as string) ? endOfSpace(text, at) : at;
    at = from;
    while (at < text.length && !isSpace(text[at] as string))
      at = text[at] === '"' ? endOfString(text, at) : at + 1;
    pieces.push(text.slice(from, at));
  }
  return pieces.join('');
}

function isSpace(sign: string): boolean {
  return sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t';
}

function endOfSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text[at] as string)) at += 1;
  return at;
}

/** Returns the index after the closing quote, or after the text if there is none. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
