import { z } from 'zod';
import { requireAccount } from '../../accounts/store.ts';
import { conflict, type GatewayError } from '../../domain/errors.ts';
import { CURRENCY, MONEY_MAX, minor } from '../../domain/money.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import { lockTyping } from '../../ledger/booked.ts';
import { type FundingKind, isFunded, plainReference, postFunding } from '../../ledger/transfer.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { lockAccounts } from '../../reconciliation/closed-days.ts';
import type { StatementAccounts } from '../../reconciliation/groups.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import {
  accountIdField,
  currencyField,
  type Declared,
  declare,
  exampleAccount,
  inShillings,
  sentenceField,
} from './actions.ts';
import { covered, lacks } from './covered.ts';
import { balanceFacts, merchantNamed, shillings } from './facts.ts';

const payload = z.strictObject({
  account_id: accountIdField,
  amount: z
    .int('must be a whole number of minor units (1 TZS = 100)')
    .positive('must be above zero')
    .max(MONEY_MAX, `must be at most ${MONEY_MAX}`)
    .transform(minor)
    .meta({ ...inShillings, description: 'Minor units (1 TZS = 100)' }),
  currency: currencyField,
  reference: sentenceField(100).meta({
    title: "The bank's reference",
    description: 'From our bank statement. One reference is posted only once, for all merchants together',
  }),
  note: sentenceField(255).meta({ title: 'Why (for the books)' }).optional(),
});
type Funding = z.output<typeof payload>;

/**
 * Two people record bank top-ups and withdrawals. A top-up is possible while the fence is closed, to restore
 * a lost one.
 */
export function fundingActions(
  accounts: StatementAccounts,
): Record<'accounts.top-up' | 'accounts.withdraw', Declared> {
  const ours = [...accounts.values()].filter(({ proves }) =>
    proves.some((code) => code.startsWith('settlement:')),
  );
  const banks = { ids: ours.map(({ id }) => id), books: ours.flatMap(({ proves }) => proves) };
  return {
    'accounts.top-up': fundingAction('top_up', banks),
    'accounts.withdraw': fundingAction('withdrawal', banks),
  };
}

/** `ids`: the statement accounts of our banks; `books`: the ledger codes that they prove. */
type Banks = { ids: readonly string[]; books: readonly string[] };

const shown = {
  top_up: {
    title: "Top up: the merchant's money has reached our bank account",
    command: 'accounts top-up <account_id> <amount>',
    example: [
      'bank statement of this morning',
      { account_id: exampleAccount, amount: 250_000_000, currency: CURRENCY, reference: 'CRDB 4417/93' },
    ],
  },
  withdrawal: {
    title: "Withdraw: the merchant's money has left our bank account",
    command: 'accounts withdraw <account_id> <amount>',
    example: [
      'the merchant asked for it, ticket 640',
      {
        account_id: exampleAccount,
        amount: 100_000_000,
        currency: CURRENCY,
        reference: 'CRDB 4418/07',
        note: 'to account 0150 of the merchant',
      },
    ],
  },
} as const;

function fundingAction(kind: FundingKind, banks: Banks): Declared {
  const [verb, noun] = kind === 'top_up' ? ['Credit', 'top-up'] : ['Debit', 'withdrawal'];
  const { title, command, example } = shown[kind];
  return declare({
    title,
    command,
    example,
    role: 'finance',
    payload,
    async describe(funding, view) {
      const { account_id, amount, reference, note } = funding;
      const who = await merchantNamed(view, account_id);
      const summary =
        `${verb} ${who} with ${shillings(amount)} (bank reference ` +
        `${reference})${note === undefined ? '' : `: ${note}`}`;
      return { summary, facts: await balanceFacts(view, account_id, kind === 'top_up' ? amount : -amount) };
    },
    async bind(db, funding) {
      await refuseProposed(db, funding);
      return funding;
    },
    // Imports and the bank's payments take these locks, so no reference is booked twice.
    async lock(db) {
      await lockAccounts(db, banks.ids);
      await lockTyping(db);
    },
    async check(db, funding) {
      await requireAccount(db, funding.account_id);
      if (await isFunded(db, funding.reference)) throw usedBefore(funding, 'was posted before');
      await refuseKnownLine(db, banks, funding);
      if (kind === 'withdrawal') {
        await requireRecovered(db);
        const { current } = await balanceOf(db, funding.account_id, CURRENCY);
        if (current < funding.amount) throw lacks(shillings(funding.amount));
      }
    },
    async execute(db, funding, { actor, proposalId }) {
      const { account_id: accountId, amount, reference: dedupeKey, note } = funding;
      const posting = postFunding(db, kind, { accountId, amount, dedupeKey, note, actor, proposalId });
      if (!(await covered(shillings(amount), posting))) throw usedBefore(funding, 'was posted before');
      return { outcome: `${noun} of ${shillings(amount)} is posted` };
    },
  });
}

/** Warns a second proposer. If two proposals cross, only the first is booked. */
async function refuseProposed(db: Queryable, funding: Funding): Promise<void> {
  const { rows } = await db.query(
    `SELECT id, proposed_by FROM proposals WHERE state = 'proposed' AND expires_at > now()
       AND action IN ('accounts.top-up', 'accounts.withdraw')
       AND plain_reference(payload::jsonb->>'reference') = $1 LIMIT 1`,
    [plainReference(funding.reference)],
  );
  if (rows[0]) throw usedBefore(funding, `is proposed already by ${rows[0].proposed_by} (${rows[0].id})`);
}

/** Refuses a reference whose line is booked or waits: release its suspense item instead. */
async function refuseKnownLine(db: Queryable, banks: Banks, funding: Funding): Promise<void> {
  const { rows } = await db.query(
    `SELECT l.id, l.account, l.day::text AS day,
       CASE WHEN i.is_open THEN i.id END AS item
     FROM statement_lines l LEFT JOIN line_matches m ON m.line_id = l.id
     LEFT JOIN entries e ON e.id = m.entry_id LEFT JOIN suspense_items i ON i.transfer_id = e.transfer_id
     WHERE l.account = ANY($1) AND NOT l.is_void AND (m.line_id IS NOT NULL OR l.waits)
       AND $2 IN (plain_reference(l.receipt), plain_reference(l.reference)) LIMIT 1 /* never null: day */`,
    [banks.ids, plainReference(funding.reference)],
  );
  const [line] = rows;
  if (!line) return refuseKnownMovement(db, banks, funding);
  const where = line.item === null ? '' : `, in suspense as ${line.item}: release that item instead`;
  throw usedBefore(funding, `is line ln_${line.id} of ${line.account} on ${line.day}${where}`);
}

/** Refuses the reference of a bank payment. `isFunded` checks typed movements, which have no connection. */
async function refuseKnownMovement(db: Queryable, { books }: Banks, funding: Funding): Promise<void> {
  const { rows } = await db.query(
    `SELECT n.name, m.transaction_id FROM movement_names n JOIN movements m ON m.id = n.movement_id
     JOIN ledger_accounts a ON a.id = m.ledger_account_id
     WHERE plain_reference(n.name) = $1 AND n.freed_at IS NULL AND m.connection IS NOT NULL
       AND a.code = ANY($2) LIMIT 1`,
    [plainReference(funding.reference), books],
  );
  const [moved] = rows;
  if (!moved) return;
  const of = moved.transaction_id === null ? 'a booked movement' : `the transaction ${moved.transaction_id}`;
  throw usedBefore(funding, `is ${moved.name} of ${of}`);
}

function usedBefore({ reference }: Funding, how: string): GatewayError {
  return conflict(`The bank reference ${reference} ${how}: nothing moved`);
}
