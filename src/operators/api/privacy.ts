import { z } from 'zod';
import { GatewayError, validationFailed } from '../../domain/errors.ts';
import { readPhone } from '../../domain/msisdn.ts';
import { audit } from '../../platform/db/audit.ts';
import {
  FORGETTABLE_AFTER_DAYS,
  findForgettable,
  forget,
  type Whose,
} from '../../transactions/care/forget.ts';
import { counted, whether, written } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { reasonField, text, timeField, uuidField, wholeNumber } from './fields.ts';

export const privacyCalls = {
  erasePayers: call(
    {
      method: 'POST',
      paths: ['privacy/erase'],
      summary:
        'Erase names and numbers of payers and recipients: of the old transactions of an account, ' +
        'or of one number. Money and keys stay',
      roles: ['admin'],
      body: {
        account_id: uuidField.optional().meta({ description: 'The merchant' }),
        older_than_days: wholeNumber(FORGETTABLE_AFTER_DAYS.atLeast, 36_500)
          .optional()
          .meta({ description: 'Only transactions that ended at least so many days ago' }),
        number: text(40, 'A phone number in any form, or the number of a bank account').optional(),
        /** required to erase data younger than the retention; kept for ever */
        reason: reasonField.optional(),
        after: timeField.optional().meta({ description: 'The `next` of the previous answer' }),
        dry_run: whether('True: only count, erase nothing').default(true),
      },
      answer: z.strictObject({
        /** for a number: includes payments without a bill */
        transactions: counted('The number of transactions that can be erased, or that were erased'),
        /** only for a number */
        kept: counted('The number of transactions that are too young, or have not ended'),
        erased: whether('True: the names and numbers are erased'),
        next: written('Send it as `after` to go on; null: this is the end').nullable(),
      }),
    },
    async ({ account_id, older_than_days, number, reason, after, dry_run }, { deps, actor }) => {
      const whose = whoseOf({ account_id, older_than_days, number, reason });
      const { erasable, kept, ids, next } = await findForgettable(deps.longDatabase, whose, after ?? null);
      if (dry_run || erasable === 0) return { transactions: erasable, kept, erased: false, next };
      // The audit log is kept for ever: only a person who knows the number can find this hash.
      const subject = 'person' in whose ? `number:${deps.markOf(whose.person)}` : whose.accountId;
      const about = 'person' in whose ? { kept } : { older_than_days: whose.olderThanDays };
      const detail = reason === undefined ? about : { ...about, reason };
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
  reason: string | undefined;
}): Whose {
  const { account_id: accountId, older_than_days: olderThanDays, number } = asked;
  const isEarly = asked.reason !== undefined;
  const { usually } = FORGETTABLE_AFTER_DAYS;
  if (olderThanDays !== undefined && olderThanDays < usually && !isEarly)
    throw validationFailed([
      { field: 'reason', message: `is required to erase data that is younger than ${usually} days` },
    ]);
  if (number !== undefined && accountId === undefined && olderThanDays === undefined)
    return { isEarly, person: readPhone(number).msisdn ?? number.replace(/[ -]/g, '') };
  if (number === undefined && accountId !== undefined && olderThanDays !== undefined)
    return { isEarly, accountId, olderThanDays };
  throw new GatewayError('validation_failed', 'Send either number, or account_id and older_than_days');
}
