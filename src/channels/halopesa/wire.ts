import { createHash } from 'node:crypto';
import { clockTimeOf, timeSaid } from '../../domain/day.ts';
import { isFresh } from '../kit/said.ts';
import { childOf, childText, escapeXml, parseXml, textScanner, type XmlElement } from '../kit/xml.ts';

export const CONTENT_TYPE = 'text/xml; charset=utf-8';
export const HALOPESA_BILL_PATH = '/channels/halopesa-bill';
/** A callback with this `response_type` ends a push. */
export const FINAL_TYPE = 'FIN';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
export const NAMESPACE = 'http://ws.merchant.vmoney.viettel.com/';
const OPERATION = 'HaloPesaServiceAPI';

/** Texts are as on the wire; `amount` is whole TZS. */
export type HaloRequest = {
  requestId: string;
  username: string;
  password: string;
  /** yyyyMMddHHmmss in Dar es Salaam */
  requestTime: string;
  amount: string;
  sender: string;
  accountId: string;
  reference: string;
  businessNumber: string;
  functionCode: string;
  checkSum: string;
};

/** The network requires this order. `addition_data` is always empty. */
const elements = [
  ['requestid', 'requestId'],
  ['username', 'username'],
  ['password', 'password'],
  ['request_time', 'requestTime'],
  ['amount', 'amount'],
  ['sender_msisdn', 'sender'],
  ['beneficiary_accountid', 'accountId'],
  ['referenceid', 'reference'],
  ['business_no', 'businessNumber'],
  ['function_code', 'functionCode'],
  ['addition_data', null],
  ['check_sum', 'checkSum'],
] as const satisfies readonly (readonly [string, keyof HaloRequest | null])[];

/** Returns lower-case hex SHA-256 (no HMAC) of the joined values, the secret last. */
export function checkSumOf(request: Omit<HaloRequest, 'checkSum'>, secret: string): string {
  const { requestId, username, password, requestTime, amount, sender, accountId, reference } = request;
  const text = [requestId, username, password, requestTime, amount, sender, accountId, reference, secret];
  return createHash('sha256').update(text.join('')).digest('hex');
}

export function writeRequest(request: HaloRequest, namespace = NAMESPACE): string {
  const body = elements.map(([name, key]) => `<${name}>${key ? escapeXml(request[key]) : ''}</${name}>`);
  return envelope(`<ws:${OPERATION}><request>${body.join('')}</request></ws:${OPERATION}>`, namespace);
}

/** Returns null if it is no request of this operation. Missing elements are empty. */
export function readRequest(body: Buffer): HaloRequest | null {
  const operation = operationOf(body, OPERATION);
  if (operation === null) return null;
  // One integration omits the surrounding element.
  const request = childOf(operation, 'request') ?? operation;
  const texts = elements.flatMap(([name, key]) => (key ? [[key, childText(request, name) ?? '']] : []));
  return Object.fromEntries(texts) as HaloRequest;
}

const scanElements = textScanner(elements.map(([name]) => name));
const scanReferences = textScanner(['referenceid']);

/** Finds a request's texts wherever they stand, to check its proof. */
export function scanRequest(body: Buffer): HaloRequest | null {
  const found = scanElements(body);
  const texts = elements.flatMap(([name, key]) => (key ? [[key, found?.get(name) ?? '']] : []));
  return found && (Object.fromEntries(texts) as HaloRequest);
}

/** Finds the reference of a callback, whose sender nothing proves. */
export function scanReference(body: Buffer): string | null {
  return scanReferences(body)?.get('referenceid') || null;
}

/** The answer to a push, or a callback: the elements of `return` by name, ignoring case. */
export type HaloReturn = { text(name: string): string | null };

/** Returns null for a SOAP fault, HTML, or an incomplete document. */
export function readReturn(body: Buffer): HaloReturn | null {
  const result = childOf(operationOf(body, `${OPERATION}Response`), 'return');
  return result && { text: (name) => childText(result, name) };
}

export function writeReturn(texts: readonly (readonly [name: string, text: string])[]): string {
  const body = texts.map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`).join('');
  return envelope(`<ws:${OPERATION}Response><return>${body}</return></ws:${OPERATION}Response>`);
}

function envelope(content: string, namespace = NAMESPACE): string {
  const namespaces = `xmlns:soapenv="${SOAP}" xmlns:ws="${escapeXml(namespace)}"`;
  return (
    `<soapenv:Envelope ${namespaces}><soapenv:Header/>` +
    `<soapenv:Body>${content}</soapenv:Body></soapenv:Envelope>`
  );
}

function operationOf(body: Buffer, name: string): XmlElement | null {
  const root = parseXml(body);
  return root?.name === 'Envelope' ? childOf(childOf(root, 'Body'), name) : null;
}

/**
 * Checks that the joined fields can be split in one way only: `1000` and `255621000001` have the same
 * checksum as `1000255` and `621000001`. `now`: milliseconds since 1970.
 */
export function isExact({ requestTime, amount, sender }: HaloRequest, now: number): boolean {
  const isRecent = /^\d{14}$/.test(requestTime) && isFresh(timeSaid(requestTime), now);
  return isRecent && /^255[67]\d{8}$/.test(sender) && !/^0\d/.test(amount);
}

/** Writes a time (milliseconds since 1970) as yyyyMMddHHmmss in Dar es Salaam. */
export function wireTime(time: number): string {
  return clockTimeOf(time).slice(0, 'yyyy-MM-ddTHH:mm:ss'.length).replace(/\D/g, '');
}
