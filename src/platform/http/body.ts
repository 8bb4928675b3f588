import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { readBody } from '../process/read-body.ts';
import type { Table } from '../tables/table.ts';
import { isZip } from '../tables/zip.ts';
import { tableOf } from './batch-table.ts';
import type { BigBodies, Held } from './big-bodies.ts';
import { decode, type JsonObject, objectOf, parseJsonObject, valuesFor } from './json.ts';

const JSON_BYTES_MAX = 64 * 1024;

/** A thread reads bodies of this size or more. */
const BESIDE_BYTES_MIN = 128 * 1024;

/** Limits of calls whose body may exceed 64 KiB, and the budget for its bytes. */
export type BodyLimits = {
  bodyBytesMax?: number | undefined;
  rowsMax?: number | undefined;
  takesCsv?: true | undefined;
  held?: Held | undefined;
  bigBodies?: BigBodies | undefined;
};

/** Throws if the media type, size or text is not accepted. */
export async function readJson(request: IncomingMessage, limits: BodyLimits = {}): Promise<JsonObject> {
  requireJsonMediaType(request, limits);
  const { bodyBytesMax = JSON_BYTES_MAX, rowsMax, held, bigBodies } = limits;
  const bytes = await readBody(request, bodyBytesMax, held?.grow);
  if (bytes.length < BESIDE_BYTES_MIN || !bigBodies) return parseJsonObject(bytes, valuesFor(rowsMax));
  const read = await bigBodies.read({ bytes, media: 'json', rowsMax: rowsMax ?? 0 });
  if ('table' in read) throw new Error('a JSON was read as a table');
  // The largest bodies take tens of milliseconds here and in the next step, so other work runs in between.
  const text = decode(bytes);
  await setImmediate();
  const object = objectOf(text, read.texts);
  await setImmediate();
  return object;
}

/** Without a Content-Type a body is read as JSON; `Content-Encoding` is not supported. */
export function requireJsonMediaType(request: IncomingMessage, { takesCsv }: BodyLimits = {}): void {
  const type = request.headers['content-type'];
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported(say('body_encoded'));
  }
  if (type === undefined || type.trim() === '') return;
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (media !== 'application/json')
    throw unsupported(
      takesCsv ? say('body_not_batch_type', { types: TABLE_TYPES.join(', ') }) : say('body_not_json_type'),
    );
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) throw unsupported(say('body_not_utf8_type'));
}

/** A file's bytes, not its type, decide how it is read. */
export const TABLE_TYPES = ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'];

export function isTable(request: IncomingMessage): boolean {
  const [media = ''] = (request.headers['content-type'] ?? '').split(';');
  return TABLE_TYPES.includes(media.trim().toLowerCase());
}

/** Throws if the file is too large or unreadable. */
export async function readTableBody(request: IncomingMessage, limits: BodyLimits): Promise<Table> {
  const { bodyBytesMax = JSON_BYTES_MAX, rowsMax = 0, held, bigBodies } = limits;
  const bytes = await readBody(request, bodyBytesMax, held?.grow);
  const isWorkbook = isZip(bytes);
  if ((bytes.length < BESIDE_BYTES_MIN && !isWorkbook) || !bigBodies) return tableOf(bytes, rowsMax);
  // A few bytes may unpack to many, so every workbook counts as a largest body.
  if (isWorkbook) held?.grow(bodyBytesMax - bytes.length);
  const read = await bigBodies.read({ bytes, media: 'table', rowsMax });
  if ('texts' in read) throw new Error('a table was read as JSON');
  return read.table;
}

function unsupported(message: Message): GatewayError {
  return new GatewayError('unsupported_media_type', message);
}
