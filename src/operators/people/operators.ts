import { timingSafeEqual } from 'node:crypto';
import { fingerprintOf, hashOf, readKeyId } from '../../accounts/key-format.ts';
import { createLastUsed } from '../../accounts/last-used.ts';
import { type KeyRing, keyNamed } from '../../base/key-ring.ts';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { type Actor, audit, nameOf, type OperatorActor } from '../../platform/db/audit.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { macOfRow } from '../../platform/db/proofs.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { DEFAULT, insert, NOW, update } from '../../platform/db/write.ts';
import { CALLER, callerOf } from './callers.ts';
import type { Caller, Role } from './roles.ts';
import { liveSessions, type SessionSummary } from './sessions.ts';
import { makeToken } from './token-text.ts';
import { addToken, countLiveTokens, lockOperator } from './tokens.ts';

const LIVE_TOKENS_MAX = 5;

export type OperatorSummary = {
  name: string;
  email: string;
  roles: Role[];
  createdAt: string;
  disabledAt: string | null;
  tokens: { id: string; issuedBy: string; createdAt: string; expiresAt: string; lastUsedAt: string | null }[];
  sessions: SessionSummary[];
};

type NewToken = { token: string; tokenId: string; expiresAt: string };

export type Operators = ReturnType<typeof createOperators>;

type Deps = {
  database: Database;
  /** KEY_HASH_SECRET: the first hashes new tokens; tokens of an older one stay valid until they end */
  hashSecrets: KeyRing;
};

type TokenFor = { operator: string; days: number; actor: Actor };

/** A token's text is returned once. */
export function createOperators(deps: Deps) {
  const { database } = deps;
  const noteUse = createLastUsed((id) => update(database, 'operator_tokens', { last_used_at: NOW }, { id }));
  return {
    async authenticate(token: string): Promise<Caller | null> {
      const caller = await authenticate(deps, token);
      if (caller) noteUse(caller.tokenId);
      return caller;
    },
    /** `roles`: only for the first operators; later ones get theirs by a proposal. */
    create: (operator: { name: string; email: string; roles: readonly Role[]; actor: Actor }) =>
      inTransaction(database, (db) => createOperator(db, operator)),
    /** Only for holders of the database's credentials. Operators propose `operators.token`. */
    issueToken: (asked: TokenFor) => issueToken(deps, asked),
    rotateToken: (asked: { caller: Caller; days: number; actor: Actor }) => rotateToken(deps, asked),
    list: () => listOperators(database),
  };
}

/** Asks the database each time: a revocation works from the next call on. */
async function authenticate({ database, hashSecrets }: Deps, token: string): Promise<Caller | null> {
  const id = readKeyId('op', token);
  if (id === null) return null;
  const { rows } = await database.query(
    `SELECT ${CALLER}, t.hash, t.hashed_with FROM operator_tokens t JOIN operators o ON o.name = t.operator
     WHERE t.id = $1 AND t.revoked_at IS NULL AND t.expires_at > now() AND o.disabled_at IS NULL`,
    [id],
  );
  const [row] = rows;
  const secret = row && keyNamed(hashSecrets, row.hashed_with);
  const credential = { kind: 'token', id, fingerprint: fingerprintOf(token) } as const;
  if (!secret || !timingSafeEqual(row.hash, hashOf(secret.key, credential))) return null;
  return callerOf(database, row);
}

function issueToken({ database, hashSecrets }: Deps, asked: TokenFor): Promise<NewToken> {
  return inTransaction(database, async (db) => {
    await lockOperator(db, asked.operator);
    if ((await countLiveTokens(db, asked.operator)) >= LIVE_TOKENS_MAX)
      throw conflict(`${asked.operator} has ${LIVE_TOKENS_MAX} live tokens: revoke one first`);
    return addNewToken(db, hashSecrets, { ...asked, action: 'operators.token' });
  });
}

/** Returns a new token to the caller and ends the operator's other tokens. */
function rotateToken(
  { database, hashSecrets }: Deps,
  { caller, days, actor }: { caller: Caller; days: number; actor: Actor },
): Promise<NewToken> {
  const operator = caller.name;
  return inTransaction(database, async (db) => {
    await lockOperator(db, operator);
    const { rows } = await update(
      db,
      'operator_tokens',
      { revoked_at: NOW },
      { operator, revoked_at: null },
      { returning: ['id'] },
    );
    // A token that has just ended must not make a new one.
    if (!rows.some(({ id }) => id === caller.tokenId))
      throw new GatewayError('unauthorized', 'This token has ended');
    return addNewToken(db, hashSecrets, { operator, days, actor, action: 'operators.rotate' });
  });
}

async function addNewToken(
  db: Queryable,
  hashSecrets: KeyRing,
  asked: TokenFor & { action: string },
): Promise<NewToken> {
  const { token, ...public_ } = makeToken();
  const added = { ...asked, ...public_, issuedBy: nameOf(asked.actor) };
  return { token, tokenId: public_.tokenId, expiresAt: await addToken(db, hashSecrets[0], added) };
}

/** Returns false if there is no such live token. */
export async function revokeToken(
  db: Queryable,
  { tokenId, actor, reason }: { tokenId: string; actor: Actor; reason: string },
): Promise<boolean> {
  const { rows } = await update(
    db,
    'operator_tokens',
    { revoked_at: NOW },
    { id: tokenId, revoked_at: null },
    { returning: ['operator'] },
  );
  if (!rows[0]) return false;
  const detail = { token: tokenId, reason };
  await audit(db, { actor, action: 'operators.revoke', subject: rows[0].operator, detail });
  return true;
}

/** Ends access for good and withdraws open proposals. Returns false if it was ended before. */
export async function disableOperator(
  db: Queryable,
  { name, actor, reason }: { name: string; actor: OperatorActor; reason: string },
): Promise<boolean> {
  await lockProposals(db, name);
  const { rowCount } = await update(db, 'operators', { disabled_at: NOW }, { name, disabled_at: null });
  if (rowCount === 0) return false;
  // Now nobody proposes in this name: a proposal of this moment is withdrawn, too.
  const withdrawn = await withdrawProposals(db, { name, actor, outcome: `${name} was disabled` });
  await audit(db, { actor, action: 'operators.disable', subject: name, detail: { withdrawn, reason } });
  return true;
}

/** Call this before you lock the operator: an approval locks proposals first, too. */
export async function lockProposals(db: Queryable, operator: string): Promise<void> {
  await db.query(
    "SELECT FROM proposals WHERE proposed_by = $1 AND state = 'proposed' ORDER BY id FOR UPDATE",
    [operator],
  );
}

/** Ends a person's open proposals, or those of these actions. Returns their ids. */
export async function withdrawProposals(
  db: Queryable,
  of: { name: string; actor: OperatorActor; outcome: string; actions?: readonly string[] },
): Promise<string[]> {
  const { rows } = await db.query(
    `UPDATE proposals SET state = 'rejected', decided_by = $2, decided_at = now(), outcome = $3
     WHERE proposed_by = $1 AND state = 'proposed' AND expires_at > now()
       AND ($4::text[] IS NULL OR action = ANY($4)) RETURNING id`,
    [of.name, of.actor.operator, of.outcome, of.actions ?? null],
  );
  return rows.map(({ id }) => id);
}

async function createOperator(
  db: Queryable,
  { name, email, roles, actor }: { name: string; email: string; roles: readonly Role[]; actor: Actor },
): Promise<void> {
  const { rowCount } = await insert(
    db,
    'operators',
    {
      name,
      email,
      roles,
      created_at: DEFAULT,
      disabled_at: null,
      version: 1,
      mac: macOfRow(db, 'operators', { name, roles, version: 1 }),
    },
    { onConflict: 'DO NOTHING' },
  );
  if (rowCount === 0) throw conflict(`There is an operator ${name}, or one with this e-mail, already`);
  await audit(db, { actor, action: 'operators.create', subject: name, detail: { email, roles } });
}

/** Counts admins who can sign in: two must agree. */
export async function countAdmins(db: Queryable): Promise<number> {
  const { rows } = await db.query(
    `SELECT ${CALLER} FROM operator_tokens t JOIN operators o ON o.name = t.operator
     WHERE 'admin' = ANY(o.roles) AND o.disabled_at IS NULL AND t.revoked_at IS NULL
       AND t.expires_at > now()`,
  );
  const callers = await Promise.all(rows.map((row) => callerOf(db, row)));
  return new Set(callers.flatMap((caller) => caller?.name ?? [])).size;
}

async function listOperators(db: Queryable): Promise<OperatorSummary[]> {
  const { rows } = await db.query('SELECT * FROM operators ORDER BY name');
  const tokens = await db.query(
    'SELECT * FROM operator_tokens WHERE revoked_at IS NULL AND expires_at > now() ORDER BY created_at, id',
  );
  const sessions = await liveSessions(db);
  return rows.map((row) => ({
    name: row.name,
    email: row.email,
    roles: row.roles as Role[],
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    tokens: tokens.rows
      .filter((token) => token.operator === row.name)
      .map((token) => ({
        id: token.id,
        issuedBy: token.issued_by,
        createdAt: token.created_at,
        expiresAt: token.expires_at,
        lastUsedAt: token.last_used_at,
      })),
    sessions: sessions.get(row.name) ?? [],
  }));
}
