import { request } from 'undici';
import {
  AIRTEL_PAYBILL_PATH,
  type AirtelPaybillStep,
  CONTENT_TYPE,
  readAnswer,
  writeCommand,
} from '../../channels/airtel-paybill/bill-wire.ts';
import { toDecimal } from '../../domain/money.ts';
import type { BillCall, BillSteps, StepReply } from '../bills/bill-steps.ts';
import { ownerOf } from '../core/scenario.ts';

export type AirtelPaybillGateway = {
  /** the service's address, without a trailing slash */
  url: string;
  username: string;
  password: string;
  timeoutMs?: number;
};

/** Networks give an answer up after this. */
const TIMEOUT_MS = 6_000;

/** Airtel's steps against the service: there is no look-up; validate and process, and an enquiry where process was silent. */
export function createAirtelPaybillSteps(gateway: AirtelPaybillGateway): BillSteps & {
  enquire(call: BillCall, signal: AbortSignal): Promise<StepReply>;
} {
  const { url, username: USERNAME, password: PASSWORD, timeoutMs = TIMEOUT_MS } = gateway;

  async function ask(
    step: AirtelPaybillStep,
    fields: Record<string, string | undefined>,
    signal: AbortSignal,
  ): Promise<StepReply> {
    try {
      const answer = await request(`${url}${AIRTEL_PAYBILL_PATH}/${step}`, {
        method: 'POST',
        headers: { 'content-type': CONTENT_TYPE },
        body: writeCommand(fields),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const said = readAnswer(Buffer.from(await answer.body.arrayBuffer()));
      if (answer.statusCode !== 200 || !said)
        return { kind: 'silent', message: `The service answered ${answer.statusCode}` };
      return { kind: said.STATUS === '200' ? 'yes' : 'no', message: said.MESSAGE ?? said.STATUS };
    } catch {
      return { kind: 'silent', message: 'The service did not answer' };
    }
  }

  /** In the order of the one gateway that was seen; the real PIN is the network's own and means nothing to us. */
  const payment = (call: BillCall) => ({
    TYPE: 'C2B',
    CUSTOMERMSISDN: call.party.slice(3),
    MERCHANTMSISDN: '780000000',
    CUSTOMERNAME: ownerOf(call.party) ?? undefined,
    AMOUNT: toDecimal(call.amount),
    PIN: '0000',
    REFERENCE: call.controlNumber,
    USERNAME,
    PASSWORD,
    REFERENCE1: call.receipt,
  });

  return {
    lookUp: async () => ({ kind: 'yes', message: 'Not asked' }),
    validate: (call, signal) => ask('validate', payment(call), signal),
    notify: (call, signal) => ask('process', { ...payment(call), REFERENCE2: `MP${call.receipt}` }, signal),
    enquire: (call, signal) =>
      ask('enquiry', { TXNID: call.receipt, MSISDN: call.party.slice(3), USERNAME, PASSWORD }, signal),
  };
}
