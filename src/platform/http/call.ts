import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import type { Constant } from './constant.ts';
import type { Shape } from './fields.ts';

/** A row of a table of calls serves the router, the checks and the OpenAPI document. */
export type Line = {
  method: 'GET' | 'POST' | 'PUT';
  /** addresses below a prefix; the OpenAPI document shows the first */
  paths: readonly [string, ...string[]];
  /** operationIds and purposes of further addresses; the first has the table's name */
  otherNames?: Readonly<Record<string, { purpose: string }>>;
  summary: string;
  /** two sentences: when to call it, and what to know before */
  purpose?: string;
  query?: Shape;
  /** absent: no JSON body is read */
  body?: Shape;
  /** the body may be a CSV; its fields are then in the query */
  takesCsv?: true;
  bodyBytesMax?: number;
  /** the most rows in the body; each row may add values */
  rowsMax?: number;
  /** the body is a raw file of at most this many bytes, without fields */
  bytesMax?: number;
  answer: z.ZodType;
  /** codes beyond those that the rest of the line implies */
  refusals?: readonly ErrorCode[];
};

/** An answer with its own status or headers, or with a ready body. */
export class Reply {
  readonly status: number;
  /** null if the text refuses nothing */
  readonly refused: ErrorCode | null;
  /** text is sent byte for byte; a stream has the `Content-Type` in `headers` */
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
