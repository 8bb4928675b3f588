import type { z } from 'zod';
import { parseCleanJson } from './clean-json.ts';
import { DOOR_BYTES_MAX } from './door.ts';
import { memberTwice } from './member-twice.ts';

/** No message of a channel is nested deeper. */
const DEPTH_MAX = 20;

/** Reads a proven sender's body; null beyond 32 KiB or 20 levels, or if it does not fit. Never throws. */
export function readDoorJson<T extends z.ZodType>(schema: T, body: Buffer): z.infer<T> | null {
  const parsed = schema.safeParse(parseDoorJson(body, parseCleanJson));
  return parsed.success ? parsed.data : null;
}

/** Limits parsed JSON as it was sent, for a proof; undefined beyond the limits or if it is no JSON. */
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

/** Brackets in strings count too: a message of ours has none in such numbers. */
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
