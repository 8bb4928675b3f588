import type { ItemOfBatch } from '../../domain/batch.ts';
import type { SettlementRequest, Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Moment, PendingRow } from './submissions.ts';
import type { Refused, Verdict } from './verdict.ts';

/** Features decide here about transactions without a merchant's request; the engine knows no feature. */
export type Origins = {
  /** Takes the hold of an item out of its batch's. False where the batch takes no more items. */
  carve(db: Queryable, item: PendingRow, batch: ItemOfBatch): Promise<boolean>;
  settlement: {
    accept(db: Queryable, submission: Submission<SettlementRequest>, moment: Moment): Promise<Verdict>;
    /** Tells a person that a settlement was refused; null: it was accepted. Ignores every other submission. */
    note(db: Queryable, submission: Submission, refused: Refused | null): Promise<void>;
  };
};
