// tests: slow
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import regexpTree from 'regexp-tree';
import type { AstNode } from 'regexp-tree/ast';
import ts from 'typescript';
import { statementLayouts } from '../../src/domain/data/statement-layouts.ts';

/**
 * Every regular expression of the service and of the simulator looks at a character of any text a bounded number of times, or
 * stands here with what bounds its text. Seen by attacks that are made of the expression itself: parts of texts that fit it,
 * many times. (`recheck` finds no more, and takes minutes.)
 */

/** By expression: which texts alone it sees. */
const BOUNDED: Record<string, string> = {
  '/\\/+$/': 'an address that somebody configured',
  '/0+$/': 'a number of at most 50 characters (platform/http/json.ts)',
  '/\\B(?=(\\d{3})+\\.)/g': 'an amount of ours: at most 16 digits',
  '/("(?:[^"\\\\]|\\\\.)*")|\\s+/g':
    'a JSON each of whose strings has its end (airtel-openapi/notification.ts)',
  '/^\\s*--.*\\n/gm': 'a migration of ours',
  '/<[^>]+>/g': 'a heading of our own pages',
  '/\\s*}$/': 'a notification that the simulator wrote itself',
};

/** By file: an example of each expression that it makes of parts. */
const MADE: Record<string, RegExp[]> = {
  'sandbox/simulator/vodacom-openapi/messages.ts': [/^TZN$/],
  'src/accounts/key-format.ts': [/^(sk_test|sk_live|op)_([0-9A-Za-z]{12})_([0-9A-Za-z]{38})$/],
  'src/api/kit/moments.ts': [/^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:[.]\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/],
  'src/api/kit/request-fields.ts': [/^[Tt][Zz][Ss]$/],
  'src/api/reference/pages/search-index.ts': [/(?<=[a-z][^s])s$/],
  'src/api/statements/fees.ts': [/^[12][0-9]{3}-(0[1-9]|1[0-2])$/],
  'src/channels/kit/page.ts': [/<(?:\w{1,32}:)?envelope[\s/>]/],
  'src/channels/kit/xml.ts': [/[^\t\n\r\u{20}-\u{D7FF}]/gu],
  'src/config/fields.ts': [/^[0-9]{2,6}$/],
  'src/domain/data/statement-layouts.ts': statementLayouts.layouts.flatMap(
    ({ receipt, reference, party }) => [...receipt, ...reference, ...party],
  ),
  'src/operators/api/fees.ts': [/^[12][0-9]{3}-(0[1-9]|1[0-2])$/],
  'src/operators/desk/words.ts': [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\bsi_[0-9a-f]{12}\b/g],
  'src/reconciliation/formats/cells.ts': [/^(?<dd>\d{2})-(?<MM>\d{2})-(?<yyyy>\d{4}) (?<HH>\d{2})$/],
};

type Expression = { source: string; flags: string };
const nameOf = ({ source, flags }: Expression) => `/${source}/${flags}`;

/** A loop without end is all that can look at a character again and again. */
const isEndless = ({ source }: Expression) =>
  /[*+]|\{\d+,\}/.test(source.replace(/\\./g, 'x').replace(/\[\^?[^\]]+\]/g, 'x'));

const LETTERS = [...' 0a.-/<"\n\\:=_>\',;@&+*%{}[()#?~|Axzé'];
const TEXTS_MAX = 6;

/** Texts that fit a part of an expression, such as they are without looking around. */
function textsOf(node: AstNode | null, flags: string): string[] {
  switch (node?.type) {
    case 'Char':
    case 'CharacterClass': {
      const one = new RegExp(`^${regexpTree.generate(node)}$`, flags.replace(/[gy]/g, ''));
      const fitting =
        node.type === 'Char' && node.kind === 'simple'
          ? [(node as { symbol?: string }).symbol ?? node.value]
          : LETTERS;
      return fitting.filter((letter) => one.test(letter)).slice(0, 4);
    }
    case 'Alternative':
      return node.expressions.reduce<string[]>(
        (before, part) => joined(before, textsOf(part as AstNode, flags)),
        [''],
      );
    case 'Disjunction':
      return [...textsOf(node.left, flags), ...textsOf(node.right, flags)].slice(0, TEXTS_MAX);
    case 'Group':
      return textsOf(node.expression, flags);
    case 'Repetition': {
      const { quantifier } = node;
      const times = quantifier.kind === 'Range' ? Math.max(1, quantifier.from) : 1;
      return textsOf(node.expression, flags).map((text) => text.repeat(times));
    }
    default:
      return [''];
  }
}

function joined(some: string[], others: string[]): string[] {
  if (some.length === 0 || others.length === 0) return [...some, ...others];
  const count = Math.max(some.length, others.length);
  return Array.from({ length: count }, (_, at) => `${some[at % some.length]}${others[at % others.length]}`);
}

/** What stands before, what is there many times, and what follows. */
type Attack = [before: string, again: string, after: string];
const ENDS = ['\0', 'a'];

function attacksOn({ source, flags }: Expression): Attack[] {
  const texts = textsOf(regexpTree.parse(`/${source}/${flags}`).body, flags).map((text) => text.slice(0, 40));
  const letters = [...new Set(` 0a${texts.join('')}`)].slice(0, 10);
  const pairs = letters.flatMap((one) => letters.map((other) => `${one}${other}`));
  const parts = texts.flatMap((text) =>
    [...text].flatMap((_, at): Attack[] => [
      ['', text.slice(0, at + 1), ''],
      ...ENDS.map((after): Attack => [text.slice(0, at), text.slice(at, at + 1), after]),
      ...ENDS.map((after): Attack => [text.slice(0, at), text.slice(at, at + 2), after]),
    ]),
  );
  const alone = [...letters, ...pairs].map((again): Attack => ['', again, '\0']);
  const all = [...parts, ...alone].map((attack) => JSON.stringify(attack));
  return [...new Set(all)].map((attack) => JSON.parse(attack));
}

/** The first that could be endless is short. */
const LENGTHS = [24, 200, 2_000, 6_000, 20_000, 50_000];
/** One look at each of 50,000 characters takes a twentieth of it; what takes less is not compared. */
const SLOW_MS = 12;
/** A quarter of a text takes a quarter of the time if looks are bounded, else a 16th or less. The machine may be slow. */
const GROWTH = 8;

/** The attack that it is slow with; null where there is none. */
function slowWith(expression: Expression): Attack | null {
  const made = new RegExp(expression.source, expression.flags);
  // Of the processor: others use this machine.
  const msOf = (text: string) => {
    const before = process.cpuUsage();
    if (made.global) text.replace(made, '');
    else made.exec(text);
    made.lastIndex = 0;
    return process.cpuUsage(before).user / 1_000;
  };
  const leastMs = (text: string) => Math.min(...Array.from({ length: 4 }, () => msOf(text)));
  const isSlow = ([before, again, after]: Attack) =>
    LENGTHS.some((length) => {
      const textOf = (of: number) => `${before}${again.repeat(Math.ceil(of / again.length))}${after}`;
      if (msOf(textOf(length)) <= SLOW_MS) return false;
      const ms = leastMs(textOf(length));
      return ms > SLOW_MS && ms > GROWTH * leastMs(textOf(length / 4));
    });
  return attacksOn(expression).find(isSlow) ?? null;
}

/** Those of our sources, and the files that make others. */
function readSources() {
  const literals = new Map<string, Expression>();
  const made: string[] = [];
  for (const folder of ['src', 'sandbox'])
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/(?<!\.d)\.[jt]s$/.test(name)) continue;
      const text = readFileSync(`${folder}/${name}`, 'utf8');
      const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
      const visit = (node: ts.Node): void => {
        if (ts.isRegularExpressionLiteral(node)) {
          const end = node.text.lastIndexOf('/');
          const expression = { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
          literals.set(nameOf(expression), expression);
        }
        const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
        if (isCall && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp')
          made.push(`${folder}/${name}`);
        ts.forEachChild(node, visit);
      };
      visit(tree);
    }
  return { literals: [...literals.values()], made };
}

describe('a regular expression', () => {
  const { literals, made } = readSources();

  it('is slow with no text, or its text is bounded', () => {
    assert.ok(literals.length > 300, `${literals.length} were found`);
    const slow = literals.filter(isEndless).flatMap((expression) => {
      const attack = nameOf(expression) in BOUNDED ? null : slowWith(expression);
      return attack === null ? [] : [`${nameOf(expression)} is slow with ${JSON.stringify(attack)}`];
    });
    assert.deepEqual(slow, []);
  });

  it('has a bound only as long as it needs one', () => {
    const listed = literals.filter((expression) => nameOf(expression) in BOUNDED);
    assert.deepEqual(listed.map(nameOf).sort(), Object.keys(BOUNDED).sort());
    assert.deepEqual(
      listed.filter((expression) => slowWith(expression) === null).map(nameOf),
      [],
      'these are quick by now',
    );
  });

  it('is made of parts where an example of it is here, which is quick', () => {
    assert.deepEqual([...new Set(made)].sort(), Object.keys(MADE).sort());
    for (const example of Object.values(MADE).flat()) assert.equal(slowWith(example), null, example.source);
  });

  for (const once of [
    /<!--[\s\S]*?-->/g,
    /<((?:[\w.-]+:)?)TxDtls(?=[\s>])[^<>]*>[\s\S]*?<\/\1TxDtls>/g,
    /(?:^|\n)\s*Amt ([A-Z]{3}) ([\d,]{1,16}(?:\.\d{1,2})?)\s*(?:\n|$)/,
    /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#"'<>]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/gi,
    /^\s*(at .*|Node\.js v.*|\W*)$/,
    /^(a+)+$/,
  ])
    it(`was found: ${once}`, () => {
      assert.ok(isEndless(once));
      assert.notEqual(slowWith(once), null);
    });
});
