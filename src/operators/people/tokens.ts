import { hashOf } from '../../accounts/key-format.ts';
import type { NamedKey } from '../../base/key-ring.ts';
import { DAY_MS } from '../../domain/day.ts';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { type Actor, audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { macOfRow, momentOf } from '../../platform/db/proofs.ts';
import { DEFAULT, insert } from '../../platform/db/write.ts';

/** Returns the token's end. The caller holds the lock of the operator's row. */
export async function addToken(
  db: Queryable,
  { id, key }: NamedKey,
  asked: {
    operator: string;
    tokenId: string;
    fingerprint: string;
    days: number;
    /** a proposal, the token's owner, or the holder of the database's credentials */
    issuedBy: string;
    actor: Actor;
    action: string;
    proposalId?: string;
  },
): Promise<string> {
  const { operator, tokenId, fingerprint, days, proposalId } = asked;
  const expiresAt = await momentOf(db, days * DAY_MS);
  const { rows } = await insert(
    db,
    'operator_tokens',
    {
      id: tokenId,
      operator,
      hash: hashOf(key, { kind: 'token', id: tokenId, fingerprint }),
      hashed_with: id,
      issued_by: asked.issuedBy,
      created_at: DEFAULT,
      expires_at: expiresAt,
      revoked_at: null,
      last_used_at: null,
      mac: macOfRow(db, 'operator_tokens', { id: tokenId, operator, expires_at: expiresAt }),
    },
    { onConflict: 'DO NOTHING', returning: ['expires_at'] },
  );
  if (!rows[0]) throw conflict(`There is a token ${tokenId} already: make another one`);
  const detail = { token: tokenId, days, ...(proposalId === undefined ? {} : { proposal: proposalId }) };
  await audit(db, { actor: asked.actor, action: asked.action, subject: operator, detail });
  return rows[0].expires_at;
}

/** Throws `not_found` for an unknown or disabled operator. */
export async function lockOperator(db: Queryable, name: string): Promise<void> {
  const { rowCount } = await db.query(
    'SELECT 1 FROM operators WHERE name = $1 AND disabled_at IS NULL FOR UPDATE',
    [name],
  );
  if (rowCount === 0) throw new GatewayError('not_found', `There is no operator ${name}`);
}

export async function countLiveTokens(db: Queryable, operator: string): Promise<number> {
  const { rows } = await db.query(
    `SELECT count(*) AS n FROM operator_tokens
     WHERE operator = $1 AND revoked_at IS NULL AND expires_at > now()`,
    [operator],
  );
  return rows[0].n;
}
