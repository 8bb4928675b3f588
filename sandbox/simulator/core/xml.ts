import { XMLParser, XMLValidator } from 'fast-xml-parser';

const parser = new XMLParser({ ignoreAttributes: true, removeNSPrefix: true, parseTagValue: false });

/** Only elements with text count. Names are in lower case, without prefixes. */
export type XmlMessage = {
  /** the elements' paths, in order: `mpesabroker/result/transaction/resultcode` */
  paths: readonly string[];
  /** the first element with this name; null if missing or empty */
  text(name: string): string | null;
};

/** Returns null if it is no XML. */
export function readXml(bytes: Buffer): XmlMessage | null {
  const source = bytes.toString('utf8');
  if (XMLValidator.validate(source) !== true) return null;
  const leaves: { path: string; text: string }[] = [];
  walk(parser.parse(source), '', leaves);
  const textOf = (name: string) =>
    leaves.find(({ path }) => path.split('/').at(-1) === name.toLowerCase())?.text;
  return { paths: leaves.map(({ path }) => path), text: (name) => textOf(name) || null };
}

function walk(node: unknown, path: string, leaves: { path: string; text: string }[]): void {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, path, leaves);
  } else if (typeof node !== 'object' || node === null) {
    leaves.push({ path, text: String(node) });
  } else {
    for (const [name, inner] of Object.entries(node))
      if (!name.startsWith('?')) walk(inner, path + (path && '/') + name.toLowerCase(), leaves);
  }
}

export function elementsOf(texts: readonly (readonly [name: string, text: string])[]): string {
  return texts.map(([name, text]) => `<${name}>${escaped(text)}</${name}>`).join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
