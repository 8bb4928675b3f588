import type { CallOptions } from '../../domain/channel.ts';

export type StatementSource = {
  /** which reader knows its entries */
  format: 'gsma' | 'airtel';
  /**
   * The entries from the `offset`-th on of those between `from` and `to` (both inclusive; a source may count
   * in seconds), as they came. `available`: how many there are in all; null where it does not say. Rejects
   * without an answer.
   */
  page(of: ListPage, call: CallOptions): Promise<{ entries: readonly unknown[]; available: number | null }>;
  /** Returns the balance as the channel writes it; null if it tells none. Rejects without an answer. */
  balance(theirs: string, call: CallOptions): Promise<string | null>;
};

export type ListPage = { theirs: string; from: Date; to: Date; limit: number; offset: number };
