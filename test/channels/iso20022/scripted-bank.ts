import { createIso20022Channel } from '../../../src/channels/iso20022/index.ts';
import { writeStatusReport } from '../../../src/channels/iso20022/wire.ts';
import { isSignedRequest, signAnswer } from '../../../src/channels/kit/signature.ts';
import { minor } from '../../../src/domain/money.ts';
import type { Asked } from '../../support/scripted-server.ts';
import { type Answer, PAYOUT, useNetwork } from '../scripted.ts';

export const secret = 'a secret of the bank';
export const reference = PAYOUT;
export const money = { amount: minor(5_000_000), currency: 'TZS' };
export const party = { kind: 'bank', bic: 'NMIBTZTZ', accountNumber: '0150000000000', fullName: 'Zoë Juma' };
/** ms: the time of the bank, and of the channel unless a test says otherwise */
export const TIME = Date.parse('2025-01-01T22:30:00Z');

type Report = Parameters<typeof writeStatusReport>[0];
export type Changes = Partial<Report>;

/** A pain.002 about our order: accepted, unless the changes say otherwise. */
export function statusReport(changes: Changes): string {
  return writeStatusReport({
    createdAt: new Date('2025-01-01T10:00:00Z'),
    messageId: 'BK1',
    originalMessageId: `${reference}-1`,
    groupStatus: null,
    reference,
    status: 'ACTC',
    reasons: [],
    bankReference: 'BKREF1',
    money: null,
    ...changes,
  });
}

type Signing = { secret?: string; status?: number; path?: string; request?: string; at?: number };

/** `sign`: what the bank signs otherwise than it should; null leaves the signature out. */
export const signed =
  (status: number, body = '', sign: Signing | null = {}): Answer =>
  ({ method, path, headers }) => {
    if (!sign) return { status, body };
    const answer = { method, path, status, request: String(headers['x-signature']), body, ...sign };
    const signer = { secrets: [sign.secret ?? secret], now: new Date(sign.at ?? TIME) };
    return { status, body, headers: { 'x-signature': signAnswer(answer, signer) } };
  };
export const reports = (status: number, changes: Changes) => signed(status, statusReport(changes));

export const isSigned = ({ method, path, headers, body }: Asked): boolean =>
  isSignedRequest(
    String(headers['x-signature']),
    { method, path, body },
    { secrets: [secret], now: new Date(TIME) },
  );

/** A bank, which is paid at whatever it is told to pay. */
export const useBank = () =>
  useNetwork({
    paths: { payout: '/payments', 'payout?': `/payments/${PAYOUT}` },
    order: { party, description: 'Salary – January' },
    channelOf: (url, { now = () => TIME }: { now?: () => number }) =>
      createIso20022Channel({
        url,
        secrets: [secret],
        debtor: { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' },
        now: () => new Date(now()),
      }),
  });
