import { createHash } from 'node:crypto';
import type { Queryable } from '../../platform/db/pool.ts';
import { proves } from '../../platform/db/proofs.ts';

/** Hashes (SHA-256, hex) a proposal's action, a line break and its payload. An approver approves the hash. */
export function hashOfProposal(action: string, payload: string): string {
  return createHash('sha256').update(`${action}\n${payload}`).digest('hex');
}

/** Returns an executed proposal's payload; null unless MACs prove that two operators agreed. */
export async function agreedOn(
  db: Queryable,
  { id, action }: { id: string; action: string },
): Promise<{ payload: string; approvedAt: string } | null> {
  const { rows } = await db.query(
    `SELECT p.id, p.action, p.payload, p.payload_hash, p.proposed_by, p.expires_at, p.mac, a.proposal_id,
       a.approved_by,
       a.token_id, a.approved_at, a.payload_hash AS approved_hash, a.mac AS approval_mac
     FROM proposals p JOIN approvals a ON a.proposal_id = p.id
     WHERE p.id = $1 AND p.action = $2 AND p.state = 'executed'`,
    [id, action],
  );
  const [row] = rows;
  if (!row || row.payload_hash !== hashOfProposal(action, row.payload)) return null;
  const { payload, payload_hash: hash, approved_hash, approved_at: approvedAt } = row;
  const approval = { ...row, payload_hash: approved_hash, mac: row.approval_mac };
  const isAgreed =
    approved_hash === hash &&
    (await proves(db, 'proposals', row)) &&
    (await proves(db, 'approvals', approval));
  return isAgreed ? { payload, approvedAt } : null;
}
