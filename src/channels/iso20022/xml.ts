import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser';
import { modestMarkup, type XmlLimits } from '../kit/xml.ts';

/**
 * XML of a bank, read so that nothing in it can surprise: the limits of every XML of ours (../kit/xml.ts), without CDATA,
 * and only elements of the document's own namespace. Numbers stay text.
 */

/** One element in the namespace of its document; elements of other namespaces are left out. */
export type Element = { name: string; attributes: Record<string, string>; text: string; children: Element[] };

export type Document = { namespace: string; root: Element };

/** Elements to write, in the order of the keys; undefined ones are left out; `@` starts an attribute. */
export type Tree = { [name: string]: string | Tree | Tree[] | undefined };

const CDATA = '<![CDATA[';

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
});

/** Reads a document; null when it is not one that we are ready to read. Never throws. */
export function readXml(body: Uint8Array, limits?: XmlLimits): Document | null {
  const markup = modestMarkup(body, limits);
  if (markup === null) return null;
  try {
    if (Buffer.from(body).includes(CDATA)) return null;
    if (XMLValidator.validate(markup) !== true) return null;
    return toDocument(parser.parse(markup) as ParsedNode[]);
  } catch {
    // Refused by the parser.
    return null;
  }
}

/** An element as the parser gives it: its only key beside `:@` (attributes) is its name. */
type ParsedNode = { [name: string]: ParsedNode[] | string | Record<string, string> };

function toDocument(nodes: ParsedNode[]): Document | null {
  const elements = nodes.filter((node) => nameOf(node) !== '#text');
  const [top] = elements;
  if (!top || elements.length > 1) return null;
  const scope = scopeOf(top, new Map());
  const namespace = scope.get(prefixOf(nameOf(top)));
  if (!namespace) return null;
  return { namespace, root: toElement(top, scope, namespace) };
}

function toElement(node: ParsedNode, scope: Map<string, string>, namespace: string): Element {
  const contents = node[nameOf(node)] as ParsedNode[];
  const texts = contents.filter((child) => '#text' in child).map((child) => String(child['#text']));
  const children: Element[] = [];
  for (const child of contents) {
    if ('#text' in child) continue;
    const inner = scopeOf(child, scope);
    if (inner.get(prefixOf(nameOf(child))) === namespace) children.push(toElement(child, inner, namespace));
  }
  return {
    name: localName(nameOf(node)),
    attributes: attributesOf(node),
    text: texts.join('').trim(),
    children,
  };
}

/** The namespaces in force in an element, by prefix; the default namespace has the empty prefix. */
function scopeOf(node: ParsedNode, outer: Map<string, string>): Map<string, string> {
  const declared = Object.entries(attributesOf(node)).filter(([name]) => /^xmlns(:|$)/.test(name));
  if (declared.length === 0) return outer;
  return new Map([...outer, ...declared.map(([name, uri]) => [name.slice('xmlns:'.length), uri] as const)]);
}

const nameOf = (node: ParsedNode) => Object.keys(node).find((key) => key !== ':@') ?? '';
const attributesOf = (node: ParsedNode) => (node[':@'] ?? {}) as Record<string, string>;
const prefixOf = (name: string) => (name.includes(':') ? name.slice(0, name.indexOf(':')) : '');
const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** The elements at a path below one: `GrpHdr/MsgId`. */
export function findAll(element: Element, path: string): Element[] {
  return path
    .split('/')
    .reduce<Element[]>(
      (found, name) => found.flatMap((parent) => parent.children.filter((child) => child.name === name)),
      [element],
    );
}

/** The text of the first element at a path; null when there is none or it is empty. */
export function textAt(element: Element | undefined, path: string): string | null {
  return (element && findAll(element, path)[0]?.text) || null;
}

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressEmptyNode: true,
});

/** Writes a document in UTF-8 with its declaration; `Document` is the root of every ISO 20022 message. */
export function writeXml(namespace: string, content: Tree): string {
  const body = builder.build({ Document: { '@xmlns': namespace, ...content } });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
}
