import type { FactsInWords } from './words.ts';

export type Handed =
  | 'not_sent'
  | 'sent'
  | 'asking'
  | 'unknown'
  | 'odd_money'
  | 'decided'
  | 'stopped'
  | 'succeeded'
  | 'contradicted'
  | 'decided_success'
  | 'failed'
  | 'moved_late'
  | 'decided_failure'
  | 'cancelled';
type Billed =
  | 'unpaid'
  | 'part_paid'
  | 'closing'
  | 'stopped'
  | 'succeeded'
  | 'expired'
  | 'expired_part_paid'
  | 'cancelled';

/** The keys say what success does to money (kinds.ts). */
export type Situations = {
  credit: Handed | 'prompted';
  hold: Handed | 'returned';
  credit_each_payment: Billed;
  payable: Handed;
};
export type Situation = Situations[keyof Situations];

export type Story = Record<'state' | 'money' | 'next', (words: FactsInWords) => string>;
