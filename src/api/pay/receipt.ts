import { bankByBic } from '../../domain/bank.ts';
import { inLanguage, type Language } from '../../domain/language.ts';
import { type Message, say } from '../../domain/messages.ts';
import { ERASED_MSISDN, showMsisdn } from '../../domain/msisdn.ts';
import { networks } from '../../domain/network.ts';
import { type Html, html } from '../../platform/http/html.ts';
import type { Receipt, Since } from '../../transactions/odd-money/receipt-page.ts';
import { footOf, money, pageOf, type RunBy, whole } from './page.ts';
import { saidDay, saidTime } from './said-time.ts';

/** Anybody with the address can read a receipt of a payment or payout, so it masks the party. */
export function receiptPage(asked: {
  receipt: Receipt;
  language: Language;
  here: string;
  by: RunBy;
}): string {
  const { receipt, language, here, by } = asked;
  const text = (message: Message) => inLanguage(message, language);
  const { merchantName: merchant, amount, fee, at, reference, direction } = receipt;
  const title = text(say('receipt_title', { merchant }));
  const party = partyOf(receipt);
  const [from, to] = direction === 'collection' ? [party, merchant] : [merchant, party];
  const facts: [Message, string | null][] = [
    [say('page_amount'), money(amount)],
    [say('receipt_fee'), fee === null ? null : money(fee)],
    [say('prompt_time'), saidTime(at, language)],
    [say('receipt_from'), from],
    [say('receipt_to'), to],
    [say('prompt_reference'), reference],
    [say('receipt_of_network', { network: networkOf(receipt) }), receipt.receipt],
  ];
  const shown = facts.filter(([, value]) => value !== null);
  const body = html`<h1>${title}</h1>${stateOf(receipt, language)}
<dl>${shown.map(([name, value]) => html`<dt>${text(name)}</dt><dd>${value}</dd>`)}</dl>
${footOf(say('receipt_foot'), by, text)}`;
  return pageOf({ title, language, here, body });
}

/** Refunds, returns and corrections come first, because a paper copy lacks them. */
function stateOf(receipt: Receipt, language: Language): Html[] {
  const { since, amount, merchantName: merchant } = receipt;
  const text = (message: Message) => inLanguage(message, language);
  if (since.length === 0)
    return [html`<p class="d">${text(say('receipt_paid', { amount: money(amount) }))}.</p>`];
  return since.map((one) => html`<p class="x">${text(sinceOf(one))}.</p>`);

  function sinceOf({ what, amount: back, at }: Since): Message {
    const day = saidDay(at, language);
    if (back === null) return say('receipt_corrected', { day, merchant });
    const values = { part: whole(back), amount: money(amount), day };
    return what === 'returned' ? say('receipt_returned', values) : say('receipt_refunded', values);
  }
}

/** Erasure replaces a party with `ERASED` or `ERASED_MSISDN`. */
const ERASED = 'ERASED';

/** Returns `ASHA J., 07xx xxx 456`; null if nothing is known of the party any more. */
function partyOf({ fullName, msisdn, account }: Receipt): string | null {
  const phone = msisdn === null || msisdn === ERASED_MSISDN ? null : maskedPhone(showMsisdn(msisdn));
  const number = account === null || account.number === ERASED ? null : maskedAccount(account.number);
  const name = fullName === null || fullName === ERASED ? null : maskedName(fullName);
  return [name, phone, number].filter((part) => part !== null).join(', ') || null;
}

const maskedPhone = (shown: string) => `${shown.slice(0, 2)}xx xxx ${shown.slice(-3)}`;
/** A short number shows at most half of its digits. */
const maskedAccount = (number: string) => `xxxx ${number.slice(-Math.min(4, Math.floor(number.length / 2)))}`;

function maskedName(fullName: string): string {
  const [first = '', ...others] = fullName.trim().split(/\s+/);
  const [initial = ''] = others.at(-1) ?? '';
  return initial === '' ? first : `${first} ${initial}.`;
}

function networkOf({ account, channel }: Receipt): string {
  if (account !== null) return bankByBic(account.bic)?.name ?? account.bic;
  return networks.find(({ id }) => id === channel)?.customerName ?? channel;
}
