import type { Frozen } from '../../accounts/freeze.ts';
import { type Message, say } from '../../domain/messages.ts';
import { formatMoney, type Minor, minor } from '../../domain/money.ts';
import type { KeptRefusal, RefusalCode } from '../../domain/operation.ts';
import { REFUND_MIN, type RefundObstacle, refundObstacles } from '../../domain/refund.ts';
import type { PreviewMismatch } from './previews.ts';
import type { Kept, Refused } from './verdict.ts';

/** Stores the refusal under its key: the same request gets it again, and a new attempt needs a new key. */
export const kept = (refused: KeptRefusal, message: Message): Kept => ({
  refused,
  say: message,
  keepsKey: true,
});

/** Leaves the key free. */
export const notKept = (refused: RefusalCode, message: Message): Refused => ({
  refused,
  say: message,
  keepsKey: false,
});

export const notSettleable = (why: Message) => notKept('not_settleable', why);

export function settlementLeavesTooLittle(money: {
  available: Minor;
  keep: Minor;
  amount: Minor;
  fee: Minor;
}): Refused {
  const why = say('settlement_leaves_too_little', {
    available: formatMoney(money.available),
    keep: formatMoney(money.keep),
    amount: formatMoney(money.amount),
    fee: formatMoney(money.fee),
  });
  return kept('insufficient_balance', withNewKey(why));
}

export const notRefundable = (obstacle: RefundObstacle) =>
  kept('not_refundable', withNewKey(refundObstacles[obstacle]));

/** Refuses a push from a page: only the payment of its bill or number is refundable. */
export const refundWhatItPays = (id: string) =>
  kept('not_refundable', withNewKey(say('refund_what_it_pays', { id })));

/** Refuses for now, because a statement shows an unexplained movement of the payment. */
export const refundWaits = () => notKept('unavailable', say('refund_waits'));

export function refundExceedsPayment(money: { refunded: Minor; left: Minor }): Refused {
  const [refunded, left] = [formatMoney(money.refunded), formatMoney(money.left)];
  const why = say('refund_too_much', { refunded, left, minimum: formatMoney(REFUND_MIN) });
  return kept('refund_exceeds_payment', withNewKey(why));
}

export function withNewKey(first: Message): Message {
  return say('two_sentences', { first, second: say('use_new_key') });
}

export function balanceTooSmall(money: {
  available: Minor;
  amount: Minor;
  fee: Minor;
  currency: string;
}): Refused {
  const { available, amount, fee, currency } = money;
  const why = say('balance_too_small', {
    available: formatMoney(available),
    currency,
    total: formatMoney(minor(amount + fee)),
    amount: formatMoney(amount),
    fee: formatMoney(fee),
  });
  return kept('insufficient_balance', why);
}

export const submissionExpired = kept('submission_expired', say('submission_expired'));

export const frozenNow = (frozen: Frozen) => notKept('forbidden', say(`${frozen}_frozen`));

export const previewUnusable = (mismatch: PreviewMismatch) =>
  notKept('preview_mismatch', previewMismatchMessage(mismatch));

export function previewMismatchMessage(mismatch: PreviewMismatch): Message {
  const first = Array.isArray(mismatch)
    ? say('preview_differs', { parts: mismatch.join(', ') })
    : say(`preview_${mismatch}`);
  return say('two_sentences', { first, second: say('preview_again') });
}
