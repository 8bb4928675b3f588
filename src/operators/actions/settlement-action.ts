import { z } from 'zod';
import { requireAccount } from '../../accounts/store.ts';
import { maskNumber } from '../../base/redact.ts';
import { tellAccountChanged } from '../../callbacks/account-changed.ts';
import { findBank, parseAccountNumber } from '../../domain/bank.ts';
import { weekdays } from '../../domain/day.ts';
import { conflict } from '../../domain/errors.ts';
import { CURRENCY, MINOR_PER_UNIT, MONEY_MAX, minor } from '../../domain/money.ts';
import { readPhone, showMsisdn } from '../../domain/msisdn.ts';
import { networkByName, networkOfNumber } from '../../domain/network.ts';
import type { OwnAccount } from '../../domain/operation.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import {
  CHANGED_ACCOUNT_WAITS_HOURS,
  type Head,
  headOf,
  insertRule,
  isSameAccount,
  type SettlementRule,
} from '../../settlements/settlement-rules.ts';
import {
  accountIdField,
  changedSince,
  declare,
  exampleAccount,
  inShillings,
  keyIdField,
  seen,
  sentenceField,
} from './actions.ts';
import { type Fact, fact, merchantNamed, shillings, type View } from './facts.ts';

const wholeShillings = (least: number, meaning: string) => {
  const message = `must be whole shillings in minor units, at least ${least}`;
  return z
    .int(message)
    .min(least, message)
    .max(MONEY_MAX, message)
    .refine((value) => value % MINOR_PER_UNIT === 0, message)
    .meta({ ...inShillings, title: meaning, description: `${meaning}, in minor units (1 TZS = 100)` });
};

/** Writes one standard form: the approver sees exactly the number that is paid. */
const spelled = (read: (text: string) => string | null, message: string) =>
  z.string().transform((text, context) => {
    const found = read(text);
    if (found !== null) return found;
    context.addIssue(message);
    return z.NEVER;
  });
const bicOf = (text: string) => {
  const found = findBank(text);
  return 'bank' in found ? found.bic : null;
};
const shownNumber = (text: string) => {
  const { msisdn } = readPhone(text);
  return msisdn && showMsisdn(msisdn);
};

const bankField = z.strictObject({
  bic: spelled(bicOf, 'must be the BIC of a bank that takes payouts').meta({
    title: 'BIC of its bank',
  }),
  account_number: spelled(parseAccountNumber, 'must have 5 to 34 letters and digits').meta({
    title: 'Account number',
  }),
  full_name: sentenceField(140).meta({ title: 'Owner of the account' }),
});
const walletField = z.strictObject({
  phone_number: spelled(shownNumber, 'must be a mobile number of Tanzania').meta({
    title: 'Number of the wallet',
  }),
  network: sentenceField(20)
    .optional()
    .meta({ title: 'Network of the wallet', description: "Default: the network of the number's prefix" }),
});

const payload = z
  .strictObject({
    account_id: accountIdField,
    bank: bankField.optional().meta({
      face: { group: 'A bank account' },
      description: "The merchant's own bank account. Or name a wallet",
    }),
    wallet: walletField.optional().meta({
      face: { group: 'A wallet' },
      description: "The merchant's own wallet. Or name a bank account",
    }),
    days: z
      .array(z.enum(weekdays, `must be one of ${weekdays.join(', ')}`), 'must be a list of days')
      .max(weekdays.length)
      .meta({
        title: 'Days of automatic settlements',
        description: 'None: only when the merchant asks',
      }),
    keep: wholeShillings(0, 'What stays in the balance'),
    smallest: wholeShillings(MINOR_PER_UNIT, 'The smallest settlement'),
    cap: wholeShillings(MINOR_PER_UNIT, 'The largest settlement'),
    key_id: keyIdField.optional().meta({
      description:
        'The API key whose callbacks report automatic settlements. ' +
        'Default: the key of the current rule, or else the newest key',
    }),
    replaces: sentenceField(100)
      .nullable()
      .optional()
      .meta(seen('The latest version when this was proposed')),
  })
  .refine(({ bank, wallet }) => (bank === undefined) !== (wallet === undefined), {
    message: 'must be a bank account or a wallet, and not both',
    path: ['bank'],
  })
  .refine(({ smallest, cap }) => cap >= smallest, {
    message: 'must not be less than smallest',
    path: ['cap'],
  });
type Change = z.output<typeof payload>;

/** A changed account takes effect later, and the merchant is told. */
export const setSettlementAction = declare({
  title: 'Set the settlement rule; it replaces the old rule completely',
  command: 'settlement propose <account_id>',
  note: 'If the account changes, it is paid only after 48 hours, and the merchant is told.',
  example: [
    'the merchant asked for it by letter, ticket 655',
    {
      account_id: exampleAccount,
      bank: { bic: 'CORUTZTZ', account_number: '0150123456789', full_name: 'Duka la Mama Asha Ltd' },
      days: ['mon', 'thu'],
      keep: 100_000_00,
      smallest: 50_000_00,
      cap: 20_000_000_00,
    },
  ],
  role: 'finance',
  payload,
  async describe(change, view) {
    const { days, keep, smallest, cap } = change;
    const when = days.length === 0 ? 'when the merchant asks' : `on ${days.join(', ')} at 06:00`;
    const who = await merchantNamed(view, change.account_id);
    const all = `all above ${shillings(keep)}, ${shillings(smallest)} to ${shillings(cap)} each time`;
    return {
      summary: `Settle ${who} with ${accountNamed(accountOf(change), view)} ${when}: ${all}`,
      facts: await factsOf(change, view),
    };
  },
  async bind(db, change) {
    const { account_id: accountId } = change;
    const key_id = (await headOf(db, accountId))?.rule?.apiKeyId ?? (await newestKeyOf(db, accountId));
    return { ...(key_id === undefined ? {} : { key_id }), ...change };
  },
  seen: async (db, { account_id }) => ({ replaces: (await headOf(db, account_id))?.version ?? null }),
  check: requireKey,
  async execute(db, change, { actor, proposalId }, { before, keyId }) {
    const { account_id: accountId, days, replaces = null } = change;
    const to = accountOf(change);
    const proven = before?.rule ?? null;
    // A rule without a valid proof may have named any account, so it counts as changed.
    const waits = before !== null && (proven === null || !isSameAccount(proven.to, to));
    const amounts = { keep: minor(change.keep), smallest: minor(change.smallest), cap: minor(change.cap) };
    const rule = {
      version: proposalId,
      accountId,
      apiKeyId: keyId,
      to,
      currency: CURRENCY,
      replaces,
      ...amounts,
      days: days.map((day) => weekdays.indexOf(day) + 1),
    };
    const set = await insertRule(db, rule, { waits, notBefore: proven?.paysFrom ?? null });
    if (!set) throw changedSince('replaces');
    const { paysFrom } = set;
    const account = accountNamed(to, { showsPeople: false });
    const deliver = waits ? await tellAccountChanged(db, { accountId, account, paysFrom }) : [];
    const detail = { account, days, ...amounts, pays_from: paysFrom, replaces, proposal: proposalId };
    await audit(db, { actor, action: 'settlement.set', subject: accountId, detail });
    const outcome = waits
      ? 'the rule is set; its account has changed, so it is paid only ' +
        `from ${paysFrom} on (${CHANGED_ACCOUNT_WAITS_HOURS} h), and the merchant is told`
      : 'the rule is set';
    return { outcome, deliver };
  },
});

type Checked = { before: Head | null; keyId: string };

async function requireKey(db: Queryable, change: Change): Promise<Checked> {
  const { account_id: accountId, key_id: keyId } = change;
  await requireAccount(db, accountId);
  accountOf(change);
  const before = await headOf(db, accountId);
  const { rows } = await db.query('SELECT id FROM api_keys WHERE id = $1 AND account_id = $2', [
    keyId ?? '',
    accountId,
  ]);
  if (!rows[0]) throw conflict('The merchant has no such key, and the callbacks of the payouts need one');
  return { before, keyId: rows[0].id };
}

async function newestKeyOf(db: Queryable, accountId: string): Promise<string | undefined> {
  const { rows } = await db.query(
    `SELECT id FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL
     ORDER BY callback_url IS NULL, created_at DESC, id LIMIT 1`,
    [accountId],
  );
  return rows[0]?.id;
}

/** Throws `conflict` if the network of the number is unknown. */
function accountOf({ bank, wallet }: Change): OwnAccount {
  if (bank) {
    const { bic, account_number: accountNumber, full_name: fullName } = bank;
    return { channel: 'bank', bic, accountNumber, fullName };
  }
  const { msisdn } = readPhone(wallet?.phone_number ?? '');
  const named = wallet?.network;
  const network = msisdn && (named === undefined ? networkOfNumber(msisdn) : networkByName(named));
  if (!msisdn || !network) throw conflict('The network of this number is not known: name it');
  return { channel: network.id, msisdn };
}

export function accountNamed(to: OwnAccount, { showsPeople }: Pick<View, 'showsPeople'>): string {
  if (!('bic' in to)) return `${to.channel} ${showsPeople ? showMsisdn(to.msisdn) : maskNumber(to.msisdn)}`;
  const { bic, accountNumber, fullName } = to;
  return showsPeople ? `${bic} ${accountNumber} (${fullName})` : `${bic} ${maskNumber(accountNumber)}`;
}

async function factsOf(change: Change, view: View): Promise<Fact[]> {
  const head = view.isOpen ? await headOf(view.db, change.account_id) : null;
  const before = (show: (rule: SettlementRule) => string) =>
    head && (head.rule ? show(head.rule) : 'not proven');
  const namesOf = (days: readonly string[]) => days.join(', ') || 'none';
  const own = before(({ to }) => accountNamed(to, view));
  return [
    fact('own account', accountNamed(accountOf(change), view), own),
    fact(
      'days',
      namesOf(change.days),
      before(({ days }) => namesOf(dayNamesOf(days))),
    ),
    ...(['keep', 'smallest', 'cap'] as const).map((name) =>
      fact(
        name,
        shillings(change[name]),
        before((rule) => shillings(rule[name])),
      ),
    ),
  ];
}

export const dayNamesOf = (days: readonly number[]) =>
  weekdays.filter((_day, index) => days.includes(index + 1));
