import { CompleteAsyncError, Context } from '@temporalio/activity';
import type { Channels } from '../channels/registry.ts';
import type { Database } from '../db/pool.ts';
import type { SendResult } from '../domain/channel.ts';
import { openSendMs } from '../domain/open-send.ts';
import type { ChannelTransaction } from '../domain/transaction.ts';
import { recordSend, recordSendOutcome } from '../transactions/sends.ts';
import { settleReported } from '../transactions/settle.ts';
import { callWithin, orderOf, partyOf, walletOf } from './order.ts';

export type SendInput = { transactionId: string; number: number };

/**
 * What the flow reads of a send. Never what it came to: that is in Postgres, because anyone who may write to Temporal can
 * complete an open send. `answered`: an explicit answer, settled already. `final`: the transaction ended before its turn
 * came (cancelled in the queue); nothing was sent. `notified`: the notification door completed the open send.
 */
export type SendReport = { kind: 'answered' | 'accepted' | 'not_sent' | 'unknown' | 'final' | 'notified' };

/**
 * A worker that was frozen between recording a send and making it must not make it any more: by then its activity
 * has timed out and the flow has gone on.
 */
const SEND_FRESH_MS = 3_000;

/** Sends. Each is recorded before its first byte leaves and is never repeated blindly. */
export function createSendActivities(deps: { database: Database; channels: Pick<Channels, 'channelOf'> }) {
  const { database, channels } = deps;

  async function send(
    input: SendInput,
    call: (transaction: ChannelTransaction) => Promise<SendResult>,
  ): Promise<SendReport> {
    const begun = performance.now();
    // When Postgres cannot be reached nothing was sent; if the row was committed all the same, it bars the next number.
    const permit = await recordSend(database, input).catch((error: Error) => {
      Context.current().log.warn('send could not be recorded', { error: error.message });
      return null;
    });
    if (!permit) return { kind: 'not_sent' };
    // Recorded before, by a run of this activity that may have sent: never a second call, an enquiry decides.
    if (!permit.granted) return { kind: permit.why === 'final' ? 'final' : 'unknown' };
    const stale = performance.now() - begun > SEND_FRESH_MS;
    const result: SendResult = stale
      ? { kind: 'not_sent', detail: 'frozen' }
      : await call(permit.transaction);
    const channelReference = 'channelReference' in result ? result.channelReference : null;
    const outcome = result.kind === 'unknown' && result.seen ? 'accepted' : result.kind;
    const { transactionId, number } = input;
    const isNoted = await recordSendOutcome(database, { transactionId, number, outcome, channelReference });
    if ('detail' in result)
      Context.current().log.warn('send is unclear', { kind: result.kind, detail: result.detail });
    switch (result.kind) {
      case 'succeeded':
        // A success counts whenever it comes. It may be the answer to a send that the flow waits for no more.
        await settleReported(database, transactionId, result);
        return { kind: 'answered' };
      case 'failed':
        // Too late to be noted, it says nothing about what was sent after it.
        if (!isNoted) return { kind: 'unknown' };
        await settleReported(database, transactionId, result);
        return { kind: 'answered' };
      case 'accepted':
        // Left open: the door completes it with the notification, or its time until the first enquiry runs out.
        if (openSendMs(permit.transaction.timing) !== null) throw new CompleteAsyncError();
        return { kind: 'accepted' };
      default:
        return { kind: result.kind };
    }
  }

  return {
    requestPush(input: SendInput): Promise<SendReport> {
      return send(input, async (transaction) => {
        const channel = channels.channelOf(transaction);
        if (!channel.requestPush || transaction.mode !== 'ussd')
          throw new Error(`${transaction.channel} takes no push of ${transaction.mode}`);
        return channel.requestPush(
          { ...orderOf(transaction), party: walletOf(transaction) },
          callWithin(transaction.timing.sendTimeoutMs),
        );
      });
    },

    requestPayout(input: SendInput): Promise<SendReport> {
      return send(input, async (transaction) => {
        const channel = channels.channelOf(transaction);
        if (!channel.requestPayout) throw new Error(`${transaction.channel} takes no payouts`);
        const order = { ...orderOf(transaction), party: partyOf(transaction), sendNumber: input.number };
        return channel.requestPayout(order, callWithin(transaction.timing.sendTimeoutMs));
      });
    },
  };
}
