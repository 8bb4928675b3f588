import type { Stories } from './storyteller.ts';

/** What its channel says of a transaction, and what its flow makes of that. */
export const storiesOfReports: Stories = {
  'ussd: success': 'completed, receipt R1',
  'mobile: success': 'paid, receipt R1',
  'bank: success': 'paid, receipt R1',
  'mobile: failure': 'failed',
  'ussd: failure:customer_declined': 'failed customer_declined',
  // A flow that gives up: only what provably never left us, or never arrived, has failed.
  'mobile: new cancel !send': 'cancelled',
  'mobile: cancel': 'pending',
  'mobile: closed:1 cancel unsent': 'pending',
  'ussd: unsent': 'pending',
  'ussd: sent:not_sent unsent': 'failed network_unavailable',
  'ussd: sent:accepted never_arrived': 'pending',
  'ussd: never_arrived': 'failed network_unavailable',
  'mobile: ~pending never_arrived !not_found': 'pending',
  'mobile: not_found': 'pending',
  'mobile: taken !not_found': 'pending',
  'mobile: closed:1 ~success !send': 'pending',
  'mobile: closed:1 ~failure !send': 'pending',
  'mobile: closed:1 send closed:1 !send': 'pending',
  // The first failure ends it, and a success before any failure.
  'ussd: ~failure:payer_limit_reached ~failure:customer_declined ()': 'failed payer_limit_reached',
  'ussd: ~failure ~success ()': 'completed',
  'mobile: ~failure success ()': 'paid',
  'mobile: success failure': 'paid',
  'ussd: success ~failure': [
    'completed, asks conflicting_failure, door contradicting',
    'The channel reported a failure (network_error) after the transaction was completed',
  ],
  // It comes late.
  'ussd: failure ~success': 'failed, suspense 50000, asks late_success, door contradicting',
  'mobile: failure ~success': 'failed, suspense -50000, asks late_success',
  'mobile: failure success': 'failed, suspense -50000, asks late_success',
  'ussd: failure success:- success:R1': 'failed, suspense 50000, asks late_success',
  'ussd: failure success:R1 success:-': 'failed, suspense 50000, asks late_success',
  // A statement shows it in between, and does not name us: at last it is one.
  'ussd: failure success:- line:R1:50000 success:R1': 'failed, suspense 50000, asks late_success',
  'bank: line:R1:-50000 failure success:- success:R1': 'failed, suspense -50000, asks late_success',
  'ussd: failure success:- success:R1 success:R2': 'failed, suspense 50000 50000, asks late_success',
  'ussd: failure success:- success:R1:50000:USD':
    'failed, suspense 50000 50000 USD, asks late_success wrong_amount',
  'ussd: failure success:R1:49999 success:- success:R2:49998':
    'failed, suspense 49999 50000 49998, asks late_success wrong_amount',
  // It is told again: without a receipt, or with its first one, it is the same movement.
  'ussd: success success': 'completed',
  'ussd: success ~success': 'completed, door ignored',
  'ussd: failure ~failure': 'failed, door ignored',
  'ussd: new cancel ~failure': 'cancelled, door ignored',
  'ussd: success success:-': 'completed, receipt R1',
  'ussd: success:- success:R1': 'completed, receipt R1, moved channel itself 50000 ×1 R1',
  'ussd: success:- success:-': 'completed',
  'ussd: sent:accepted:A1 success:- success:- success:R1 success:-': 'completed, receipt R1',
  'ussd: sent:accepted:A1 success:- success:R1 success:A2':
    'completed, receipt R1, suspense 50000, asks late_success',
  // It moved twice.
  'ussd: success:R1 success:R2': [
    'completed, suspense 50000, asks late_success',
    'The channel moved 50,000.00 TZS (R2); the transaction is completed for 50,000.00 TZS',
  ],
  // Spelled otherwise, it is the same receipt: a bank's pain.002 comes again in other letters.
  'bank: success:R1 success:r1': 'paid, receipt R1',
  'bank: failure success:R1 success:r1': 'failed, suspense -50000, asks late_success',
  'ussd: ~success:R1 ~success:R2 ()': 'completed, receipt R1, suspense 50000, asks late_success',
  'ussd: ~success:R1 ~success:R2 success:R2': 'completed, receipt R1, suspense 50000, asks late_success',
  'mobile: ~success:S1 success:S2 success:S3:70000':
    'paid, suspense -50000 -70000, asks late_success wrong_amount',
  // Of more than a proof alone may move the channel is asked: what it was told stays, whatever is answered.
  'ussd: ?success failure': 'failed, suspense 50000, asks late_success, door ignored',
  'ussd: ?success:R1 success:R2': 'completed, receipt R2, suspense 50000, asks late_success, door ignored',
  'ussd: ?success success': 'completed, receipt R1, door ignored',
  // Another amount, or another currency, is another movement, and ends nothing.
  'ussd: success:R1 success:R1:49999': 'completed, suspense 49999, asks wrong_amount',
  'ussd: ~success:R9:51000 () success:R9:51000':
    'pending, suspense 51000, asks wrong_amount, door contradicting',
  'mobile: ~success:R1:49000 never_arrived !not_found': 'pending, suspense -49000, asks wrong_amount',
  'mobile: success:R1:49000 !not_found': 'pending, suspense -49000, asks wrong_amount',
  'ussd: ~success:R1:0': 'pending, suspense 0, asks wrong_amount',
  'ussd: success:R1:50000:USD': 'pending, suspense 50000 USD, asks wrong_amount',
  'ussd: ~success:R1:50000:USD': 'pending, suspense 50000 USD, asks wrong_amount',
  'ussd: ~success:R1:51000 ~failure ~success:R2 success:R2':
    'completed, receipt R2, suspense 51000, asks wrong_amount',
  // A receipt is one of its bank alone.
  'bank: failure success | @other failure success': 'failed, suspense -50000 -50000, asks late_success',
  'ussd: success:SAME | success:sa_me': 'pending, asks receipt_mismatch, moved channel itself 50000 ×1 SAME',
  'ussd: success:SAME | success:same success:OTHER': 'completed, receipt OTHER, asks receipt_mismatch',
  // Two people corrected the first of the two: it ends no other.
  'ussd: success:SAME corrected | success:SAME': 'pending, suspense -50000, asks receipt_mismatch',
  // One receipt is one movement, whichever transaction it is told of.
  'ussd: failure ~success | failure ~success': 'failed, suspense 50000, asks late_success',
  'ussd: failure ~success | failure ~success:R1:70000': 'failed, suspense 50000 70000, asks wrong_amount',
  'ussd: failure success:- success:R1 | failure success:R1': 'failed, suspense 50000, asks late_success',
  'ussd: failure success:- success:R1 | failure success:- success:R1':
    'failed, suspense 50000 50000, asks late_success',
};
