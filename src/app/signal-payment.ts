import type { Client } from '@temporalio/client';
import type { KeyRing } from '../base/key-ring.ts';
import { BrokenInvariant } from '../domain/errors.ts';
import type { Database } from '../platform/db/pool.ts';
import { type UnsignalledPayment, unsignalledPaymentOf } from '../transactions/rescue/orphans.ts';
import { noteSignalled } from '../transactions/rows/bill-receipts.ts';
import { withItsNumber } from '../transactions/rows/number-store.ts';
import { getTransaction } from '../transactions/rows/store.ts';
import { signBillPayment } from '../transactions/rows/submission-mac.ts';
import { startOfPayment } from '../workflows/start-flow.ts';

type Deps = { database: Database; client: Client; submissionKeys: KeyRing };

/** Sends the signal that a notification would send (for `recover`). Starts the bill's flow if none runs. */
export async function signalPayment(
  { database, client, submissionKeys }: Deps,
  { transactionId, payment }: UnsignalledPayment,
): Promise<'signalled'> {
  const bill = await getTransaction(database, transactionId);
  if (!bill) throw new BrokenInvariant(`the bill ${transactionId} was paid and is not there`);
  const proof = await withItsNumber(database, bill, payment);
  const signed = signBillPayment(submissionKeys, transactionId, proof);
  const { workflowType, ...start } = startOfPayment(bill, signed);
  await client.workflow.signalWithStart(workflowType, start);
  await noteSignalled(database, payment);
  return 'signalled';
}

/** Signals the bill that a push from a page may have paid. The sweep repeats failures. */
export async function signalPaymentOf(deps: Deps, promptId: string): Promise<void> {
  const payment = await unsignalledPaymentOf(deps.database, promptId);
  if (payment) await signalPayment(deps, payment);
}
