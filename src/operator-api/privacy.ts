import { z } from 'zod';
import { audit } from '../db/audit.ts';
import { GatewayError } from '../domain/errors.ts';
import { parseMsisdn } from '../domain/msisdn.ts';
import { FORGETTABLE_AFTER_DAYS, findForgettable, forget, type Whose } from '../transactions/care/forget.ts';
import { type Call, call } from './call.ts';
import { text, timeField, uuidField, wholeNumber } from './fields.ts';

/** Names and numbers of people whose payments are long over. */
export const privacyCalls = {
  erasePayers: call(
    {
      method: 'POST',
      path: 'privacy/erase',
      summary:
        'Erase names and numbers of payers and recipients: of an account older than so many days, or of one number. Money and keys stay',
      roles: ['admin'],
      body: {
        account_id: uuidField.optional(),
        older_than_days: wholeNumber(FORGETTABLE_AFTER_DAYS, 36_500).optional(),
        /** of a phone, in any form, or of a bank account */
        number: text(40).optional(),
        /** where the part before ended: its `next` */
        after: timeField.optional(),
        /** true: only counts */
        dry_run: z.boolean().default(true),
      },
      answer: z.strictObject({
        /** transactions with something to erase, or that were erased; of a number also payments of no bill */
        transactions: z.number(),
        /** of a number: those that are too young, or of which something is still to be done */
        kept: z.number(),
        erased: z.boolean(),
        /** send it as `after`; null: that was all */
        next: z.string().nullable(),
      }),
    },
    async ({ account_id, older_than_days, number, after, dry_run }, { deps, actor }) => {
      const whose = whoseOf({ account_id, older_than_days, number });
      const { erasable, kept, ids, next } = await findForgettable(deps.longDatabase, whose, after ?? null);
      if (dry_run || erasable === 0) return { transactions: erasable, kept, erased: false, next };
      // The number itself would be kept for ever here: only who knows it can find this line.
      const subject = 'person' in whose ? `number:${deps.markOf(whose.person)}` : whose.accountId;
      const detail = 'person' in whose ? { kept } : { older_than_days: whose.olderThanDays };
      const transactions = await forget(deps.longDatabase, { ids, whose }, (db, erased) =>
        audit(db, { actor, action: 'privacy.erase', subject, detail: { ...detail, transactions: erased } }),
      );
      return { transactions, kept, erased: true, next };
    },
  ),
} satisfies Record<string, Call>;

function whoseOf(asked: {
  account_id: string | undefined;
  older_than_days: number | undefined;
  number: string | undefined;
}): Whose {
  const { account_id: accountId, older_than_days: olderThanDays, number } = asked;
  if (number !== undefined && accountId === undefined && olderThanDays === undefined)
    return { person: parseMsisdn(number) ?? number.replace(/[ -]/g, '') };
  if (number === undefined && accountId !== undefined && olderThanDays !== undefined)
    return { accountId, olderThanDays };
  throw new GatewayError('validation_failed', 'Send either number, or account_id with older_than_days');
}
