import { crc32, deflateRawSync } from 'node:zlib';
import { escapeXml } from '../../src/channels/kit/xml.ts';

/** Workbooks as spreadsheets and programs write them, and zips that lie. */

/** `saidBytes`: what the directory says of its size */
type ZipPart = {
  name: string;
  content: string | Buffer;
  isStored?: boolean;
  saidBytes?: number;
  saidCrc?: number;
  flags?: number;
};

export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, isStored = false, flags = 0, ...said } of parts) {
    const bytes = Buffer.from(content);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(said.saidCrc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(said.saidBytes ?? bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, place, Buffer.from(name));
    files.push(file);
    at += file.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, all, end]);
}

const NUMBERS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DECLARED = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A text is a text, a number a number; else the inside of its element, with its attributes. */
export type TestCell = string | number | null | { inside: string; attributes?: string };
type TestSheet = {
  name?: string;
  rows?: readonly (readonly TestCell[])[];
  state?: string;
  xml?: string;
};

/** How texts are kept: by programs in their cells, by spreadsheets beside all sheets. */
export const textSpellings = ['inline', 'shared', 'rich'] as const;
export type WorkbookOptions = {
  texts?: (typeof textSpellings)[number];
  /** before the names of the main elements */
  prefix?: string;
  /** attributes of rows, by their index */
  rowAttributes?: Record<number, string>;
  /** Rows and cells say where they are. */
  isPlaced?: boolean;
  is1904?: boolean;
  /** of the folder and the file of the main part */
  main?: string;
  /** codes of formats from the style 1 on: a number is one that is built in */
  formats?: readonly (string | number)[];
  change?: (parts: ZipPart[]) => ZipPart[];
};

const columnName = (column: number): string =>
  column > 26
    ? columnName(Math.floor((column - 1) / 26)) + columnName(((column - 1) % 26) + 1)
    : String.fromCharCode(64 + column);

/** A workbook with these sheets, or with these rows on its only one. */
export function workbookOf(
  given: TestSheet[] | readonly (readonly TestCell[])[],
  options: WorkbookOptions = {},
): Buffer {
  const sheets = (Array.isArray(given[0]) || given.length === 0 ? [{ rows: given }] : given) as TestSheet[];
  const { main = 'xl/workbook.xml', is1904, change = (parts) => parts } = options;
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const file = main.slice(folder.length);
  const strings: string[] = [];
  const parts = sheets.map(({ rows = [], xml }, at) => ({
    name: `${folder}worksheets/sheet${at + 1}.xml`,
    content: xml ?? sheetXml(rows, strings, options),
  }));
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const relations = (inside: string) =>
    `${DECLARED}<Relationships xmlns="${PACKAGE}/relationships">${inside}</Relationships>`;
  const names = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${escapeXml(name ?? `Sheet${at + 1}`)}" sheetId="${at + 1}"${state ? ` state="${state}"` : ''} r:id="r${at + 1}"/>`,
  );
  return zipOf(
    change([
      { name: '[Content_Types].xml', content: `${DECLARED}<Types xmlns="${PACKAGE}/content-types"/>` },
      { name: '_rels/.rels', content: relations(relation('m', 'officeDocument', `/${main}`)) },
      {
        name: main,
        content: `${DECLARED}<workbook xmlns="${NUMBERS}" xmlns:r="${OFFICE}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${names.join('')}</sheets></workbook>`,
      },
      {
        name: `${folder}_rels/${file}.rels`,
        content: relations(
          [
            ...sheets.map((_, at) => relation(`r${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
            relation('s', 'sharedStrings', `/${folder}sharedStrings.xml`),
            relation('t', 'styles', 'styles.xml'),
          ].join(''),
        ),
      },
      ...parts,
      {
        name: `${folder}sharedStrings.xml`,
        content: `${DECLARED}<sst xmlns="${NUMBERS}">${strings.join('')}</sst>`,
      },
      { name: `${folder}styles.xml`, content: stylesXml(options.formats ?? []) },
    ]),
  );
}

function stylesXml(formats: readonly (string | number)[]): string {
  const own = formats.map((code, at) =>
    typeof code === 'number' ? '' : `<numFmt numFmtId="${164 + at}" formatCode="${escapeXml(code)}"/>`,
  );
  const ids = [0, ...formats.map((code, at) => (typeof code === 'number' ? code : 164 + at))];
  return `${DECLARED}<styleSheet xmlns="${NUMBERS}"><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`;
}

export const inSheet = (inside: string) =>
  `${DECLARED}<worksheet xmlns="${NUMBERS}"><cols><col min="1" max="3" width="9"/></cols><sheetData>${inside}</sheetData></worksheet>`;

function sheetXml(
  rows: readonly (readonly TestCell[])[],
  strings: string[],
  { texts = 'shared', prefix = '', rowAttributes = {}, isPlaced = true }: WorkbookOptions,
): string {
  const shared = (text: string) => {
    const inside =
      texts === 'rich'
        ? `<r><t xml:space="preserve">${escapeXml(text.slice(0, 2))}</t></r><r><rPr><b/></rPr><t xml:space="preserve">${escapeXml(text.slice(2))}</t></r><rPh sb="0" eb="1"><t>sound</t></rPh>`
        : `<t xml:space="preserve">${escapeXml(text)}</t>`;
    return `<v>${strings.push(`<si>${inside}</si>`) - 1}</v>`;
  };
  const cellOf = (cell: TestCell, place: string) => {
    if (cell === null) return isPlaced ? '' : '<c/>';
    if (typeof cell === 'number') return `<c${place}><v>${cell}</v></c>`;
    if (typeof cell === 'object') return `<c${place} ${cell.attributes ?? ''}>${cell.inside}</c>`;
    return texts === 'inline'
      ? `<c${place} t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`
      : `<c${place} t="s">${shared(cell)}</c>`;
  };
  const row = (cells: readonly TestCell[], at: number) => {
    const inside = cells.map((cell, column) =>
      cellOf(cell, isPlaced ? ` r="${columnName(column + 1)}${at + 1}"` : ''),
    );
    return `<row${isPlaced ? ` r="${at + 1}"` : ''} ${rowAttributes[at] ?? ''}>${inside.join('')}</row>`;
  };
  const xml = inSheet(rows.map(row).join(''));
  return prefix === ''
    ? xml
    : xml.replace(/<(\/?)(?=\w)/g, `<$1${prefix}:`).replace('xmlns=', `xmlns:${prefix}=`);
}
