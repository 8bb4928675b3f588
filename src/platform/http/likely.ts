import { mistakesBetween } from '../../base/mistakes.ts';

const otherNames: Record<string, readonly string[]> = {
  phone_number: ['phone', 'msisdn', 'mobile', 'number', 'tel', 'customerphone', 'recipient'],
  account_number: ['account', 'bankaccount', 'accountno', 'iban'],
  full_name: ['name', 'fullname', 'accountname'],
  bic: ['bank', 'swift', 'bankcode', 'swiftcode'],
  amount: ['value', 'sum', 'total', 'price'],
  payment_number: ['reference', 'invoice', 'billnumber', 'invoicenumber', 'orderid'],
  payment_mode: ['mode'],
  description: ['memo', 'note', 'narration', 'reason'],
  beneficiary: ['recipient', 'payee'],
  callback_url: ['url', 'webhook', 'webhookurl', 'callback'],
  status: ['state'],
  state: ['status'],
  channel: ['network', 'operator', 'bank'],
  from: ['since', 'start', 'startdate', 'fromdate', 'datefrom', 'after'],
  to: ['until', 'end', 'enddate', 'todate', 'dateto', 'before'],
  per_page: ['limit', 'size', 'pagesize', 'count'],
};

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

export function likelyName(given: string, names: readonly string[]): string | undefined {
  const wanted = plain(given);
  const known = names.find((name) => otherNames[name]?.includes(wanted));
  return (
    known ??
    nearest(wanted, names, { spelling: plain, mistakesMax: Math.min(2, Math.floor(wanted.length / 4)) })
  );
}

/** Returns the first name with the fewest mistakes; undefined if all have more than `mistakesMax`. */
export function nearest(
  given: string,
  names: readonly string[],
  { spelling, mistakesMax }: { spelling(name: string): string; mistakesMax: number },
): string | undefined {
  const [best] = names
    .map((name) => ({ name, mistakes: mistakesBetween(given, spelling(name)) }))
    .sort((a, b) => a.mistakes - b.mistakes);
  return best !== undefined && best.mistakes <= mistakesMax ? best.name : undefined;
}
