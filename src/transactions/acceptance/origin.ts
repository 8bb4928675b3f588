import type { ItemOfBatch } from '../../domain/batch.ts';
import type { SettlementRequest, Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Moment, PendingRow } from './submissions.ts';
import type { Refused, Verdict } from './verdict.ts';

/** Hooks of features that start transactions without a merchant's request. */
export type Origins = {
  /** Takes an item's hold from its batch's hold. False if the batch accepts no more items. */
  carve(db: Queryable, item: PendingRow, batch: ItemOfBatch): Promise<boolean>;
  settlement: {
    accept(db: Queryable, submission: Submission<SettlementRequest>, moment: Moment): Promise<Verdict>;
    /** Notifies a person that a settlement was refused; null means accepted. Ignores other submissions. */
    note(db: Queryable, submission: Submission, refused: Refused | null): Promise<void>;
  };
};
