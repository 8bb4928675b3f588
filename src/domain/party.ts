import { kinds, type Mode, type ModeWith } from './kinds.ts';
import type { PayoutRequest } from './operation.ts';

export type WalletParty = { kind: 'wallet'; msisdn: string };
export type BankParty = { kind: 'bank'; bic: string; accountNumber: string; fullName: string };
/** The customer of a bill's latest payment; null before it, and where the channel does not say. */
export type PayerParty = { kind: 'payer'; msisdn: string | null };
export type Party = WalletParty | BankParty | PayerParty;

type OfWallet = { mode: ModeWith<{ party: 'wallet' }>; msisdn: string };
type OfBank = { mode: ModeWith<{ party: 'bank' }>; bic: string; accountNumber: string; fullName: string };
/** The merchant's own account, of either kind. */
type OfOwn = { mode: ModeWith<{ party: 'own' }> } & (
  | { msisdn: string }
  | { bic: string; accountNumber: string; fullName: string }
);
type OfPayer = { mode: ModeWith<{ party: 'payer' }>; msisdn: string | null };

/**
 * Whom a transaction, or a request for one, is with, as its row of the table of kinds says. Branches read this and not the
 * mode, so that another mode with a wallet is no business of theirs.
 */
export function partyOf(of: OfWallet): WalletParty;
export function partyOf(of: OfWallet | OfBank | OfOwn): WalletParty | BankParty;
export function partyOf(of: OfWallet | OfBank | OfOwn | OfPayer): Party;
export function partyOf(of: OfWallet | OfBank | OfOwn | OfPayer): Party {
  if ('bic' in of) {
    const { bic, accountNumber, fullName } = of;
    return { kind: 'bank', bic, accountNumber, fullName };
  }
  const { msisdn } = of;
  return kinds[of.mode].party !== 'payer' && msisdn !== null
    ? { kind: 'wallet', msisdn }
    : { kind: 'payer', msisdn };
}

/** The field of a request that names whom it pays. */
export function fieldOfParty(mode: Mode): 'account_number' | 'phone_number' {
  return kinds[mode].party === 'bank' ? 'account_number' : 'phone_number';
}

/** Whom a payout pays and how much, as its item says it. */
export function itemOf(request: PayoutRequest) {
  const { mode, channel, amount } = request;
  if (request.mode === 'mobile')
    return { mode, channel, amount, msisdn: request.msisdn, bic: null, accountNumber: null, fullName: null };
  const { bic, accountNumber, fullName } = request;
  return { mode, channel, amount, msisdn: null, bic, accountNumber, fullName };
}
