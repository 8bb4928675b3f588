import { parseAccountNumber } from '../../domain/bank.ts';
import { parseControlNumber } from '../../domain/control-number.ts';
import { CURRENCY, readAmount } from '../../domain/money.ts';
import { parseMsisdn } from '../../domain/msisdn.ts';
import type { Network } from '../../domain/network.ts';
import type { BillAttempt } from './door.ts';

/** A network's longer text is cut; a longer receipt is refused. */
export const TEXT_CHARACTERS_MAX = 256;

/** The amount is in shillings: such messages name no currency. */
export function attemptOf(
  network: Network,
  said: {
    receipt: string;
    alsoKnownAs?: readonly string[] | undefined;
    number: string | null | undefined;
    amount: string | null | undefined;
    msisdn: string | null | undefined;
    fullName?: string | null | undefined;
  },
): BillAttempt {
  const number = said.number ?? '';
  return {
    network,
    receipt: said.receipt,
    alsoKnownAs: said.alsoKnownAs,
    controlNumber: parseControlNumber(number),
    controlNumberAsSent: number.slice(0, TEXT_CHARACTERS_MAX),
    ...readAmount(said.amount),
    currency: CURRENCY,
    ...payerOf(said.msisdn),
    fullName: said.fullName?.trim().slice(0, TEXT_CHARACTERS_MAX) || null,
  };
}

/** Networks identify a payer by phone, or by a bank or till account. */
export function payerOf(said: string | null | undefined): Pick<BillAttempt, 'msisdn' | 'payerAccount'> {
  const msisdn = parseMsisdn(said ?? '');
  return { msisdn, payerAccount: msisdn === null ? parseAccountNumber(said ?? '') : null };
}
