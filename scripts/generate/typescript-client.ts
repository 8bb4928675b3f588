import openapiTypescript, { astToString } from 'openapi-typescript';
import { type Document, type Operation, operationsOf } from './document.ts';

/** Operations that the client leaves out: it needs no document of its own, and reads statements as JSON. */
const LEFT_OUT = { operation: 'getOpenApi', query: 'format' };
const HEADER = '// Generated from openapi.json by npm run openapi: do not edit.\n\n';

/** The two generated files of clients/typescript/src. */
export async function typescriptClientFiles(text: string): Promise<Record<string, string>> {
  const document = reduced(JSON.parse(text));
  const types = astToString(await openapiTypescript(JSON.stringify(document), { alphabetize: false }));
  return {
    'clients/typescript/src/schema.ts': `${HEADER}${types}`,
    'clients/typescript/src/operations.ts': `${HEADER}${tableOf(document)}`,
  };
}

/** Without headers, errors and examples, which would make two thirds of the types: every error has one shape. */
function reduced(document: Document): Document {
  const paths: Document['paths'] = {};
  for (const { method, path, operation } of operationsOf(document)) {
    if (operation.operationId === LEFT_OUT.operation) continue;
    paths[path] = { ...paths[path], [method]: reducedOperation(operation) };
  }
  const { schemas } = document.components;
  return { openapi: document.openapi, info: document.info, tags: [], paths, components: { schemas } };
}

function reducedOperation(operation: Operation): Operation {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const answer = responses['200']?.content?.['application/json'];
  if (answer === undefined) throw new Error(`${operationId} answers no JSON`);
  const kept = parameters.filter(({ in: place, name }) =>
    place === 'header' ? name === 'Idempotency-Key' : name !== LEFT_OUT.query,
  );
  return {
    operationId,
    tags: [],
    summary,
    description,
    parameters: kept,
    ...(requestBody && { requestBody }),
    responses: { '200': { description: 'OK', content: { 'application/json': { schema: answer.schema } } } },
  };
}

/** The facts of a request at run time. Its comments are what an editor shows beside the client's methods. */
function tableOf(document: Document): string {
  const rows = operationsOf(document).map(({ method, path, operation }) => {
    const key = operation.parameters.find(({ name }) => name === 'Idempotency-Key');
    const row = [`method: '${method.toUpperCase()}'`, `path: '${path}'`, `key: ${keyOf(key?.required)}`];
    const comment = `${operation.summary}. ${operation.description.replace(/\n+/g, ' ')}`;
    return `  /** ${comment} */\n  ${operation.operationId}: { ${row.join(', ')} },\n`;
  });
  return `export const operations = {\n${rows.join('')}} as const;\n`;
}

/** Whether the client makes a key, sends only one that is given, or sends none. */
function keyOf(required: boolean | undefined): string {
  if (required === undefined) return 'null';
  return required ? "'made'" : "'given'";
}
