import type { Principal, Scope } from '../../accounts/keys.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import type { Language } from '../../domain/language.ts';
import type { Message } from '../../domain/messages.ts';
import type { Line, Reply } from '../../platform/http/call.ts';
import type { JsonObject } from '../../platform/http/json.ts';
import type { Log } from '../../platform/process/log.ts';
import type { Table } from '../../platform/tables/table.ts';

export type MerchantLine = Line & {
  purpose: string;
  /** one of these is needed, or all if `everyScope` says so; null: no key */
  scopes: readonly Scope[] | null;
  everyScope?: true;
  /** absent: the Idempotency-Key header is ignored */
  idempotencyKey?: 'required' | 'optional';
  /** the answer can be CSV (`Accept: text/csv`) */
  csv?: true;
  /** the answer is the same for everybody: it has an ETag and may be compressed */
  isConstant?: true;
  /** JSON pointer to the answer's `id`, which these operationIds take */
  links?: { to: readonly string[]; at: string; parameter?: 'id' | 'event_id' };
};

export type Route = { name: string; line: MerchantLine; handle(request: ApiRequest): Promise<unknown> };

/** A call's result: JSON that matches its schema, or a ready answer. */
export type AnswerOf<L extends MerchantLine> = JsonOf<L['answer']> | Reply;

export type ApiRequest = {
  requestId: string;
  /** ISO 8601 UTC */
  receivedAt: string;
  /** transaction or event in the address; '' if none */
  id: string;
  query: URLSearchParams;
  /** null only if the call needs no key */
  principal: Principal | null;
  body: JsonObject | null;
  /** fields of the body that the call knows, without nulls */
  known: Record<string, unknown>;
  table: Table | null;
  /** '' if absent, or ignored by the call */
  idempotencyKey: string;
  /** `Accept` prefers CSV; only calls with a CSV read this */
  prefersCsv: boolean;
  language: Language;
  log: Log;
};

export function callerOf(request: ApiRequest): Principal {
  if (!request.principal) throw new Error('the call was served without a key');
  return request.principal;
}

/** Marks the stored answer of an earlier request with the same key. */
export const REPLAYED = { 'Idempotent-Replayed': 'true' };

export function done(message: Message) {
  return { success: true, message } as const;
}
