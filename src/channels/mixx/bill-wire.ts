import { readCommand, writeCommand } from './wire.ts';

/** A customer pays from the wallet's menu. TYPE distinguishes the two messages, both a `<COMMAND>`. */
export const W2A_PATH = '/channels/mixx-w2a';
const LOOKUP_REQUEST = 'SYNC_LOOKUP_REQUEST';
const PAY_REQUEST = 'SYNC_BILLPAY_REQUEST';
const LOOKUP_RESPONSE = 'SYNC_LOOKUP_RESPONSE';
const PAY_RESPONSE = 'SYNC_BILLPAY_RESPONSE';

/** Integrations name the element with the reason in two ways. */
export type ErrorTag = 'ERRORDESC' | 'ERRORDESCRIPTION';

export type W2aRequest = {
  step: 'lookup' | 'pay';
  /** TXNID, the network's receipt; null in a lookup */
  receipt: string | null;
  msisdn: string | null;
  amount: string | null;
  controlNumber: string;
  senderName: string | null;
};

export type W2aAnswer = {
  step: 'lookup' | 'pay';
  receipt: string | null;
  /** our id of the paid transaction */
  reference: string | null;
  accepted: boolean;
  /** `error000` and others */
  code: string;
  message: string;
  msisdn: string | null;
  /** shown to customers: the bill's merchant, or a sentence */
  content: string;
};

export function readW2aRequest(body: Buffer): W2aRequest | null {
  const command = readCommand(body);
  if (command?.type !== LOOKUP_REQUEST && command?.type !== PAY_REQUEST) return null;
  return {
    step: command.type === LOOKUP_REQUEST ? 'lookup' : 'pay',
    receipt: command.text('TXNID'),
    msisdn: command.text('MSISDN'),
    amount: command.text('AMOUNT'),
    controlNumber: command.text('CUSTOMERREFERENCEID') ?? '',
    senderName: command.text('SENDERNAME'),
  };
}

export function writeW2aAnswer(answer: W2aAnswer, errorTag: ErrorTag = 'ERRORDESC'): string {
  const isPay = answer.step === 'pay';
  return writeCommand(isPay ? PAY_RESPONSE : LOOKUP_RESPONSE, [
    ...(isPay
      ? ([
          ['TXNID', answer.receipt ?? ''],
          ['REFID', answer.reference ?? ''],
        ] as const)
      : []),
    ['RESULT', answer.accepted ? 'TS' : 'TF'],
    ['ERRORCODE', answer.code],
    [errorTag, answer.message],
    ['MSISDN', answer.msisdn ?? ''],
    ['FLAG', answer.accepted ? 'Y' : 'N'],
    ['CONTENT', answer.content],
  ]);
}
