import { audit } from '../../platform/db/audit.ts';
import type { Database } from '../../platform/db/pool.ts';
import { inTransaction } from '../../platform/db/transaction.ts';

/**
 * Notes in the audit log which connections are configured differently than at the last start, their secrets included:
 * eight digits for each, nothing secret; and which are in plain, and why. Returns their names; none where all is as it was. The file and the secrets
 * come by a deploy, so this finds a change; it does not stop one.
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
