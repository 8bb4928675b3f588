import { readReply } from '../../sandbox/simulator/airtel-paybill/wire.ts';
import { readXml } from '../../sandbox/simulator/core/xml.ts';
import { commandXml, readCommand } from '../../sandbox/simulator/mixx/wire.ts';
import { paymentXml, type ResultShape, readDecision } from '../../sandbox/simulator/mpesa-broker/wire.ts';
import type { BrokerPayment, BrokerResult } from '../../src/channels/mpesa-broker/wire.ts';

/** The networks' side of bill payments, as the simulator writes and reads it, for tests that say what is in a message. */
export const readPaybillAnswer = readReply;

const or = (text: string | null) => text ?? '';

/** Its members in the order in which they are given. */
export function writeBrokerPayment({ spId, spPassword, timestamp, ...payment }: BrokerPayment): string {
  const texts = Object.entries(payment).map(([name, text]) => [name.replace(/Id$/, 'ID'), or(text)] as const);
  return paymentXml(Object.entries({ spId, spPassword, timestamp }), texts);
}

/** Null when it is no result in this shape. */
export function readBrokerResult(bytes: Buffer, shape: ResultShape): BrokerResult | null {
  const result = readDecision(bytes, shape);
  return (
    result && {
      spId: or(result.text('spId')),
      spPassword: or(result.text('spPassword')),
      timestamp: or(result.text('timestamp')),
      resultType: result.text('resultType'),
      resultCode: result.text('resultCode'),
      resultDesc: result.text('resultDesc'),
      receipt: result.text('serviceReceipt') ?? result.text('mpesaReceipt'),
      date: result.text('serviceDate') ?? result.text('transactionDate'),
      serviceId: result.text('serviceID'),
      originatorConversationId: result.text('originatorConversationID'),
      conversationId: result.text('conversationID'),
      transactionId: result.text('transactionID'),
      initiator: result.text('initiator'),
      initiatorPassword: result.text('initiatorPassword'),
    }
  );
}

export type MixxBill = {
  step: 'lookup' | 'pay';
  receipt: string | null;
  msisdn: string | null;
  amount: string | null;
  companyName: string | null;
  controlNumber: string;
  senderName: string | null;
};

export function writeMixxBill({ step, ...bill }: MixxBill): string {
  const isPay = step === 'pay';
  return commandXml(isPay ? 'SYNC_BILLPAY_REQUEST' : 'SYNC_LOOKUP_REQUEST', [
    ...(isPay ? [['TXNID', or(bill.receipt)] as const] : []),
    ['MSISDN', or(bill.msisdn)],
    ...(isPay ? [['AMOUNT', or(bill.amount)] as const] : []),
    ['COMPANYNAME', or(bill.companyName)],
    ['CUSTOMERREFERENCEID', bill.controlNumber],
    ...(isPay ? [['SENDERNAME', or(bill.senderName)] as const] : []),
  ]);
}

/** Our answer to one; null when it is none, or says two things. */
export function readMixxAnswer(bytes: Buffer) {
  const answer = readXml(bytes) && readCommand(bytes);
  const [result, code] = [answer?.text('RESULT') ?? null, answer?.text('ERRORCODE') ?? null];
  if (!answer || code === null || (result === 'TS') !== (code === 'error000')) return null;
  return {
    step: answer.type === 'SYNC_LOOKUP_RESPONSE' ? 'lookup' : 'pay',
    receipt: answer.text('TXNID'),
    reference: answer.text('REFID'),
    accepted: result === 'TS',
    code,
    message: answer.text('ERRORDESC') ?? answer.text('ERRORDESCRIPTION') ?? '',
    msisdn: answer.text('MSISDN'),
    content: answer.text('CONTENT') ?? '',
  };
}
