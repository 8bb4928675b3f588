import ts from 'typescript';
import {
  type Form,
  type Forms,
  insertManyText,
  insertText,
  updateText,
} from '../../src/platform/db/write.ts';

const FILE = '/src/platform/db/write.ts';
const WRITERS = new Set(['insert', 'insertMany', 'update']);
const NOT_LITERAL = 'this is no object literal, or has a spread: its columns cannot be read';

type TextsOf = (checker: ts.TypeChecker, node: ts.Expression) => string[] | undefined;
class Refused extends Error {}

/** The texts that a call of write.ts makes while the process runs; a sentence where they cannot be read. */
export function textsWritten(
  checker: ts.TypeChecker,
  call: ts.CallExpression,
  textsOf: TextsOf,
): string[] | string {
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (!declaration || !ts.isFunctionDeclaration(declaration)) return [];
  const name = declaration.name?.text ?? '';
  if (!WRITERS.has(name) || !declaration.getSourceFile().fileName.endsWith(FILE)) return [];
  const known = (node: ts.Expression) =>
    textsOf(checker, node) ?? refuse('this is put together while the process runs');
  const [, table, ...rest] = call.arguments;
  if (!table) return [];
  try {
    const [first, second, third] = rest;
    const told = toldOf(declaration.name?.text === 'insert' ? second : third, known);
    return known(table).flatMap((name) => {
      switch (declaration.name?.text) {
        case 'insert':
          return formsOf(checker, first).flatMap((row) => told.map((ways) => insertText(name, row, ways)));
        case 'insertMany':
          return [alike(formsOf(checker, literalOf(second)))].flatMap((row) =>
            told.map((ways) => insertManyText(name, row, ways)),
          );
        case 'update': {
          const [set, where] = [formsOf(checker, first), formsOf(checker, second, 'null')];
          if (where.some((columns) => columns.length === 0)) refuse('this changes every row');
          return set.flatMap((changes) =>
            where.flatMap((wanted) => told.map((ways) => updateText(name, changes, wanted, ways))),
          );
        }
        default:
          return [];
      }
    });
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

function refuse(why: string): never {
  throw new Refused(why);
}

/** Rows of one statement have one text. */
function alike([row, ...others]: Forms[]): Forms {
  if (!row || others.length > 0) refuse('a column of many rows is a value in all of them, or in none');
  return row as Forms;
}

/** What an arrow function gives without a statement. */
function literalOf(node: ts.Expression | undefined): ts.Expression | undefined {
  if (!node || !ts.isArrowFunction(node) || ts.isBlock(node.body)) return refuse(NOT_LITERAL);
  return ts.isParenthesizedExpression(node.body) ? node.body.expression : node.body;
}

type Property = ts.PropertyAssignment | ts.ShorthandPropertyAssignment;

function propertiesOf(node: ts.Expression | undefined): Property[] {
  if (!node || !ts.isObjectLiteralExpression(node)) return refuse(NOT_LITERAL);
  return node.properties.map((one) =>
    (ts.isPropertyAssignment(one) && !ts.isComputedPropertyName(one.name)) ||
    ts.isShorthandPropertyAssignment(one)
      ? one
      : refuse(NOT_LITERAL),
  );
}

/** Each column with its form. What may have several, as `at ?? NOW`, makes a text of each. A null is a value but in a WHERE. */
function formsOf(checker: ts.TypeChecker, node: ts.Expression | undefined, ofNull: Form = 'value'): Forms[] {
  let all: Forms[] = [[]];
  for (const one of propertiesOf(node)) {
    const value = ts.isPropertyAssignment(one) ? one.initializer : one.name;
    const forms = new Set(membersOf(checker, value).map((type) => formOf(type, ofNull)));
    all = all.flatMap((before) =>
      [...forms].map((form) => [...before, [(one.name as ts.Identifier).text, form] as const]),
    );
  }
  return all;
}

function membersOf(checker: ts.TypeChecker, value: ts.Expression): ts.Type[] {
  const type = checker.getTypeAtLocation(value);
  const known = checker.getBaseConstraintOfType(type) ?? type;
  return known.isUnion() ? known.types : [known];
}

function formOf(type: ts.Type, ofNull: Form): Form {
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.ESSymbol))
    return refuse('the compiler does not know what one of these is');
  const name = type.symbol?.name;
  if (type.flags & ts.TypeFlags.UniqueESSymbol) return name === 'NOW' ? 'NOW' : 'DEFAULT';
  if (name === 'Later') return 'Later';
  return type.flags & ts.TypeFlags.Null ? ofNull : 'value';
}

type Told = { onConflict: string | undefined; returning: string[] };

function toldOf(node: ts.Expression | undefined, known: (node: ts.Expression) => string[]): Told[] {
  const told = new Map(
    (node ? propertiesOf(node) : []).map((one) => [
      one.name.getText(),
      ts.isPropertyAssignment(one) ? one.initializer : one.name,
    ]),
  );
  const list = told.get('returning');
  if (list && !ts.isArrayLiteralExpression(list)) refuse('this is no literal list of columns');
  const returning = (list as ts.ArrayLiteralExpression | undefined)?.elements.flatMap(known) ?? [];
  const conflict = told.get('onConflict');
  return (conflict ? known(conflict) : [undefined]).map((onConflict) => ({ onConflict, returning }));
}
