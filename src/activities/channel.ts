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
 * The flow reads only this of a send; the result is in Postgres, because anyone who can write to Temporal can
 * complete an open send. `answered`: an explicit answer ended it. `closed`: the channel is down or closed;
 * nothing was sent. `final`: the transaction ended while the send was queued; nothing was sent.
 * `turned_away`: not sent, because a web page answered in place of the API. `notified`: a notification
 * completed the open send.
 */
export type SendReport = {
  kind: 'answered' | 'accepted' | 'not_sent' | 'turned_away' | 'unknown' | 'final' | 'closed' | 'notified';
};

/** A worker frozen between recording a send and making it must not make it, because the flow has gone on. */
const SEND_FRESH_MS = 3_000;

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
    // If Postgres fails, nothing was sent. A row that was committed anyway blocks the next send.
    const permit = await record(input).catch((error: Error) => {
      Context.current().log.warn('send could not be recorded', { error: error.message });
      return null;
    });
    if (!permit) return { kind: 'not_sent' };
    if (!permit.granted && permit.why !== 'recorded') return { kind: permit.why };
    // An earlier run of this activity may have sent it: never send twice, an enquiry decides.
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
        // A success always counts, even from a send that the flow no longer waits for.
        await endReported(database, transactionId, result);
        return { kind: 'answered' };
      case 'failed':
        // An answer too late to be recorded says nothing about later sends.
        if (!isNoted) return { kind: 'unknown' };
        await endReported(database, transactionId, result);
        return { kind: 'answered' };
      case 'accepted':
        // The send stays open until a notification completes it or the first enquiry is due.
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

  /** Reads the gate first: the transaction that records the send must not take a second connection. */
  async function record(input: SendInput) {
    const view = await gate.view();
    return recordSend(database, input, (db, transaction) => {
      // Throws if the channels file no longer has its connection: nothing is recorded or sent.
      channels.channelOf(transaction);
      return gate.pass(db, view, passengerOf(transaction));
    });
  }

  /** Records what the answer says about the channel. A failure here must not affect the send. */
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

/** A person must find out why a web page answers for the network. A failure here does not affect the send. */
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
