import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';

/** A JSON object that was checked for everything that readers of JSON disagree about. */
export type JsonObject = {
  value: Record<string, unknown>;
  /** the text of one member as it was sent, by its path from the top, white space dropped; null when it is absent */
  textOf(...path: (string | number)[]): string | null;
};

const DEPTH_MAX = 8;
/** Twice what a double needs. `1.000…` is as short as 1 where values are measured, and is stored as it was sent. */
const NUMBER_CHARACTERS_MAX = 50;

/**
 * Reads a request body. Refused with `invalid_json`, because two readers would understand them differently:
 * duplicate keys, `__proto__`, NUL, lone surrogates, numbers that a double cannot hold exactly or that are very long, deep
 * nesting.
 */
export function parseJsonObject(bytes: Buffer): JsonObject {
  const text = decode(bytes);
  if (text.trim() === '') throw invalid(say('body_empty'));
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(say('body_no_object'));
  }
  if (depthOf(text) > DEPTH_MAX) throw invalid(say('body_too_deep', { levels: DEPTH_MAX }));
  const tree = parseTree(text);
  if (!tree) throw invalid(say('body_no_json'));
  checkNode(tree, text);
  return {
    value: value as Record<string, unknown>,
    textOf: (...path) => {
      const node = findNodeAtLocation(tree, path);
      return node ? compact(text.slice(node.offset, node.offset + node.length)) : null;
    },
  };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid(say('body_no_utf8'));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(noJson(text));
  }
}

/** At which line and column, both from 1; not where the tolerant reader finds no fault, or the text is too deep for it. */
function noJson(text: string): Message {
  const errors: ParseError[] = [];
  if (depthOf(text) <= DEPTH_MAX) parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (!first) return say('body_no_json');
  const lines = text.slice(0, first.offset).split(/\r\n|\r|\n/);
  return say('body_no_json_at', { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 });
}

/** Counted by hand before the recursive reader sees the text: a body of brackets must not exhaust the stack. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (char === '}' || char === ']') depth -= 1;
  }
  return deepest;
}

function checkNode(node: Node, text: string): void {
  if (node.type === 'string') checkText(node.value);
  if (node.type === 'number') checkNumber(text.slice(node.offset, node.offset + node.length));
  if (node.type === 'object') checkKeys(node);
  for (const child of node.children ?? []) checkNode(child, text);
}

function checkKeys(node: Node): void {
  const seen = new Set<string>();
  for (const property of node.children ?? []) {
    const key: string = property.children?.[0]?.value ?? '';
    if (key === '__proto__') throw invalid(say('key_not_allowed'));
    if (seen.has(key)) throw invalid(say('key_twice', { key: JSON.stringify(key).slice(0, 80) }));
    seen.add(key);
  }
}

function checkText(text: string): void {
  if (text.includes('\0')) throw invalid(say('string_with_nul'));
  if (/\p{Surrogate}/u.test(text)) throw invalid(say('string_with_half_pair'));
}

/** Held exactly: the double is this very value (large integers), or its shortest decimal is this one (0.1). */
function checkNumber(token: string): void {
  if (token.length > NUMBER_CHARACTERS_MAX)
    throw invalid(say('number_too_long', { count: NUMBER_CHARACTERS_MAX }));
  const number = Number(token);
  const held = Number.isInteger(number) ? [String(number), String(BigInt(number))] : [String(number)];
  if (!held.map(decimalOf).includes(decimalOf(token))) {
    throw invalid(say('number_not_exact', { number: token.slice(0, 40) }));
  }
}

/** One text per decimal value: `1500`, `1.5e3` and `1500.0` are the same number. */
function decimalOf(token: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token);
  if (!match) return token;
  const fraction = match[3] ?? '';
  const digits = `${match[2]}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const exponent = Number(match[4] ?? 0) - fraction.length + (digits.length - significant.length);
  return `${match[1]}${significant}e${exponent}`;
}

function compact(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

function invalid(message: Message): GatewayError {
  return new GatewayError('invalid_json', message);
}
