import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { GatewayError } from '../../domain/errors.ts';

/** A JSON object that was checked for everything that readers of JSON disagree about. */
export type JsonObject = {
  value: Record<string, unknown>;
  /** the text of one top-level member as it was sent, white space dropped; null when it is absent */
  textOf(member: string): string | null;
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
  if (text.trim() === '') throw invalid('The body is empty; send a JSON object');
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid('The body must be a JSON object');
  }
  if (depthOf(text) > DEPTH_MAX) throw invalid(`The body is nested deeper than ${DEPTH_MAX} levels`);
  const tree = parseTree(text);
  if (!tree) throw invalid('The body is not valid JSON');
  checkNode(tree, text);
  return {
    value: value as Record<string, unknown>,
    textOf: (member) => {
      const property = tree.children?.find((child) => child.children?.[0]?.value === member);
      const node = property?.children?.[1];
      return node ? compact(text.slice(node.offset, node.offset + node.length)) : null;
    },
  };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`The body is not valid JSON${placeOfError(text)}`);
  }
}

/** ` at line 2, column 7`, both from 1; empty where the tolerant reader finds no fault, or the text is too deep for it. */
function placeOfError(text: string): string {
  const errors: ParseError[] = [];
  if (depthOf(text) <= DEPTH_MAX) parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (!first) return '';
  const lines = text.slice(0, first.offset).split(/\r\n|\r|\n/);
  return ` at line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
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
    if (key === '__proto__') throw invalid('The key __proto__ is not allowed');
    if (seen.has(key))
      throw invalid(`The key ${JSON.stringify(key).slice(0, 80)} appears twice in one object`);
    seen.add(key);
  }
}

function checkText(text: string): void {
  if (text.includes('\0')) throw invalid('A string contains the character NUL');
  if (/\p{Surrogate}/u.test(text)) throw invalid('A string contains half of a surrogate pair');
}

/** Held exactly: the double is this very value (large integers), or its shortest decimal is this one (0.1). */
function checkNumber(token: string): void {
  if (token.length > NUMBER_CHARACTERS_MAX)
    throw invalid(
      `A number has more than ${NUMBER_CHARACTERS_MAX} characters; send fewer digits or a string`,
    );
  const number = Number(token);
  const held = Number.isInteger(number) ? [String(number), String(BigInt(number))] : [String(number)];
  if (!held.map(decimalOf).includes(decimalOf(token))) {
    throw invalid(`The number ${token.slice(0, 40)} cannot be held exactly; send fewer digits or a string`);
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

function invalid(message: string): GatewayError {
  return new GatewayError('invalid_json', message);
}
