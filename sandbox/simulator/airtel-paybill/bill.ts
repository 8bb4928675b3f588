import { toDecimal } from '../../../src/domain/money.ts';
import { askGateway, notAsked, silent } from '../bills/ask.ts';
import type { BillCall, BillCredentials, BillGateway, BillSteps, StepReply } from '../bills/bill-step.ts';
import { ownerOf } from '../core/scenario.ts';
import { CONTENT_TYPE, commandXml, DOOR, readReply } from './wire.ts';

/** Airtel has no lookup: it validates, processes, and enquires if process got no answer. */
export function createAirtelPaybillSteps(
  gateway: Pick<BillGateway, 'url' | 'timeoutMs' | 'ask'> & BillCredentials,
): BillSteps & { enquire: BillSteps['notify'] } {
  const { username: USERNAME, password: PASSWORD } = gateway;

  async function ask(
    step: 'validate' | 'process' | 'enquiry',
    fields: Record<string, string | undefined>,
    signal: AbortSignal,
  ): Promise<StepReply> {
    const message = { headers: { 'content-type': CONTENT_TYPE }, body: commandXml(fields), signal };
    const answer = await askGateway(gateway, `${DOOR}/${step}`, message);
    const said = answer?.status === 200 ? readReply(answer.bytes) : null;
    if (!said) return silent(answer);
    return { kind: said.STATUS === '200' ? 'yes' : 'no', message: said.MESSAGE ?? said.STATUS };
  }

  /** The order of fields follows the only known gateway. In reality Airtel sets the PIN. */
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
    lookUp: notAsked,
    validate: (call, signal) => ask('validate', payment(call), signal),
    notify: (call, signal) => ask('process', { ...payment(call), REFERENCE2: `MP${call.receipt}` }, signal),
    enquire: (call, signal) =>
      ask('enquiry', { TXNID: call.receipt, MSISDN: call.party.slice(3), USERNAME, PASSWORD }, signal),
  };
}
