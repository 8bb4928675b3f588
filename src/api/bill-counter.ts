import { isDatabaseDown, isWrongValue } from '../db/errors.ts';
import type { Database } from '../db/pool.ts';
import type { BillReply } from '../domain/bill-reply.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Network } from '../domain/network.ts';
import { describeError } from '../domain/redact.ts';
import { raiseAttention } from '../transactions/attention.ts';
import { billPaymentsOf, lookUpBill } from '../transactions/bill-store.ts';
import {
  type BillAttempt,
  type BillDecision,
  receiveBillPayment,
  validateBillPayment,
} from '../transactions/bills.ts';
import type { DoorContext } from './app.ts';
import { type BillToken, createTokenCheck } from './bill-tokens.ts';
import type { Flows } from './flows.ts';
import type { Log } from './log.ts';
import { unavailable } from './middleware/envelope.ts';
import type { FailureCounter } from './middleware/guards.ts';
import { inTime } from './promises.ts';

/** Networks wait 5 s; an answer that comes later is none. What was decided meanwhile, a repetition is told. */
const ANSWER_MS_MAX = 4_500;

/** What both forms of the door do, whatever their messages look like. Each throws GatewayError when it cannot answer. */
export type BillCounter = {
  /** Rejects with `unauthorized` when the token is nobody's, with `rate_limited` after too many of these. */
  networkOf(context: DoorContext): Promise<Network>;
  lookUp(controlNumber: string | null): Promise<Awaited<ReturnType<typeof lookUpBill>>>;
  paymentsOf(transactionId: string): ReturnType<typeof billPaymentsOf>;
  validate(attempt: Attempt, log: Log): Promise<Decided>;
  receive(payment: Attempt, log: Log): Promise<Decided>;
};
export type Attempt = Omit<BillAttempt, 'channel'> & { network: Network };
/** `reply` ok also where the money went to suspense: we have it. */
export type Decided = {
  reply: Exclude<BillReply, 'try_again'>;
  transactionId: string | null;
};

export type CounterDeps = {
  database: Database;
  flows: Pick<Flows, 'signal'>;
  tokens: readonly BillToken[];
  failures: FailureCounter;
  answerMsMax?: number;
};

export function createBillCounter(deps: CounterDeps): BillCounter {
  const { database, flows, answerMsMax = ANSWER_MS_MAX } = deps;
  const networkOfToken = createTokenCheck(deps.tokens);
  const ask = <T>(work: Promise<T>) => inTime(work, answerMsMax, tooLate).catch(rethrowAsDoor);

  async function decide(leg: string, attempt: Attempt, log: Log, work: Promise<BillDecision>) {
    const decision = await ask(work);
    const transactionId = decision.outcome === 'refused' ? null : decision.transactionId;
    const reason = decision.outcome === 'refused' ? decision.reason : undefined;
    log.info(
      { leg, channel: attempt.network.id, outcome: decision.outcome, reason, transaction_id: transactionId },
      'bill payment',
    );
    return { decision, transactionId };
  }

  /**
   * A customer's money has moved and no repetition can make us take it: somebody has to know. Not where the network
   * gives it back because the request was wrong.
   */
  function callPerson(payment: { network: Network; receipt: string }, error: unknown): void {
    const { network, receipt } = payment;
    if (isDatabaseDown(error)) return;
    if (isWrongValue(error) && network.bill.refusalReturnsMoney) return;
    // Postgres stores no NUL; the receipt may be what it refused.
    const subject = `${network.id}:${receipt}`.replaceAll('\0', '');
    const detail = `The payment ${subject} of a bill could not be taken in: ${describeError(error).message}`;
    void raiseAttention(database, { subject, reason: 'broken', detail }).catch(() => {});
  }

  return {
    async networkOf(context) {
      const authorization = context.get('Authorization');
      const network = networkOfToken(authorization);
      if (network) return network;
      if (authorization) await deps.failures.countFailure(deps.failures.addressOf(context.req));
      throw new GatewayError('unauthorized', 'The token is not accepted');
    },
    // A wrong check digit belongs to no bill: nobody has to be asked.
    lookUp: async (controlNumber) =>
      controlNumber === null ? null : ask(lookUpBill(database, controlNumber)),
    paymentsOf: (transactionId) => ask(billPaymentsOf(database, transactionId)),

    async validate({ network, ...attempt }, log) {
      const work = validateBillPayment(database, { ...attempt, channel: network.id });
      const { decision, transactionId } = await decide('validate', { network, ...attempt }, log, work);
      return { reply: replyOf(decision), transactionId };
    },

    async receive({ network, ...payment }, log) {
      const { refusalReturnsMoney } = network.bill;
      const work = receiveBillPayment(database, { ...payment, channel: network.id, refusalReturnsMoney });
      // Committed late is committed: the flow hears of it although the network was told to try again.
      void work.then(
        (decision) => {
          const isNews =
            decision.outcome === 'accepted' || (decision.outcome === 'repeated' && decision.unheard);
          if (isNews) void flows.signal(decision.transactionId, 'stored');
        },
        (error) => callPerson({ network, receipt: payment.receipt }, error),
      );
      const { decision, transactionId } = await decide('notify', { network, ...payment }, log, work);
      return { reply: replyOf(decision), transactionId };
    },
  };
}

function replyOf(decision: BillDecision): Decided['reply'] {
  if (decision.outcome === 'refused') return decision.reason;
  return decision.outcome === 'repeated' ? 'duplicate' : 'ok';
}

function tooLate(): never {
  throw unavailable();
}

/** A value that Postgres cannot hold came from the network: the request is wrong, not we. */
function rethrowAsDoor(error: unknown): never {
  if (isDatabaseDown(error)) throw unavailable();
  if (isWrongValue(error)) throw new GatewayError('invalid_json', 'The request has a value nobody can store');
  throw error;
}

/** An error as the fault that a protocol shows. What nobody expected is logged and opaque. */
export function faultOf(error: unknown, log: Log): GatewayError {
  if (error instanceof GatewayError) return error;
  log.error({ err: error }, 'unexpected error at a bill door');
  return new GatewayError('internal_error', 'Something went wrong on our side');
}
