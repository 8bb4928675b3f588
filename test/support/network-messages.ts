import { readReply } from '../../sandbox/simulator/airtel-paybill/wire.ts';
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
