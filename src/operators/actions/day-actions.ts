import { z } from 'zod';
import { conflict, GatewayError } from '../../domain/errors.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { type AccountDay, closeDay, lockAccounts, reopenDay } from '../../reconciliation/closed-days.ts';
import { daysOf, type ProvenDay } from '../../reconciliation/days.ts';
import {
  accountsBeside,
  groupsOf,
  type Proven,
  type StatementAccounts,
} from '../../reconciliation/groups.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import { type Declared, dateField, declare, documented } from './actions.ts';
import { fact, shillings } from './facts.ts';

const payload = z.strictObject({
  account: z
    .string('must be a statement account')
    .max(40)
    .meta(documented('The statement account, by its name in the channels file')),
  day: dateField,
});

/** A closed day takes no more lines until two people reopen it. */
export function dayActions(accounts: StatementAccounts): Record<'days.close' | 'days.reopen', Declared> {
  const known = async (
    db: Queryable,
    { account, day }: AccountDay,
  ): Promise<ProvenDay & { group: Proven }> => {
    const [group] = groupsOf(accounts, account);
    const found = group && (await daysOf(db, group, day)).find((one) => one.account === account);
    if (!found) throw new GatewayError('not_found', `No statement of ${account} covers ${day}`);
    return { ...found, group };
  };
  const require = async (db: Queryable, asked: AccountDay, state: 'balanced' | 'closed') => {
    const found = await known(db, asked);
    if (found.state !== state)
      throw conflict(`${asked.day} of ${asked.account} is ${found.state}${whyNot(found)}`);
    return found;
  };
  /** A day's figures depend on the days before it: close days in order, reopen the last one first. */
  const requireOrder = async (db: Queryable, { account, day }: AccountDay, after: string) => {
    const [group] = groupsOf(accounts, account);
    for (const one of group ? await daysOf(db, group) : []) {
      const which = `${one.day} of ${one.account}`;
      if (after === 'open' && one.day > day && one.state === 'closed')
        throw conflict(`${which} is closed: reopen the last closed day first`);
      if (after === 'closed' && one.day < day && one.state !== 'closed' && one.lines + one.open > 0)
        throw conflict(`${which} is ${one.state}: close the earlier days first`);
    }
  };
  const describe = (verb: string, after: 'closed' | 'open') =>
    declare({
      title: `${verb} this day: ${after === 'closed' ? 'it takes no more lines' : 'it takes lines again'}`,
      command: `days ${after === 'closed' ? 'close' : 'reopen'} <account> <day>`,
      example: [
        after === 'closed' ? 'every line is explained' : 'the network corrected its statement',
        { account: 'm-pesa', day: '2026-11-24' },
      ],
      role: 'finance',
      payload,
      async describe(asked, { db, isOpen }) {
        const summary = `${verb} ${asked.day} of ${asked.account}`;
        if (!isOpen) return { summary };
        const day = await known(db, asked);
        const money = (amount: number | null) => (amount === null ? 'unknown' : shillings(amount));
        return {
          summary,
          facts: [
            fact('day', after, day.state),
            fact('their balance', money(day.closing), money(day.opening)),
            fact('lines', `${day.lines}: ${day.matched} matched, ${day.booked} booked, ${day.open} open`),
          ],
        };
      },
      // One balance is proven for the whole group.
      lock: (db, { account }) => lockAccounts(db, accountsBeside(accounts, account)),
      async check(db, asked) {
        await requireRecovered(db);
        const found = await require(db, asked, after === 'closed' ? 'balanced' : 'closed');
        await requireOrder(db, asked, after);
        return found;
      },
      async execute(db, asked, { actor, proposalId }, { group, ...figures }) {
        const isDone =
          after === 'closed'
            ? await closeDay(db, { ...asked, group, figures, proposalId })
            : await reopenDay(db, { ...asked, proposalId });
        if (!isDone) throw conflict(`${asked.day} of ${asked.account} is ${after} already`);
        const name = after === 'closed' ? 'days.close' : 'days.reopen';
        await audit(db, {
          actor,
          action: name,
          subject: asked.account,
          detail: { day: asked.day, proposal: proposalId },
        });
        return { outcome: `${asked.day} of ${asked.account} is ${after}` };
      },
    });
  return { 'days.close': describe('Close', 'closed'), 'days.reopen': describe('Reopen', 'open') };
}

function whyNot({ state, open, isCovered, holds }: ProvenDay): string {
  if (state !== 'open') return '';
  if (!isCovered) return ': statements do not cover the whole day yet';
  if (open > 0) return `: ${open} of its lines and movements are open`;
  return holds
    ? ': another account of its group has open lines'
    : ': their closing balance differs from our books';
}
