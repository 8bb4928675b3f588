import { createHash } from 'node:crypto';
import { clockTimeOf, DAY_OFFSET } from '../../../src/domain/day.ts';
import { elementsOf, readXml } from '../core/xml.ts';

/** HaloPesa's side of its SOAP operation, from other gateways (test/fixtures/halopesa.json names them). */
export const CONTENT_TYPE = 'text/xml; charset=utf-8';
const OPEN =
  '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" ' +
  'xmlns:ws="http://ws.merchant.vmoney.viettel.com/"><soapenv:Header/><soapenv:Body>';
const CLOSE = '</soapenv:Body></soapenv:Envelope>';

/** The network's order of a request's elements. */
const NAMES = [
  'requestid',
  'username',
  'password',
  'request_time',
  'amount',
  'sender_msisdn',
  'beneficiary_accountid',
  'referenceid',
  'business_no',
  'function_code',
  'addition_data',
  'check_sum',
] as const;
/** The checksum covers these fields, then the secret. */
const SUMMED = NAMES.slice(0, 8);

export type HaloFields = Record<(typeof NAMES)[number], string>;

export function checkSumOf(fields: Omit<HaloFields, 'check_sum'>, secret: string): string {
  const text = SUMMED.map((name) => fields[name as Exclude<(typeof NAMES)[number], 'check_sum'>]).join('');
  return createHash('sha256').update(`${text}${secret}`).digest('hex');
}

/** Returns null if it is no request of this operation, or its elements are in another order. */
export function readRequest(bytes: Buffer): HaloFields | null {
  const message = readXml(bytes);
  if (!message?.paths.some((path) => path.startsWith('envelope/body/halopesaserviceapi/'))) return null;
  const given = message.paths.map((path) => path.split('/').at(-1) ?? '');
  const known = given.filter((name) => (NAMES as readonly string[]).includes(name));
  if (known.join() !== NAMES.filter((name) => known.includes(name)).join()) return null;
  return Object.fromEntries(NAMES.map((name) => [name, message.text(name) ?? ''])) as HaloFields;
}

export function requestXml(fields: HaloFields): string {
  const elements = elementsOf(NAMES.map((name) => [name, fields[name]]));
  return `${OPEN}<ws:HaloPesaServiceAPI><request>${elements}</request></ws:HaloPesaServiceAPI>${CLOSE}`;
}

export function returnXml(texts: readonly (readonly [name: string, text: string])[]): string {
  const inner = elementsOf(texts);
  return (
    `${OPEN}<ws:HaloPesaServiceAPIResponse>` +
    `<return>${inner}</return></ws:HaloPesaServiceAPIResponse>${CLOSE}`
  );
}

/** Writes Dar es Salaam time as yyyyMMddHHmmss. */
export function timeText(time: number): string {
  return clockTimeOf(time).slice(0, 19).replace(/\D/g, '');
}

/** Returns milliseconds since 1970; NaN if it is no time. */
export function timeOf(text: string): number {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6');
  return Date.parse(`${iso}${DAY_OFFSET}`);
}
