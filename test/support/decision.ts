import { randomUUID } from 'node:crypto';
import { hashOfProposal } from '../../src/transactions/care/agreed.ts';
import { type Decision, decisionsOf, writeDecision } from '../../src/transactions/care/decisions.ts';
import type { Queryable } from './queryable.ts';
import { macOfProposal, writeApproval } from './signed-rows.ts';

/** What two operators decided, straight in the database, as the approval of their proposal writes it. */
export async function plantDecision(
  db: Queryable,
  transactionId: string,
  outcome: 'paid' | 'failed',
  note = 'the bank says so',
): Promise<void> {
  const proposalId = await plantProposal(db, 'attention.decide', { reason: note });
  await writeDecision(db, { transactionId, outcome, note, proposalId });
}

/** What two operators agreed on, straight in the database; `approved`: in this very transaction. Returns its id. */
export async function plantProposal(
  db: Queryable,
  action: string,
  {
    reason = 'a test',
    payload = {},
    state = 'executed',
  }: { reason?: string; payload?: unknown; state?: 'approved' | 'executed' } = {},
): Promise<string> {
  const proposalId = `pr_${randomUUID().slice(0, 12)}`;
  const text = JSON.stringify(payload);
  const hash = hashOfProposal(action, text);
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const named = { id: proposalId, action, payload_hash: hash, proposed_by: 'asha' };
  const mac = macOfProposal({ ...named, expires_at });
  await db.query(
    `INSERT INTO operators (name, email, roles) VALUES ('asha', 'asha@example.com', '{finance}'), ('juma', 'juma@example.com', '{finance}')
     ON CONFLICT DO NOTHING`,
  );
  await db.query(
    `INSERT INTO proposals (id, action, payload, payload_hash, reason, proposed_by, expires_at, mac, state, decided_by, decided_at, outcome)
     VALUES ($1, $3, $4, $6, $2, 'asha', $7, $8, $5, 'juma', now(), '')`,
    [proposalId, reason, action, text, state, hash, expires_at, mac],
  );
  await writeApproval(db, proposalId, hash);
  return proposalId;
}

/** What was decided about one transaction. */
export async function getDecision(db: Queryable, transactionId: string): Promise<Decision | null> {
  return (await decisionsOf(db, [transactionId])).get(transactionId) ?? null;
}
