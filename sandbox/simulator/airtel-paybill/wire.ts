import { elementsOf, readXml } from '../core/xml.ts';

export const CONTENT_TYPE = 'text/xml; charset=utf-8';
export const DOOR = '/channels/airtel-paybill';

export function commandXml(fields: Record<string, string | undefined>): string {
  const known = Object.entries(fields).filter((one): one is [string, string] => one[1] !== undefined);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<COMMAND>${elementsOf(known)}</COMMAND>`;
}

/** Returns null if it is no answer. */
export function readReply(
  bytes: Buffer,
): { STATUS: string; MESSAGE?: string; TXNID?: string; REF?: string } | null {
  const message = readXml(bytes);
  const STATUS = message?.paths.includes('command/status') ? message.text('STATUS') : null;
  if (!message || STATUS === null) return null;
  const others = ['MESSAGE', 'TXNID', 'REF'].flatMap((name) => {
    const text = message.text(name);
    return text === null ? [] : [[name, text]];
  });
  return { STATUS, ...Object.fromEntries(others) };
}
