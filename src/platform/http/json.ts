import { type JSONPath, visit } from 'jsonc-parser';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { countJson, type Dense, withoutSpace } from './json-count.ts';

/** An object that passed all checks for text that JSON parsers read differently. */
export type JsonObject = {
  value: Record<string, unknown>;
  /** the sent text of the `metadata` at this path from the top, without white space; null if absent */
  textOf(...path: JSONPath): string | null;
};

export type MetadataTexts = Map<string, string>;

const DEPTH_MAX = 8;
/** A double needs half as many characters. `1.000…` counts as 1 and is stored unchanged. */
const NUMBER_CHARACTERS_MAX = 50;
/** The most values of a body without rows. */
const VALUES_MAX = 2_000;
const VALUES_OF_A_ROW = 50;

export const valuesFor = (rowsMax: number | undefined) =>
  rowsMax === undefined ? VALUES_MAX : rowsMax * VALUES_OF_A_ROW;

/**
 * Parses a request body. Throws `too_many_values` before parsing, and `invalid_json` for text that two
 * parsers may read differently: duplicate keys, `__proto__`, NUL, lone surrogates, very long or inexact
 * numbers, deep nesting.
 */
export function parseJsonObject(bytes: Buffer, valuesMax = VALUES_MAX): JsonObject {
  const text = decode(bytes);
  return objectOf(text, checkJson(text, valuesMax));
}

export function objectOf(text: string, texts: MetadataTexts): JsonObject {
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(say('body_no_object'));
  }
  return {
    value: value as Record<string, unknown>,
    textOf: (...path) => texts.get(JSON.stringify(path)) ?? null,
  };
}

export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid(say('body_no_utf8'));
  }
}

/** Counts before it parses, and builds no tree. */
export function checkJson(text: string, valuesMax: number): MetadataTexts {
  const counted = countJson(text, { valuesMax, depthMax: DEPTH_MAX });
  if (counted.refused !== null) throw refusalOf(counted.refused, valuesMax);
  const { dense } = counted;
  const metadata = metadataIn(dense.text);
  const check = checking(dense, text);
  visit(
    dense.text,
    {
      onObjectBegin(offset) {
        check.open();
        metadata.open(offset);
      },
      onArrayBegin: metadata.open,
      onObjectProperty(key, _offset, _length, _line, _character, path) {
        check.key(key);
        if (key === 'metadata') metadata.named(path);
      },
      onLiteralValue(value, offset, length) {
        check.literal(value, offset, length);
        metadata.open(offset);
        metadata.close(offset, length);
      },
      onArrayEnd: metadata.close,
      onObjectEnd(offset, length) {
        check.close();
        metadata.close(offset, length);
      },
      onError: check.error,
    },
    { disallowComments: true },
  );
  return metadata.texts;
}

function refusalOf(refused: 'empty' | 'too deep' | 'too many', valuesMax: number): GatewayError {
  if (refused === 'empty') return invalid(say('body_empty'));
  if (refused === 'too deep') return invalid(say('body_too_deep', { levels: DEPTH_MAX }));
  return new GatewayError('too_many_values', say('too_many_values', { maximum: valuesMax }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(say('body_no_json'));
  }
}

function checking(dense: Dense, text: string) {
  const objects: Set<string>[] = [];
  return {
    open: () => objects.push(new Set()),
    close: () => objects.pop(),
    key(key: string) {
      const seen = objects.at(-1);
      checkText(key);
      if (key === '__proto__') throw invalid(say('key_not_allowed'));
      if (seen?.has(key)) throw invalid(say('key_twice', { key: JSON.stringify(key).slice(0, 80) }));
      seen?.add(key);
    },
    literal(value: unknown, offset: number, length: number) {
      if (typeof value === 'string') checkText(value);
      if (typeof value === 'number') checkNumber(dense.text.slice(offset, offset + length));
    },
    /** Line and column count from 1. */
    error(_code: number, offset: number) {
      const lines = text.slice(0, dense.placeOf(offset)).split(/\r\n|\r|\n/);
      const column = [...(lines.at(-1) ?? '')].length + 1;
      throw invalid(say('body_no_json_at', { line: lines.length, column }));
    },
  };
}

/** Keeps the text of each outermost `metadata`. */
function metadataIn(dense: string) {
  const texts: MetadataTexts = new Map();
  let path: JSONPath | null = null;
  let from = 0;
  let depth = 0;
  return {
    texts,
    named(of: () => JSONPath) {
      path ??= [...of(), 'metadata'];
    },
    open(offset: number) {
      if (path === null) return;
      if (depth === 0) from = offset;
      depth += 1;
    },
    close(offset: number, length: number) {
      if (path === null) return;
      depth -= 1;
      if (depth > 0) return;
      texts.set(JSON.stringify(path), withoutSpace(dense.slice(from, offset + length)));
      path = null;
    },
  };
}

function checkText(text: string): void {
  if (text.includes('\0')) throw invalid(say('string_with_nul'));
  if (/\p{Surrogate}/u.test(text)) throw invalid(say('string_with_half_pair'));
}

/** Refuses inexact numbers. Exact: the double equals the value (large integers), or prints as it (0.1). */
function checkNumber(token: string): void {
  if (token.length > NUMBER_CHARACTERS_MAX)
    throw invalid(say('number_too_long', { count: NUMBER_CHARACTERS_MAX }));
  const number = Number(token);
  const held = Number.isInteger(number) ? [String(number), String(BigInt(number))] : [String(number)];
  if (!held.map(decimalOf).includes(decimalOf(token))) {
    throw invalid(say('number_not_exact', { number: token.slice(0, 40) }));
  }
}

/** Writes one text per decimal value: `1500`, `1.5e3` and `1500.0` are the same number. */
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

function invalid(message: Message): GatewayError {
  return new GatewayError('invalid_json', message);
}
