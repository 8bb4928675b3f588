import { z } from 'zod';
import { ours } from '../kit/about.ts';
import { readCleanJson } from '../kit/clean-json.ts';
import { DOOR_BYTES_MAX } from '../kit/door.ts';
import { flag, said, sentence } from '../kit/said.ts';
import { childText, escapeXml, parseXml } from '../kit/xml.ts';

/** Pushes and callbacks are JSON. Payouts, enquiries and bills are XML `<COMMAND>`. */
export const tokenSchema = z.object({
  access_token: z.string().min(1),
  /** seconds, as a number on the wire */
  expires_in: z.coerce.number().positive(),
});

export type WirePush = {
  CustomerMSISDN: string;
  BillerMSISDN: string;
  /** TZS: an integer, or with at most two decimals */
  Amount: number;
  Remarks: string;
  ReferenceID: string;
};

export const pushAnswerSchema = z.object({
  ResponseCode: said(256, 1),
  ResponseStatus: flag,
  ResponseDescription: sentence,
  ReferenceID: said().nullish(),
});

/** A callback has a customer's answer to a prompt. `Amount` is TZS, as text or a number. */
export const callbackSchema = z.object({
  Status: flag,
  Description: sentence,
  MFSTransactionID: said(64).nullish().catch(null),
  ReferenceID: said(64, 1),
  Amount: said(32).nullish().catch(null),
});
export type WireCallback = z.infer<typeof callbackSchema>;

/** Reads a body of at most 32 KiB; null if unreadable. Never throws. */
export function readJson<T extends z.ZodType>(schema: T, body: Buffer): z.infer<T> | null {
  return body.length > DOOR_BYTES_MAX ? null : readCleanJson(schema, body);
}

export type Command = {
  type: string;
  /** null if missing or empty */
  text(name: string): string | null;
};

/** Returns null if it is no whole `<COMMAND>`, or repeats an element. */
export function readCommand(body: Buffer): Command | null {
  const root = parseXml(body);
  if (root?.name.toUpperCase() !== 'COMMAND') return null;
  const names = root.children.map(({ name }) => name.toUpperCase());
  if (new Set(names).size < names.length) return null;
  return { type: childText(root, 'TYPE') ?? '', text: (name) => childText(root, name) };
}

/** Elements keep their order; TYPE comes first. */
export function writeCommand(
  type: string,
  elements: readonly (readonly [name: string, text: string])[],
): string {
  const lines = [['TYPE', type] as const, ...elements].map(
    ([name, text]) => `<${name}>${escapeXml(text)}</${name}>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<COMMAND>\n${lines.join('\n')}\n</COMMAND>`;
}

const PUSH_PREFIX = 'PY';
/** Our push reference has 18 characters. On the wire its last 16 follow the biller code. */
export const REFERENCE_TAIL_LENGTH = 16;

/** Makes a push's reference on the wire: the biller code first, 20 characters at most. */
export function pushReferenceOf(reference: string, billerCode: string): string {
  return billerCode + reference.slice(PUSH_PREFIX.length);
}

/** Returns our reference for a push's reference on the wire; other texts stay unchanged. */
export function referenceOfPush(wire: string, billerCode: string): string {
  const named = ours(wire);
  const isOurs =
    named.startsWith(billerCode.toUpperCase()) && named.length === billerCode.length + REFERENCE_TAIL_LENGTH;
  return isOurs ? PUSH_PREFIX + named.slice(billerCode.length) : named;
}

/** Integrations use different names for a payout. */
export const PAYOUT_TYPES = ['REQMFICI', 'REQMFCI', 'REQMFICIK'] as const;
export const PAYOUT_ORDERS = ['LANGUAGE1 BRAND_ID', 'BRAND_ID LANGUAGE1'] as const;
