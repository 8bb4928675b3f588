import { type Listed, type Page, readList, readPage } from '../../platform/db/listing.ts';
import type { Database } from '../../platform/db/pool.ts';

type AuditFilters = {
  /** an operator's name, or a part of the service */
  actor?: string | undefined;
  action?: string | undefined;
  subject?: string | undefined;
  /** inclusive */
  from?: string | undefined;
  /** exclusive */
  to?: string | undefined;
  /** last line, so that later pages lack the lines that reading adds */
  until?: number | undefined;
  /** without calls: each change has its own line beside its call */
  isChange?: boolean;
};

/** Lists newest lines first, without an index: throws `validation_failed` after 2 s. */
export function listAudit(database: Database, { page, perPage, ...asked }: AuditFilters & Page) {
  const text = `SELECT id, at, actor, address, request_id, action, subject, detail FROM audit_log
    WHERE ($1::text IS NULL OR actor IN ($1, 'operator:' || $1))
      AND ($2::text IS NULL OR starts_with(action, $2))
      AND ($3::text IS NULL OR subject = $3) AND ($4::timestamptz IS NULL OR at >= $4)
      AND ($5::timestamptz IS NULL OR at < $5) AND ($6::bigint IS NULL OR id <= $6)
      AND ($7::boolean IS NOT TRUE OR NOT starts_with(action, 'call.'))`;
  const { actor, action, subject, from, to, until, isChange } = asked;
  const values = [actor, action, subject, from, to, until, isChange].map((value) => value ?? null);
  return readList(database, (db) => readPage(db, { text, values, order: 'id DESC' }, { page, perPage }));
}

export type ListedLine = Awaited<ReturnType<typeof listAudit>> extends Listed<infer Line> ? Line : never;
