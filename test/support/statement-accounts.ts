import type { StatementAccount } from '../../src/channels/kit/statement-accounts.ts';
import { minor } from '../../src/domain/money.ts';

const common = {
  currency: 'TZS',
  format: 'csv' as const,
  mapping: 'crdb',
  graceMs: 24 * 3_600_000,
  chargeCeiling: minor(100_000_00),
  isNet: false,
  low: null,
};

/** Those of npm start, for tests; nothing of the bank's waits. */
export const statementAccounts: ReadonlyMap<string, StatementAccount> = new Map(
  [
    { id: 'm-pesa', group: 'm-pesa', theirs: '600100', proves: ['clearing:m-pesa:TZS'], connections: null },
    {
      id: 'bank',
      group: 'bank',
      theirs: '0100000000001',
      proves: ['settlement::TZS', 'clearing:bank:TZS'],
      connections: null,
      graceMs: 1,
    },
  ].map((one) => [one.id, { ...common, ...one }]),
);
