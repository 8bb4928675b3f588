import { carveItem } from '../../src/batches/accept-item.ts';
import type { Submission } from '../../src/domain/operation.ts';
import type { Database } from '../../src/platform/db/pool.ts';
import { settlementOrigin } from '../../src/settlements/accept-settlement.ts';
import { accept as acceptOf } from '../../src/transactions/acceptance/accept.ts';
import { restoreAccepted as restoreOf } from '../../src/transactions/rescue/restore.ts';

/** As the activities and the command hand it in. */
const origins = { carve: carveItem, settlement: settlementOrigin };

export const accept = (database: Database, submission: Submission) => acceptOf(database, submission, origins);

export const restoreAccepted = (database: Database, before: Parameters<typeof restoreOf>[1]) =>
  restoreOf(database, before, origins);
