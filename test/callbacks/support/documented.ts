import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** What docs/callbacks.md shows: its code, and its test vector. */
export const page = readFileSync(new URL('../../../docs/callbacks.md', import.meta.url), 'utf8');

/** The code of the n-th block of a language that contains this text. */
export function block(language: string, containing = ''): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``, 'g'))];
  const found = blocks.map(([, code = '']) => code).find((code) => code.includes(containing));
  return found ?? assert.fail(`docs/callbacks.md shows no ${language} with ${containing}`);
}

const header = (name: string) =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(block('http', 'Service-Signature'))?.[1] ?? assert.fail(name);

export const vector = {
  passphrase: /^The passphrase is `([^`]+)`/m.exec(page)?.[1] ?? assert.fail('no passphrase'),
  body: block('json', '"event"'),
  eventId: header('webhook-id'),
  timestamp: header('webhook-timestamp'),
  standard: header('webhook-signature'),
  service: header('Service-Signature'),
};
