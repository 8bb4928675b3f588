import assert from 'node:assert/strict';
import { networkById } from '../../src/domain/network.ts';
import { openSendMs } from '../../src/domain/open-send.ts';
import { flowTiming } from '../../src/domain/timing.ts';
import { channelTiming } from '../support/merchant.ts';

const SECOND_MS = 1_000;

describe('how long a send stays open', () => {
  const timing = flowTiming('ussd', { ...channelTiming, ...networkById('m-pesa') }, 'normal');

  it('is until the first enquiry is due: the customer who enters nothing is asked about as before', () => {
    assert.equal(openSendMs(timing), timing.firstEnquiryMs);
    assert.equal(timing.firstEnquiryMs, 30 * SECOND_MS);
  });

  it('is not at all where the first enquiry is due before the channel has to have answered', () => {
    assert.equal(openSendMs({ ...timing, sendTimeoutMs: 30 * SECOND_MS }), null);
    assert.equal(openSendMs({ ...timing, sendTimeoutMs: 40 * SECOND_MS }), null);
  });

  it('is not at all where a worker that died before the send left would be noticed too late to send it', () => {
    assert.equal(openSendMs({ ...timing, firstEnquiryMs: timing.notSentRetryMs }), null);
  });

  it('is so in tests, too', () => {
    for (const mode of ['ussd', 'mobile', 'bank', 'refund'] as const)
      assert.notEqual(openSendMs(flowTiming(mode, channelTiming, 'fast')), null, mode);
  });
});
