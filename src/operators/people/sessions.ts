import { randomBytes } from 'node:crypto';
import { fingerprintOf, hashOf, newKeyId } from '../../accounts/key-format.ts';
import type { KeyRing } from '../../base/key-ring.ts';
import { type Actor, audit } from '../../platform/db/audit.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { macOfRow, momentOf, proves } from '../../platform/db/proofs.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { DEFAULT, insert } from '../../platform/db/write.ts';
import { CALLER, callerOf } from './callers.ts';
import type { Caller } from './roles.ts';

/** A session ends after this idle time. HOURS_MAX counts from the sign-in. */
const IDLE_MINUTES = 15;
const HOURS_MAX = 8;
/** 32 bytes in base64url */
const SECRET_LENGTH = 43;

export type SessionSummary = {
  id: string;
  tokenId: string;
  address: string;
  createdAt: string;
  lastSeenAt: string;
};

type Session = { id: string; caller: Caller };
type Deps = {
  database: Database;
  /** KEY_HASH_SECRET: rows written without it open no session */
  hashSecrets: KeyRing;
};
type Opening = { caller: Caller; address: string; actor: Actor };
export type Sessions = ReturnType<typeof createSessions>;

/** A session never has more rights than its operator's token, and never outlives it. */
export function createSessions({ database, hashSecrets }: Deps) {
  return {
    /** `secret` is returned once; the browser keeps it. */
    open: (asked: Opening) => open({ database, hashSecrets }, asked),
    /** Renews the idle time. Returns null if there is no live session. */
    async use(secret: string): Promise<Session | null> {
      const { rows } = await database.query(
        `UPDATE operator_sessions s SET last_seen_at = now()
         FROM operator_tokens t JOIN operators o ON o.name = t.operator
         WHERE s.id = $1 AND s.hash = ANY($2) AND t.id = s.token_id AND ${LIVE}
         RETURNING s.id, s.created_at, s.mac AS session_mac, ${CALLER}`,
        [idIn(secret), hashesOf(hashSecrets, secret)],
      );
      const [row] = rows;
      if (!row || !(await proves(database, 'operator_sessions', { ...row, mac: row.session_mac })))
        return null;
      const caller = await callerOf(database, row);
      return caller && { id: row.id, caller };
    },
    end: (asked: { id: string; actor: Actor }) => inTransaction(database, (db) => endSession(db, asked)),
  };
}

const LIVE = `s.ended_at IS NULL AND s.last_seen_at > now() - interval '${IDLE_MINUTES} minutes'
  AND s.created_at > now() - interval '${HOURS_MAX} hours'
  AND t.revoked_at IS NULL AND t.expires_at > now() AND o.disabled_at IS NULL`;

const idIn = (secret: string) => secret.slice(0, -SECRET_LENGTH);
/** The first hash is stored. The others find sessions of an older KEY_HASH_SECRET. */
const hashesOf = ([first, ...older]: KeyRing, secret: string): [Buffer, ...Buffer[]] => {
  const credential = { kind: 'session', id: idIn(secret), fingerprint: fingerprintOf(secret) } as const;
  return [hashOf(first.key, credential), ...older.map(({ key }) => hashOf(key, credential))];
};

function open(
  { database, hashSecrets }: Deps,
  { caller, address, actor }: Opening,
): Promise<{ id: string; secret: string }> {
  const id = newKeyId();
  const secret = id + randomBytes(32).toString('base64url');
  const [hash] = hashesOf(hashSecrets, secret);
  return inTransaction(database, async (db) => {
    await db.query('SELECT drop_old_sessions()');
    const createdAt = await momentOf(db);
    await insert(db, 'operator_sessions', {
      id,
      hash,
      token_id: caller.tokenId,
      address,
      created_at: createdAt,
      last_seen_at: DEFAULT,
      ended_at: null,
      mac: macOfRow(db, 'operator_sessions', { id, token_id: caller.tokenId, created_at: createdAt }),
    });
    const detail = { session: id, token: caller.tokenId };
    await audit(db, { actor, action: 'desk.sign-in', subject: caller.name, detail });
    return { id, secret };
  });
}

/** Returns false if there is no such live session. `reason` is empty if its owner signs out. */
export async function endSession(
  db: Queryable,
  { id, actor, reason = '' }: { id: string; actor: Actor; reason?: string },
): Promise<boolean> {
  const { rows } = await db.query(
    `UPDATE operator_sessions s SET ended_at = now()
     FROM operator_tokens t JOIN operators o ON o.name = t.operator
     WHERE s.id = $1 AND t.id = s.token_id AND ${LIVE} RETURNING o.name`,
    [id],
  );
  if (!rows[0]) return false;
  const detail = { session: id, ...(reason !== '' && { reason }) };
  await audit(db, { actor, action: 'desk.sign-out', subject: rows[0].name, detail });
  return true;
}

export async function liveSessions(db: Queryable): Promise<Map<string, SessionSummary[]>> {
  const { rows } = await db.query(
    `SELECT s.*, o.name FROM operator_sessions s JOIN operator_tokens t ON t.id = s.token_id
     JOIN operators o ON o.name = t.operator WHERE ${LIVE} ORDER BY s.created_at, s.id`,
  );
  const byOperator = new Map<string, SessionSummary[]>();
  for (const row of rows) {
    const { id, token_id: tokenId, address, created_at: createdAt, last_seen_at: lastSeenAt } = row;
    const shown = { id, tokenId, address, createdAt, lastSeenAt };
    byOperator.set(row.name, [...(byOperator.get(row.name) ?? []), shown]);
  }
  return byOperator;
}
