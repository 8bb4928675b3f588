// tests: slow
import assert from 'node:assert/strict';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';

const DAY = 24 * 60;
/** Noon of that day of Dar es Salaam, in minutes before now: far from any midnight. */
const noon = (ago: number) => {
  const now = Date.now();
  const today = Math.floor((now + 3 * 3_600_000) / 86_400_000) * 86_400_000 - 3 * 3_600_000;
  return Math.round((now - today) / 60_000) - DAY / 2 + ago * DAY;
};
const dayAt = (ago: number) =>
  new Date(Date.now() - noon(ago) * 60_000 + 3 * 3_600_000).toISOString().slice(0, 10);

describe('days that two people close', () => {
  const { test, desk } = useOperatorDesk({ each: true });
  const wallet = walletAccount();
  const propose = (verb: string, ago: number) =>
    desk.cli('asha', 'days', verb, 'm-pesa', dayAt(ago), '--reason', 'a test');
  const decide = async (verb: string, ago: number) => desk.approve('juma', await propose(verb, ago));

  /** Fees of four, two and one days ago: the third day has nothing. */
  beforeEach(async () => {
    const fees = [4, 2, 1].map((ago) => ({
      receipt: `F${ago}`,
      amount: -5,
      kind: 'fee' as const,
      minutes: noon(ago),
    }));
    await importMoves(test.database, wallet, fees);
  });

  it('are closed one after the other, but for those that have nothing', async () => {
    await assert.rejects(
      propose('close', 2),
      new RegExp(`${dayAt(4)} of m-pesa is balanced: close the earlier days`),
    );
    await decide('close', 4);
    await decide('close', 2);
    await decide('close', 1);
  });

  it('are opened again from the last one', async () => {
    for (const ago of [4, 2, 1]) await decide('close', ago);
    await assert.rejects(
      propose('reopen', 4),
      new RegExp(`${dayAt(2)} of m-pesa is closed: reopen the last closed day`),
    );
    for (const ago of [1, 2, 4]) await decide('reopen', ago);
  });

  it('are looked at again when the proposal is approved', async () => {
    await decide('close', 4);
    const [close, reopen] = [await propose('close', 2), await propose('reopen', 4)];
    await desk.approve('juma', close);
    await assert.rejects(desk.approve('juma', reopen), /is closed: reopen the last closed day/);
    const later = await propose('close', 1);
    await decide('reopen', 2);
    await assert.rejects(desk.approve('juma', later), /is balanced: close the earlier days first/);
  });
});
