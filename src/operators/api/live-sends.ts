import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { conflict } from '../../domain/errors.ts';
import { CURRENCY, formatMoney } from '../../domain/money.ts';
import { showMsisdn } from '../../domain/msisdn.ts';
import { networkOfNumber } from '../../domain/network.ts';
import type { MoneyRequest, StoredAnswer, Submission } from '../../domain/operation.ts';
import { type ChannelTiming, flowTiming } from '../../domain/timing.ts';
import type { Transaction } from '../../domain/transaction.ts';
import { sentenceIn } from '../../transactions/acceptance/answers.ts';
import { findStored, fingerprintsOf, transactionIdOf } from '../../transactions/acceptance/idempotency.ts';
import { agreedOn } from '../../transactions/care/agreed.ts';
import { sendHistory } from '../../transactions/channel/sends.ts';
import { getTransaction } from '../../transactions/rows/store.ts';
import { LIVE_SEND, type LiveSend, readLiveSend } from '../actions/live-send-action.ts';
import { type Call, call, type Deps } from './call.ts';
import { liveSendAnswer } from './case-schemas.ts';

/** This call continues an approved `channels.live-send`: the payment, then its refund. */
export const liveSendCalls = {
  continueLiveSend: call(
    {
      method: 'POST',
      paths: ['channels/live-sends/{id}'],
      id: 'The id of the proposal',
      summary:
        'Continue an approved live test: start the payment, refund it when it is paid, ' +
        'and show what to compare with the network’s portal',
      roles: ['finance'],
      answer: liveSendAnswer,
      refusals: ['conflict'],
    },
    async (_input, context) => {
      const parts = await continueLiveSend(context.deps, context.id);
      context.noteRead(...parts.flatMap(({ transaction }) => transaction?.id ?? []));
      return { parts: parts.flatMap(presentPart), ...stateOf(parts) };
    },
  ),
} satisfies Record<string, Call>;

/** Without `transaction` and `refused`, it may have been started. `isUnsent`: nothing was sent. */
type Part = { what: 'payment' | 'refund'; transaction?: Transaction; refused?: string; isUnsent?: boolean };

/**
 * Submits the payment, then its refund, each with an idempotency key of the proposal, so each happens once. A
 * late start is refused.
 */
export async function continueLiveSend(deps: Deps, id: string): Promise<Part[]> {
  const proposal = await liveSendOf(deps, id);
  const payment = await submitted(deps, 'payment', proposal, () => paymentOf(deps, proposal));
  const paid = payment.transaction;
  if (paid?.status !== 'completed') return [payment];
  return [payment, await submitted(deps, 'refund', proposal, () => refundOf(deps, proposal, paid))];
}

type Agreed = LiveSend & { proposal: string; approvedAt: string };

async function liveSendOf({ database }: Deps, id: string): Promise<Agreed> {
  const agreed = await agreedOn(database, { id, action: LIVE_SEND });
  if (!agreed) throw conflict(`${id} is not an approved live test`);
  return { ...readLiveSend(JSON.parse(agreed.payload)), proposal: id, approvedAt: agreed.approvedAt };
}

function paymentOf(deps: Deps, agreed: Agreed): Submission {
  const { number: msisdn, amount, connection, account_id: accountId } = agreed;
  const channel = networkOfNumber(msisdn)?.id ?? '';
  const route = deps.liveRouteOf(channel, 'collection', accountId);
  if (route?.connection !== connection)
    throw conflict(`${connection} no longer carries payments of ${channel}`);
  const request = { mode: 'ussd', amount, currency: CURRENCY, msisdn, channel, connection } as const;
  return submissionOf(deps, agreed, { request, route, receivedAt: agreed.approvedAt });
}

function refundOf(deps: Deps, agreed: Agreed, { id, channel }: Transaction): Submission {
  const route = deps.liveRouteOf(channel, 'payout', agreed.account_id);
  if (!route) throw conflict(`No connection carries payouts over ${channel} any more`);
  const of = { currency: CURRENCY, refundOf: id, channel, connection: route.connection } as const;
  const request = { mode: 'refund', ...of, amount: null, receipt: null, reason: 'a live test' } as const;
  return submissionOf(deps, agreed, { request, route, receivedAt: new Date().toISOString() });
}

function submissionOf<R extends MoneyRequest<'ussd' | 'refund'>>(
  { timing }: Deps,
  agreed: Agreed,
  { request, route, receivedAt }: { request: R; route: ChannelTiming; receivedAt: string },
): Submission {
  const { proposal, account_id: accountId, key_id } = agreed;
  const idempotencyKey = keyOf(agreed, request.mode);
  return {
    transactionId: transactionIdOf(accountId, idempotencyKey),
    accountId,
    apiKeyId: key_id,
    idempotencyKey,
    fingerprint: fingerprintsOf(request.mode, { live_send: proposal })[0],
    submissionId: randomUUID(),
    requestId: proposal,
    receivedAt,
    request,
    metadata: JSON.stringify({ live_send: proposal }),
    timing: flowTiming(request.mode, route, timing),
  };
}

const modes = { payment: 'ussd', refund: 'refund' } as const;
const keyOf = ({ proposal }: Agreed, mode: 'ussd' | 'refund') => `live-send/${proposal}/${mode}`;

/** Returns the stored answer of the key, even if the route has changed; else starts or joins the workflow. */
async function submitted(
  deps: Deps,
  what: Part['what'],
  agreed: Agreed,
  made: () => Submission,
): Promise<Part> {
  const identity = { key: keyOf(agreed, modes[what]), paymentNumber: null };
  const find = () => findStored(deps.database, agreed.account_id, identity);
  let answer: StoredAnswer | null = await find();
  if (!answer) {
    const outcome = await deps.submit(made());
    answer = outcome.kind === 'answered' ? outcome.accepted.answer : await find();
  }
  if (!answer) return { what };
  if (answer.refused !== null)
    return { what, refused: answer.body === '' ? 'it was refused' : sentenceIn(answer.body) };
  const transaction = await getTransaction(deps.database, answer.transactionId);
  if (!transaction) return { what };
  const { sends, restored } = await sendHistory(deps.database, transaction.id);
  return { what, transaction, isUnsent: sends === 0 && !restored };
}

function presentPart({ what, transaction }: Part): z.output<typeof liveSendAnswer>['parts'] {
  if (transaction?.mode !== modes[what]) return [];
  const { id, status, currency, connection, reference, channelReference, statusAt } = transaction;
  return [
    {
      what,
      transaction_id: id,
      status,
      amount: formatMoney(transaction.amount),
      currency,
      connection,
      reference,
      channel_reference: channelReference,
      number: showMsisdn(transaction.msisdn),
      handed_over_at: transaction.handedOverAt,
      ended_at: status === 'pending' ? null : statusAt,
    },
  ];
}

function stateOf(parts: readonly Part[]): { state: string; done: boolean } {
  const last = parts.at(-1);
  const what = `The ${last?.what}`;
  const goesOn = (how: string) => ({ done: false, state: `${what} ${how}` });
  const isOver = (state: string) => ({ done: true, state });
  if (last?.refused !== undefined)
    return isOver(`${what} was refused, and nothing was sent: ${last.refused}`);
  const status = last?.transaction?.status;
  if (status === undefined) return goesOn('may have been started: ask again in a moment');
  if (status === 'pending')
    return goesOn(
      last?.what === 'payment'
        ? 'waits for the phone: confirm it there, then ask again'
        : 'is on its way: ask again',
    );
  if (status === 'paid')
    return isOver(
      'Both have succeeded. Check the network’s portal: it must show ' +
        'one payment and one payout, with these references, amounts, number and times',
    );
  if (last?.isUnsent)
    return isOver(
      `${what} has ended as ${status}, and nothing was sent: ` +
        'malipo channels check tests if the network answers',
    );
  return isOver(`${what} has ended as ${status}: check on the network’s portal that no money moved`);
}
