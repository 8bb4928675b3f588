import { formatMoney, type Minor, minor } from '../../domain/money.ts';
import type { StatementSource } from '../kit/statement-source.ts';
import type { AirtelClient } from './client.ts';
import type { AirtelOpenapiSettings } from './settings.ts';

/** The merchant's list has both wallets, with one balance for both. */
export function createAirtelStatements(
  client: AirtelClient,
  { balanceVersion, currency }: AirtelOpenapiSettings,
): StatementSource {
  return {
    format: 'airtel',
    async page({ from, to, limit, offset }, call) {
      const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);
      const page = { from: seconds(from), to: seconds(to), limit, offset };
      const entries = await client.listTransactions(page, call);
      if (entries === null) throw new Error('does not tell its transactions');
      // Some hosts count the page in `count`, others the list: unused.
      return { entries, available: null };
    },
    async balance(_theirs, call) {
      const wallets = balanceVersion === 'v1' ? (['COLL'] as const) : (['COLL', 'DISB'] as const);
      let sum: Minor = minor(0);
      for (const wallet of wallets) {
        const balance = await client.balance(wallet, call);
        if (balance.currency !== currency) throw new Error(`tells the balance in ${balance.currency}`);
        sum = minor(sum + balance.amount);
      }
      return formatMoney(sum);
    },
  };
}
