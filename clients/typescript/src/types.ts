import type { components, operations } from './schema.ts';

export type Schemas = components['schemas'];
export type OperationId = keyof operations;

/** What an operation answers when it worked. */
export type Answer<Id extends OperationId> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** What an operation takes: the names in its path, `query`, `body`, and where it creates something `idempotencyKey`. */
export type Input<Id extends OperationId> = PathOf<Id> & QueryOf<Id> & BodyOf<Id> & KeyOf<Id> & Options;

type Options = {
  /** Ends the call and its retries. What was sent may have been carried out. */
  signal?: AbortSignal;
};

type PathOf<Id extends OperationId> = operations[Id]['parameters'] extends { path: infer Names }
  ? Names
  : unknown;

type QueryOf<Id extends OperationId> = [NonNullable<operations[Id]['parameters']['query']>] extends [never]
  ? unknown
  : Pick<operations[Id]['parameters'], 'query'>;

type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } };
}
  ? { body: Body }
  : unknown;

type KeyOf<Id extends OperationId> = [NonNullable<operations[Id]['parameters']['header']>] extends [never]
  ? unknown
  : {
      /**
       * One new value per transaction, stored by you before the call, and the same value when you repeat it. When it is
       * left out, the client makes one that lives as long as the call (a bill needs none).
       */
      idempotencyKey?: string;
    };
