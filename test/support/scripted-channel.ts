import type { Channels } from '../../src/channels/kit/registry.ts';
import type { Channel, EnquiryResult, Failed, SendResult, Succeeded } from '../../src/domain/channel.ts';
import { type Minor, minor } from '../../src/domain/money.ts';

/** A channel that answers what a test tells it to, and counts what reached it. */
export type ScriptedChannel = {
  channels: Pick<Channels, 'channelOf' | 'billConnections'>;
  channel: Channel;
  /** answers of sends and enquiries, in turn; the last one repeats */
  sends: SendAnswer[];
  enquiries: EnquiryResult[];
  sent: { transactionId: string; reference: string; amount: Minor }[];
  enquired: number;
};
type SendAnswer = SendResult | ((order: { transactionId: string; amount: Minor }) => Promise<SendResult>);

/** Where a test does not care: the channel makes it one of the transaction's own, because a receipt ends one transaction. */
const ANY_RECEIPT = 'RECEIPT1';

/** As its channel says it of this transaction. */
export function saidOf<T extends object>(content: T, transactionId: string): T {
  const isAny = 'channelReference' in content && content.channelReference === ANY_RECEIPT;
  return isAny ? { ...content, channelReference: `${ANY_RECEIPT}-${transactionId}` } : content;
}

export function succeeded(amount: number, channelReference: string | null = ANY_RECEIPT): Succeeded {
  return {
    kind: 'succeeded',
    amount: minor(amount * 100),
    currency: 'TZS',
    channelReference,
    fullName: 'ASHA JUMA',
  };
}

export const failure = (code: Failed['code']): Failed => ({ kind: 'failed', code, channelReference: null });

export function createScriptedChannel(): ScriptedChannel {
  const script: ScriptedChannel = {
    channels: { channelOf: () => channel, billConnections: [] },
    channel: {
      requestPush: (order) => send(order),
      requestPayout: (order) => send(order),
      async enquire({ transactionId }) {
        const answer = script.enquiries[Math.min(script.enquired, script.enquiries.length - 1)];
        script.enquired += 1;
        return saidOf(answer ?? { kind: 'unknown', detail: '' }, transactionId);
      },
      verifyNotification: () => true,
      translateNotification: (raw) => JSON.parse(raw.body.toString()),
    },
    sends: [{ kind: 'accepted', channelReference: null }],
    enquiries: [{ kind: 'accepted', channelReference: null }],
    sent: [],
    enquired: 0,
  };
  const send = async (order: {
    transactionId: string;
    reference: string;
    amount: Minor;
  }): Promise<SendResult> => {
    const answer = script.sends[Math.min(script.sent.length, script.sends.length - 1)] ?? {
      kind: 'unknown',
      detail: '',
    };
    script.sent.push({
      transactionId: order.transactionId,
      reference: order.reference,
      amount: order.amount,
    });
    return saidOf(typeof answer === 'function' ? await answer(order) : answer, order.transactionId);
  };
  const { channel } = script;
  return script;
}
