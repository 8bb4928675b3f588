import assert from 'node:assert/strict';
import { createDeskClient, type DeskClient } from '../../support/desk-client.ts';
import { lineOfStatement } from '../../support/desk-line.ts';
import { moneyInSuspense } from '../../support/desk-money.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';

/** A desk with money in suspense, and asha signed in. `written`: by others, in a line of a statement. The hooks fill in what this returns: read its members in hooks and tests only. */
export function useSignedIn(written: Parameters<typeof lineOfStatement>[1] = {}) {
  const { test, desk } = useOperatorDesk();
  const money = {} as Awaited<ReturnType<typeof moneyInSuspense>>;
  const asha = {} as DeskClient;
  let line: string;
  before(async () => {
    Object.assign(money, await moneyInSuspense(test.database));
    line = await lineOfStatement(test.database, written);
    Object.assign(asha, await signedIn('asha'));
  });

  async function signedIn(name: string): Promise<DeskClient> {
    const client = createDeskClient(desk.url);
    const { status, location } = await client.signIn(desk.tokens[name] ?? '');
    assert.deepEqual([status, location], [303, '/desk']);
    return client;
  }
  const proposals = async () =>
    (await test.database.query('SELECT count(*)::int AS n FROM proposals')).rows[0].n;
  const balance = async () =>
    (await desk.call('asha', 'GET', `accounts/${money.accountId}`)).body.balance.available;
  const addressOf = (path: string, ids: Record<string, string> = {}) => {
    const [first = ''] = path.split('/');
    const known: Record<string, string> = {
      transactions: money.transactionId,
      suspense: money.item,
      merchants: money.accountId,
      operators: 'juma',
      lines: line,
      days: 'yesterday',
      runbooks: 'suspense',
      ...ids,
    };
    return `/desk${path === '' ? '' : `/${path.replace('{id}', known[first] ?? 'none')}`}`;
  };
  async function proposeTopUp(as: string, reference: string): Promise<string> {
    const payload = { account_id: money.accountId, amount: 100_00, currency: 'TZS', reference };
    return (await desk.propose(as, 'accounts.top-up', payload)).body.proposal.id;
  }

  return {
    test,
    desk,
    money,
    asha,
    lineId: () => line,
    signedIn,
    proposals,
    balance,
    addressOf,
    proposeTopUp,
  };
}
