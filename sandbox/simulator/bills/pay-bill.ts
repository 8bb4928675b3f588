import type Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { MINOR_PER_UNIT, type Minor, minorFromDecimal } from '../../../src/domain/money.ts';
import { parseMsisdn, showMsisdn } from '../../../src/domain/msisdn.ts';
import { networkByName, networkOfNumber } from '../../../src/domain/network.ts';
import { parseTanqr } from '../../../src/domain/tanqr.ts';
import { readJson } from '../core/body.ts';
import { newReceipt } from '../core/receipt.ts';
import { billForms } from '../networks.ts';
import type { BillPayments, StepOption } from './bill-payments.ts';
import type { BillPayment, PayOutcome } from './bill-runner.ts';
import type { BillCall } from './bill-step.ts';

const textOrNumber = z.union([z.string().max(256), z.number().transform(String)]);
const common = {
  phone_number: textOrNumber,
  network: z.string().max(64).nullish(),
  /** a used receipt is notified again */
  receipt: z.string().min(1).max(128).nullish(),
  protocol: z.enum(billForms).nullish(),
  step: z.enum(['validate', 'notify']).nullish(),
};
const payBillSchema = z.object({ ...common, control_number: textOrNumber, amount: textOrNumber });
/** Only a static code takes `amount`, which the payer types. */
const scanQrSchema = z.object({ ...common, payload: z.string().max(1024), amount: textOrNumber.nullish() });
type Common = z.infer<z.ZodObject<typeof common>>;

export function addPayBill(router: Router, payments: BillPayments): void {
  router.post('/customer/pay-bill', async (context) => {
    const body = await read(context, payBillSchema);
    await pay(context, {
      ...body,
      controlNumber: body.control_number,
      amount: amountOf(context, body.amount),
    });
  });

  router.post('/customer/scan-qr', async (context) => {
    const body = await read(context, scanQrSchema);
    const scanned = parseTanqr(body.payload);
    if ('refused' in scanned) return refuse(context, `This is no TANQR code: ${scanned.refused}`);
    const { amount, billNumber } = scanned.tanqr;
    if (billNumber === null) return refuse(context, 'This code names no bill');
    await pay(context, {
      ...body,
      controlNumber: billNumber,
      amount: amount ?? amountOf(context, body.amount ?? ''),
    });
  });

  router.post('/customer/pay-bill/:receipt/continue', async (context) => {
    const outcome = await payments?.proceed(String(context.params.receipt));
    if (outcome) return answer(context, outcome);
    context.throw(404, 'no payment with this receipt waits after its validation');
  });

  router.get('/customer/pay-bill/:receipt', (context) => {
    context.body = { payments: payments?.find(String(context.params.receipt)).map(present) ?? [] };
  });

  async function pay(
    context: Context,
    wanted: Common & { controlNumber: string; amount: Minor },
  ): Promise<void> {
    if (!payments) {
      context.status = 503;
      return refuse(context, 'Nobody can be asked about bills: set SIMULATOR_GATEWAY_URL');
    }
    answer(context, await payments.pay(callOf(context, wanted), (wanted.step ?? undefined) as StepOption));
  }
}

function callOf(context: Context, wanted: Common & { controlNumber: string; amount: Minor }): BillCall {
  const party = parseMsisdn(wanted.phone_number);
  if (party === null) return context.throw(422, 'phone_number is not a number');
  const network = wanted.network ? networkByName(wanted.network) : networkOfNumber(party);
  if (!network) return context.throw(422, 'network is not known');
  return {
    network: network.id,
    protocol: wanted.protocol ?? network.bill.protocol,
    receipt: wanted.receipt ?? newReceipt(),
    controlNumber: wanted.controlNumber,
    amount: wanted.amount,
    party,
  };
}

async function read<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(await readJson(context));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return context.throw(422, `${issue?.path.join('.')}: ${issue?.message}`);
}

/** Amounts have at most two decimals and are above 0. */
function amountOf(context: Context, text: string): Minor {
  const amount = minorFromDecimal(text);
  return amount !== null && amount > 0 ? amount : context.throw(422, 'amount is no amount of money');
}

/** Answers 202 while the outcome is unknown. */
function answer(context: Context, { pending, ...outcome }: PayOutcome): void {
  context.status = pending ? 202 : 200;
  context.body = outcome;
}

function refuse(context: Context, message: string): void {
  context.body = { accepted: false, message, receipt: null };
}

function present(payment: BillPayment) {
  const { receipt, network, protocol, controlNumber, amount, party, state, message } = payment;
  return {
    receipt,
    network,
    protocol,
    control_number: controlNumber,
    amount: amount / MINOR_PER_UNIT,
    phone_number: showMsisdn(party),
    state,
    message,
  };
}
