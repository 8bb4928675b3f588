import type { OwnFees } from './fees.ts';
import type { MessageId } from './messages.ts';
import { Message } from './messages.ts';
import type { Minor } from './money.ts';
import type { PayoutItem } from './payout.ts';
import type { FlowTiming } from './timing.ts';

/** A batch's payouts are checked together, started by a second key, and paid from one hold. */

export const BATCH_ITEMS_MAX = 10_000;
export const DRAFTS_MAX = 50;
export const DRAFT_DAYS = 7;
export const START_AHEAD_DAYS = 30;

export const batchStatuses = ['draft', 'scheduled', 'running', 'paused', 'finished', 'cancelled'] as const;
export type BatchStatus = (typeof batchStatuses)[number];
/** `waiting`: the payout is not accepted yet, and nothing has left. */
export const itemStatuses = ['waiting', 'pending', 'paid', 'failed', 'cancelled'] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/** `needed`: somebody other than the batch's maker must start it. */
export const startersOf = (needed: boolean) =>
  needed ? 'somebody else than its maker' : 'any key with payouts:approve';

/** The batch workflow has this signed argument, which is enough to restore the batch and its hold. */
export type BatchRun = {
  batchId: string;
  accountId: string;
  /** key that made it and owns its items */
  apiKeyId: string;
  batchNumber: string;
  itemsHash: string;
  currency: string;
  items: number;
  amount: Minor;
  fees: Minor;
  feeVersion: string;
  allowTwins: boolean;
  quiet: boolean;
  metadata: string;
  startedBy: string;
  /** ISO 8601 UTC; null: at once */
  startAt: string | null;
  routes: BatchRoutes;
  /** time of the hold, and the account's own fees: a restore needs both */
  start?: { at: string; own: OwnFees | null };
  /** the starter saw that a restore made it a draft again */
  again?: true;
};

/** The keys are channels. Routes are decided when the batch starts. */
export type BatchRoutes = Record<string, { connection: string; timing: FlowTiming }>;

/** The fee follows the version at the batch's start. */
export type ItemOfBatch = { id: string; position: number; fee: Minor; feeVersion: string };

export type BatchItem = PayoutItem & {
  position: number;
  transactionId: string;
  /** null if the channel was not asked, or gave no name */
  nameMatch?: boolean | null;
  reference: string | null;
  /** JSON text, exactly as sent */
  metadata: string;
  cells: string[] | null;
};

/** Rows count from 1, without a header. */
export type RowError = { row: number; field: string; message: Message };

/** `code`: as in the API's errors; nothing was held. */
export type BatchRefusal = {
  code:
    | 'insufficient_balance'
    | 'limit_exceeded'
    | 'duplicate_suspected'
    | 'items_changed'
    | 'batch_state'
    | 'forbidden';
  message: StoredMessage;
};
/** `closed`: the batch had ended before. `run` has the held fees; null: only the workflow must end. */
export type BatchStart<Run = BatchRun> =
  | { kind: 'running'; run: Run | null }
  | { kind: 'scheduled'; startAt: string }
  | { kind: 'closed' }
  | { kind: 'refused'; refusal: BatchRefusal };

export type BatchProgress = {
  status: BatchStatus;
  waiting: number;
  pending: number;
  paid: number;
  failed: number;
  cancelled: number;
  isOver: boolean;
  event: string | null;
};

/** A message is kept as JSON in Postgres or Temporal until somebody reads it in a language. */
export type StoredMessage = { id: string; values: Record<string, unknown> };

export function storeMessage({ id, values }: Message): StoredMessage {
  const stored = Object.entries(values).map(([name, value]) => [
    name,
    value instanceof Message ? storeMessage(value) : value,
  ]);
  return { id, values: Object.fromEntries(stored) };
}

export function messageOf({ id, values }: StoredMessage): Message {
  const read = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null ? messageOf(value as StoredMessage) : value,
  ]);
  return new Message(id as MessageId, Object.fromEntries(read));
}
