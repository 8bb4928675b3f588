import { statusOf, useMixx } from './mixx/scripted.ts';
import { type Answer, itHears, PAYOUT } from './scripted.ts';

const posted = { TXNSTATUS: 'Posted', AMOUNT: '15000.0' };
const declined = { TXNSTATUS: 'Declined' };
const limit = { ...declined, RESULTDESC: 'Recipient limit reached' };
const none = statusOf({ RESULTCODE: 'GetSOError001' });
const another = { EXTERNALREFID: 'PO9' };
const two = (...states: string[]): Answer => {
  const elements = states.map((state) => `<TXNID>X</TXNID><TXNSTATUS>${state}</TXNSTATUS>`).join('');
  return {
    body: `<COMMAND><TYPE>MTPGGetSODetails</TYPE><RESULTCODE>0</RESULTCODE><EXTERNALREFID>${PAYOUT}</EXTERNALREFID><AMOUNT>15000</AMOUNT>${elements}</COMMAND>`,
  };
};

describe('a status enquiry at Mixx', () => {
  itHears(useMixx(), [
    ['payout?', 'two orders, the second one paid', two('Declined', 'Posted'), 'unknown'],
    ['payout?', 'two orders, the first one paid', two('Posted', 'Declined'), 'unknown'],
    ['payout?', 'Posted', statusOf(posted), 'succeeded TZS 15000 X1'],
    ['payout?', 'no refund', statusOf({ ...posted, TXNSTATUS: 'Refund Declined' }), 'succeeded TZS 15000 X1'],
    ['payout?', 'Declined with a reason', statusOf(limit), 'failed recipient_limit_reached X1'],
    ['payout?', 'Declined', statusOf(declined), 'failed network_error X1'],
    ['payout?', 'Refund', statusOf({ TXNSTATUS: 'Refund', RESULTDESC: 'limit' }), 'failed reversed X1'],
    ['payout?', 'Pending', statusOf({ TXNSTATUS: 'Pending' }), 'accepted X1'],
    ['payout?', 'the code for not found', none, 'not_found'],
    ['payout?', 'that code, not in the settings yet,', none, 'unknown', { status: { notFoundCodes: [] } }],
    ['payout?', 'Posted without an amount', statusOf({ TXNSTATUS: 'Posted' }), 'unknown seen'],
    ['payout?', 'Posted with no amount', statusOf({ ...posted, AMOUNT: '15,00' }), 'unknown seen'],
    ['payout?', 'a state that nobody knows', statusOf({ TXNSTATUS: 'Failed' }), 'unknown seen'],
    ['payout?', 'no state', statusOf({}), 'unknown seen'],
    ['payout?', 'Posted of another one', statusOf({ ...posted, ...another }), 'unknown'],
    ['payout?', 'Declined of nobody', statusOf({ ...declined, EXTERNALREFID: '' }), 'unknown'],
    ['payout?', 'not found of another one', statusOf({ RESULTCODE: 'GetSOError001', ...another }), 'unknown'],
    ['payout?', 'Declined, another code', statusOf({ ...declined, RESULTCODE: 'GetSOError002' }), 'unknown'],
    ['payout?', 'no code', statusOf({ RESULTCODE: '' }), 'unknown'],
  ]);
});
