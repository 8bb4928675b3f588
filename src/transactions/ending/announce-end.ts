import { channel } from 'node:diagnostics_channel';
import type { Transaction } from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { afterCommit } from '../../platform/db/transaction.ts';

/** Metrics count these facts of an ended transaction: they name nobody. */
export type EndedAs = Pick<Transaction, 'mode' | 'channel' | 'status' | 'failureCode'>;

const endings = channel('malipo:transaction-ended');

/** Says that a transaction ended, once that is committed. Nobody has to listen. */
export function announceEnd(db: Queryable, { mode, channel: over, status, failureCode }: EndedAs): void {
  const ended: EndedAs = { mode, channel: over, status, failureCode };
  afterCommit(db, () => endings.publish(ended));
}

/** The listener hears every end that this process writes from now on. */
export function observeEndings(listener: (ended: EndedAs) => void): void {
  endings.subscribe((ended) => listener(ended as EndedAs));
}
