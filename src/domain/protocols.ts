/** The forms in which a network asks about bills and reports their payments. */
export const billProtocols = [
  'gsma-mm-1.2',
  'bill-json',
  'mpesa-broker',
  'airtel-paybill',
  'mixx-w2a',
  'halopesa-soap',
] as const;
export type BillProtocol = (typeof billProtocols)[number];
