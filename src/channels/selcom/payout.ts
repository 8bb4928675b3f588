import type {
  CallOptions,
  Enquiry,
  EnquiryResult,
  NameResult,
  Party,
  PayoutOrder,
  SendResult,
} from '../../domain/channel.ts';
import { toUnits } from '../../domain/money.ts';
import { aboutAnother } from '../kit/about.ts';
import { seen, turnedAway, unknown } from '../kit/unclear.ts';
import { bankCodeOf } from './banks.ts';
import { newQuestionId, type SelcomAnswer, type SelcomClient } from './client.ts';
import type { SelcomSettings } from './settings.ts';
import {
  describe,
  failureFor,
  namesIn,
  referenceOf,
  refusalOf,
  refusesThatItself,
  unclearEnquiry,
  unclearSend,
  verdictOf,
} from './translate.ts';
import { firstOf, nameSchema, receiptSchema, SELCOM_PATHS, type SelcomFields } from './wire.ts';

type Product = {
  kind: 'wallet' | 'bank';
  process: string;
  query: string;
  /** Returns null if the order is not for this product, or the account lacks a setting. */
  fieldsOf(order: PayoutOrder, float: { vendor: string; pin: string }): SelcomFields | null;
  /** Returns null if this name cannot be looked up. */
  nameQuestionOf(party: Party): { path: string; fields: SelcomFields } | null;
};

const REMARKS_MAX = 100;

function utilityCodeOf(settings: SelcomSettings, network: string): string {
  return settings.utilityCodes[network] ?? 'CASHIN';
}

function walletProduct(settings: SelcomSettings, network: string): Product {
  const utilitycode = utilityCodeOf(settings, network);
  return {
    kind: 'wallet',
    process: SELCOM_PATHS.walletPayout,
    query: SELCOM_PATHS.walletPayoutStatus,
    fieldsOf: ({ party, reference, amount }, { vendor, pin }) =>
      party.kind !== 'wallet'
        ? null
        : { transid: reference, utilitycode, utilityref: party.msisdn, amount: toUnits(amount), vendor, pin },
    nameQuestionOf: (party) =>
      party.kind !== 'wallet' || settings.namelessCodes.includes(utilitycode)
        ? null
        : {
            path: SELCOM_PATHS.walletName,
            fields: { utilitycode, utilityref: party.msisdn, transid: newQuestionId() },
          },
  };
}

function bankProduct(settings: SelcomSettings): Product {
  const { sender } = settings;
  const codeOf = (party: Party) => (party.kind === 'bank' ? bankCodeOf(party.bic, settings.bankCodes) : null);
  return {
    kind: 'bank',
    process: SELCOM_PATHS.bankPayout,
    query: SELCOM_PATHS.bankPayoutStatus,
    fieldsOf({ party, reference, amount, description }, { vendor, pin }) {
      const recipientFiCode = codeOf(party);
      if (party.kind !== 'bank' || recipientFiCode === null || !sender) return null;
      return {
        transid: reference,
        recipientFiCode,
        recipientAccount: party.accountNumber,
        recipientName: party.fullName,
        senderAccount: sender.account ?? vendor,
        senderName: sender.name,
        amount: toUnits(amount),
        vendor,
        pin,
        msisdn: sender.msisdn,
        purpose: sender.purpose,
        remarks: description.slice(0, REMARKS_MAX),
      };
    },
    nameQuestionOf(party) {
      const bank = codeOf(party);
      if (party.kind !== 'bank' || bank === null) return null;
      const fields = { bank, account: party.accountNumber, transid: newQuestionId() };
      return { path: SELCOM_PATHS.bankName, fields };
    },
  };
}

/** An enquiry uses the payout's product. `network`: network of the paid wallets, or `bank`. */
export function createPayouts(deps: { client: SelcomClient; settings: SelcomSettings; network: string }) {
  const { client, settings, network } = deps;
  const product = network === 'bank' ? bankProduct(settings) : walletProduct(settings, network);

  async function send(order: PayoutOrder, call: CallOptions): Promise<SendResult> {
    const { floatPin: pin, floatVendor: vendor = settings.vendor } = settings;
    if (product.kind === 'bank' && order.party.kind === 'bank') {
      const reachable = bankCodeOf(order.party.bic, settings.bankCodes) !== null;
      if (!reachable) return { kind: 'failed', code: 'bank_not_reachable', channelReference: null };
    }
    const fields = pin === undefined ? null : product.fieldsOf(order, { vendor, pin });
    if (fields === null) return { kind: 'not_sent', detail: 'this account pays no such party' };
    const answer = await client.post(product.process, fields, call);
    return sendResultOf(answer, order);
  }

  function sendResultOf(answer: SelcomAnswer, order: PayoutOrder): SendResult {
    if (answer.kind !== 'envelope') return unclearSend(answer);
    const another = aboutAnother(order.reference, answer.envelope.transid);
    if (another) return another;
    const verdict = verdictOf(answer, 'payout', settings);
    const channelReference = referenceOf(answer.envelope);
    switch (verdict.kind) {
      case 'done':
        return { kind: 'succeeded', ...moneyOf(order), channelReference, fullName: null };
      case 'pending':
        return { kind: 'accepted', channelReference };
      case 'duplicate':
        return seen(describe(answer));
      case 'setup':
        return turnedAway(`refused: ${describe(answer)}`);
      case 'refused':
        // The code of a repeated transid is not documented, so a refusal after a second send may mean that.
        if (order.sendNumber > 1) return unknown(`a later send was refused: ${describe(answer)}`);
        return refusalOf(answer, { direction: 'payout', code: failureFor(product.kind, verdict.code) });
      default:
        return unknown(describe(answer));
    }
  }

  async function enquire(enquiry: Enquiry, call: CallOptions): Promise<EnquiryResult> {
    const answer = await client.get(product.query, { transid: enquiry.reference }, call);
    if (answer.kind !== 'envelope') return unclearEnquiry(answer);
    const { envelope } = answer;
    const another = aboutAnother(enquiry.reference, envelope.transid);
    if (another) return another;
    const { receipt } = firstOf(receiptSchema, envelope.data) ?? {};
    const names = namesIn({ ...envelope, receipt }, enquiry.reference);
    const { channelReference } = names;
    const verdict = verdictOf(answer, 'payout', settings);
    if (verdict.kind === 'not_found') return { kind: 'not_found' };
    if (verdict.kind === 'pending') return { kind: 'accepted', channelReference };
    if (verdict.kind === 'refused' && refusesThatItself(answer, enquiry.reference))
      return { kind: 'failed', code: failureFor(product.kind, verdict.code), channelReference };
    if (verdict.kind !== 'done') return unclearEnquiry(answer, verdict);
    // Selcom confirms the transid, without an amount.
    const { amount, currency } = enquiry;
    if (amount === undefined || currency === undefined) return seen('paid, but not known how much');
    return { kind: 'succeeded', amount, currency, ...names, fullName: null };
  }

  async function lookupName(party: Party, call: CallOptions): Promise<NameResult> {
    const question = product.nameQuestionOf(party);
    if (!question) return { kind: 'unknown' };
    const answer = await client.get(question.path, question.fields, call);
    if (answer.kind !== 'envelope') return { kind: 'unknown' };
    const verdict = verdictOf(answer, 'payout', settings);
    const nobody = verdict.kind === 'refused' && verdict.code === 'recipient_not_found';
    if (verdict.kind === 'not_found' || nobody) return { kind: 'not_found' };
    const fullName = firstOf(nameSchema, answer.envelope.data)?.name.trim();
    return verdict.kind === 'done' && fullName ? { kind: 'found', fullName } : { kind: 'unknown' };
  }

  return { send, enquire, lookupName };
}

function moneyOf({ amount, currency }: PayoutOrder) {
  return { amount, currency };
}
