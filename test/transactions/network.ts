import { minor } from '../../src/domain/money.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import type { LineKind } from '../../src/reconciliation/statement.ts';
import type { Database } from '../support/queryable.ts';
import {
  bankAccount,
  importOf,
  type Move,
  statementOf,
  walletAccount,
} from '../support/statements-of-accounts.ts';

/** A movement as its statement shows it; minor units, + into our account. */
export type Shown = {
  amount: number;
  receipt: string | null;
  reference: string | null;
  kind: LineKind;
  names?: string[];
};
export type Where = 'm-pesa' | 'bank';

/** The books of a network and a bank: what really moved at our accounts, and its statements, which go on from each other. */
export class Network {
  readonly moved = { 'm-pesa': 0, bank: 0 };
  private readonly lines: Record<Where, Move[]> = { 'm-pesa': [], bank: [] };
  private readonly statements: Record<Where, { id: string; from: number; to: number }[]> = {
    'm-pesa': [],
    bank: [],
  };
  private last = Promise.resolve();
  private readonly began = Date.now() - 1;
  private latest = 0;

  /** It moves, and a statement shows it some time. */
  move(where: Where, { amount, ...shown }: Shown): void {
    this.latest = Math.max(this.latest + 1, Date.now());
    this.moved[where] += amount;
    this.lines[where].push({ ...shown, amount: amount / 100, at: new Date(this.latest) });
  }

  /** One after the other, as people import. */
  private alone(what: () => Promise<void>): Promise<void> {
    const done = this.last.then(what);
    this.last = done.catch(() => {});
    return done;
  }

  /** The next statement, of all lines since the last one, or of some that are known, too. */
  show(database: Database, where: Where, how: { overlap: number; graceMs: number }): Promise<void> {
    return this.alone(async () => {
      const shown = this.statements[where].at(-1)?.to ?? 0;
      const [from, to] = [Math.max(0, shown - how.overlap), this.lines[where].length];
      if (to === shown) return;
      const opening = this.lines[where].slice(0, from).reduce((sum, { amount }) => sum + amount, 0);
      const account = accountOf(where, how.graceMs);
      const statement = statementOf(account, opening, this.lines[where].slice(from, to));
      const after = (line: Move | undefined) => new Date((line?.at?.getTime() ?? this.began) + 1);
      const period = { from: after(this.lines[where][from - 1]), to: after(this.lines[where][to - 1]) };
      const { id } = await importOf(database, account, { ...statement, period });
      this.statements[where].push({ id, from: shown, to });
    });
  }

  /** Two people make one of the last statements void, with those after it. `agree` says whether it is done. */
  makeVoid(
    where: Where,
    back: number,
    agree: (asked: { statement: string; later: string[] }) => Promise<boolean>,
  ): Promise<void> {
    return this.alone(async () => {
      const all = this.statements[where];
      const [first, ...later] = all.slice(-back);
      if (first === undefined) return;
      if (await agree({ statement: first.id, later: later.map(({ id }) => id).reverse() })) all.splice(-back);
    });
  }

  /** Everything is shown, and nothing waits any more. The last line is later than all that was booked: a statement covers it. */
  async showAll(database: Database, worker: Database): Promise<void> {
    for (const where of ['m-pesa', 'bank'] as const) {
      const receipt = `last of ${this.lines[where].length}`;
      this.move(where, { amount: 100, receipt, reference: null, kind: 'unknown' });
      await this.show(database, where, { overlap: 0, graceMs: 1 });
      await matchAgain(worker, accountOf(where, 1));
    }
  }
}

export const accountOf = (where: Where, graceMs: number): AccountInUse =>
  (where === 'bank' ? bankAccount : walletAccount)({ graceMs, chargeCeiling: minor(0) });
