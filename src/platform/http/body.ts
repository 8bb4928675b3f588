import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { readBody } from '../process/read-body.ts';
import { type JsonObject, parseJsonObject } from './json.ts';

const JSON_BYTES_MAX = 64 * 1024;

/** The JSON object of a request. Throws where its media type, size or text is not what we take. */
export async function readJson(request: IncomingMessage, bytesMax = JSON_BYTES_MAX): Promise<JsonObject> {
  requireJsonMediaType(request);
  return parseJsonObject(await readBody(request, bytesMax));
}

/** Without a Content-Type a body is taken as JSON; `Content-Encoding` is not supported. */
export function requireJsonMediaType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported(say('body_encoded'));
  }
  if (type === undefined || type.trim() === '') return;
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (media !== 'application/json') throw unsupported(say('body_not_json_type'));
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) throw unsupported(say('body_not_utf8_type'));
}

/** Whether a CSV was sent. It is UTF-8, with or without a byte order mark. */
export function isCsv(request: IncomingMessage): boolean {
  return /^\s*text\/csv\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

/** The text of a CSV. Throws where it is too large, or no UTF-8. */
export async function readCsvText(request: IncomingMessage, bytesMax = JSON_BYTES_MAX): Promise<string> {
  const bytes = await readBody(request, bytesMax);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GatewayError('invalid_json', say('body_no_utf8'));
  }
}

function unsupported(message: Message): GatewayError {
  return new GatewayError('unsupported_media_type', message);
}
