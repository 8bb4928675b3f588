import { AUDIT_PAGE_MAX, readAudit } from '../operators/people/audit-chain.ts';
import { type Call, call } from './call.ts';
import { numberInQuery } from './fields.ts';
import { auditPage } from './schemas.ts';

/** Who did what, as it is chained: whoever has all lines can check them. */
export const auditCalls = {
  readAudit: call(
    {
      method: 'GET',
      path: 'audit',
      summary: 'The audit log after a line, oldest first, with the hashes that chain it',
      roles: ['admin'],
      query: {
        after: numberInQuery(0, Number.MAX_SAFE_INTEGER, 0),
        limit: numberInQuery(1, AUDIT_PAGE_MAX, AUDIT_PAGE_MAX),
      },
      answer: auditPage,
    },
    ({ after, limit }, { deps }) => readAudit(deps.database, { after, limit }),
  ),
} satisfies Record<string, Call>;
