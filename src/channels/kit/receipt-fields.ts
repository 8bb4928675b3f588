import type { Succeeded } from '../../domain/channel.ts';
import { isSameName } from '../../domain/receipt.ts';

/** The one field of each message that is the receipt of a movement: no other one stands in for it where it is missing. */
export const receiptFields = {
  'airtel-openapi': 'airtel_money_id',
  'airtel-paybill': 'REFERENCE1',
  clickpesa: 'paymentReference',
  /** A payout has no number but ClickPesa's own. */
  'clickpesa payout': 'id',
  'gsma-mm-1.2': 'transactionReference',
  halopesa: 'RequestID',
  iso20022: 'AcctSvcrRef',
  mixx: 'TXNID',
  'mixx callback': 'MFSTransactionID',
  selcom: 'reference',
  'vodacom-openapi': 'output_TransactionID',
  'vodacom-openapi enquiry': 'output_OriginalTransactionID',
  'vodacom-openapi callback': 'input_TransactionID',
} as const;

export type Names = Pick<Succeeded, 'channelReference' | 'alsoKnownAs'>;

/**
 * What a message calls a movement: the receipt, and its other numbers, which only point. Our own reference is none, and neither is
 * what a client makes anew for each try: conversation, correlation and message ids are not given here.
 */
export function namesOf(
  receiptField: string,
  fields: Readonly<Record<string, string | null | undefined>>,
  ours: string,
): Names {
  const said = Object.entries(fields).flatMap(([of, text]) =>
    text?.trim() ? { of, name: text.trim() } : [],
  );
  const receipt = said.find(({ of }) => of === receiptField)?.name ?? null;
  const isOther = (name: string) => !isSameName(name, receipt ?? '') && !isSameName(name, ours);
  const alsoKnownAs = said.map(({ name }) => name).filter(isOther);
  return { channelReference: receipt, ...(alsoKnownAs.length === 0 ? {} : { alsoKnownAs }) };
}
