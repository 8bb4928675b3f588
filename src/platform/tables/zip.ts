import { crc32, inflateRawSync } from 'node:zlib';
import { say } from '../../domain/messages.ts';
import { TableRefused } from './table.ts';

/**
 * Reads a zip as office programs write it. Its directory gives each size, which is checked after unpacking.
 */

const MARKS = { end: 0x06054b50, entry: 0x02014b50, part: 0x04034b50 };
const BYTES = { end: 22, entry: 46, part: 30 };
const COMMENT_BYTES_MAX = 0xffff;
const PARTS_MAX = 4_096;
const STORED = 0;
const DEFLATED = 8;
const MIB = 1024 * 1024;

type Part = { isEncrypted: boolean; method: number; crc: number; packed: number; bytes: number; at: number };
export type Zip = {
  /** Unpacks a part; null if it is missing. Throws TableRefused if all parts together exceed the limit. */
  read(name: string): Buffer | null;
};

/** Returns true if the bytes begin like a zip. Text that begins with `PK` is text. */
export const isZip = (bytes: Uint8Array) =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && ((bytes[2] === 3 && bytes[3] === 4) || bytes[2] === 5);

/** `unpackedMax`: bytes of all parts that are read together. Throws TableRefused. */
export function openZip(file: Uint8Array, unpackedMax: number): Zip {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const parts = partsOf(bytes);
  let left = unpackedMax;
  return {
    read(name) {
      const part = parts.get(name.toLowerCase());
      if (!part) return null;
      if (part.isEncrypted) throw new TableRefused(say('file_is_encrypted'));
      left -= part.bytes;
      if (left < 0) throw unpacksTooLarge(unpackedMax);
      return unpacked(bytes, part) ?? refuseWorkbook(name);
    },
  };
}

export function unpacksTooLarge(bytesMax: number): TableRefused {
  return new TableRefused(say('file_unpacks_too_large', { maximum: bytesMax / MIB }));
}

export function refuseWorkbook(part: string): never {
  throw new TableRefused(say('file_workbook_unreadable', { part: part.slice(0, 100) }));
}

/** Reads the directory; names in lower case. Refuses two parts with the same name. */
function partsOf(bytes: Buffer): Map<string, Part> {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  const parts = new Map<string, Part>();
  if (count > PARTS_MAX) refuseWorkbook('zip');
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (at + BYTES.entry > end || bytes.readUInt32LE(at) !== MARKS.entry) refuseWorkbook('zip');
    const nameEnd = at + BYTES.entry + bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + BYTES.entry, nameEnd).toLowerCase();
    if (parts.has(name)) refuseWorkbook(name);
    parts.set(name, {
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      bytes: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    });
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return parts;
}

/** Returns the position of the end record, which includes a comment. */
function endOf(bytes: Buffer): number {
  const least = Math.max(bytes.length - BYTES.end - COMMENT_BYTES_MAX, 0);
  for (let at = bytes.length - BYTES.end; at >= least; at -= 1)
    if (bytes.readUInt32LE(at) === MARKS.end && at + BYTES.end + bytes.readUInt16LE(at + 20) === bytes.length)
      return at;
  return refuseWorkbook('zip');
}

/** Returns null if the part differs from the directory. Never unpacks more than the directory says. */
function unpacked(bytes: Buffer, { method, crc, packed, bytes: size, at }: Part): Buffer | null {
  if (at + BYTES.part > bytes.length || bytes.readUInt32LE(at) !== MARKS.part) return null;
  const from = at + BYTES.part + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const content = bytes.subarray(from, from + packed);
  const read = method === DEFLATED ? inflated(content, size) : method === STORED ? content : null;
  return read?.length === size && crc32(read) === crc ? read : null;
}

/** Joined pieces would need twice the memory. */
function inflated(content: Buffer, size: number): Buffer | null {
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(size, 1), chunkSize: size + 64 });
  } catch {
    return null;
  }
}
