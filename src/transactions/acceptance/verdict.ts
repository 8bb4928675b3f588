import type { Message } from '../../domain/messages.ts';
import type { Minor } from '../../domain/money.ts';
import type { KeptRefusal, RefusalCode } from '../../domain/operation.ts';
import type { Balance } from '../../ledger/accounts.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Rows } from './submissions.ts';

/** An acceptor reads, locks and counts. Only `accept` writes rows and moves money. */
export type Verdict = Acceptance | Refused;

export type Acceptance = {
  /** the first is the submission's own transaction */
  rows: Rows;
  /** minimum balance after the holds, minor units; below it the acceptor decides again */
  keep?: Minor;
  /** body of the answer; `after` reads the balance after the holds */
  answer: (after: () => Promise<Balance>) => string | Promise<string>;
};

/** `keepsKey`: the refusal is stored and uses up the key. Earlier writes are rolled back. */
export type Refused = {
  say: Message;
  /** runs after the rollback, so its writes stay */
  note?: (db: Queryable) => Promise<void>;
} & ({ refused: KeptRefusal; keepsKey: true } | { refused: RefusalCode; keepsKey: false });
export type Kept = Extract<Refused, { keepsKey: true }>;
