import type { Schemas } from './types.ts';

/** The codes of the API, and `no_answer`: nothing came back, or nothing that Malipo wrote. */
export type ErrorCode = Schemas['ErrorAnswer']['code'] | 'no_answer';

type Details = {
  code: ErrorCode;
  message: string;
  status: number | null;
  answer?: Partial<Schemas['ErrorAnswer']>;
  idempotencyKey: string | null;
  outcomeUnknown: boolean;
  retryAfterMs: number | null;
  cause?: unknown;
};

/** What every call throws when it did not work. Decide by `code`; `message` is for people. */
export class MalipoError extends Error {
  override name = 'MalipoError';
  readonly code: ErrorCode;
  /** null: no answer came */
  readonly status: number | null;
  /** to quote when you ask for help */
  readonly requestId: string | null;
  /** what the code means and what to do: a path of the service's host */
  readonly docs: string | null;
  /** every field that is wrong */
  readonly errors: readonly { field: string; message: string }[];
  /** the key that every attempt of this call had */
  readonly idempotencyKey: string | null;
  /** with `outcome_unknown`: the id that the transaction has if it was started */
  readonly transactionId: string | null;
  /**
   * It may have been carried out: this attempt, or one before it, had no clear answer. Repeat the same call with the
   * same `idempotencyKey` until there is one. Never use a new key: that could pay twice.
   */
  readonly outcomeUnknown: boolean;
  /** when the service wants to be asked again */
  readonly retryAfterMs: number | null;

  constructor(details: Details) {
    super(details.message, { cause: details.cause });
    const { answer } = details;
    this.code = details.code;
    this.status = details.status;
    this.requestId = answer?.request_id ?? null;
    this.docs = answer?.docs ?? null;
    this.errors = answer?.errors ?? [];
    this.transactionId = answer?.transaction_id ?? null;
    this.idempotencyKey = details.idempotencyKey;
    this.outcomeUnknown = details.outcomeUnknown;
    this.retryAfterMs = details.retryAfterMs;
  }
}
