import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import type { Constant } from './constant.ts';
import type { Shape } from './fields.ts';

/** One line of a table of calls: what the router, the checks and the OpenAPI document know of a call, whoever makes it. */
export type Line = {
  method: 'GET' | 'POST' | 'PUT';
  /** below a prefix; the first one is shown in the OpenAPI document, all are served */
  paths: readonly [string, ...string[]];
  /** the operationIds of the second address and those after it; the first one's is the name in the table */
  otherNames?: readonly string[];
  summary: string;
  query?: Shape;
  /** fields of the JSON body; without them a body is not read */
  body?: Shape;
  /** its body may be a CSV instead, whose fields are then in the query */
  takesCsv?: true;
  /** only if larger than for other calls */
  bodyBytesMax?: number;
  /** how many rows its body may have, each of which has values of its own (`decisions.md §24`) */
  rowsMax?: number;
  /** its body is a file as it is, of so many bytes at most, and has no fields */
  bytesMax?: number;
  /** the body of a 200 */
  answer: z.ZodType;
  /** the rest of the line implies further refusals */
  refusals?: readonly ErrorCode[];
};

/** An answer that is more than the JSON of its schema: with a status or headers, or sent as it is. */
export class Reply {
  readonly status: number;
  /** the code of what the text refuses; null where it refuses nothing */
  readonly refused: ErrorCode | null;
  /** text is sent byte for byte; a stream is text of the `Content-Type` in `headers` */
  readonly body: string | Readable | Constant;
  readonly language: Language;
  readonly headers: Record<string, string>;

  constructor(reply: {
    body: string | Readable | Constant;
    status?: number;
    refused?: ErrorCode | null;
    language?: Language;
    headers?: Record<string, string>;
  }) {
    this.status = reply.status ?? 200;
    this.refused = reply.refused ?? null;
    this.body = reply.body;
    this.language = reply.language ?? 'en';
    this.headers = reply.headers ?? {};
  }
}
