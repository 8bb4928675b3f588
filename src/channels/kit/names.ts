import { type LookupAddress, promises } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** An address is used for this long after the last good look-up of its name. */
const KEPT_MS = 10 * 60_000;

type Ask = (name: string) => Promise<LookupAddress[]>;

/**
 * Looks up the names of one connection, one at a time, because a silent name server may hold a thread for
 * each. Meanwhile the last good addresses are used. The system answers, so the hosts file counts. `now`:
 * milliseconds.
 */
export function createLookup(
  ask: Ask = (name) => promises.lookup(name, { all: true }),
  now: () => number = () => performance.now(),
): LookupFunction {
  const known = new Map<string, { addresses: LookupAddress[]; at: number }>();
  const asking = new Map<string, Promise<LookupAddress[]>>();
  let last: Promise<unknown> = Promise.resolve();

  function askAgain(name: string): Promise<LookupAddress[]> {
    const running = asking.get(name);
    if (running) return running;
    const asked = last
      .then(() => ask(name))
      .then((addresses) => {
        known.set(name, { addresses, at: now() });
        return addresses;
      })
      .finally(() => asking.delete(name));
    asking.set(name, asked);
    last = asked.catch(() => {});
    return asked;
  }

  return (name, { all, family }, callback) => {
    const answer = (addresses: LookupAddress[]) => {
      const fitting = addresses.filter(
        (one) => !family || one.family === Number(String(family).replace('IPv', '')),
      );
      const [first] = fitting;
      if (!first)
        return callback(Object.assign(new Error(`${name} has no such address`), { code: 'ENOTFOUND' }), '');
      return all ? callback(null, fitting) : callback(null, first.address, first.family);
    };
    const asked = askAgain(name);
    const kept = known.get(name);
    if (kept && now() - kept.at < KEPT_MS) {
      asked.catch(() => {});
      answer(kept.addresses);
    } else asked.then(answer, (error) => callback(error, ''));
  };
}
