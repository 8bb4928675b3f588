import { AUDIT_PAGE_MAX, readAudit } from '../people/audit-chain.ts';
import { listAudit } from '../people/audit-list.ts';
import { type Call, call } from './call.ts';
import { dayField, numberInQuery, only, pageQuery, text } from './fields.ts';
import { presentAuditLine, presentPage } from './present.ts';
import { auditList, auditPage, auditVerified } from './schemas.ts';

export const auditCalls = {
  readAudit: call(
    {
      method: 'GET',
      paths: ['audit'],
      summary: 'The audit log after a given line, oldest first, with the hashes of its chain',
      roles: ['admin'],
      query: {
        after: numberInQuery(0, Number.MAX_SAFE_INTEGER, 0, 'The number of the line after which to begin'),
        limit: numberInQuery(1, AUDIT_PAGE_MAX, AUDIT_PAGE_MAX, 'The maximum number of lines'),
      },
      answer: auditPage,
    },
    ({ after, limit }, { deps }) => readAudit(deps.database, { after, limit }),
  ),
  listAudit: call(
    {
      method: 'GET',
      paths: ['audit/lines'],
      summary: 'Lines of the audit log (who did what), newest first, with named fields',
      roles: ['admin'],
      query: {
        ...pageQuery,
        actor: text(80, 'Only actions of this operator, or of this part of the service').optional(),
        action: text(80, 'Only actions that begin with this').optional(),
        subject: text(255, 'Only actions on this subject').optional(),
        from: dayField.optional(),
        to: dayField.optional(),
        only: only(['changes'], '`changes`: no calls that only read'),
        until: numberInQuery(
          0,
          Number.MAX_SAFE_INTEGER,
          Number.MAX_SAFE_INTEGER,
          'The number of the last line',
        ),
      },
      answer: auditList,
    },
    async ({ page, per_page, only, ...filters }, { deps }) => {
      const asked = { page, perPage: per_page, isChange: only !== undefined };
      return presentPage(await listAudit(deps.database, { ...asked, ...filters }), asked, presentAuditLine);
    },
  ),
  verifyAudit: call(
    {
      method: 'POST',
      paths: ['audit/verify'],
      summary: 'Verify the hash chain of the audit log from its first line to its last',
      roles: ['admin'],
      answer: auditVerified,
    },
    async (_input, { deps }) => {
      const verified = await deps.ledger.auditChain();
      const { lines, head, breach } = verified ?? { lines: 0, head: null, breach: null };
      return { done: verified !== null, lines, head, breach };
    },
  ),
} satisfies Record<string, Call>;
