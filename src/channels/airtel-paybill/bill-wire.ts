import { z } from 'zod';
import { escapeXml, parseXml, textScanner } from '../xml.ts';

/** Airtel's bill payment towards us: one flat `<COMMAND>` each way. The simulator imports this file and no other. */
export const AIRTEL_PAYBILL_PATH = '/channels/airtel-paybill';
export const AIRTEL_PAYBILL_STEPS = ['validate', 'process', 'enquiry'] as const;
export type AirtelPaybillStep = (typeof AIRTEL_PAYBILL_STEPS)[number];
export const CONTENT_TYPE = 'text/xml; charset=utf-8';

const text = z.string().max(256).optional();

/**
 * What we read, by names in any case; PIN and what is not listed is dropped at once. REFERENCE is the control number,
 * REFERENCE1 the network's number of this payment in every step, REFERENCE2 its receipt once the money has moved.
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
  /** of an enquiry */
  TXNID: text,
  MSISDN: text,
});
export type WirePaybillCommand = z.infer<typeof commandSchema>;

/** STATUS 200 is yes; 404 comes from an enquiry only. TXNID is ours; REF is ours, too, in an enquiry's answer. */
const answerSchema = z.object({
  STATUS: z.string(),
  MESSAGE: z.string().optional(),
  TXNID: z.string().optional(),
  REF: z.string().optional(),
});
export type WirePaybillAnswer = z.infer<typeof answerSchema>;

const scanNames = textScanner(['username', 'password']);

/** The user name in a message that no parser has seen; empty where there is none. */
export function scanCredentials(body: Buffer): { username: string; password: string } {
  const found = scanNames(body);
  return { username: found?.get('username') ?? '', password: found?.get('password') ?? '' };
}

export function readCommand(body: Buffer): WirePaybillCommand | null {
  return read(commandSchema, body);
}

export function readAnswer(body: Buffer): WirePaybillAnswer | null {
  return read(answerSchema, body);
}

/** In the order of the keys; undefined ones are left out. */
export function writeCommand(fields: Record<string, string | undefined>): string {
  const elements = Object.entries(fields)
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<COMMAND>${elements.join('')}</COMMAND>`;
}

/** A field that comes twice is ambiguous: then it is no command. */
function read<T extends z.ZodType>(schema: T, body: Buffer): z.infer<T> | null {
  const root = parseXml(body);
  if (root?.name.toUpperCase() !== 'COMMAND') return null;
  const fields = new Map<string, string>();
  for (const { name, text: value } of root.children) {
    if (fields.has(name.toUpperCase())) return null;
    fields.set(name.toUpperCase(), value);
  }
  const parsed = schema.safeParse(Object.fromEntries(fields));
  return parsed.success ? parsed.data : null;
}
