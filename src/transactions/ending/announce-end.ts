import { channel } from 'node:diagnostics_channel';
import type { Transaction } from '../../domain/transaction.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { afterCommit } from '../../platform/db/transaction.ts';

/** Metrics use these facts of an ended transaction; they contain no personal data. */
export type EndedAs = Pick<Transaction, 'mode' | 'channel' | 'status' | 'failureCode'>;

const endings = channel('malipo:transaction-ended');

export function announceEnd(db: Queryable, { mode, channel: over, status, failureCode }: EndedAs): void {
  const ended: EndedAs = { mode, channel: over, status, failureCode };
  afterCommit(db, () => endings.publish(ended));
}

export function observeEndings(listener: (ended: EndedAs) => void): void {
  endings.subscribe((ended) => listener(ended as EndedAs));
}
