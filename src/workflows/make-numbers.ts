import type { MadeNumbers, NumbersRequest } from '../domain/number.ts';
import type { Signed } from '../domain/operation.ts';
import { money } from './proxies.ts';

/** One request makes at most a hundred standing numbers. The result is for the merchant and for `recover`. */
export async function makeNumbers(wanted: Signed<NumbersRequest>): Promise<Signed<MadeNumbers>> {
  return money.makeNumbers(wanted);
}
