import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** One message of a fixture. `*` is anything; `{name}` was taken from an answer before. */
export type FixtureMessage = {
  headers?: Record<string, string>;
  json?: unknown;
  xml?: string;
  form?: Record<string, string>;
};
export type Exchange = {
  request: FixtureMessage & { method: 'GET' | 'POST'; path: string };
  answer: FixtureMessage & { status: number };
};
export type Conversation = {
  what: string;
  source: string;
  /** what our channel is asked for, with the kinds of its results; nothing of ours sends what others do */
  does: ('push' | 'payout' | 'enquire')[];
  kinds: string[];
  order: { transactionId?: string; reference: string; amount: number; msisdn: string };
  /** members that depend on the time or on our own numbering */
  volatile?: string[];
  exchanges: Exchange[];
};
export type Fixture = { settings: object; simulator: object; conversations: Conversation[] };

export const FIXTURES = ['vodacom-openapi', 'airtel-openapi', 'mixx', 'halopesa', 'selcom', 'clickpesa'];

/** `texts`: what `{name}` stands for in settings. */
export function readFixture(name: string, texts: Record<string, string> = {}): Fixture {
  const source = readFileSync(`test/fixtures/${name}.json`, 'utf8');
  return JSON.parse(source, (_key, value) => (typeof value === 'string' ? filled(value, texts) : value));
}

/** `{name}` is replaced where it is known. */
export function filled(text: string, texts: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => texts[name] ?? whole);
}

export function bodyOf({ json, xml, form }: FixtureMessage): string | undefined {
  if (form) return new URLSearchParams(form).toString();
  return xml ?? (json === undefined ? undefined : JSON.stringify(json));
}

/** Elements that hold text, in their order. Read here by a rule of its own, so that no reader of ours is believed. */
function leavesOf(xml: string): [name: string, text: string][] {
  return [...xml.matchAll(/<([\w:]+)[^<>]*>([^<>]*)<\/\1>/g)].map(([, name = '', text = '']) => [name, text]);
}

/** Whether a text is what the fixture has; what it names in braces is kept in `texts`. */
function assertText(actual: string, expected: string, texts: Record<string, string>, at: string): void {
  const pattern = filled(expected, texts)
    .split(/(\*|\{\w+\})/)
    .map((part) =>
      part === '*' ? '.*' : /^\{\w+\}$/.test(part) ? `(?<${part.slice(1, -1)}>.+)` : quoted(part),
    );
  const match = new RegExp(`^${pattern.join('')}$`, 's').exec(actual);
  assert.ok(match, `${at}: ${actual} instead of ${expected}`);
  Object.assign(texts, match.groups);
}

const quoted = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

type Rules = { texts: Record<string, string>; volatile?: readonly string[]; exactly: boolean };

/** Every member of the fixture, of its type; with `exactly` no others. */
export function assertJson(actual: unknown, expected: unknown, rules: Rules, at = 'body'): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual) && actual.length === expected.length, `${at}: ${expected.length} items`);
    for (const [index, one] of expected.entries()) assertJson(actual[index], one, rules, `${at}[${index}]`);
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, `${at} is an object`);
    const given = actual as Record<string, unknown>;
    if (rules.exactly) assert.deepEqual(Object.keys(given).sort(), Object.keys(expected).sort(), at);
    for (const [name, one] of Object.entries(expected)) {
      if (rules.volatile?.includes(name)) assert.equal(typeof given[name], typeof one, `${at}.${name}`);
      else assertJson(given[name], one, rules, `${at}.${name}`);
    }
  } else if (expected !== '*') {
    assert.equal(typeof actual, typeof expected, `${at}: ${JSON.stringify(actual)}`);
    if (typeof expected === 'string') assertText(String(actual), expected, rules.texts, at);
    else assert.equal(actual, expected, at);
  }
}

export function assertXml(actual: string, expected: string, rules: Omit<Rules, 'exactly'>): void {
  const [given, wanted] = [leavesOf(actual), leavesOf(expected)];
  assert.deepEqual(
    given.map(([name]) => name),
    wanted.map(([name]) => name),
  );
  for (const [index, [name, text]] of wanted.entries())
    if (!rules.volatile?.includes(name)) assertText(given[index]?.[1] ?? '', text, rules.texts, name);
}

export function assertHeaders(
  actual: Readonly<Record<string, string | undefined>>,
  expected: Record<string, string> = {},
  { texts, volatile }: Omit<Rules, 'exactly'>,
): void {
  const given = Object.fromEntries(
    Object.entries(actual).map(([name, value]) => [name.toLowerCase(), value]),
  );
  for (const [name, text] of Object.entries(expected))
    if (!volatile?.includes(name)) assertText(given[name] ?? '', text, texts, name);
}
