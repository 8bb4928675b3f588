import { escapeXml, type XmlElement } from '../kit/xml.ts';

/** Elements are written in the order of the keys, without undefined ones; `@` starts an attribute. */
export type Tree = { [name: string]: string | Tree | Tree[] | undefined };

/** Finds elements by a path: `GrpHdr/MsgId`. */
export function findAll(element: XmlElement, path: string): XmlElement[] {
  return path
    .split('/')
    .reduce<XmlElement[]>(
      (found, name) => found.flatMap((parent) => parent.children.filter((child) => child.name === name)),
      [element],
    );
}

export function textAt(element: XmlElement | undefined, path: string): string | null {
  return (element && findAll(element, path)[0]?.text) || null;
}

/** `Document` is the root of every ISO 20022 message. */
export function writeXml(namespace: string, content: Tree): string {
  const body = written('Document', { '@xmlns': namespace, ...content });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
}

function written(name: string, value: Tree[string]): string {
  if (value === undefined) return '';
  if (name === '#text') return escapeXml(String(value));
  if (Array.isArray(value)) return value.map((one) => written(name, one)).join('');
  const members = Object.entries(typeof value === 'string' ? { '#text': value } : value);
  const attributes = members
    .filter(([key]) => key.startsWith('@'))
    .map(([key, text]) => ` ${key.slice(1)}="${escapeXml(String(text))}"`);
  const content = members.filter(([key]) => !key.startsWith('@')).map(([key, one]) => written(key, one));
  const [start, inner] = [`${name}${attributes.join('')}`, content.join('')];
  return inner === '' ? `<${start}/>` : `<${start}>${inner}</${name}>`;
}
