import path from 'node:path';
import ts from 'typescript';
import { textsWritten } from './written.ts';

export type Place = { file: string; line: number };
/** `texts`: each with the places that run it, of each room the first */
export type Collected = { texts: Map<string, Map<string, Place>>; refused: string[] };

const SOURCES = ['src', 'sandbox'];

/** Files that run what nobody can know before: migrations, the driver itself, and the texts that `unlisted.ts` names. */
const OWN_WAY = [
  'src/platform/db/migrate.ts',
  'src/platform/db/prepared.ts',
  'src/platform/db/transaction.ts',
  'src/platform/db/unlisted.ts',
  'src/platform/db/write.ts',
];

/**
 * The texts of all statements below src/ and sandbox/: whatever is given where a `Statement` is declared, and what the calls of
 * write.ts make. Each must be known to the compiler to the letter. Refused are texts that are not, and calls of the driver's
 * own query.
 */
export function collectStatements(root: string): Collected {
  const config = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: SOURCES }, ts.sys, root);
  const files = SOURCES.flatMap((folder) => ts.sys.readDirectory(path.join(root, folder), ['.ts']));
  const program = ts.createProgram(files, options);
  return statementsOf(program, root);
}

/** Of these folders each file with statements has types of its own: those of all would be 40 to 75 KB. */
const BY_FILE = ['ledger', 'reconciliation', 'transactions-rows'];

/** The room of a file: its folder, and inside a large one the folder or file below that. */
function roomOf(file: string): string {
  const [folder = '', ...inside] = file.split('/').slice(file.startsWith('src/') ? 1 : 0, -1);
  const [below] = inside;
  const room =
    ['transactions', 'operators'].includes(folder) && below ? `${folder}-${below}` : folder || 'entry';
  return BY_FILE.includes(room) ? `${room}-${path.basename(file, '.ts')}` : room;
}

export function statementsOf(program: ts.Program, root: string): Collected {
  const checker = program.getTypeChecker();
  const found: Collected = { texts: new Map(), refused: [] };
  const add = (text: string, place: Place) => {
    const places = found.texts.get(text) ?? new Map();
    if (!places.has(roomOf(place.file))) places.set(roomOf(place.file), place);
    found.texts.set(text, places);
  };

  for (const source of program.getSourceFiles()) {
    const file = path.relative(root, source.fileName);
    if (source.isDeclarationFile || !SOURCES.some((folder) => file.startsWith(`${folder}/`))) continue;
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit);
      if (!ts.isCallExpression(node)) return;
      const place = { file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 };
      if (isDriversQuery(checker, node) && !OWN_WAY.includes(file))
        found.refused.push(`${file}:${place.line}: this is the driver's own query, which takes any text`);
      for (const argument of statementsGiven(checker, node)) {
        const texts = textsOf(checker, argument);
        if (!texts)
          found.refused.push(`${file}:${place.line}: this text is put together while the process runs`);
        for (const text of texts ?? []) add(text, place);
      }
      const written = textsWritten(checker, node, textsOf);
      if (typeof written === 'string') found.refused.push(`${file}:${place.line}: ${written}`);
      else for (const text of written) add(text, place);
    };
    visit(source);
  }
  return found;
}

function isDriversQuery(checker: ts.TypeChecker, call: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(call.expression) || call.expression.name.text !== 'query') return false;
  const from = checker.getResolvedSignature(call)?.declaration?.getSourceFile().fileName ?? '';
  return from.includes('/@types/pg/');
}

/** Which arguments of this call are statements: those whose type is a type parameter that extends `Statement`. */
function statementsGiven(checker: ts.TypeChecker, call: ts.CallExpression): ts.Expression[] {
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (!declaration || ts.isJSDocSignature(declaration)) return [];
  const own = declaration.typeParameters?.find(({ constraint }) => constraint?.getText() === 'Statement');
  if (!own) return [];
  const isOwn = (type: ts.TypeNode | undefined) => type?.getText() === own.name.text;
  return call.arguments.flatMap((argument, at) => {
    const type = declaration.parameters[at]?.type;
    if (isOwn(type)) return argument;
    if (!type || !ts.isTypeLiteralNode(type) || !ts.isObjectLiteralExpression(argument)) return [];
    const names = type.members.flatMap((one) =>
      ts.isPropertySignature(one) && isOwn(one.type) ? one.name.getText() : [],
    );
    return argument.properties.flatMap((one) => {
      if (!one.name || !names.includes(one.name.getText())) return [];
      return ts.isPropertyAssignment(one)
        ? one.initializer
        : ts.isShorthandPropertyAssignment(one)
          ? one.name
          : [];
    });
  });
}

/** What the compiler knows a text to be: one, or a closed list of them. Empty for what another call has collected. */
function textsOf(checker: ts.TypeChecker, node: ts.Expression): string[] | undefined {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return textsOf(checker, node.expression);
  if (ts.isCallExpression(node) && statementsGiven(checker, node).length > 0) return [];
  if (ts.isConditionalExpression(node)) {
    const [yes, no] = [textsOf(checker, node.whenTrue), textsOf(checker, node.whenFalse)];
    return yes && no && [...yes, ...no];
  }
  if (ts.isTemplateExpression(node)) {
    let texts: string[] | undefined = [node.head.text];
    for (const { expression, literal } of node.templateSpans) {
      const parts = textsOf(checker, expression);
      texts = parts && texts?.flatMap((text) => parts.map((part) => text + part + literal.text));
    }
    return texts;
  }
  const type = checker.getTypeAtLocation(node);
  // A function that takes a statement itself and hands it on.
  if (type.flags & ts.TypeFlags.TypeParameter) return [];
  const all = type.isUnion() ? type.types : [type];
  return all.every((one) => one.isStringLiteral() || one.isNumberLiteral())
    ? all.map((one) => String((one as ts.LiteralType).value))
    : undefined;
}
