import type { ListPage, StatementSource } from '../../src/channels/kit/statement-source.ts';

const MINUTE = 60_000;
const ours = [{ key: 'accountid', value: '100100' }];
const customer = [{ key: 'msisdn', value: '255754000111' }];

/** A network's list in memory. `minutes`: how long ago; `page`: what it gives at once, whatever was asked for. */
type Entry = { receipt: string; amount: number; minutes: number; status?: string };
export class Network implements StatementSource {
  readonly format = 'gsma';
  entries: Entry[] = [];
  asked: ListPage[] = [];
  pageMax = 2;
  counts = true;
  /** how many entries of a list it does not count */
  uncounted = 0;
  telling = true;
  /** runs before each answer */
  before: (asked: 'page' | 'balance') => void = () => {};
  readonly #began = Date.now();

  async page(of: ListPage) {
    this.before('page');
    this.asked.push(of);
    const within = this.entries.filter(
      ({ minutes }) => this.#at(minutes) >= of.from.getTime() && this.#at(minutes) <= of.to.getTime(),
    );
    const entries = within.slice(of.offset, of.offset + this.pageMax).map((one) => ({
      transactionReference: one.receipt,
      transactionStatus: one.status ?? 'completed',
      amount: Math.abs(one.amount).toFixed(2),
      currency: 'TZS',
      creditParty: one.amount > 0 ? ours : customer,
      debitParty: one.amount > 0 ? customer : ours,
      creationDate: new Date(this.#at(one.minutes)).toISOString(),
    }));
    return { entries, available: this.counts ? Math.max(0, within.length - this.uncounted) : null };
  }

  async balance() {
    this.before('balance');
    if (!this.telling) return null;
    const done = this.entries.filter(({ status = 'completed' }) => status === 'completed');
    return (50 + done.reduce((sum, { amount }) => sum + amount, 0)).toFixed(2);
  }

  #at = (minutes: number) => this.#began - minutes * MINUTE;
}
