import type { Unknown } from '../../domain/channel.ts';

/**
 * `named`: these answers repeat our reference or id, which we compare. `looked up`: the reference in them
 * finds the transaction. `nobody`: why neither is possible.
 */
type Naming = 'named' | 'looked up' | { nobody: string };

/** Says for each answer of a protocol how it names its transaction (test/channels/about.test.ts). */
export type AnswersAbout = { push: Naming; payout: Naming; enquiry: Naming; notification: Naming };

export const neverSent: Naming = { nobody: 'nothing is ever sent' };
export const nothingSent: AnswersAbout = {
  push: neverSent,
  payout: neverSent,
  enquiry: neverSent,
  notification: neverSent,
};

/** Writes a reference as we do, without the network's changes of case and space. */
export const ours = (named: string) => named.trim().toUpperCase();

/** An answer about another payment proves nothing. Returns null if it has our reference or none. */
export function aboutAnother(asked: string, named: unknown): Unknown | null {
  const name = typeof named === 'string' ? ours(named) : '';
  return name === '' || name === asked.toUpperCase()
    ? null
    : { kind: 'unknown', detail: 'an answer about another payment' };
}
