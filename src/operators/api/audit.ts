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
      summary: 'The audit log after a line, oldest first, with the hashes that chain it',
      roles: ['admin'],
      query: {
        after: numberInQuery(0, Number.MAX_SAFE_INTEGER, 0, 'The number of the line before the first one'),
        limit: numberInQuery(1, AUDIT_PAGE_MAX, AUDIT_PAGE_MAX, 'How many lines at most'),
      },
      answer: auditPage,
    },
    ({ after, limit }, { deps }) => readAudit(deps.database, { after, limit }),
  ),
  listAudit: call(
    {
      method: 'GET',
      paths: ['audit/lines'],
      summary: 'Who did what: lines of the audit log, newest first, each member by its name',
      roles: ['admin'],
      query: {
        ...pageQuery,
        actor: text(80, 'Only what this operator did, or this part of the service').optional(),
        action: text(80, 'Only actions that begin with this').optional(),
        subject: text(255, 'Only what was done to this').optional(),
        from: dayField.optional(),
        to: dayField.optional(),
        only: only(['changes'], '`changes`: without calls that only read'),
        until: numberInQuery(
          0,
          Number.MAX_SAFE_INTEGER,
          Number.MAX_SAFE_INTEGER,
          'No line after the one with this number',
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
      summary: 'Follow the chain of the audit log from its first line to its last',
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
