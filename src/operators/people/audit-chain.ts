import { createHash } from 'node:crypto';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';

/** `line`: JSON text of number, time, actor, address, request, action, subject, detail. */
export type AuditLine = { id: number; line: string; hash: string };
/** A copy of this last hash, kept elsewhere, proves that no earlier line was changed. */
export type AuditHead = { id: number; hash: string };

export const AUDIT_PAGE_MAX = 1_000;

/** Returns the oldest lines first, with hashes in hex. */
export async function readAudit(
  db: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<{ lines: AuditLine[]; head: AuditHead }> {
  // The head must not be ahead of the lines.
  const head = await db.query(
    "SELECT id, encode(hash, 'hex') AS hash FROM audit_head /* never null: hash */",
  );
  const lines = await db.query(
    `SELECT id, audit_line(a) AS line, encode(hash, 'hex') AS hash FROM audit_log a WHERE id > $1
     ORDER BY id LIMIT $2 /* never null: line, hash */`,
    [after, limit],
  );
  return { lines: lines.rows, head: only(head.rows) };
}

/** `take` returns null, or names a changed line. Anyone with an export can check. */
export function createChainCheck() {
  let last: AuditHead = { id: 0, hash: '' };
  return {
    take({ id, line, hash }: AuditLine): string | null {
      if (id !== last.id + 1) return `after line ${last.id} comes line ${id}: lines are missing`;
      const expected = createHash('sha256').update(Buffer.from(last.hash, 'hex')).update(line).digest('hex');
      if (expected !== hash || !isNumbered(line, id))
        return `line ${id} is not what was written, or the line before it was changed`;
      last = { id, hash };
      return null;
    },
    last: (): AuditHead => last,
    /** Returns null if the lines end at the database's head, else a sentence. */
    endsAt(head: AuditHead): string | null {
      if (head.id === last.id && head.hash === last.hash) return null;
      return `the log ends at line ${last.id}, but ${head.id} lines were written`;
    },
  };
}

function isNumbered(line: string, id: number): boolean {
  return line.startsWith(`[${id}, `);
}

type Verified = { lines: number; head: AuditHead; breach: string | null };

/** Checks up to the end that the first page names, because reading adds lines. */
export async function verifyAudit(db: Queryable): Promise<Verified> {
  const check = createChainCheck();
  let head: AuditHead | null = null;
  for (;;) {
    const page = await readAudit(db, { after: check.last().id, limit: AUDIT_PAGE_MAX });
    head ??= page.head;
    const end: number = head.id;
    for (const line of page.lines.filter(({ id }) => id <= end)) {
      const breach = check.take(line);
      if (breach !== null) return { lines: check.last().id, head: check.last(), breach };
    }
    if (page.lines.length < AUDIT_PAGE_MAX || check.last().id >= end) break;
  }
  return { lines: check.last().id, head: check.last(), breach: check.endsAt(head) };
}
