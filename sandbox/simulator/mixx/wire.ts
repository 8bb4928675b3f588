import { elementsOf, readXml, type XmlMessage } from '../core/xml.ts';

/** Mixx by Yas's side of its messages, from other clients (test/fixtures/mixx.json names them). */

/** Gateways use one of these TYPEs for payouts; none is known to use two. */
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

/** A reference begins with the biller's code; the service replaces that by two letters. */
export function referenceOfPush(wire: string, billerCode: string): string {
  return wire.startsWith(billerCode) ? `PY${wire.slice(billerCode.length)}` : wire;
}
