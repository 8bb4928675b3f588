import type { MadeNumbers, NumbersRequest } from '../domain/number.ts';
import type { Signed } from '../domain/operation.ts';
import { money } from './proxies.ts';

/** Makes at most a hundred standing numbers per request. The merchant and `recover` read the result. */
export async function makeNumbers(wanted: Signed<NumbersRequest>): Promise<Signed<MadeNumbers>> {
  return money.makeNumbers(wanted);
}
