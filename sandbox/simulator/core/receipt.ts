import { randomBytes } from 'node:crypto';

/** Makes a unique receipt that looks like a network's. */
export function newReceipt(): string {
  return `${Date.now().toString(36)}${randomBytes(4).toString('hex')}`.toUpperCase();
}
