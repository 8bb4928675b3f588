import { kinds, type Mode, type ModeWith, type NamedPayoutMode } from './kinds.ts';
import type { PayoutRequest, SettlementRequest } from './operation.ts';
import { besideOf, nobody, type PayoutColumns, type PayoutItem } from './payout.ts';

export type WalletParty = { kind: 'wallet'; msisdn: string };
export type BankParty = { kind: 'bank'; bic: string; accountNumber: string; fullName: string };
/** `msisdn`: the latest payer's; null before a payment, or if the channel does not say. */
export type PayerParty = { kind: 'payer'; msisdn: string | null };
export type Party = WalletParty | BankParty | PayerParty;

type OfWallet = { mode: ModeWith<{ party: 'wallet' }>; msisdn: string };
type OfBank = { mode: ModeWith<{ party: 'bank' }>; bic: string; accountNumber: string; fullName: string };
type OfOwn = { mode: ModeWith<{ party: 'own' }> } & (
  | { msisdn: string }
  | { bic: string; accountNumber: string; fullName: string }
);
type OfPayer = { mode: ModeWith<{ party: 'payer' }>; msisdn: string | null };

/** Code branches on this, not on the mode, so a new wallet mode changes no branch. */
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

export function fieldOfParty(mode: Mode): 'account_number' | 'phone_number' {
  return kinds[mode].party === 'bank' ? 'account_number' : 'phone_number';
}

export function columnsOfParty(request: PayoutRequest | SettlementRequest): PayoutColumns {
  const { kind: _, ...party } = partyOf(request);
  return { ...nobody, ...party };
}

export function itemOf(request: PayoutRequest): PayoutItem {
  const { mode, channel, amount } = request;
  return { mode, channel, amount, ...columnsOfParty(request), ...besideOf(request) };
}

export function requestOf(item: PayoutItem, routed: { currency: string; connection: string }): PayoutRequest {
  const { mode, channel, amount, msisdn, bic, accountNumber, fullName } = item;
  const common = { amount, ...routed, previewId: null, ...besideOf(item) };
  // Only the channel knows the name of a wallet's owner.
  if (!isToBank(mode)) return { ...common, mode, channel, msisdn: msisdn ?? '', fullName: null };
  const account = { bic: bic ?? '', accountNumber: accountNumber ?? '', fullName: fullName ?? '' };
  return { ...common, mode, channel: 'bank', ...account };
}

function isToBank(mode: NamedPayoutMode): mode is ModeWith<{ party: 'bank' }> {
  return kinds[mode].party === 'bank';
}
