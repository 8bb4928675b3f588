import { posix } from 'node:path';
import { say } from '../../domain/messages.ts';
import { dateStyle } from './cell-values.ts';
import { TableRefused } from './table.ts';
import { walkXml, type XmlPart } from './walk-xml.ts';
import { openZip, refuseWorkbook } from './zip.ts';

/** Only parts needed for cells are unpacked: no links, pictures, macros or hidden sheets. */

export type Sheet = { name: string; read(): XmlPart };
export type Workbook = {
  /** visible sheets only, in order */
  sheets: Sheet[];
  strings: readonly string[];
  /** styles by the index that cells have */
  styles: readonly ReturnType<typeof dateStyle>[];
  /** Days count from 1904, as in old Macintosh spreadsheets. */
  is1904: boolean;
};

type Relation = { id: string; type: string; part: string };

const NAME_CHARACTERS_MAX = 100;
/** Cells share these texts. The largest statement has fewer. */
const STRINGS_MAX = 800_000;

export const isTrue = (text: string | undefined) => text === '1' || text === 'true';

/** Throws TableRefused. */
export function openWorkbook(bytes: Uint8Array, unpackedMax: number): Workbook {
  const zip = openZip(bytes, unpackedMax);
  const optional = (name: string | undefined): XmlPart | null => {
    const read = name === undefined ? null : zip.read(name);
    return read && { name: name as string, bytes: read };
  };
  const needed = (name: string) => optional(name) ?? refuseWorkbook(name);
  const roots = optional('_rels/.rels');
  const main = roots && readRelations(roots, '').find(({ type }) => type === 'officeDocument')?.part;
  if (!main?.endsWith('.xml')) throw new TableRefused(say('file_is_zip'));
  const { dir, base } = posix.parse(main);
  const relations = readRelations(needed(posix.join(dir, '_rels', `${base}.rels`)), dir);
  const partOf = (wanted: string) => relations.find(({ type }) => type === wanted)?.part;
  const { is1904, seen } = readSheetNames(needed(main));
  const strings = optional(partOf('sharedStrings'));
  const styles = optional(partOf('styles'));
  return {
    sheets: seen.flatMap(({ name, id }) => {
      const sheet = relations.find((one) => one.id === id) ?? refuseWorkbook(main);
      return sheet.type === 'worksheet' ? [{ name, read: () => needed(sheet.part) }] : [];
    }),
    strings: strings ? readStrings(strings) : [],
    styles: styles ? readStyles(styles) : [],
    is1904,
  };
}

function readRelations(part: XmlPart, folder: string): Relation[] {
  const relations: Relation[] = [];
  walkXml(part, {
    open(path, { Id = '', Type = '', Target = '', TargetMode }) {
      if (path.length !== 2 || path[1] !== 'Relationship' || TargetMode === 'External') return;
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target);
      relations.push({ id: Id, type: posix.basename(Type), part: target });
    },
  });
  return relations;
}

function readSheetNames(part: XmlPart) {
  const seen: { name: string; id: string }[] = [];
  let is1904 = false;
  walkXml(part, {
    open(path, attributes) {
      if (path[0] !== 'workbook') throw new TableRefused(say('file_is_zip'));
      const at = path.slice(1).join('/');
      if (at === 'workbookPr') is1904 = isTrue(attributes.date1904);
      if (at !== 'sheets/sheet' || (attributes.state ?? 'visible') !== 'visible') return;
      const id = Object.entries(attributes).find(([name]) => /^(?:\w{1,32}:)?id$/.test(name))?.[1];
      seen.push({ name: plainText(attributes.name ?? '').slice(0, NAME_CHARACTERS_MAX), id: id ?? '' });
    },
  });
  return { is1904, seen };
}

/** `_x000D_` stands for a character that XML cannot hold; half a surrogate pair stays as it is. */
const ESCAPED = /_x(?![Dd][89A-Fa-f])([0-9A-Fa-f]{4})_/g;

/** A cell is one line, so its line ends become spaces. */
export const plainText = (text: string) =>
  /[_\p{Cc}]/u.test(text)
    ? text
        .replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .replace(/\p{Cc}/gu, ' ')
    : text;

function readStrings(part: XmlPart): string[] {
  const strings: string[] = [];
  let whole = '';
  walkXml(part, {
    close(path, text) {
      const name = path.at(-1);
      if (name === 't' && !path.includes('rPh')) whole += text;
      if (name !== 'si') return;
      if (strings.push(plainText(whole)) > STRINGS_MAX) refuseWorkbook(part.name);
      whole = '';
    },
  });
  return strings;
}

function readStyles(part: XmlPart): Workbook['styles'] {
  const codes = new Map<number, string>();
  const ids: number[] = [];
  walkXml(part, {
    open(path, { numFmtId = '0', formatCode = '' }) {
      const at = path.slice(1).join('/');
      if (at === 'numFmts/numFmt') codes.set(Number(numFmtId), formatCode.slice(0, 255));
      if (at === 'cellXfs/xf') ids.push(Number(numFmtId));
    },
  });
  const known = new Map([...new Set(ids)].map((id) => [id, dateStyle(id, codes.get(id))]));
  return ids.map((id) => known.get(id) ?? null);
}
