import type { Channels } from '../../src/channels/kit/registry.ts';
import type { Channel, EnquiryResult, Failed, SendResult, Succeeded } from '../../src/domain/channel.ts';
import { type Minor, minor } from '../../src/domain/money.ts';

export type ScriptedChannel = ReturnType<typeof createScriptedChannel>;
type Sent = { transactionId: string; reference: string; amount: Minor };
type SendAnswer = SendResult | ((order: { transactionId: string; amount: Minor }) => Promise<SendResult>);

const UNKNOWN = { kind: 'unknown', detail: '' } as const;

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

/** A channel that answers what a test tells it to, and counts what reached it. */
export function createScriptedChannel() {
  const script = {
    /** answers of sends and enquiries, in turn; the last one repeats */
    sends: [{ kind: 'accepted', channelReference: null }] as SendAnswer[],
    enquiries: [{ kind: 'accepted', channelReference: null }] as EnquiryResult[],
    sent: [] as Sent[],
    enquired: 0,
  };
  async function send({ transactionId, reference, amount }: Sent): Promise<SendResult> {
    const answer = script.sends[Math.min(script.sent.length, script.sends.length - 1)] ?? UNKNOWN;
    const sent = { transactionId, reference, amount };
    script.sent.push(sent);
    return saidOf(typeof answer === 'function' ? await answer(sent) : answer, transactionId);
  }
  const channel: Channel = {
    requestPush: send,
    requestPayout: send,
    async enquire({ transactionId }) {
      const answer = script.enquiries[Math.min(script.enquired, script.enquiries.length - 1)];
      script.enquired += 1;
      return saidOf(answer ?? UNKNOWN, transactionId);
    },
    verifyNotification: () => true,
    translateNotification: (raw) => JSON.parse(raw.body.toString()),
  };
  const channels: Pick<Channels, 'channelOf' | 'billConnections'> = {
    channelOf: () => channel,
    billConnections: [],
  };
  return Object.assign(script, { channel, channels });
}
