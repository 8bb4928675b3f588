import { randomBytes } from 'node:crypto';

/** Looks like a network's receipt number, and never comes twice. */
export function newReceipt(): string {
  return `${Date.now().toString(36)}${randomBytes(4).toString('hex')}`.toUpperCase();
}
