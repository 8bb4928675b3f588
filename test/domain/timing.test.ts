import assert from 'node:assert/strict';
import { healthRules } from '../../src/domain/network.ts';
import { type ChannelTiming, flowTiming } from '../../src/domain/timing.ts';
import { channelTiming } from '../support/merchant.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('the times of a flow', () => {
  const push = (changes: Partial<ChannelTiming> = {}) =>
    flowTiming('ussd', { ...channelTiming, ...changes }, 'normal');
  const payout = (changes: Partial<ChannelTiming> = {}) =>
    flowTiming('mobile', { ...channelTiming, ...changes }, 'normal');
  /** After what a customer may still answer: ever more seldom. */
  const LATER = [1, 2, 5, 10, 15].map((minutes) => minutes * MINUTE);

  it('have one send alone where a channel does not refuse a reference for the second time', () => {
    for (const speed of ['normal', 'fast'] as const) {
      assert.equal(flowTiming('mobile', channelTiming, speed).sendsMax, 3);
      assert.equal(flowTiming('mobile', { ...channelTiming, deduplicates: false }, speed).sendsMax, 1);
    }
  });

  it('are long enough that what never arrived, or was never sent, is sure', () => {
    for (const timing of [push(), payout()]) {
      const { settleTimeMs, neverArrivedMs, notSentRetryMs, notSentPauseMs, sendTimeoutMs } = timing;
      assert.deepEqual([settleTimeMs, sendTimeoutMs], [MINUTE, 15 * SECOND], 'as the channel has them');
      assert.equal(neverArrivedMs, 20 * MINUTE);
      assert.deepEqual([notSentRetryMs, notSentPauseMs], [5 * MINUTE, 15 * SECOND]);
    }
  });

  it('ask about a prompt while it lives and at its end, and then ever more seldom', () => {
    const asked = (changes: Partial<ChannelTiming> = {}) => {
      const { firstEnquiryMs, enquiryDelaysMs } = push(changes);
      return [firstEnquiryMs, ...enquiryDelaysMs];
    };
    const living = [30, 30, 60, 120, 60].map((seconds) => seconds * SECOND);
    assert.deepEqual(asked(), [...living, ...LATER]);
    assert.deepEqual(asked({ promptTtlMs: 2 * MINUTE }), [...living.slice(0, 3), ...LATER]);
    assert.deepEqual(asked({ enquires: false }), [5 * MINUTE, ...LATER]);
    assert.equal(push().unclearEnquiryMs, MINUTE);
  });

  it('ask about a payout after the time of its channel, and then ever more seldom', () => {
    const { firstEnquiryMs, unclearEnquiryMs, enquiryDelaysMs } = payout({ firstEnquiryAfterMs: 7 * SECOND });
    assert.deepEqual([firstEnquiryMs, unclearEnquiryMs], [7 * SECOND, 7 * SECOND]);
    assert.deepEqual(enquiryDelaysMs, LATER);
  });

  it('let a customer wait no longer than the prompt, and a payout as long as its channel is down', () => {
    const { submissionMaxAgeMs, sendQueueMs, promptMs, resendWithinMs, channelWaitMs } = push();
    assert.deepEqual([submissionMaxAgeMs, sendQueueMs], [30 * SECOND, 2 * MINUTE]);
    assert.deepEqual([promptMs, resendWithinMs, channelWaitMs], [5 * MINUTE, 5 * MINUTE, 0]);
    const out = payout();
    assert.deepEqual([out.submissionMaxAgeMs, out.sendQueueMs], [15 * MINUTE, healthRules.payoutWaitMs]);
    assert.deepEqual([out.promptMs, out.resendWithinMs], [0, 0]);
    assert.equal(out.channelWaitMs, healthRules.payoutWaitMs);
    assert.deepEqual(out.channelLookMs, [2 * SECOND, 5 * MINUTE]);
  });

  it('call a person after a day, or after half an hour where the channel cannot be asked', () => {
    const { attentionAfterMs, overdueEnquiryMs, afterDecisionMs } = payout();
    assert.deepEqual([attentionAfterMs, overdueEnquiryMs], [24 * HOUR, HOUR]);
    assert.equal(afterDecisionMs, 7 * 24 * HOUR);
    assert.equal(payout({ enquires: false }).attentionAfterMs, HOUR / 2);
  });
});
