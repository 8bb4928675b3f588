import type { Direction } from './kinds.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export function workflowIdOf(transactionId: string): string {
  return `transaction/${transactionId}`;
}

/** Log lines name a workflow by its transaction, if it has one. */
export function factsOfWorkflow(workflowId = ''): { transaction_id?: string; workflow_id?: string } {
  const prefix = workflowIdOf('');
  if (workflowId.startsWith(prefix)) return { transaction_id: workflowId.slice(prefix.length) };
  return workflowId === '' ? {} : { workflow_id: workflowId };
}

export function batchWorkflowIdOf(batchId: string): string {
  return `batch/${batchId}`;
}

/** Event ids contain no personal data. */
export function callbackWorkflowIdOf(eventId: string, round: number): string {
  return `callback/${eventId}/${round}`;
}

/** An entry without a transaction is named by its own id, never by its subject. */
export function attentionWorkflowIdOf(entry: {
  id: number;
  transactionId: string | null;
  reason: string;
}): string {
  return `attention/${entry.transactionId ?? entry.id}/${entry.reason}`;
}

/** `PY` (push) or `PO` (payout), then 80 bits of the id in Crockford base 32. */
export function channelReferenceOf(direction: Direction, transactionId: string): string {
  let bits = BigInt(`0x${transactionId.replaceAll('-', '').slice(-20)}`);
  let text = '';
  for (let i = 0; i < 16; i += 1) {
    text = CROCKFORD.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return `${direction === 'collection' ? 'PY' : 'PO'}${text}`;
}

const EVENT_ID = /^evt_[0-9a-f]{32}$/;

export function isEventId(text: string): boolean {
  return EVENT_ID.test(text);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
