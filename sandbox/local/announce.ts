import type { LocalFile } from './stack.ts';

export function announcement(
  local: LocalFile,
  {
    localFile,
    logs,
    fence,
    payPage,
  }: { localFile: string; logs: string; fence: string | null; payPage: string },
): string {
  const [operator] = local.operators;
  const places = [
    ['Pay', payPage, 'what a customer of the demo shop opens'],
    ['Phone', local.simulator_url, 'the customer confirms here'],
    ['Docs', `${local.api_url}/docs`, 'every endpoint, ready to try'],
    ['Desk', local.management_url, `sign in as ${operator?.name}: ${operator?.token}`],
    ['Workflows', local.temporal_ui_url ?? local.temporal_address, 'each payment, step by step'],
  ] as const;
  const width = Math.max(...places.map(([, url]) => url.length));
  const lines = places.map(([word, url, what]) => `  ${word.padEnd(9)}  ${url.padEnd(width)}  ${what}`);
  return `
${fence === null ? 'Malipo is ready. Ctrl-C stops everything.' : fenced(fence)}

${lines.join('\n')}

Take a first payment:

curl -sS ${local.api_url}/api/v1/payments/ussd \\
  -H 'Authorization: Bearer ${local.api_key}' -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $(date +%s)" \\
  -d '{"amount": 5000, "currency": "TZS", "phone_number": "0754000001"}'

${localFile} has all addresses, keys and tokens; logs are in ${logs}.`;
}

const fenced = (reason: string) =>
  `Malipo runs and takes no payment, because its database was put back or replaced (${reason}). ` +
  `Run this first:

node bin/malipo.js recover

docs/operations/restored.md says what it does.`;
