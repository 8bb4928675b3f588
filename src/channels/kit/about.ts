import type { Unknown } from '../../domain/channel.ts';

/**
 * `named`: these answers repeat our reference, or a number of ours, and it is compared. `looked up`: it is the only word for the
 * transaction, which is found by it. A sentence: why neither can be.
 */
type Naming = 'named' | 'looked up' | { nobody: string };

/** Which answers of a protocol say whom they are about. Each that does is compared below (test/channels/about.test.ts). */
export type AnswersAbout = { push: Naming; payout: Naming; enquiry: Naming; notification: Naming };

export const neverSent: Naming = { nobody: 'nothing is ever sent' };
/** Bill-only protocols send nothing. */
export const nothingSent: AnswersAbout = {
  push: neverSent,
  payout: neverSent,
  enquiry: neverSent,
  notification: neverSent,
};

/** A reference of ours as we write it, whatever the network made of its letters and the spaces around it. */
export const ours = (named: string) => named.trim().toUpperCase();

/** An answer that names another payment says nothing of ours. Null if it names ours, or nobody. */
export function aboutAnother(asked: string, named: unknown): Unknown | null {
  const name = typeof named === 'string' ? ours(named) : '';
  return name === '' || name === asked.toUpperCase()
    ? null
    : { kind: 'unknown', detail: 'an answer about another payment' };
}
