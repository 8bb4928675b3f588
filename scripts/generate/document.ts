/** The parts of our own OpenAPI document that the clients are made from. */
export type Parameter = {
  name: string;
  in: 'header' | 'path' | 'query';
  required: boolean;
  description?: string;
  example?: unknown;
  schema: { example?: unknown; enum?: unknown[]; default?: unknown };
};
type Content = { schema: unknown; examples?: Record<string, { value: unknown }> };
export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security?: unknown[];
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
};
export type Document = {
  openapi: string;
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, unknown>;
};

/** Every operation with its method and path, in the order of the document. */
export function operationsOf(document: Document) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}
