import { paymentXml } from '../../sandbox/simulator/mpesa-broker/wire.ts';
import type { BrokerPayment } from '../../src/channels/mpesa-broker/wire.ts';

/** The broker's side of a bill payment, as the simulator writes it. Its members in the order in which they are given. */
export function writeBrokerPayment({ spId, spPassword, timestamp, ...payment }: BrokerPayment): string {
  const texts = Object.entries(payment).map(
    ([name, text]) => [name.replace(/Id$/, 'ID'), text ?? ''] as const,
  );
  return paymentXml(Object.entries({ spId, spPassword, timestamp }), texts);
}
