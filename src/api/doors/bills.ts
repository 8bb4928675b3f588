import { randomUUID } from 'node:crypto';
import { describeError } from '../../base/redact.ts';
import type { BillAttempt, BillDecided, BillService } from '../../channels/kit/door.ts';
import type { BillConnection } from '../../channels/kit/registry.ts';
import { BrokenInvariant, GatewayError } from '../../domain/errors.ts';
import { type Network, networkById } from '../../domain/network.ts';
import { isDatabaseDown, isSchemaBehind, isWrongValue } from '../../platform/db/errors.ts';
import type { Database } from '../../platform/db/pool.ts';
import { unavailable } from '../../platform/http/envelope.ts';
import type { Log } from '../../platform/process/log.ts';
import { inTime } from '../../platform/process/promises.ts';
import { raiseAttention } from '../../transactions/care/attention.ts';
import { FenceClosed, requireOpenFence } from '../../transactions/care/fence.ts';
import { type BillDecision, decidedOf } from '../../transactions/ending/bill-decision.ts';
import {
  findBillDecision,
  receiveBillPayment,
  validateBillPayment,
} from '../../transactions/ending/bills.ts';
import { type BillNotification, noteSignalled } from '../../transactions/rows/bill-receipts.ts';
import { billPaymentsOf, lookUpBill } from '../../transactions/rows/bill-store.ts';
import { lookUpNumber, withItsNumber } from '../../transactions/rows/number-store.ts';
import { getTransaction } from '../../transactions/rows/store.ts';
import type { Flows } from '../kit/flows.ts';

/** Networks wait 5 s for an answer. A repeated message gets the decision made meanwhile. */
const ANSWER_MS_MAX = 4_500;

export type BillServiceDeps = {
  database: Database;
  flows: Pick<Flows, 'signal' | 'beginPayment' | 'report'>;
  /** `amount`: minor units */
  observe?: (accepted: { connection: string; amount: number }) => void;
  answerMsMax?: number;
};

/** Serves one request to a door. `sender` rejects if the message has no proof. */
export function createBillService(
  deps: BillServiceDeps,
): (sender: Promise<BillConnection>, log: Log) => BillService {
  const { database, observe, answerMsMax = ANSWER_MS_MAX } = deps;
  const ask = <T>(work: Promise<T>) => inTime(work, answerMsMax, tooLate).catch(rethrowAsDoor);

  async function logged(
    step: string,
    attempt: BillAttempt,
    log: Log,
    work: Promise<BillDecision>,
  ): Promise<BillDecided> {
    const decision = await ask(work);
    const decided = decidedOf(decision);
    const reason = decision.outcome === 'refused' ? decision.reason : undefined;
    log.info(
      {
        step,
        channel: attempt.network.id,
        outcome: decision.outcome,
        reason,
        transaction_id: decided.transactionId,
      },
      'bill payment',
    );
    return decided;
  }

  /** Alerts operators: money moved that we cannot record, and the network does not return it. */
  function callPerson(payment: BillAttempt, connection: string, error: unknown): void {
    const { network, receipt } = payment;
    if (isDatabaseDown(error) || error instanceof FenceClosed) return;
    if (isWrongValue(error) && network.bill.refusalReturnsMoney) return;
    // A receipt may contain NUL, which Postgres cannot store. Two connections may have the same receipt.
    const subject = `${connection}:${receipt}`.replaceAll('\0', '');
    const detail =
      `The payment ${subject} of a bill over ${network.id} could not be taken in: ` +
      `${describeError(error).message}`;
    void raiseAttention(database, { subject, reason: 'broken', detail }).catch(() => {});
  }

  async function validate(
    attempt: BillAttempt,
    { id: connection, offers }: BillConnection,
    log: Log,
  ): Promise<BillDecided> {
    const { network, ...rest } = attempt;
    const work = validateBillPayment(database, { ...rest, connection, channel: network.id }, offers);
    return logged('validate', attempt, log, work);
  }

  async function receive(payment: BillAttempt, connection: string, log: Log): Promise<BillDecided> {
    const { network, request, ...rest } = payment;
    const { refusalReturnsMoney } = network.bill;
    const notification = { ...rest, channel: network.id, connection, refusalReturnsMoney };
    const owes = request && { id: randomUUID(), request };
    const work = receiveBillPayment(database, notification, owes && { owes });
    // A signal follows even a late commit, although the network was told to try again.
    void work.then(
      (decision) => {
        if (decision.outcome === 'accepted') observe?.({ connection, amount: payment.amount ?? 0 });
        const isNews =
          decision.outcome === 'accepted' || (decision.outcome === 'repeated' && decision.unsignalled);
        if (isNews) void signalPayment(deps, decision, notification);
        if (owes) void deps.flows.report(owes.id);
      },
      (error) => callPerson(payment, connection, error),
    );
    return logged('notify', payment, log, work);
  }

  async function decidedBefore(payment: Parameters<BillService['decidedBefore']>[0], connection: string) {
    const { network, name, msisdn } = payment;
    const decision = await ask(findBillDecision(database, { channel: network.id, connection, name, msisdn }));
    return decision && decidedOf(decision);
  }

  return (sender, log) => {
    const connectionOf = async () => (await sender).id;
    return {
      networkOf: async (operatorOf) => networkOf(await sender, operatorOf),
      // Null means a wrong check digit. No bill has such a number, so the database is not asked.
      lookUp: async (controlNumber) => {
        const bill = controlNumber === null ? null : await ask(lookUp(database, controlNumber));
        return bill && (await sender).offers(bill.accountId) ? bill : null;
      },
      paymentsOf: (transactionId) => ask(billPaymentsOf(database, transactionId)),
      validate: async (attempt) => validate(attempt, await sender, log),
      receive: async (payment) => receive(payment, await connectionOf(), log),
      decidedBefore: async (payment) => decidedBefore(payment, await connectionOf()),
    };
  };
}

/** The sweep repeats a signal that was not recorded. */
async function signalPayment(
  { database, flows }: Pick<BillServiceDeps, 'database' | 'flows'>,
  { transactionId, isBegun = false }: { transactionId: string; isBegun?: boolean },
  payment: BillNotification,
): Promise<void> {
  const signalled = isBegun
    ? begin({ database, flows }, transactionId, payment)
    : flows.signal(transactionId, 'stored', payment);
  if (await signalled.catch(() => false)) await noteSignalled(database, payment).catch(() => {});
}

async function begin(
  { database, flows }: Pick<BillServiceDeps, 'database' | 'flows'>,
  transactionId: string,
  payment: BillNotification,
): Promise<boolean> {
  const transaction = await getTransaction(database, transactionId);
  if (!transaction) throw new BrokenInvariant(`the payment ${transactionId} was taken and is not there`);
  return flows.beginPayment(transaction, await withItsNumber(database, transaction, payment));
}

async function lookUp(database: Database, controlNumber: string) {
  const found = (await lookUpBill(database, controlNumber)) ?? (await lookUpNumber(database, controlNumber));
  // A restored Postgres may have lost the bill.
  if (found === null) await requireOpenFence(database);
  return found;
}

async function networkOf(
  { networks }: BillConnection,
  operatorOf: (() => Promise<string | null>) | undefined,
): Promise<Network> {
  const isSingle = networks.every(({ operator }) => operator === null);
  const name = isSingle ? null : (await operatorOf?.())?.trim().toUpperCase();
  const named = networks.find(({ operator }) => operator === name);
  if (!named)
    throw new GatewayError('invalid_json', 'operator must be one of those that this token speaks for');
  const network = networkById(named.id);
  if (!network) throw new BrokenInvariant(`${named.id} is no network`);
  return network;
}

function tooLate(): never {
  throw unavailable();
}

/** A value that Postgres cannot store is the network's error. */
function rethrowAsDoor(error: unknown): never {
  if (isDatabaseDown(error) || isSchemaBehind(error) || error instanceof FenceClosed) throw unavailable();
  if (isWrongValue(error)) throw new GatewayError('invalid_json', 'The request has a value nobody can store');
  throw error;
}
