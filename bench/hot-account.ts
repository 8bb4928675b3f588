import { tryToEnd } from '../src/transactions/ending/end.ts';
import { accept } from '../test/support/accept.ts';
import { createTestDatabase } from '../test/support/database.ts';
import { mobilePayoutBody, newKey } from '../test/support/gateway.ts';
import {
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  submissionFor,
} from '../test/support/merchant.ts';
import { succeeded } from '../test/support/scripted-channel.ts';
import { type Figure, median, perSecond, ratio, rounded, warmUp } from './load.ts';
import { openMerchants, type Stack } from './stack.ts';

const ACCOUNTS = 16;
const ROUNDS = 2;
const PAYOUTS_PER_ROUND = 60;
const LEDGER_ROUNDS = 5;
const LEDGER_PAYOUTS_PER_ROUND = 300;
const CONNECTIONS = 16;
const BALANCE_TZS = 500_000_000;

/**
 * Payouts lock their account's balance. Does it hurt when all are of one account? Through the API (where Temporal
 * sets the pace), and in Postgres alone: accepting with the hold, and settling, over 16 connections.
 */
export async function hotAccount(stack: Stack): Promise<Figure> {
  const api = await throughTheApi(stack);
  const ledger = await inPostgres();
  const row = (name: string, { hot, spread }: Rates) => [
    name,
    rounded(median(hot)),
    rounded(median(spread)),
    ratio(median(hot), median(spread)),
  ];
  return {
    title: `Payouts per second: one account, or ${ACCOUNTS}`,
    columns: ['', 'one', String(ACCOUNTS), 'one of many'],
    rows: [
      row('through the API, until the callback', api),
      row('in Postgres alone, accept and tryToEnd', ledger),
    ],
  };
}

type Rates = { hot: number[]; spread: number[] };

/** A round on one account, a round over all, and so on. */
async function inTurns(options: {
  rounds: number;
  perRound: number;
  payout: (account: number) => Promise<void>;
}): Promise<Rates> {
  const rates: Rates = { hot: [], spread: [] };
  let turn = 0;
  const spread = () => {
    turn += 1;
    return options.payout(turn % ACCOUNTS);
  };
  await warmUp(spread);
  for (let round = 0; round < options.rounds; round += 1) {
    rates.hot.push(await perSecond(options.perRound, () => options.payout(0)));
    rates.spread.push(await perSecond(options.perRound, spread));
  }
  return rates;
}

async function throughTheApi(stack: Stack): Promise<Rates> {
  const keys = await openMerchants(stack, { count: ACCOUNTS, balance: BALANCE_TZS });
  const payout = (account: number) =>
    stack.untilDelivered('payouts/mobile', {
      key: newKey(),
      body: mobilePayoutBody(),
      apiKey: keys[account] ?? '',
    });
  return inTurns({ rounds: ROUNDS, perRound: PAYOUTS_PER_ROUND, payout });
}

async function inPostgres(): Promise<Rates> {
  const { database, drop } = await createTestDatabase({ poolMax: CONNECTIONS });
  const merchants: Merchant[] = [];
  for (let at = 0; at < ACCOUNTS; at += 1)
    merchants.push(await createMerchant(database, { balance: BALANCE_TZS }));
  const payout = async (account: number) => {
    const merchant = merchants[account];
    if (!merchant) throw new RangeError(`there is no account ${account}`);
    const submission = submissionFor(merchant, mobilePayoutRequest(1_000));
    await accept(database, submission);
    await tryToEnd(database, submission.transactionId, { kind: 'answer', result: succeeded(1_000) });
  };
  const rates = await inTurns({ rounds: LEDGER_ROUNDS, perRound: LEDGER_PAYOUTS_PER_ROUND, payout });
  await drop();
  return rates;
}
