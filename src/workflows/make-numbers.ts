import type { MadeNumbers, NumbersRequest } from '../domain/number.ts';
import type { Signed } from '../domain/operation.ts';
import { money } from './proxies.ts';

/** Standing numbers of one request, at most a hundred. Its result is what they are, for the merchant and for `recover`. */
export async function makeNumbers(wanted: Signed<NumbersRequest>): Promise<Signed<MadeNumbers>> {
  return money.makeNumbers(wanted);
}
