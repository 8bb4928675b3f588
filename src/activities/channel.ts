import { CompleteAsyncError, Context } from '@temporalio/activity';
import type { Channels } from '../channels/kit/registry.ts';
import type { Gate } from '../channels/traffic/gate.ts';
import { isAnswerToSend, isTurnedAway } from '../channels/traffic/results.ts';
import type { SendResult } from '../domain/channel.ts';
import { openSendMs } from '../domain/open-send.ts';
import { partyOf } from '../domain/party.ts';
import { type ChannelTransaction, kindOf } from '../domain/transaction.ts';
import type { Database } from '../platform/db/pool.ts';
import { raiseAttention } from '../transactions/care/attention.ts';
import { recordSend, recordSendOutcome } from '../transactions/channel/sends.ts';
import { endReported } from '../transactions/ending/end.ts';
import { callWithin, orderOf, passengerOf } from './order.ts';

export type SendInput = { transactionId: string; number: number };

/**
 * The flow reads only this of a send. The result is in Postgres, because anyone who may write to Temporal can complete
 * an open send. `answered`: an explicit answer, which has ended it. `closed`: its channel is down or closed, and nothing
 * was sent. `final`: the transaction ended before its turn came (cancelled in the queue); nothing was sent.
 * `turned_away`: not sent, because a page came in the place of an answer. `notified`: the notification door completed
 * the open send.
 */
export type SendReport = {
  kind: 'answered' | 'accepted' | 'not_sent' | 'turned_away' | 'unknown' | 'final' | 'closed' | 'notified';
};

/**
 * A worker that was frozen between recording a send and making it must not make it any more: by then its activity
 * has timed out and the flow has gone on.
 */
const SEND_FRESH_MS = 3_000;

/** Each send is recorded before its first byte leaves and is never repeated blindly. */
export function createSendActivities(deps: {
  database: Database;
  channels: Pick<Channels, 'channelOf'>;
  gate: Gate;
}) {
  const { database, channels, gate } = deps;

  async function send(
    input: SendInput,
    call: (transaction: ChannelTransaction) => Promise<SendResult>,
  ): Promise<SendReport> {
    const begun = performance.now();
    // When Postgres cannot be reached nothing was sent; if the row was committed all the same, it bars the next number.
    const permit = await record(input).catch((error: Error) => {
      Context.current().log.warn('send could not be recorded', { error: error.message });
      return null;
    });
    if (!permit) return { kind: 'not_sent' };
    if (!permit.granted && permit.why !== 'recorded') return { kind: permit.why };
    // A run of this activity recorded it before and may have sent: never call twice, an enquiry decides.
    if (!permit.granted) return { kind: 'unknown' };
    const stale = performance.now() - begun > SEND_FRESH_MS;
    const result: SendResult = stale
      ? { kind: 'not_sent', detail: 'frozen' }
      : await call(permit.transaction);
    const channelReference = 'channelReference' in result ? result.channelReference : null;
    const outcome = result.kind === 'unknown' && result.seen ? 'accepted' : result.kind;
    const { transactionId, number } = input;
    const isNoted = await recordSendOutcome(database, { transactionId, number, outcome, channelReference });
    if (!stale) await noteResult(permit, result);
    if ('detail' in result)
      Context.current().log.warn('send is unclear', { kind: result.kind, detail: result.detail });
    switch (result.kind) {
      case 'succeeded':
        // A success counts whenever it comes. It may be the answer to a send that the flow waits for no more.
        await endReported(database, transactionId, result);
        return { kind: 'answered' };
      case 'failed':
        // An answer that is too late to be noted says nothing about what was sent after it.
        if (!isNoted) return { kind: 'unknown' };
        await endReported(database, transactionId, result);
        return { kind: 'answered' };
      case 'accepted':
        // Left open: the door completes it with the notification, or its time until the first enquiry runs out.
        if (openSendMs(permit.transaction.timing) !== null) throw new CompleteAsyncError();
        return { kind: 'accepted' };
      case 'not_sent': {
        const isPage = result.refused === 'page';
        if (isPage) await flagPage(database, permit.transaction, result.detail);
        return { kind: isPage ? 'turned_away' : 'not_sent' };
      }
      case 'unknown':
        return { kind: 'unknown' };
    }
  }

  /** Looks at the gate first: inside the transaction that records the send there may be no second connection. */
  async function record(input: SendInput) {
    const view = await gate.view();
    return recordSend(database, input, (db, transaction) => {
      // Throws where its connection was taken out of the channels file: nothing is recorded, and nothing was sent.
      channels.channelOf(transaction);
      return gate.pass(db, view, passengerOf(transaction));
    });
  }

  /** Notes what the answer says of the channel itself. The send is over: a failure here must not touch it. */
  async function noteResult(
    { transaction, probe }: { transaction: ChannelTransaction; probe: boolean },
    result: SendResult,
  ): Promise<void> {
    if (Context.current().cancellationSignal.aborted) return;
    const of = passengerOf(transaction);
    const isAnswer = isAnswerToSend(result);
    gate.note(of, isAnswer, isTurnedAway(result));
    if (probe && isAnswer) await gate.recover(of).catch(() => {});
  }

  return {
    requestPush(input: SendInput): Promise<SendReport> {
      return send(input, async (transaction) => {
        const channel = channels.channelOf(transaction);
        const party = partyOf(transaction);
        if (!channel.requestPush || !kindOf(transaction).hasPrompt || party.kind !== 'wallet')
          throw new Error(`${transaction.channel} takes no push of ${transaction.mode}`);
        return channel.requestPush(
          { ...orderOf(transaction), party },
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

/** A person finds out why a page stands before the network. A failure here does not touch the send. */
async function flagPage(
  database: Database,
  { connection }: ChannelTransaction,
  detail: string,
): Promise<void> {
  await raiseAttention(database, {
    subject: `connection:${connection}`,
    reason: 'turned_away',
    detail: `${connection} answers a send with ${detail}`,
  }).catch(() => {});
}
