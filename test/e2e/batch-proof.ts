import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import type { TemporalClient } from '../../src/platform/temporal/connect.ts';
import type { Gateway, Json } from '../support/gateway.ts';
import type { Database } from '../support/queryable.ts';
import { cli } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { LATE_SUCCESS } from './ending-table.ts';

/** What no channel ever says the end of: people decide. */
export const UNKNOWN = ['129', '209'];
/** Every way in which a channel can answer badly, and the refusals; most are paid. */
const ENDINGS = (
  '456 139 456 149 456 159 169 456 179 039 456 189 456 199 456 ' +
  '219 456 229 456 019 456 029 456 049 456 059 456 069 239'
).split(' ');
const PREFIXES = ['0754', '0784', '0654', '0624'];
const EVENTS_MAX = 2_000;

/** `to`: its number or account, whose ending says what becomes of it. One in six goes to a bank. */
export function itemOf(i: number): Json & { to: string } {
  const ending = i % 75 === 20 ? UNKNOWN[Math.floor(i / 75) % 2] : ENDINGS[i % ENDINGS.length];
  const amount = { amount: 10_000 + i, currency: 'TZS' };
  const account_number = `0150123${String(i % 1_000).padStart(3, '0')}${ending}`;
  const phone_number = `${PREFIXES[i % PREFIXES.length]}${String(i % 1_000).padStart(3, '0')}${ending}`;
  // A bank that does not know its account (029) says so when the names are looked up.
  const isBank = i % 6 === 5 && ending !== '029';
  const item = isBank
    ? { ...amount, account_number, bic: 'CORUTZTZ', full_name: 'Asha Juma' }
    : { ...amount, phone_number };
  // Not enumerable: the API refuses fields that it does not know.
  return Object.defineProperty(item, 'to', { value: isBank ? account_number : phone_number });
}

type Proven = { temporal: TemporalClient; batch: Json; items: number; before: Json; decided: string[] };

/** That a batch which is over is right in all of its books, and that nothing of it is left. */
export async function proveBatch(
  gateway: Gateway & { database: Database },
  { temporal, batch, items, before, decided }: Proven,
): Promise<void> {
  const { id, batch_number, totals } = batch;
  assert.deepEqual([totals.paid + totals.failed, totals.cancelled], [items, 0]);
  assert.ok(totals.failed >= items / 10, 'some failed');
  const { rows } = await gateway.database.query(
    `SELECT t.reference, right(i.recipient, 3) AS ending, t.status, t.amount, t.fee, t.returned_at, coalesce((SELECT sum(amount) FROM suspense_items s WHERE s.transaction_id = t.id), 0)::bigint AS odd
     FROM batch_items i JOIN transactions t ON t.id = i.transaction_id WHERE i.batch_id = $1`,
    [id],
  );
  assert.equal(rows.length, items);
  const spent = await proveBooks(gateway, rows);
  const { balance } = (await gateway.request('GET', 'balance')).json;
  assert.deepEqual([(before.current - balance.current) * 100, balance.reserved], [spent, before.reserved]);

  const csv = await fetch(`${gateway.local.api_url}/api/v1/statements?format=csv`, {
    headers: { authorization: `Bearer ${gateway.local.api_key}` },
  });
  const references = new Set([batch_number, ...rows.map(({ reference }) => reference)]);
  const lines: Json[] = parse(await csv.text(), { columns: true });
  const sum = lines
    .filter(({ reference }) => references.has(reference))
    .reduce((all, { amount }) => all + Number(amount.replaceAll(',', '')), 0);
  assert.equal(Math.round(-sum * 100), spent);
  assert.match(await cli(gateway, 'ledger', 'check', '--full'), /^the books are right/);
  await proveNoFlowIsLeft(temporal, id, decided);
}

/** Each item is in the book of its network once, or not at all; what is there beside is in suspense. Returns what was spent. */
async function proveBooks(gateway: Gateway, rows: Json[]): Promise<number> {
  const { movements } = await gateway.simulator('truth');
  const moved = new Map<string, number>(movements.map((one: Json) => [one.reference, one.amount * 100]));
  assert.equal(moved.size, movements.length, 'no reference moved money twice');
  // A network that took its word back while nothing of ours listened: only its statement says so.
  const isUnheard = ({ reference, status, ending, odd }: Json) =>
    LATE_SUCCESS.includes(ending) && status === 'failed' && odd === 0 && moved.has(reference);
  const wrong = rows.filter((row) => {
    const { reference, status, amount, odd } = row;
    const owed = status === 'paid' || isUnheard(row) ? amount : -odd;
    return status === 'pending' || (moved.get(reference) ?? 0) !== owed || (status === 'paid' && odd !== 0);
  });
  assert.deepEqual(wrong, []);
  const total = (some: Json[], of: (row: Json) => number) => some.reduce((sum, row) => sum + of(row), 0);
  const paid = rows.filter(({ status }) => status === 'paid');
  assert.equal(
    total(movements, (one) => one.amount * 100),
    total([...paid, ...rows.filter(isUnheard)], ({ amount }) => amount) - total(rows, ({ odd }) => odd),
  );
  // What a bank sends back later was paid; its fee stays.
  return total(paid, ({ amount, fee, returned_at }) => (returned_at ? 0 : amount) + fee);
}

/** Of those that people decided the channel is still asked, for a week. */
async function proveNoFlowIsLeft({ client }: TemporalClient, batchId: string, decided: string[]) {
  const asked = new Set(decided.map((id) => `transaction/${id}`));
  await until(async () => {
    for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
      if (/^(transaction|batch)\//.test(workflowId) && !asked.has(workflowId))
        throw new Error(`${workflowId} runs`);
    return true;
  }, 'no flow of it is left');
  const lengths: number[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = 'batch/${batchId}'` })) {
    const { historyLength } = await client.workflow.getHandle(`batch/${batchId}`, runId).describe();
    lengths.push(historyLength);
  }
  assert.ok(lengths.length > 1, 'it continued as new');
  if (process.env.BATCH_KILLS) console.log(`events of its runs: ${lengths.join(' ')}`);
  assert.ok(Math.max(...lengths) < EVENTS_MAX, `a run has ${Math.max(...lengths)} events`);
}
