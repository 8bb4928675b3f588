import type { Message } from '../../domain/messages.ts';
import type { Minor } from '../../domain/money.ts';
import type { KeptRefusal, RefusalCode } from '../../domain/operation.ts';
import type { Balance } from '../../ledger/accounts.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Rows } from './submissions.ts';

/** An acceptor reads, locks and counts, and returns this; `accept` alone writes and moves money. */
export type Verdict = Acceptance | Refused;

export type Acceptance = {
  /** the first is the transaction of the submission; its kind says whose money is taken */
  rows: Rows;
  /** this must stay in the balance after the holds, minor units; else the acceptor decides again */
  keep?: Minor;
  /** the body of the answer; `after` reads the balance as the holds leave it */
  answer: (after: () => Promise<Balance>) => string | Promise<string>;
};

/** `keepsKey`: it is stored under its key, which is used up; else the key stays free. What was written before it is taken back. */
export type Refused = {
  say: Message;
  /** written all the same */
  note?: (db: Queryable) => Promise<void>;
} & ({ refused: KeptRefusal; keepsKey: true } | { refused: RefusalCode; keepsKey: false });
export type Kept = Extract<Refused, { keepsKey: true }>;
