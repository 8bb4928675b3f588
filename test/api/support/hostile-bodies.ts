import fc from 'fast-check';

/** A body that somebody might send to knock the service over: bytes and, at times, headers that do not fit them. */
export type HostileBody = { bytes: Buffer; headers: Record<string, string> };

/** Text that readers of JSON, databases, headers and terminals have stumbled over. */
const nastyTexts = [
  '',
  '\0',
  '\\u0000',
  '\\ud800',
  '\u2028',
  '\u202e',
  '\ufeff',
  "'; DROP TABLE transactions; --",
  '#{7*7}',
  '{{7*7}}',
  '../../../../etc/passwd',
  '\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u{1f600}'.repeat(200),
  'a'.repeat(10_000),
  '0'.repeat(5_000),
  'İ'.repeat(300),
  '-'.repeat(20_000),
  ' '.repeat(20_000),
];

const nastyNumbers = [
  '-0',
  '0.1',
  '1e308',
  '1e-308',
  '1e309',
  '-1',
  '9007199254740991',
  '9007199254740993',
  '5000.0',
  '5e3',
  '0.005',
  `1${'0'.repeat(300)}`,
  `1${'0'.repeat(60_000)}1`,
  `0.${'0'.repeat(60_000)}1`,
  '1'.repeat(20_000),
  `1e${'9'.repeat(10_000)}`,
  `1e-${'9'.repeat(400)}`,
];

/** JSON text of one value. */
const valueText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 5 }) },
  { weight: 2, arbitrary: fc.constantFrom(...nastyTexts).map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.constantFrom(...nastyNumbers) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }).map((text) => JSON.stringify(text)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'null',
      'true',
      'NaN',
      'undefined',
      '{}',
      '[]',
      '""',
      "'a'",
      '0x1f',
      '01',
      '+1',
    ),
  },
);

const large: fc.Arbitrary<string> = fc.oneof(
  fc
    .integer({ min: 100, max: 9_000 })
    .map((n) => `{${Array.from({ length: n }, (_, i) => `"k${i}":1`).join(',')}}`),
  fc.integer({ min: 100, max: 30_000 }).map((n) => `{"metadata":[${'1,'.repeat(n)}1]}`),
  fc.integer({ min: 9, max: 30_000 }).map((n) => `{"a":${'['.repeat(n)}${']'.repeat(n)}}`),
  fc.integer({ min: 9, max: 10_000 }).map((n) => '{"a":'.repeat(n)),
  fc.integer({ min: 100, max: 70_000 }).map((n) => `{"a":"${'\\'.repeat(n)}"}`),
  fc.integer({ min: 100, max: 70_000 }).map((n) => `{${' '.repeat(n)}}`),
  fc.integer({ min: 100, max: 10_000 }).map((n) => `{"a":"${'\\u00e9'.repeat(n)}"}`),
  fc.integer({ min: 60_000, max: 200_000 }).map((n) => 'x'.repeat(n)),
);

/** A good body with some members replaced, added, left out or said twice. */
function changed(example: Record<string, unknown>): fc.Arbitrary<string> {
  const names = Object.keys(example);
  const name = fc.oneof(
    fc.constantFrom(...names, 'metadata', 'beneficiary'),
    fc.constantFrom(...nastyTexts),
    fc.string(),
  );
  const change = fc.tuple(name, valueText, fc.constantFrom('replace', 'add', 'drop'));
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const members = names.map((key) => [key, JSON.stringify(example[key])] as [string, string]);
    for (const [key, value, how] of changes) {
      const at = members.findIndex(([known]) => known === key);
      if (how === 'add' || at < 0) members.push([key, value]);
      else if (how === 'drop') members.splice(at, 1);
      else members[at] = [key, value];
    }
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  });
}

/** A good body with some of its bytes cut out, doubled or made others. */
function damaged(example: Record<string, unknown>): fc.Arbitrary<Buffer> {
  const whole = Buffer.from(JSON.stringify(example));
  const damage = fc.tuple(fc.nat(whole.length), fc.nat(20), fc.uint8Array({ maxLength: 20 }));
  return fc
    .array(damage, { minLength: 1, maxLength: 3 })
    .map((damages) =>
      damages.reduce(
        (bytes, [at, drop, put]) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + drop)]),
        whole,
      ),
    );
}

const headers = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': `application/json;${' '.repeat(4_000)}charset=utf-8` },
      { 'content-encoding': 'gzip' },
      { 'transfer-encoding': 'chunked' },
      { accept: 'image/png', 'x-request-id': '../../x' },
    ),
  },
);

/** Hostile variants of the examples given. */
export function hostileBodies(examples: Record<string, unknown>[]): fc.Arbitrary<HostileBody> {
  const example = fc.constantFrom(...examples);
  const text = (from: fc.Arbitrary<string>) => from.map((written) => Buffer.from(written));
  const bytes = fc.oneof(
    { weight: 10, arbitrary: example.chain((given) => text(changed(given))) },
    { weight: 4, arbitrary: example.chain(damaged) },
    { weight: 2, arbitrary: text(large) },
    { weight: 2, arbitrary: text(valueText) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((raw) => Buffer.from(raw)) },
  );
  return fc.record({ bytes, headers });
}
