import { isUtf8 } from 'node:buffer';
import { windowsText } from '../../base/windows-letters.ts';
import { type Message, say } from '../../domain/messages.ts';
import { TableRefused } from './table.ts';

const others: [bytes: number[], what: Message][] = [
  [[0x50, 0x4b, 0x03, 0x04], say('file_is_zip')],
  [[0x1f, 0x8b], say('file_is_compressed')],
  [[0x25, 0x50, 0x44, 0x46], say('file_is_pdf')],
];
/** Microsoft's container of old workbooks, or of new ones with a password. */
const CONTAINER = [0xd0, 0xcf, 0x11, 0xe0];
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
/** HTML pages that portals name `.xls`. */
const PAGE =
  /^\s{0,99}(?:<[?!][^>]{0,500}>\s{0,99}){0,9}<(?:html|head|meta|body|table|style|div|workbook)[\s>/]/i;
const marks: [bytes: number[], encoding: string][] = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
const startsWith = (bytes: Uint8Array, start: readonly number[]) =>
  start.every((byte, at) => bytes[at] === byte);

/** In bytes read as Latin-1: a letter of UTF-8, and bytes that are no Windows letter. */
const UTF8_LETTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
const NO_LETTER = /[\x81\x8d\x8f\x90\x9d]/;

/**
 * Reads UTF-8, UTF-16 with a byte order mark, or windows-1252 if no letter looks like UTF-8: one broken byte
 * in UTF-8 must not change every name. Throws TableRefused.
 */
export function textOfFile(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new TableRefused(say('file_empty'));
  if (startsWith(bytes, CONTAINER))
    throw new TableRefused(say(asBuffer(bytes).includes(ENCRYPTED) ? 'file_is_encrypted' : 'file_is_xls'));
  for (const [start, what] of others) if (startsWith(bytes, start)) throw new TableRefused(what);
  const text = decoded(bytes);
  if (PAGE.test(text)) throw new TableRefused(say('file_is_html'));
  if (!text.includes('\0')) return text;
  throw new TableRefused(say('file_has_nul', { line: lineAt(text, text.indexOf('\0')) }));
}

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function decoded(bytes: Uint8Array): string {
  const wide = marks.find(([mark]) => startsWith(bytes, mark))?.[1];
  if (wide) return strictly(bytes, wide) ?? refuseBytes(1);
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const letters = asBuffer(bytes).toString('latin1');
  if (!UTF8_LETTER.test(letters) && !NO_LETTER.test(letters)) return windowsText(letters);
  const lines = letters.split(LINE_END);
  const isWrong = (line: string) =>
    !isUtf8(Buffer.from(line, 'latin1')) && (UTF8_LETTER.test(letters) || NO_LETTER.test(line));
  return refuseBytes(lines.findIndex(isWrong) + 1);
}

function strictly(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const LINE_END = /\r\n|\r|\n/;
const lineAt = (text: string, at: number) => text.slice(0, at).split(LINE_END).length;

function refuseBytes(line: number): never {
  throw new TableRefused(say('file_bytes_unreadable', { line }));
}
