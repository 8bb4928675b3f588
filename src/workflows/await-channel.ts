import type { SendReport } from '../activities/channel.ts';
import { showDetails } from './details.ts';
import type { ChannelFlow } from './flow.ts';
import { waiter } from './proxies.ts';

/** Makes one send with this number. The activity records it first and never makes it twice. */
export type Send = (number: number) => Promise<SendReport>;

/** The gate before the channel holds these sends back while the channel is down or closed. */
export type GatedSend = {
  /** `closed`: it waited as long as it may, and nothing was sent */
  send: Send;
  /** the channel is known to be open since then: milliseconds since 1970 */
  openSince(): number;
};

/** A send waits for a closed channel until `untilMs`, same number; with a customer waiting it does not. */
export function gated(flow: ChannelFlow, send: Send, untilMs: number): GatedSend {
  const { transactionId, channel, timing } = flow.input;
  let openSince = Date.now();
  return {
    openSince: () => openSince,
    async send(number): Promise<SendReport> {
      for (;;) {
        const report = await send(number);
        // Anyone who may write to Temporal can complete an open send with anything.
        if (report?.kind !== 'closed' || timing.channelWaitMs === 0) return report;
        showDetails(flow, `Waiting for ${channel}, which is down or closed`);
        const { kind } = await waiter(channel).awaitChannel({
          transactionId,
          untilMs,
          looksMs: timing.channelLookMs,
        });
        if (kind === 'over') return report;
        openSince = Date.now();
        showDetails(flow, `Handing over to ${channel}`);
      }
    },
  };
}
