import { elementsOf, readXml, type XmlMessage } from '../core/xml.ts';

/** The side of Mixx by Yas of its messages, from clients of others (test/fixtures/mixx.json names them). */

/** Payouts were seen with each TYPE; nobody shows two of them on one gateway. */
export const PAYOUT_TYPES = ['REQMFCI', 'REQMFICI', 'REQMFICIK'];
export const STATUS_TYPE = 'MTPGGetSODetails';
export const NAME_TYPE = 'QuerySubscriberReq';

export type Command = { type: string; text: XmlMessage['text'] };

/** Returns null if it is no `<COMMAND>` with its elements once each. */
export function readCommand(bytes: Buffer): Command | null {
  const message = readXml(bytes);
  const isFlat = message?.paths.every((path) => /^command\/[^/]+$/.test(path)) ?? false;
  if (!message || !isFlat || new Set(message.paths).size < message.paths.length) return null;
  return { type: message.text('TYPE') ?? '', text: message.text };
}

/** TYPE comes first. */
export function commandXml(type: string, texts: readonly (readonly [name: string, text: string])[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><COMMAND>${elementsOf([['TYPE', type], ...texts])}</COMMAND>`;
}

/** A reference begins with the biller's code; a service calls the same push by two letters instead. */
export function referenceOfPush(wire: string, billerCode: string): string {
  return wire.startsWith(billerCode) ? `PY${wire.slice(billerCode.length)}` : wire;
}
