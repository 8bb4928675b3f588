import { windowsText } from '../../base/windows-letters.ts';
import { xmlParser } from '../../base/xml-parser.ts';

/** Every network's XML goes through one streaming parser with limits, so a stranger's text costs little. */

/** Names have no prefix. `text` is the element's own text, trimmed; `raw` is its source with all tags. */
export type XmlElement = {
  name: string;
  namespace: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
  raw: string;
};

export const XML_BYTES_MAX = 32 * 1024;
const NAMESPACES_MAX = 16;

/** `sizeMax`: in characters */
type Limits = { sizeMax: number; elementsMax: number; attributesMax: number; depthMax: number };
const MESSAGE_LIMITS: Limits = {
  sizeMax: XML_BYTES_MAX,
  elementsMax: 1_000,
  attributesMax: 100,
  depthMax: 20,
};

const ENCODINGS = ['utf-8', 'utf8', 'utf-16', 'us-ascii', 'iso-8859-1', 'windows-1252'];
const LATIN_DECLARATION = /^\s*<\?xml\s[^>]*\sencoding\s*=\s*["'](?:iso-8859-1|windows-1252)["']/i;
/** XML 1.0 forbids these characters, such as NUL or half a surrogate pair; Postgres does too. */
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/**
 * `isMarkup`: the text has a document type, CDATA in a message, or a malformed comment. `rest` is the text of
 * the unfinished `apart` element, or null.
 */
export class NotXml extends Error {
  readonly isMarkup: boolean;
  readonly rest: string | null;
  constructor(why: string, where: { isMarkup: boolean; rest: string | null }) {
    super(why);
    this.isMarkup = where.isMarkup;
    this.rest = where.rest;
  }
}

type Options = {
  limits?: Limits;
  /** true for banks, which declare prefixes and use no CDATA; networks use undeclared prefixes */
  isStrict?: boolean;
  /** Only elements of this name are read; any text may be around them. A downloaded file may have CDATA. */
  within?: string;
  /** each element of this name has limits of its own; they are never nested */
  apart?: string;
  /** Skips a document type, which the full reader refuses later. Its entities stay unknown. */
  passesType?: boolean;
};

/** Gets a complete element and may add it to its parent. */
export type TakeElement = (element: XmlElement, parent: XmlElement | undefined) => void;

/**
 * Refuses document types, and entities other than XML's five and character references. Refuses processing
 * instructions other than style sheets, except outside of `within`. Throws NotXml.
 */
function walk(
  given: string,
  { limits = MESSAGE_LIMITS, isStrict = false, within, apart, passesType = false }: Options,
  closed: TakeElement,
): void {
  const text = given.trimStart();
  const isMessage = isStrict && within === undefined;
  const resolvePrefix = (prefix: string) => (isStrict ? undefined : `undeclared:${prefix}`);
  const parser = xmlParser({ xmlns: true, resolvePrefix }, (why, isType) => {
    if (!isType || !passesType) refuse(why, isType || isInComment(parser.position));
  });
  const open: { element: XmlElement; from: number }[] = [];
  const counts = createCounts(limits);
  const beginning = () => text.lastIndexOf('<', parser.position - 1);
  const isInComment = (at: number) => text.lastIndexOf('<!--', at) > text.lastIndexOf('-->', at);
  const refuse = (why: string, isMarkup: boolean) => {
    const from = counts.apartFrom();
    throw new NotXml(why, { isMarkup, rest: from === null ? null : text.slice(from) });
  };
  const refuseMore = () => {
    if (counts.areBeyond({ depth: open.length, at: parser.position })) refuse('it is too large', false);
  };
  const add = (more: string) => {
    const innermost = open.at(-1);
    if (innermost) innermost.element.text += more;
  };

  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (!ENCODINGS.includes(encoding.toLowerCase())) refuse('another encoding', false);
  });
  parser.on('processinginstruction', ({ target }) => {
    if (within === undefined && target !== 'xml-stylesheet') refuse('a processing instruction', false);
  });
  parser.on('cdata', (more) => (isMessage ? refuse('CDATA', true) : add(more)));
  parser.on('text', add);
  parser.on('attribute', ({ name, prefix }) => {
    counts.attribute(name === 'xmlns' || prefix === 'xmlns');
    refuseMore();
  });
  parser.on('opentag', ({ local: name, uri: namespace, attributes: given }) => {
    const from = beginning();
    if (isMessage && open.length === 0 && namespace === '') refuse('no namespace', false);
    if (name === apart && !counts.begin(from)) refuse('it stands in another one', false);
    const attributes = Object.fromEntries(Object.values(given).map((one) => [one.name, one.value.trim()]));
    open.push({ element: { name, namespace, attributes, children: [], text: '', raw: '' }, from });
    counts.element();
    refuseMore();
  });
  parser.on('closetag', ({ name, isSelfClosing }) => {
    // The parser reports an element before it checks the closing tag, so we check it.
    if (!isSelfClosing && !text.startsWith(`</${name}`, beginning())) refuse('another end', false);
    refuseMore();
    const { element, from } = open.pop() as (typeof open)[number];
    element.text = element.text.trim();
    element.raw = text.slice(from, parser.position);
    if (element.name === apart) counts.end(parser.position);
    closed(element, open.at(-1)?.element);
  });

  if (NO_CHARACTER.test(text)) refuse('a character that XML has no place for', false);
  parser.write(text).close();
}

function createCounts({ sizeMax, elementsMax, attributesMax, depthMax }: Limits) {
  const since = (from: number) => ({ from, elements: 0, attributes: 0, namespaces: 0 });
  let counts = since(0);
  let around: typeof counts | null = null;
  return {
    apartFrom: () => around && counts.from,
    begin(from: number): boolean {
      if (around) return false;
      around = counts;
      counts = since(from);
      return true;
    },
    end(at: number): void {
      const outer = around ?? counts;
      counts = { ...outer, from: outer.from + at - counts.from };
      around = null;
    },
    element(): void {
      counts.elements += 1;
    },
    attribute(isNamespace: boolean): void {
      counts.attributes += 1;
      if (isNamespace) counts.namespaces += 1;
    },
    areBeyond: ({ depth, at }: { depth: number; at: number }) =>
      depth > depthMax ||
      at - counts.from > sizeMax ||
      counts.elements > elementsMax ||
      counts.attributes > attributesMax ||
      counts.namespaces > NAMESPACES_MAX,
  };
}

/**
 * The text may have several `within` elements, each with a tree. Strict mode drops elements of foreign
 * namespaces. `take` gets each `apart` element (which is in no tree) and its unfinished parent. Throws
 * NotXml.
 */
export function treesOf(text: string, options: Options & { take?: TakeElement }): XmlElement[] {
  const { isStrict, within, apart, take } = options;
  const roots: XmlElement[] = [];
  walk(text, options, (element, parent) => {
    if (within === undefined ? !parent : element.name === within) roots.push(element);
    else if (!parent) return;
    else if (isStrict && element.namespace !== parent.namespace) return;
    else if (element.name === apart) take?.(element, parent);
    else parent.children.push(element);
  });
  return roots;
}

/** Reads a message of 32 KiB, 20 levels, 16 namespaces at most; else null. Never throws. */
export function parseXml(body: string | Uint8Array, options: { isStrict?: boolean } = {}): XmlElement | null {
  if (Buffer.byteLength(body) > XML_BYTES_MAX) return null;
  try {
    const [root = null] = treesOf(typeof body === 'string' ? body : xmlText(body), options);
    return root;
  } catch {
    return null;
  }
}

/** Reads UTF-8, marked UTF-16, or a declared single-byte encoding. Throws for anything else. */
export function xmlText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLatin = LATIN_DECLARATION.test(Buffer.from(bytes.subarray(0, 200)).toString('latin1'));
  const wide =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : null;
  if (isLatin && wide === null) return windowsText(Buffer.from(bytes).toString('latin1'));
  return new TextDecoder(wide ?? 'utf-8', { fatal: true }).decode(bytes);
}

/**
 * Finds the texts of these elements in an unproven message; `names` are in lower case. Null if the message is
 * too long or has one of them twice. Stops at unreadable text.
 */
export function textScanner(
  names: readonly string[],
): (body: Uint8Array) => ReadonlyMap<string, string> | null {
  return (body) => {
    if (body.length > XML_BYTES_MAX) return null;
    const found = new Map<string, string>();
    let isTwice = false;
    try {
      walk(xmlText(body), { passesType: true }, ({ name, text }) => {
        const key = name.toLowerCase();
        if (!names.includes(key)) return;
        isTwice ||= found.has(key);
        found.set(key, text);
      });
    } catch {
      // Texts found before the error are kept.
    }
    return isTwice ? null : found;
  };
}

/** `name` matches, ignoring case. Returns null if missing or empty. */
export function childText(element: XmlElement | null | undefined, name: string): string | null {
  return childOf(element, name)?.text || null;
}

export function childOf(element: XmlElement | null | undefined, name: string): XmlElement | null {
  const wanted = name.toLowerCase();
  return element?.children.find((child) => child.name.toLowerCase() === wanted) ?? null;
}

/** Drops characters that XML forbids. */
export function escapeXml(text: string): string {
  return text
    .replace(new RegExp(NO_CHARACTER, 'gu'), '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}
