import type { ItemOfBatch } from '../../domain/batch.ts';
import type { FeeSchedule } from '../../domain/fees.ts';
import type { Minor } from '../../domain/money.ts';
import type { Accepted, PayoutRequest, SettlementRequest, Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Moment } from './submissions.ts';

/**
 * How features accept what a merchant does not ask for one by one, and bring it back after a restore: whoever calls the
 * engine hands this table in, so the engine knows no feature. `restore` is false where the transaction is there already.
 */
export type Origins = {
  item: {
    accept(db: Queryable, submission: Submission<PayoutRequest>, batch: ItemOfBatch): Promise<Accepted>;
    restore(db: Queryable, submission: Submission<PayoutRequest>, batch: ItemOfBatch): Promise<boolean>;
  };
  settlement: {
    accept(db: Queryable, submission: Submission<SettlementRequest>, moment: Moment): Promise<Accepted>;
    restore(
      db: Queryable,
      submission: Submission<SettlementRequest>,
      of: { parts: readonly Minor[]; fees: FeeSchedule },
    ): Promise<boolean>;
    /** A submission came too late to be accepted; `why` is for operators. */
    noteMissed(db: Queryable, submission: Submission, why: string): Promise<void>;
  };
};
