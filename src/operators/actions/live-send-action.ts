import { z } from 'zod';
import { KEY_FROZEN_AT } from '../../accounts/freeze.ts';
import { requireAccount } from '../../accounts/store.ts';
import { maskNumber } from '../../base/redact.ts';
import { conflict } from '../../domain/errors.ts';
import type { Direction } from '../../domain/kinds.ts';
import { CURRENCY, MONEY_MAX, minor } from '../../domain/money.ts';
import { readPhone, showMsisdn } from '../../domain/msisdn.ts';
import { type Limits, networkNameOf, networkOfNumber } from '../../domain/network.ts';
import type { ChannelTiming } from '../../domain/timing.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { accountIdField, declare, exampleAccount, keyIdField, seen, sentenceField } from './actions.ts';
import { merchantNamed, shillings } from './facts.ts';

export const LIVE_SEND = 'channels.live-send';

export type LiveRouteOf = (
  channelId: string,
  direction: Direction,
  accountId: string,
) => (ChannelTiming & { connection: string; limits: Limits }) | undefined;

const asked = z.strictObject({
  account_id: accountIdField,
  number: z
    .string('must be text')
    .transform((text) => readPhone(text).msisdn ?? '')
    .refine((msisdn) => msisdn !== '', 'must be a phone number of Tanzania')
    .meta({ description: "The operator's own phone, which asks for the PIN", example: '0754123456' }),
  amount: z
    .int('must be a whole number of minor units')
    .positive()
    .max(MONEY_MAX)
    .transform(minor)
    .optional()
    .meta(seen("The amount in minor units (1 TZS = 100). Default: the network's minimum")),
  connection: sentenceField(64)
    .optional()
    .meta(seen("The connection. Default: the one that carries the account's payments now")),
  key_id: keyIdField
    .optional()
    .meta(seen("The API key of the request. Default: the account's newest key with both scopes")),
});
type Asked = z.output<typeof asked>;
export type LiveSend = { [Name in keyof Asked]-?: NonNullable<Asked[Name]> };

/** Throws if a field is missing. */
export const readLiveSend = (payload: unknown): LiveSend => asked.required().parse(payload);

/** Tests a connection: our own account asks the operator's phone for the minimum and refunds it. */
export function createLiveSendAction({ liveRouteOf }: { liveRouteOf: LiveRouteOf }) {
  /** Throws `conflict` if the payment or its refund could not be sent. */
  async function wayOf(db: Queryable, { account_id, number }: Asked) {
    await requireAccount(db, account_id);
    const network = networkOfNumber(number);
    const [push, payout] = (['collection', 'payout'] as const).map(
      (direction) => network && liveRouteOf(network.id, direction, account_id),
    );
    if (!network || !push) throw conflict(`No connection carries payments of ${showMsisdn(number)}`);
    if (!payout)
      throw conflict(
        `No connection carries payouts over ${networkNameOf(network.id)}, so it could not be refunded`,
      );
    const { connection, limits } = push;
    return { amount: limits.minimum, connection, key_id: await keyOf(db, account_id) };
  }

  return declare({
    title: 'A live test of a connection, with real money',
    command: 'channels live-send <account_id> <number>',
    example: ['the first day at M-Pesa, ticket 21', { account_id: exampleAccount, number: '0754123456' }],
    role: 'finance',
    payload: asked,
    async describe({ account_id, number, amount, connection }, view) {
      const who = view.showsPeople ? showMsisdn(number) : maskNumber(number);
      const network = networkOfNumber(number);
      const size = amount === undefined ? 'the minimum' : shillings(amount);
      const words =
        `Ask ${who} for ${size} over ${network ? networkNameOf(network.id) : 'its network'} ` +
        '(connection ' +
        `${connection}) for ${await merchantNamed(view, account_id)}, and refund it when it is paid: ` +
        'a live test';
      return { summary: words };
    },
    seen: wayOf,
    async execute(db, payload, { actor, proposalId }) {
      const { amount, connection, account_id } = readLiveSend(payload);
      const detail = { amount, currency: CURRENCY, connection, proposal: proposalId };
      await audit(db, { actor, action: LIVE_SEND, subject: account_id, detail });
      return {
        outcome:
          `${shillings(amount)} is requested over ${connection}: ` +
          `confirm it on the phone, then read the result (channels check --live-result ${proposalId})`,
        liveSend: proposalId,
      };
    },
  });
}

async function keyOf(db: Queryable, accountId: string): Promise<string> {
  const { rows } = await db.query(
    `SELECT id FROM api_keys k WHERE account_id = $1 AND revoked_at IS NULL AND ${KEY_FROZEN_AT} IS NULL
       AND (expires_at IS NULL OR expires_at > now()) AND scopes @> '{payments:write,payouts:write}'
     ORDER BY created_at DESC, id LIMIT 1`,
    [accountId],
  );
  if (rows[0]) return rows[0].id;
  throw conflict('The account has no key with payments:write and payouts:write: activate one first');
}
