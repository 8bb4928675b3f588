import { createHash } from 'node:crypto';
import { clockTimeOf } from '../../domain/day.ts';
import { childOf, childText, escapeXml, parseXml, textScanner, type XmlElement } from '../kit/xml.ts';

/**
 * Members of these messages (version 2.0) are read by name in any order and case, because integrations spell
 * them differently.
 */
export const MPESA_BROKER_PATH = '/channels/mpesa-broker';
export const CONTENT_TYPE = 'text/xml; charset=utf-8';

const NAMESPACE = 'http://inforwise.co.tz/broker/';
/** The form without a surrounding element uses this namespace. */
const BARE_NAMESPACE = 'http://infowise.co.tz/broker/';

/** `base64` is of the digest, `base64-of-hex` of its upper-case hexadecimal (older brokers). */
export const PASSWORD_FORMS = ['base64', 'base64-of-hex'] as const;

/** Hashes the three parts by SHA-256. This proves only that the sender knows the password. */
export function spPasswordOf(
  { spId, password, timestamp }: { spId: string; password: string; timestamp: string },
  form: (typeof PASSWORD_FORMS)[number] = 'base64',
): string {
  const digest = createHash('sha256').update(`${spId}${password}${timestamp}`).digest();
  return form === 'base64'
    ? digest.toString('base64')
    : Buffer.from(digest.toString('hex').toUpperCase()).toString('base64');
}

/** Writes Dar es Salaam time as `yyyyMMddHHmmss`. */
export function timestampOf(time: Date): string {
  return clockTimeOf(time.getTime()).replace(/\D/g, '').slice(0, 14);
}

/** Writes Dar es Salaam time as `yyyy-MM-dd HH:mm:ss`. */
export function dateTextOf(time: Date): string {
  return clockTimeOf(time.getTime()).slice(0, 19).replace('T', ' ');
}

export type Proof = { spId: string; spPassword: string; timestamp: string };

/** The broker notifies this payment; absent members are null. */
export type BrokerPayment = Proof & {
  amount: string | null;
  commandId: string | null;
  /** customer's number */
  initiator: string | null;
  originatorConversationId: string | null;
  recipient: string | null;
  /** receipt, the same when the broker asks again */
  mpesaReceipt: string | null;
  transactionDate: string | null;
  accountReference: string | null;
  transactionId: string | null;
  conversationId: string | null;
};

const PROOF_NAMES = ['spid', 'sppassword', 'timestamp'];
const scanProofs = textScanner(PROOF_NAMES);

const scanRecipients = textScanner(['recipient']);

/** Finds the short code in an unproven message. */
export function scanRecipient(bytes: Buffer): string | undefined {
  return scanRecipients(bytes)?.get('recipient');
}

/** Finds a message's proof wherever it stands, or null. */
export function scanProof(bytes: Buffer): Proof | null {
  const found = scanProofs(bytes);
  const [spId, spPassword, timestamp] = PROOF_NAMES.map((name) => found?.get(name));
  return spId && spPassword && timestamp ? { spId, spPassword, timestamp } : null;
}

export function readPayment(bytes: Buffer): BrokerPayment | null {
  const request = partOf(bytes, 'request');
  const proof = proofOf(request);
  const reported = childOf(request, 'transaction');
  if (!proof || !reported) return null;
  const text = (name: string) => childText(reported, name);
  return {
    ...proof,
    amount: text('amount'),
    // Both spellings exist.
    commandId: text('commandID') ?? text('comandId'),
    initiator: text('initiator'),
    originatorConversationId: text('originatorConversationID'),
    recipient: text('recipient'),
    mpesaReceipt: text('mpesaReceipt'),
    transactionDate: text('transactionDate'),
    accountReference: text('accountReference'),
    transactionId: text('transactionID'),
    conversationId: text('conversationID'),
  };
}

/** This is our answer to a payment, and the broker's to a result. */
export type BrokerResponse = {
  conversationId: string | null;
  originatorConversationId: string | null;
  transactionId: string | null;
  responseCode: string | null;
  responseDesc: string | null;
  /** `Success` from us; from the broker `Confirming`, or `Cancelling` if the money goes back */
  serviceStatus: string | null;
};

/** The place of an acknowledgement's transaction id differs between integrations. */
export const TRANSACTION_ID_PLACES = ['third', 'last'] as const;

export function writeResponse(
  response: BrokerResponse,
  place: (typeof TRANSACTION_ID_PLACES)[number] = 'third',
): string {
  const transactionID = response.transactionId;
  return brokerXml({
    response: {
      conversationID: response.conversationId,
      originatorConversationID: response.originatorConversationId,
      ...(place === 'third' ? { transactionID } : {}),
      responseCode: response.responseCode,
      responseDesc: response.responseDesc,
      serviceStatus: response.serviceStatus,
      ...(place === 'last' ? { transactionID } : {}),
    },
  });
}

export function readResponse(bytes: Buffer): BrokerResponse | null {
  const response = partOf(bytes, 'response');
  if (!response) return null;
  const text = (name: string) => childText(response, name);
  return {
    conversationId: text('conversationID'),
    originatorConversationId: text('originatorConversationID'),
    transactionId: text('transactionID'),
    responseCode: text('responseCode'),
    responseDesc: text('responseDesc'),
    serviceStatus: text('serviceStatus'),
  };
}

/** Integrations call it `result` (three of six) or `request` (two), or omit it (`none`). */
export const RESULT_ELEMENTS = ['result', 'request', 'none'] as const;
/** One integration writes mpesaReceipt and transactionDate instead of serviceReceipt and serviceDate. */
export const RECEIPT_NAMES = ['service', 'mpesa'] as const;

export type BrokerResult = Proof & {
  resultType: string | null;
  resultCode: string | null;
  resultDesc: string | null;
  receipt: string | null;
  date: string | null;
  serviceId: string | null;
  originatorConversationId: string | null;
  conversationId: string | null;
  transactionId: string | null;
  initiator: string | null;
  initiatorPassword: string | null;
};

export function writeResult(
  result: BrokerResult,
  form: { element: (typeof RESULT_ELEMENTS)[number]; receiptNames: (typeof RECEIPT_NAMES)[number] },
): string {
  const { receipt, date, spId, spPassword, timestamp } = result;
  const parts = {
    serviceProvider: { spId, spPassword, timestamp },
    transaction: {
      resultType: result.resultType,
      resultCode: result.resultCode,
      resultDesc: result.resultDesc,
      ...(form.receiptNames === 'service'
        ? { serviceReceipt: receipt, serviceDate: date }
        : { mpesaReceipt: receipt, transactionDate: date }),
      ...(result.serviceId === null ? {} : { serviceID: result.serviceId }),
      originatorConversationID: result.originatorConversationId,
      conversationID: result.conversationId,
      transactionID: result.transactionId,
      initiator: result.initiator,
      initiatorPassword: result.initiatorPassword,
    },
  };
  return form.element === 'none' ? brokerXml(parts, BARE_NAMESPACE) : brokerXml({ [form.element]: parts });
}

/** The namespace is not compared, because two spellings exist. */
function partOf(bytes: Buffer, name: string): XmlElement | null {
  const root = parseXml(bytes);
  if (root?.name.toLowerCase() !== 'mpesabroker') return null;
  return childOf(root, name);
}

function proofOf(part: XmlElement | null): Proof | null {
  const provider = childOf(part, 'serviceProvider');
  const spId = childText(provider, 'spId');
  const spPassword = childText(provider, 'spPassword');
  const timestamp = childText(provider, 'timestamp');
  return spId && spPassword && timestamp ? { spId, spPassword, timestamp } : null;
}

/** Elements are written in the order of the keys; null becomes an empty element. */
type Tree = { [name: string]: string | null | Tree };

function brokerXml(content: Tree, namespace = NAMESPACE): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<mpesaBroker ' +
    `xmlns="${namespace}" version="2.0">${xmlOf(content)}</mpesaBroker>`
  );
}

function xmlOf(tree: Tree): string {
  return Object.entries(tree)
    .map(([name, value]) => {
      const inner = value === null ? '' : typeof value === 'string' ? escapeXml(value) : xmlOf(value);
      return `<${name}>${inner}</${name}>`;
    })
    .join('');
}
