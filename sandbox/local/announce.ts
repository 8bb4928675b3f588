import type { LocalFile } from './stack.ts';

/** A newcomer sees this text once everything runs. */
export function announcement(
  local: LocalFile,
  { localFile, logs, fence }: { localFile: string; logs: string; fence: string | null },
): string {
  const { bill_tokens, operators, ...shown } = local;
  const width = Math.max(...Object.keys(shown).map((key) => key.length));
  const facts = Object.entries(shown).map(([key, value]) => `  ${key.padEnd(width)}  ${value ?? '-'}`);
  return `
${fence === null ? 'Malipo is ready.' : fenced(fence)}

${facts.join('\n')}

The same is in ${localFile}, with the bill tokens of ${Object.keys(bill_tokens).length} networks and the tokens of the operators ${operators.map(({ name }) => name).join(' and ')}; logs are in ${logs}. Take a first payment:

curl -sS ${local.api_url}/api/v1/payments/ussd \\
  -H 'Authorization: Bearer ${local.api_key}' -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $(date +%s)" \\
  -d '{"amount": 5000, "currency": "TZS", "phone_number": "0754000001"}'

and look at it (its transaction_id is in the answer):

curl -sS ${local.api_url}/api/v1/payments/TRANSACTION_ID -H 'Authorization: Bearer ${local.api_key}'
curl -sS '${local.simulator_url}/receiver/events?transaction_id=TRANSACTION_ID'
${local.temporal_ui_url ?? 'Temporal UI'}

Hold the customer's phone in a browser: ${local.simulator_url}

Every endpoint, ready to try: ${local.api_url}/docs

Ctrl-C stops everything.`;
}

const fenced = (reason: string) =>
  `Malipo runs and takes no payment, because its database was put back or replaced (${reason}). Run this first:

node bin/malipo.js recover

docs/operations/restored.md says what it does.`;
