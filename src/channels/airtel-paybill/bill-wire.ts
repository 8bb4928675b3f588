import { z } from 'zod';
import { escapeXml, parseXml, textScanner } from '../kit/xml.ts';

/** Airtel's bill payments: one flat `<COMMAND>` in each direction. */
export const AIRTEL_PAYBILL_PATH = '/channels/airtel-paybill';
export const AIRTEL_PAYBILL_STEPS = ['validate', 'process', 'enquiry'] as const;
export type AirtelPaybillStep = (typeof AIRTEL_PAYBILL_STEPS)[number];
export const CONTENT_TYPE = 'text/xml; charset=utf-8';

const text = z.string().max(256).optional();

/**
 * Reads these fields, ignoring case, and drops all others, such as the PIN. REFERENCE is the control number.
 * REFERENCE1 is the network's id of this payment in every step. REFERENCE2 is its receipt after the money has
 * moved.
 */
const commandSchema = z.object({
  USERNAME: text,
  PASSWORD: text,
  CUSTOMERMSISDN: text,
  CUSTOMERNAME: text,
  AMOUNT: text,
  REFERENCE: text,
  REFERENCE1: text,
  REFERENCE2: text,
  TXNID: text,
  MSISDN: text,
});
export type WirePaybillCommand = z.infer<typeof commandSchema>;

/** STATUS 200 means yes; only an enquiry gets 404. TXNID is our id, and so is REF in an enquiry's answer. */
export type WirePaybillAnswer = { STATUS: string; MESSAGE?: string; TXNID?: string; REF?: string };

const scanNames = textScanner(['username', 'password', 'merchantmsisdn']);

/** Reads the sender's claims before they are proven; a missing part is empty. */
export function scanSender(body: Buffer): { username: string; password: string; shortCode: string } {
  const found = scanNames(body);
  const [username = '', password = '', shortCode = ''] = ['username', 'password', 'merchantmsisdn'].map(
    (name) => found?.get(name),
  );
  return { username, password, shortCode };
}

export function writeCommand(fields: Record<string, string | undefined>): string {
  const elements = Object.entries(fields)
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<COMMAND>${elements.join('')}</COMMAND>`;
}

/** Returns null if it is no `<COMMAND>`, or repeats a field. */
export function readCommand(body: Buffer): WirePaybillCommand | null {
  const root = parseXml(body);
  if (root?.name.toUpperCase() !== 'COMMAND') return null;
  const fields = new Map<string, string>();
  for (const { name, text: value } of root.children) {
    if (fields.has(name.toUpperCase())) return null;
    fields.set(name.toUpperCase(), value);
  }
  const parsed = commandSchema.safeParse(Object.fromEntries(fields));
  return parsed.success ? parsed.data : null;
}
