import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** A literal is written out: to spread one only puts several members on a line. */
function spreadLiteralsIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  if (!/\.\.\.\s*\(*\s*[{[]/.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isSpreadAssignment(node) || ts.isSpreadElement(node)) {
      let spread = node.expression;
      while (ts.isParenthesizedExpression(spread) || ts.isAsExpression(spread)) spread = spread.expression;
      if (ts.isObjectLiteralExpression(spread) || ts.isArrayLiteralExpression(spread))
        found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
    }
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

describe('literals', () => {
  it('are written out, not spread into another one', () => {
    const files = ['src', 'sandbox', 'test', 'scripts']
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
      )
      .filter((file) => file.endsWith('.ts') && !file.includes('/db/statements/'));
    assert.ok(files.length > 1_000, `${files.length} files`);
    assert.deepEqual(files.flatMap(spreadLiteralsIn), []);
  });
});
