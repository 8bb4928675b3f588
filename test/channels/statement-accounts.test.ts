import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fingerprintsOf } from '../../src/channels/kit/fingerprints.ts';
import { provenBy } from '../../src/channels/kit/statement-accounts.ts';
import { gsma, readPlan } from '../support/channels-file.ts';
import { pick } from '../support/pick.ts';

const wallet = { theirs: '600100', currency: 'TZS', proves: ['clearing:m-pesa'], format: 'gsma' };
const bank = { theirs: '01', currency: 'TZS', proves: ['settlement', 'clearing:bank'], format: 'camt' };
const fileWith = (statementAccounts: object) => ({
  connections: { a: gsma, b: gsma },
  networks: {},
  statementAccounts,
});
const refused = (accounts: object) => {
  try {
    readPlan(fileWith(accounts));
  } catch (error) {
    return (error as Error).message.split('\n').slice(1).join('\n');
  }
  return assert.fail('it is not refused');
};

const spaces = (account: string, names: string) =>
  `  statementAccounts.${account}: a receipt of ${names} is a number of each: name one of them in "receipts" of the others, or accounts of their own`;

describe('statement accounts of the channels file', () => {
  it('have amounts in minor units, times in milliseconds, and codes of the ledger', () => {
    const more = { chargeCeiling: 100_000, low: 5_000_000, graceHours: 72 };
    const { statementAccounts } = readPlan(
      fileWith({ w: { ...wallet, connections: ['a'] }, bank: { ...bank, ...more } }),
    );
    assert.deepEqual(statementAccounts.get('bank'), {
      id: 'bank',
      theirs: '01',
      currency: 'TZS',
      proves: ['settlement::TZS', 'clearing:bank:TZS'],
      connections: null,
      group: 'bank',
      format: 'camt',
      mapping: null,
      graceMs: 72 * 3_600_000,
      chargeCeiling: 10_000_000,
      isNet: false,
      low: 500_000_000,
    });
    const w = statementAccounts.get('w') ?? assert.fail();
    assert.deepEqual([w.graceMs, w.chargeCeiling, w.low], [86_400_000, 0, null], 'what is left out');
    assert.equal(provenBy(w), 'clearing:m-pesa over a');
  });

  it('are refused where two would prove one movement, with every sentence at once', () => {
    assert.equal(
      refused({
        one: { ...wallet, connections: ['a', 'b'] },
        two: { ...wallet, connections: ['b', 'c'] },
        bank,
        other: { ...bank, proves: ['settlement'] },
        all: { ...wallet },
      }),
      [
        spaces('one', 'a, b'),
        '  statementAccounts.two.connections: there is no connection c',
        spaces('two', 'b, c'),
        '  statementAccounts.two.proves: clearing:m-pesa over b belongs to one already',
        '  statementAccounts.other.proves: settlement belongs to bank',
        '  statementAccounts.all.proves: clearing:m-pesa over a belongs to one already',
        '  statementAccounts.all.proves: clearing:m-pesa over b belongs to one already',
        '  statementAccounts.all.proves: clearing:m-pesa over b belongs to two already',
        '  statementAccounts.all.proves: clearing:m-pesa over c belongs to two already',
      ].join('\n'),
    );
    assert.match(refused({ one: wallet, two: wallet }), /two\.proves: clearing:m-pesa over every connection/);
  });

  it('are refused where a receipt of their lines may be two numbers', () => {
    const bills = { ...gsma, receipts: 'a' };
    const networks = { 'm-pesa': { payments: 'a', bills: ['b'] } };
    const file = { ...fileWith({ wallet }), networks };
    assert.throws(() => readPlan(file), /a receipt of a, b is a number of each/);
    readPlan({ ...file, connections: { a: gsma, b: bills } });
  });

  it('may share a network by connections, and an account in a group that proves the same', () => {
    readPlan(fileWith({ one: { ...wallet, connections: ['a'] }, two: { ...wallet, connections: ['b'] } }));
    const grouped = { ...wallet, group: 'short-code', connections: ['a'] };
    readPlan(fileWith({ utility: grouped, mmf: { ...grouped, theirs: '600101' } }));
    assert.match(
      refused({ utility: grouped, mmf: { ...grouped, connections: ['b'] } }),
      /mmf\.group: proves and connections must be those of utility/,
    );
  });

  it('are refused with what is wrong of each', () => {
    assert.match(refused({ x: { ...wallet, proves: ['fees'] } }), /statementAccounts\.x\.proves\.0: /);
    assert.match(
      refused({ x: { ...wallet, format: 'csv' } }),
      /statementAccounts\.x\.mapping: csv needs one/,
    );
    assert.match(refused({ x: { ...wallet, mapping: 'guessed' } }), /statementAccounts\.x\.mapping: /);
    assert.match(refused({ x: { ...wallet, currency: 'USD' } }), /statementAccounts\.x\.currency: /);
    assert.match(refused({ x: { ...wallet, low: 0.5 } }), /statementAccounts\.x\.low: /);
  });

  it('are part of the fingerprint of the file, and of nothing else in it', () => {
    const key = Buffer.alloc(32, 1);
    const before = fingerprintsOf(readPlan(fileWith({ wallet })), key);
    const after = fingerprintsOf(readPlan(fileWith({ wallet: { ...wallet, chargeCeiling: 1 } })), key);
    assert.deepEqual(
      Object.keys(after).filter((name) => after[name] !== before[name]),
      ['statementAccounts'],
    );
  });

  it('of npm start are three, with a ceiling of 100,000 shillings', () => {
    for (const file of ['gsma', 'own']) {
      const { connections: _, ...rest } = JSON.parse(readFileSync(`deploy/channels/${file}.json`, 'utf8'));
      const { statementAccounts } = readPlan({ ...rest, connections: {}, networks: {} });
      assert.deepEqual(pick([...statementAccounts.values()], 'id', 'format', 'mapping', 'chargeCeiling'), [
        ['m-pesa', 'csv', 'mpesa-legacy', 10_000_000],
        ['airtel-money', 'csv', 'mpesa-newer', 10_000_000],
        ['bank', 'csv', 'crdb', 10_000_000],
      ]);
    }
  });
});
