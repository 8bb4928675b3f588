import type { Stories } from './storyteller.ts';

/** A movement that is told twice: by its channel, by lines of statements, and by people. */
export const storiesOfStatements: Stories = {
  // Its return.
  'bank: success line:R1:-50000:ours line:V1:50000:return ~back': 'paid, came back, asks returned',
  'bank: success line:R1:-50000:ours line:V1:50000:return ~back:-': 'paid, came back, asks returned',
  'bank: success line:R1:-50000:ours ~back line:V1:50000:return': 'paid, came back, asks returned',
  'bank: success line:R1:-50000:ours line:V1:50000:return released:V1 ~back':
    'paid, came back, asks returned',
  'mobile: success line:R1:-50000:ours line:V1:50000:return ~back': 'paid, came back, asks returned',
  'mobile: success line:R1:-50000:ours line:V1:50000:return ~back:-': 'paid, came back, asks returned',
  'mobile: success line:R1:-50000:ours ~back line:V1:50000:return': 'paid, came back, asks returned',
  'mobile: success line:R1:-50000:ours line:V1:50000:return released:V1 ~back':
    'paid, came back, asks returned',
  // The reversal of a push. ClickPesa has no number of one: it gives that of the payment.
  'ussd: success line:R1:50000 line:V1:-50000:reversal ~back:V1': 'completed, suspense -50000, asks returned',
  'ussd: success line:R1:50000 ~back:V1 line:V1:-50000:reversal': 'completed, suspense -50000, asks returned',
  'ussd: success line:R1:50000 line:V1:-50000:reversal ~back:R1': 'completed, suspense -50000, asks returned',
  'ussd: success line:R1:50000 ~back:R1 line:V1:-50000:reversal': 'completed, suspense -50000, asks returned',
  // A report without a receipt, or a decision, and the line of it.
  'ussd: success:- line:R1:50000 success:R1': 'completed',
  'ussd: success:- line:R1:50000 success:_r1': 'completed',
  'ussd: decided:paid () line:R1:50000 success': 'completed',
  'ussd: line:R1:50000:ours success': 'completed, moved line itself 50000 ×1 R1',
  'ussd: line:-:50000:ours success': 'completed',
  'ussd: decided:paid () line:R1:57000:ours success:R1:57000': 'completed, suspense 7000, asks wrong_amount',
  'mobile: success:- line:R1:-50000 success:R1': 'paid',
  'mobile: success:- line:R1:-50000 success:_r1': 'paid',
  'mobile: decided:paid () line:R1:-50000 success': 'paid',
  'mobile: line:R1:-50000:ours success': 'paid, moved line itself -50000 ×1 R1',
  'mobile: line:-:-50000:ours success': 'paid',
  'mobile: decided:paid () line:R1:-57000:ours success:R1:57000': 'paid, suspense -7000, asks wrong_amount',
  'ussd: success:r1 line:R_1:50000:ours': 'completed',
  // A line of nobody's is in suspense until its success takes it, which a late one does not, nor one of another amount.
  'ussd: line:R1:50000 success': 'completed',
  'mobile: line:R1:-50000 success': 'paid',
  'ussd: line:R1:50000:ours success:-': 'completed',
  'ussd: failure line:R1:50000 success': 'failed, suspense 50000, asks late_success',
  'ussd: failure success line:R1:50000': 'failed, suspense 50000, asks late_success',
  'ussd: line:R1:49000 success': 'pending, suspense 49000, asks late_success',
  // The item of its line was released: he has the money already.
  'ussd: line:R1:50000:ours released:R1 success:-': 'pending, asks late_success unknown_outcome',
  'ussd: line:R1:50000:ours released:R1 success:R1': 'pending, asks late_success unknown_outcome',
  'ussd: line:-:50000:ours released:- success:R1 success:R1 success:-':
    'pending, asks late_success unknown_outcome',
  'ussd: line:-:50000:ours released:- success:R1 decided:failed () success:R1': 'failed, asks late_success',
  'bank: line:N1:-50000:ours released:N1 success:N2 success:N2': 'pending, asks late_success unknown_outcome',
  // A bank numbers a payout anew in its statement, but two answers are two movements.
  'bank: line:N1:-50000:ours success:N2 success:N3': 'paid, suspense -50000, asks late_success',
  'bank: failure line:N1:-50000:ours success:N2 success:N3':
    'failed, suspense -50000 -50000, asks late_success',
  // Of one that was told without a receipt, the line has its number and the next answer the channel's.
  'bank: failure success:- line:N1:-50000:ours success:N2': 'failed, suspense -50000, asks late_success',
  // Its channel took it back: one movement back makes up for one item.
  'ussd: failure success:R1 success:R2 released:R1:V1 !released:R2:V1':
    'failed, suspense 50000, asks late_success, moved channel itself 50000 ×1 R1 and channel itself 50000 ×1 R2 and people reversal -50000 gives back ×1 V1',
  'ussd: failure success:R1 line:R1:50000 line:V1:-50000:reversal released:R1:V1': 'failed',
  'bank: failure success:R1 released:R1:V1 ~back': 'failed, asks returned',
  'bank: success:R1 success:R2 ~back !released:R2:V1':
    'paid, came back, suspense -50000, asks late_success returned',
  'bank: failure success:R1 ~back line:R1:-50000 line:V1:50000:return':
    'failed, suspense -50000 50000, asks late_success returned',
  // A wrong amount, and then the right one under the same receipt: two movements, and none ends it.
  'ussd: success:R1:40000 success:R1': 'pending, suspense 40000 50000, asks late_success wrong_amount',
  // People decided, and its channel contradicts them and itself.
  'ussd: decided:paid () line:R1:50000:ours failure success': 'completed, asks conflicting_failure',
  'ussd: decided:paid () line:R1:57000:ours failure success:R1:57000':
    'completed, suspense 7000, asks conflicting_failure wrong_amount',
  'mobile: decided:paid () failure line:R1:-50000 success':
    'paid, suspense 50000 -50000, asks conflicting_failure receipt_mismatch',
  'mobile: decided:paid () line:R1:-50000:ours line:R2:-50000:ours success:R2':
    'paid, suspense -50000, asks receipt_mismatch',
  // The difference goes with its line: what its channel says afterwards is booked whole, and once.
  'ussd: decided:paid () line:R1:57000:ours success:R1:57000 void failure success:R1:57000':
    'completed, suspense -50000 57000, asks conflicting_failure wrong_amount',
  'ussd: decided:paid () line:R1:57000:ours success:R1:57000 void failure line:R1:57000:ours success:R1:57000':
    'completed, suspense -50000 57000, asks conflicting_failure wrong_amount',
  'ussd: decided:paid () line:R1:57000:ours success:R1:57000 void failure line:R1:57000:ours success:R1:57000 void success:R1:57000':
    'completed, suspense -50000 57000, asks conflicting_failure wrong_amount',
  'bank: decided:paid () line:N1:-57000:ours success:R1:57000 void success:R1:57000 line:N2:-57000:ours':
    'paid, suspense -57000, asks wrong_amount',
  // The line shows one report with its amount; another receipt is another movement.
  'ussd: decided:paid () line:R1:57000:ours success:R1:57000 success:R1:57000 success:R2:57000':
    'completed, suspense 7000 57000, asks wrong_amount',
  'mobile: decided:paid () line:-:-57000:ours success:R1:57000 success:R1:57000 success:R2:57000':
    'paid, suspense -7000 -57000, asks wrong_amount',
  'bank: decided:paid () line:N1:-57000:ours success:R1:57000 success:R1:57000 success:R2:57000':
    'paid, suspense -7000 -57000, asks wrong_amount',
  'ussd: success:R1:40000 line:R1:50000:ours success:R1:50000':
    'pending, suspense 40000 10000, asks late_success wrong_amount',
  'ussd: failure success:R1:40000 line:R1:50000:ours success:R1:50000 success:R2:50000 success:R2:40000':
    'failed, suspense 40000 10000 50000 40000, asks late_success wrong_amount',
  // What was taken back, and what moved: neither is the difference of the other.
  'mobile: decided:paid () failure line:R1:-50007:ours':
    'paid, suspense 50000 -50007, asks conflicting_failure',
};
