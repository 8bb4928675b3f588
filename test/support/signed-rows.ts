import { macOfRow } from '../../src/platform/db/proofs.ts';
import { submissionKeys } from './key-rings.ts';
import type { Queryable } from './queryable.ts';

const keys = { rowKeys: submissionKeys } as never;

/** A key that a test wrote or changed by SQL, as if it had been let in so. */
export async function signKey(db: Queryable, id: string): Promise<void> {
  const { rows } = await db.query('SELECT * FROM api_keys WHERE id = $1', [id]);
  await db.query('UPDATE api_keys SET mac = $2 WHERE id = $1', [id, macOfRow(keys, 'api_keys', rows[0])]);
}

/** Gives an operator these roles, as two others would. */
export async function setRoles(db: Queryable, name: string, roles: readonly string[]): Promise<void> {
  const { rows } = await db.query('SELECT version + 1 AS version FROM operators WHERE name = $1', [name]);
  const of = { name, roles, version: rows[0].version };
  const values = [...Object.values(of), macOfRow(keys, 'operators', of)];
  await db.query('UPDATE operators SET roles = $2, version = $3, mac = $4 WHERE name = $1', values);
}

/** The proof of a proposal that a test writes by SQL. */
export const macOfProposal = (row: Parameters<typeof macOfRow<'proposals'>>[2]) =>
  macOfRow(keys, 'proposals', row);

/** As juma approves it. */
export async function writeApproval(
  db: Queryable,
  proposal_id: string,
  payload_hash: string,
  at = new Date(),
): Promise<void> {
  const approved_at = at.toISOString();
  const of = { proposal_id, payload_hash, approved_by: 'juma', token_id: 't', approved_at };
  const values = [...Object.values(of), macOfRow(keys, 'approvals', of)];
  await db.query('INSERT INTO approvals VALUES ($1, $2, $3, $4, $5, $6)', values);
}

/** A proposal whose time is over, as its proposer had made it. */
export async function expireProposal(db: Queryable, id: string): Promise<void> {
  const { rows } = await db.query('SELECT * FROM proposals WHERE id = $1', [id]);
  const expires_at = new Date(Date.now() - 1_000).toISOString();
  const mac = macOfProposal({ ...rows[0], expires_at });
  await db.query('ALTER TABLE proposals DISABLE TRIGGER proposals_guarded');
  await db.query('UPDATE proposals SET expires_at = $2, mac = $3 WHERE id = $1', [id, expires_at, mac]);
  await db.query('ALTER TABLE proposals ENABLE TRIGGER proposals_guarded');
}
