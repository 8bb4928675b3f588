import type { SendReport } from '../activities/channel.ts';
import { showDetails } from './details.ts';
import type { ChannelFlow } from './flow.ts';
import { waiter } from './proxies.ts';

/** Makes the send with this number. The activity records it first and never makes it twice. */
export type Send = (number: number) => Promise<SendReport>;

/** Sends that the gate delays while the channel is down or closed. */
export type GatedSend = {
  /** `closed`: the waiting time is over, and nothing was sent */
  send: Send;
  /** time since which the channel is known to be open: milliseconds since 1970 */
  openSince(): number;
};

/** Makes a send wait for a closed channel until `untilMs`, under the same number, unless a customer waits. */
export function gated(flow: ChannelFlow, send: Send, untilMs: number): GatedSend {
  const { transactionId, channel, timing } = flow.input;
  let openSince = Date.now();
  return {
    openSince: () => openSince,
    async send(number): Promise<SendReport> {
      for (;;) {
        const report = await send(number);
        // Anyone who can write to Temporal can complete an open send with any value.
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
