import { audit } from '../../platform/db/audit.ts';
import type { Database } from '../../platform/db/pool.ts';
import { inTransaction } from '../../platform/db/transaction.ts';

/**
 * Writes to the audit log which connections have changed since the last start, and which use plain HTTP, and
 * why. It compares fingerprints, which cover the secrets. Returns the names of the changed connections.
 * The file and the secrets come with a deploy, so this detects a change but cannot stop it.
 */
export function noteConnections(
  database: Database,
  {
    connections,
    insecureHttp,
    actor,
  }: { connections: Record<string, string>; insecureHttp: Record<string, string>; actor: string },
): Promise<string[]> {
  return inTransaction(database, async (db) => {
    const { rows } = await db.query(
      `SELECT detail FROM audit_log WHERE action = 'channels.configured' ORDER BY id DESC LIMIT 1`,
    );
    const noted = rows[0]?.detail as { connections: Record<string, string> } | undefined;
    const before = noted?.connections ?? {};
    const names = [...new Set([...Object.keys(before), ...Object.keys(connections)])];
    const changed = names.filter((name) => before[name] !== connections[name]);
    if (changed.length > 0)
      await audit(db, {
        actor,
        action: 'channels.configured',
        subject: 'channels',
        detail: { changed, connections, insecure_http: insecureHttp },
      });
    return changed;
  });
}
