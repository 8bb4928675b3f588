import { toDecimal } from '../../domain/money.ts';
import type { BillCall, BillSteps, StepReply } from '../bills/bill-steps.ts';
import { ownerOf } from '../core/scenario.ts';
import { type Ask, askService } from '../core/wire-log.ts';
import { CONTENT_TYPE, commandXml, DOOR, readReply } from './wire.ts';

export type AirtelPaybillGateway = {
  /** the service's address, without a trailing slash */
  url: string;
  username: string;
  password: string;
  timeoutMs?: number;
  ask?: Ask | undefined;
};

/** Networks give an answer up after this. */
const TIMEOUT_MS = 6_000;

/** Airtel's steps against the service: there is no look-up; validate and process, and an enquiry where process was silent. */
export function createAirtelPaybillSteps(gateway: AirtelPaybillGateway): BillSteps & {
  enquire(call: BillCall, signal: AbortSignal): Promise<StepReply>;
} {
  const { url, username: USERNAME, password: PASSWORD } = gateway;
  const { timeoutMs = TIMEOUT_MS, ask: tell = askService } = gateway;

  async function ask(
    step: 'validate' | 'process' | 'enquiry',
    fields: Record<string, string | undefined>,
    signal: AbortSignal,
  ): Promise<StepReply> {
    try {
      const answer = await tell(`${url}${DOOR}/${step}`, {
        method: 'POST',
        headers: { 'content-type': CONTENT_TYPE },
        body: commandXml(fields),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const said = readReply(answer.bytes);
      if (answer.status !== 200 || !said)
        return { kind: 'silent', message: `The service answered ${answer.status}` };
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
