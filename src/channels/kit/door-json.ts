import type { z } from 'zod';
import { parseCleanJson } from './clean-json.ts';
import { DOOR_BYTES_MAX } from './door.ts';
import { memberTwice } from './member-twice.ts';

const DEPTH_MAX = 20;

/** Reads a proven body; null beyond 32 KiB or 20 levels, or if it does not fit. Never throws. */
export function readDoorJson<T extends z.ZodType>(schema: T, body: Buffer): z.infer<T> | null {
  const parsed = schema.safeParse(parseDoorJson(body, parseCleanJson));
  return parsed.success ? parsed.data : null;
}

/** Parses unchanged JSON within limits, to check a proof; undefined if that fails. */
export function parseDoorJson(body: Buffer, parse: (text: string) => unknown = JSON.parse): unknown {
  if (body.length > DOOR_BYTES_MAX) return undefined;
  const text = body.toString('utf8');
  if (isDeep(text) || memberTwice(body) !== null) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Counts brackets in strings too: no channel's message has so many. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}
