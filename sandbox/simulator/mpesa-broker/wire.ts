import { createHash } from 'node:crypto';
import { clockTimeOf } from '../../../src/domain/day.ts';
import { elementsOf, readXml } from '../core/xml.ts';

/** The broker's side of its messages, from integrations (test/fixtures/mpesa-broker.json names them). */
const OPEN =
  '<?xml version="1.0" encoding="UTF-8"?><mpesaBroker xmlns="http://inforwise.co.tz/broker/" version="2.0">';
const CLOSE = '</mpesaBroker>';

/** Writes Dar es Salaam time as `yyyyMMddHHmmss`. */
export function timestampNow(): string {
  return clockTimeOf(Date.now()).replace(/\D/g, '').slice(0, 14);
}

/** Writes Dar es Salaam time as `yyyy-MM-dd HH:mm:ss`. */
export function dateNow(): string {
  return clockTimeOf(Date.now()).slice(0, 19).replace('T', ' ');
}

export function passwordOf(spId: string, password: string, timestamp: string): string {
  return createHash('sha256').update(spId).update(password).update(timestamp).digest('base64');
}

type Texts = readonly (readonly [name: string, text: string])[];

/** The provider first, then the customer's payment. */
export function paymentXml(provider: Texts, transaction: Texts): string {
  return (
    `${OPEN}<request><serviceProvider>${elementsOf(provider)}</serviceProvider>` +
    `<transaction>${elementsOf(transaction)}</transaction></request>${CLOSE}`
  );
}

export function responseXml(texts: Texts): string {
  return `${OPEN}<response>${elementsOf(texts)}</response>${CLOSE}`;
}

/** Returns null if the answer is no response. */
export function readAcknowledgement(
  bytes: Buffer,
): { conversationId: string | null; code: string | null } | null {
  const message = readXml(bytes);
  if (!message?.paths.includes('mpesabroker/response/responsecode')) return null;
  return { conversationId: message.text('conversationID'), code: message.text('responseCode') };
}

/** The element around a result's two parts; each broker accepts one form. */
export type ResultShape = 'result' | 'request' | 'none';

/** A service's decision by its members' names; null if it has another form. */
export function readDecision(
  bytes: Buffer,
  shape: ResultShape,
): { text(name: string): string | null } | null {
  const message = readXml(bytes);
  const at = shape === 'none' ? 'mpesabroker' : `mpesabroker/${shape}`;
  const isWhole = ['serviceprovider/sppassword', 'transaction/resultcode'].every((path) =>
    message?.paths.includes(`${at}/${path}`),
  );
  return isWhole ? message : null;
}
