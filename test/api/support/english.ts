import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../../..');

/** Where messages for answers are made; their English is in src/domain/messages alone. */
const PLACES = [
  'src/api',
  'src/batches',
  'src/callbacks',
  'src/domain',
  'src/ledger',
  'src/platform/http',
  'src/settlements',
  'src/transactions',
];
const FILES = [
  'src/accounts/freeze.ts',
  'src/accounts/uses.ts',
  'src/platform/db/listing.ts',
  'src/platform/process/read-body.ts',
];
/** The reference is English; networks read what the doors reply, and operators what these files note. */
const APART =
  /^src\/(api\/(reference|doors)\/|callbacks\/failing|domain\/(data\/|messages\/|attention|bill-reply)|transactions\/(care\/(decisions|fence)|channel\/enquiries|ending\/returns|odd-money\/suspense)\.)/;

/** A sentence, or the end of one that a field's name begins; SQL is in capitals, and words of code are alone. */
const SENTENCE = /^(?:[A-Z][a-z]* .|(?:must|is|was|has|have|cannot|does|names|belongs) .)/;

/** Members and calls whose words are for readers of the reference, of statements, of the log, or of operators' lists. */
const NOT_ANSWERED = ['summary', 'purpose', 'description', 'noun', 'example', 'examples', 'detail'];
const NOT_SAID =
  /(^|\.)(Error|BrokenInvariant|info|warn|error|noteFacts|describe|closeFence|raiseAttention)$/;

export type Said = { where: string; pieces: string[] };

/** Every English sentence that these files have themselves, in the pieces between what is filled in. */
export function sentencesOfSource(): Said[] {
  const files = PLACES.flatMap((place) => {
    const names = readdirSync(path.join(root, place), { recursive: true, encoding: 'utf8' });
    if (names.length === 0) throw new Error(`${place} has no file: say where its messages are now.`);
    return names.map((name) => path.posix.join(place, name));
  });
  return [...files, ...FILES]
    .filter((file) => file.endsWith('.ts') && !APART.test(file))
    .flatMap((file) => sentencesOf(file, readFileSync(path.join(root, file), 'utf8')));
}

export function sentencesOf(file: string, text: string): Said[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Said[] = [];
  const look = (node: ts.Node): void => {
    if (isApart(node)) return;
    const pieces = piecesOf(node);
    if (pieces && SENTENCE.test(pieces.join('…'))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ where: `${file}:${line + 1}`, pieces });
    }
    node.forEachChild(look);
  };
  look(source);
  return found;
}

function isApart(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return true;
  if (ts.isPropertyAssignment(node)) return NOT_ANSWERED.includes(node.name.getText());
  // What the fields of a document mean, and what an entry of the attention list says.
  if (ts.isVariableDeclaration(node)) return /Meanings?$|^detail$/.test(node.name.getText());
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return NOT_SAID.test(node.expression.getText());
  return false;
}

function piecesOf(node: ts.Node): string[] | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)];
}
