import { xmlParser } from '../../base/xml-parser.ts';
import { refuseWorkbook } from './zip.ts';

export type XmlPart = { name: string; bytes: Buffer };

/** `path` holds the names of open elements from the root, without prefixes. */
type Walker = {
  open?(path: readonly string[], attributes: Record<string, string>): void;
  /** `text`: the text after the last tag */
  close?(path: readonly string[], text: string): void;
};

const PIECE_BYTES = 64 * 1024;
/** The parser's time grows with the square of the depth. */
const DEPTH_MAX = 64;
const ATTRIBUTES_MAX = 64;
/** A part may have this many cells with only a style, which take three times as long as a real file. */
const EMPTY_MAX = 1_500_000;

const bare = (name: string) => name.slice(name.indexOf(':') + 1);

/** Visits each element. Allows no document type and only the five entities of XML. Throws TableRefused. */
export function walkXml({ name: part, bytes }: XmlPart, { open, close }: Walker): void {
  const refuse = () => refuseWorkbook(part);
  const parser = xmlParser({ xmlns: false }, refuse);
  const path: string[] = [];
  let attributes = 0;
  let empty = 0;
  let isLeaf = false;
  let text = '';
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > ATTRIBUTES_MAX) refuse();
  });
  parser.on('opentag', ({ name, attributes: given }) => {
    path.push(bare(name));
    if (path.length > DEPTH_MAX) refuse();
    attributes = 0;
    isLeaf = true;
    text = '';
    open?.(path, given);
  });
  parser.on('text', (more) => {
    text += more;
  });
  parser.on('cdata', (more) => {
    text += more;
  });
  parser.on('closetag', () => {
    if (isLeaf && text === '') empty += 1;
    if (empty > EMPTY_MAX) refuse();
    close?.(path, text);
    path.pop();
    isLeaf = false;
    text = '';
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    parser.write(decoded(decoder, bytes.subarray(at, at + PIECE_BYTES)) ?? refuse());
  parser.write(decoded(decoder) ?? refuse()).close();
}

function decoded(decoder: InstanceType<typeof TextDecoder>, piece?: Uint8Array): string | null {
  try {
    return decoder.decode(piece, { stream: piece !== undefined });
  } catch {
    return null;
  }
}
