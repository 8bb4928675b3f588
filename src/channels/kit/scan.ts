import { withoutMark } from './clean-json.ts';
import { DOOR_BYTES_MAX } from './door.ts';

/** Scans an unproven text in one pass within limits, without a tree. Parsers read it only after the proof. */

const MEMBERS_MAX = 64;
const NAME_CHARACTERS_MAX = 64;
const SCALAR_CHARACTERS_MAX = 2_048;

export type Member = { name: string; value: string; from: number; to: number };

/**
 * Returns the members of a JSON text's outer object, unparsed. Null if it is no object, repeats a member, or
 * has more or longer names than any channel's message.
 */
export function scanMembers(text: string): Member[] | null {
  if (text.length > DOOR_BYTES_MAX) return null;
  const start = skipSpace(text, text.length - withoutMark(text).length);
  if (text[start] !== '{') return null;
  const members: Member[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const member = memberAt(text, at);
    if (!member || members.length === MEMBERS_MAX) return null;
    members.push(member);
    const next = skipSpace(text, member.to);
    if (text[next] !== ',') return endOf(text, next) && isEachOnce(members) ? members : null;
    at = skipSpace(text, next + 1);
  }
  return members.length === 0 && endOf(text, at) ? members : null;
}

/** Returns a string, number or boolean as JSON readers would; undefined for other members. */
export function scalarOf(member: Member | undefined): string | undefined {
  const written = member?.value ?? '';
  if (written.length > SCALAR_CHARACTERS_MAX) return undefined;
  if (/^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/.test(written))
    return String(Number(written));
  if (written === 'true' || written === 'false') return written;
  return written.startsWith('"') ? (unquoted(written) ?? undefined) : undefined;
}

/** Returns the scalar members of a body by name; null if it cannot be scanned. */
export function scanScalars(body: Buffer): ReadonlyMap<string, string> | null {
  const members = body.length > DOOR_BYTES_MAX ? null : scanMembers(body.toString('utf8'));
  return (
    members &&
    new Map(
      members.flatMap((member) => {
        const text = scalarOf(member);
        return text === undefined ? [] : [[member.name, text] as const];
      }),
    )
  );
}

function memberAt(text: string, at: number): Member | null {
  const nameEnd = endOfValue(text, at);
  const colon = skipSpace(text, nameEnd);
  const from = skipSpace(text, colon + 1);
  const to = endOfValue(text, from);
  if (nameEnd - at > NAME_CHARACTERS_MAX || text[colon] !== ':' || to === from) return null;
  const name = unquoted(text.slice(at, nameEnd));
  return name === null ? null : { name, value: text.slice(from, to), from: at, to };
}

function unquoted(written: string): string | null {
  try {
    return JSON.parse(written) as string;
  } catch {
    return null;
  }
}

function isEachOnce(members: readonly Member[]): boolean {
  return new Set(members.map(({ name }) => name)).size === members.length;
}

/** Returns true if nothing follows the object's end. */
function endOf(text: string, at: number): boolean {
  return text[at] === '}' && skipSpace(text, at + 1) === text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at += 1;
  return at;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (character === '{' || character === '[') {
      depth += 1;
    } else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && ', \t\r\n:'.includes(character)) {
      return at;
    }
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
