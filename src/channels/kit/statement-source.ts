import type { CallOptions } from '../../domain/channel.ts';

export type StatementSource = {
  format: 'gsma' | 'airtel';
  /**
   * Returns raw entries between `from` and `to` (inclusive; a source may count in seconds) from `offset` on.
   * `available`: their total, or null. Rejects without an answer.
   */
  page(of: ListPage, call: CallOptions): Promise<{ entries: readonly unknown[]; available: number | null }>;
  /** Returns the balance as the channel writes it, or null if it has none. Rejects without an answer. */
  balance(theirs: string, call: CallOptions): Promise<string | null>;
};

export type ListPage = { theirs: string; from: Date; to: Date; limit: number; offset: number };
