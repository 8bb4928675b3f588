import type { AttentionReason } from '../../src/domain/attention.ts';
import { minor } from '../../src/domain/money.ts';
import type { OddMoney } from '../../src/operators/search/odd-money.ts';
import type { Facts } from '../../src/operators/search/words.ts';

export const now = new Date('2027-01-31T10:00:00Z');
export const later = '2027-01-31T10:04:00.000000Z';
export const earlier = '2027-01-31T09:58:00.000000Z';

export type Given = {
  transaction?: Record<string, unknown>;
  reasons?: AttentionReason[];
  decision?: Partial<NonNullable<Facts['decision']>>;
  odd?: Partial<OddMoney>[];
};

export const handed = { handedOverAt: earlier };
export const paid = { status: 'completed', settled: minor(490_000), channelReference: 'CKL5' };
export const sentOut = { status: 'paid', channelReference: 'CKL5', paidAt: earlier };
export const failed = { status: 'failed', failureCode: 'customer_declined', ...handed };
export const released = {
  kind: 'suspense_release',
  at: earlier,
  proposedBy: 'asha',
  approvedBy: 'juma',
} as const;

/** A state of the world: its name, what is known, and what support reads: the state, the money, what happens next. */
export type Row = [situation: string, given: Given, state: string, money: string, next: string];

/** Its three sentences stand each in a line. */
export const is =
  (situation: string, given: Given) =>
  (texts: TemplateStringsArray, ...values: string[]): Row => {
    const [state = '', money = '', next = ''] = String.raw({ raw: texts }, ...values)
      .trim()
      .split(/\n +/);
    return [situation, given, state, money, next];
  };
