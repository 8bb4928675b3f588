import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import type { Constant } from './constant.ts';
import type { Shape } from './fields.ts';

/** One line of a table of calls: what the router, the checks and the OpenAPI document know of a call, whoever makes it. */
export type Line = {
  method: 'GET' | 'POST' | 'PUT';
  /** all are served below a prefix; the OpenAPI document shows the first */
  paths: readonly [string, ...string[]];
  /** the second address and those after it have these operationIds, each with its purpose; the first has the name in the table */
  otherNames?: Readonly<Record<string, { purpose: string }>>;
  summary: string;
  /** two sentences: when to call it, and what to know before */
  purpose?: string;
  query?: Shape;
  /** without these fields a JSON body is not read */
  body?: Shape;
  /** its body may be a CSV instead, whose fields are then in the query */
  takesCsv?: true;
  /** only if larger than for other calls */
  bodyBytesMax?: number;
  /** how many rows its body may have, each of which has values of its own (`decisions.md §24`) */
  rowsMax?: number;
  /** its body is a file as it is, of so many bytes at most, and has no fields */
  bytesMax?: number;
  answer: z.ZodType;
  /** the rest of the line implies further refusals */
  refusals?: readonly ErrorCode[];
};

/** An answer that is more than the JSON of its schema: with a status or headers, or sent as it is. */
export class Reply {
  readonly status: number;
  /** null if the text refuses nothing */
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
