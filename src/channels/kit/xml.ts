import { XMLParser, XMLValidator } from 'fast-xml-parser';

/**
 * The small XML messages of the networks' own protocols, read so that a stranger's document costs bounded work: the
 * guard looks at size, tags, depth and namespaces in one pass, and the parser sees only what has passed.
 */

/** Names have no prefix, and attributes are not read. `text` is the element's own text without the spaces around it. */
export type XmlElement = {
  name: string;
  children: XmlElement[];
  text: string;
};

export const XML_BYTES_MAX = 32 * 1024;
const DEPTH_MAX = 20;
const NAMESPACES_MAX = 16;

/** A statement is read entry by entry, and one entry may list a thousand payments: it has limits of its own. */
export type XmlLimits = { bytesMax: number; elementsMax: number; attributesMax: number };
const MESSAGE_LIMITS: XmlLimits = { bytesMax: XML_BYTES_MAX, elementsMax: 1_000, attributesMax: 100 };

const DECLARATION =
  /^\s*<\?xml\s+version\s*=\s*["']1\.[01]["'](?:\s+encoding\s*=\s*["'](?:utf-?8|utf-16|us-ascii|iso-8859-1|windows-1252)["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>(?:\s*<\?xml-stylesheet\s[^<>?]*\?>)?/i;
const LATIN_DECLARATION = /^\s*<\?xml\s[^>]*\sencoding\s*=\s*["'](?:iso-8859-1|windows-1252)["']/i;
/** One tag, with every attribute quoted. No two parts of it can match the same text, so it never looks back far. */
const TAG =
  /<(\/?)[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const ATTRIBUTE = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"[^"]*"|'[^']*')/g;
/** Any other entity would need a document type. */
const FORBIDDEN_ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/;
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d+)|#x([0-9a-fA-F]+));/g;
/** Characters that XML 1.0 has no place for, such as NUL or half a character; Postgres has none either. */
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

const characterOf: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: false,
  trimValues: false,
  maxNestedTags: DEPTH_MAX + 1,
});

/**
 * Reads one document of at most 32 KiB of UTF-8 (or of the encoding that it declares): no document type, no entities but
 * the five and character references, no processing instructions but a style sheet's, 20 levels, 16 namespace declarations.
 * Null when it is not such a document. Never throws.
 */
export function parseXml(text: string | Uint8Array): XmlElement | null {
  const markup = modestMarkup(text);
  if (markup === null) return null;
  try {
    if (XMLValidator.validate(markup) !== true) return null;
    return rootOf(parser.parse(markup) as ParsedNode[]);
  } catch {
    // An impossible character, or refused by the parser: all the same to us.
    return null;
  }
}

/**
 * The document without its declaration and comments, CDATA as ordinary text, when it keeps all of the limits above; null
 * when it does not. One pass, so that it may stand in front of any parser. Never throws.
 */
export function modestMarkup(text: string | Uint8Array, limits: XmlLimits = MESSAGE_LIMITS): string | null {
  if (Buffer.byteLength(text) > limits.bytesMax) return null;
  try {
    const decoded = typeof text === 'string' ? text : textOf(text);
    const markup = plainMarkup(decoded.replace(DECLARATION, ''));
    if (markup === null || NO_CHARACTER.test(markup) || FORBIDDEN_ENTITY.test(markup)) return null;
    return isModest(markup, limits) ? markup : null;
  } catch {
    // Not UTF-8.
    return null;
  }
}

/**
 * UTF-8, unless its mark says UTF-16 (many declare that of UTF-8), or the declaration that each byte is a letter: customers'
 * names come so. Throws when it is neither.
 */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLatin = LATIN_DECLARATION.test(Buffer.from(bytes.subarray(0, 200)).toString('latin1'));
  const wide =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : null;
  return new TextDecoder(wide ?? (isLatin ? 'windows-1252' : 'utf-8'), { fatal: true }).decode(bytes);
}

/** Of what is looked for before a sender is proven. */
const SCANNED_CHARACTERS_MAX = 512;

/**
 * Looks for the texts of elements, by their names in lower case, in a document that is not parsed yet: a proof needs
 * them while the sender is not proven. Null when an element is there twice, or the document is too long. A parser may
 * read the document differently, so the parsed values are compared with these afterwards.
 */
export function textScanner(
  names: readonly string[],
): (body: Uint8Array) => ReadonlyMap<string, string> | null {
  const text = `(?:<!\\[CDATA\\[([^\\]]{0,${SCANNED_CHARACTERS_MAX}})\\]\\]>|([^<]{0,${SCANNED_CHARACTERS_MAX}}))`;
  const element = new RegExp(
    `<(?:[\\w.-]{1,64}:)?(${names.join('|')})(?:\\s[^<>]{0,${SCANNED_CHARACTERS_MAX}})?>${text}</`,
    'gi',
  );
  return (body) => {
    if (body.length > XML_BYTES_MAX) return null;
    const found = new Map<string, string>();
    for (const [, name = '', data, plain = ''] of Buffer.from(body).toString('utf8').matchAll(element)) {
      const key = name.toLowerCase();
      const value = data ?? decodeOrNull(plain);
      if (value === null || found.has(key)) return null;
      found.set(key, value.trim());
    }
    return found;
  };
}

function decodeOrNull(text: string): string | null {
  try {
    return decode(text);
  } catch {
    return null;
  }
}

/** The text of the first child of this name, upper and lower case alike; null when there is none or it is empty. */
export function childText(element: XmlElement | null | undefined, name: string): string | null {
  return childOf(element, name)?.text || null;
}

/** The first child of this name, upper and lower case alike. */
export function childOf(element: XmlElement | null | undefined, name: string): XmlElement | null {
  const wanted = name.toLowerCase();
  return element?.children.find((child) => child.name.toLowerCase() === wanted) ?? null;
}

/** A value as the content of an element or attribute. Characters that XML has no place for are left out. */
export function escapeXml(text: string): string {
  return text
    .replace(new RegExp(NO_CHARACTER, 'gu'), '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

/** Without comments, CDATA as ordinary text; null when there is other markup that begins with `<!`. */
function plainMarkup(text: string): string | null {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf('<!'); at >= 0; at = text.indexOf('<!', from)) {
    const isComment = text.startsWith('<!--', at);
    if (!isComment && !text.startsWith('<![CDATA[', at)) return null;
    const start = at + (isComment ? '<!--' : '<![CDATA[').length;
    const end = text.indexOf(isComment ? '-->' : ']]>', start);
    if (end < 0) return null;
    parts.push(text.slice(from, at), isComment ? '' : escapeXml(text.slice(start, end)));
    from = end + '-->'.length;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** One pass over the tags: every `<` begins one, and depth and numbers stay within the limits. */
function isModest(markup: string, { elementsMax, attributesMax }: XmlLimits): boolean {
  let [depth, elements, attributes, namespaces] = [0, 0, 0, 0];
  let end = 0;
  for (let at = markup.indexOf('<'); at >= 0; at = markup.indexOf('<', end)) {
    TAG.lastIndex = at;
    const tag = TAG.exec(markup);
    if (!tag) return false;
    end = TAG.lastIndex;
    const [, closes, attributeText = '', endsItself] = tag;
    if (closes) {
      depth -= 1;
      continue;
    }
    for (const [, name = ''] of attributeText.matchAll(ATTRIBUTE)) {
      attributes += 1;
      if (/^xmlns(?::|$)/.test(name)) namespaces += 1;
    }
    elements += 1;
    if (depth + 1 > DEPTH_MAX) return false;
    if (elements > elementsMax || attributes > attributesMax || namespaces > NAMESPACES_MAX) return false;
    if (!endsItself) depth += 1;
  }
  return elements > 0;
}

/** An element as the parser gives it: its only key is its name. */
type ParsedNode = { [name: string]: ParsedNode[] | string };

function rootOf(nodes: ParsedNode[]): XmlElement | null {
  const elements = nodes.filter((node) => !('#text' in node));
  const [root] = elements;
  return root && elements.length === 1 ? elementOf(root) : null;
}

function elementOf(node: ParsedNode): XmlElement {
  const [name = ''] = Object.keys(node);
  const contents = node[name] as ParsedNode[];
  const texts = contents.filter((child) => '#text' in child).map((child) => String(child['#text']));
  return {
    name: localName(name),
    children: contents.filter((child) => !('#text' in child)).map(elementOf),
    text: decode(texts.join('')).trim(),
  };
}

/** Throws when a reference names a character that there is not. */
function decode(text: string): string {
  return text.replace(ENTITY, (_whole, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return characterOf[name] ?? '';
    const character = String.fromCodePoint(Number.parseInt(decimal ?? hex ?? '', decimal ? 10 : 16));
    if (NO_CHARACTER.test(character)) throw new RangeError('a reference to no character of XML');
    return character;
  });
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1);
