import type { Stories } from './storyteller.ts';

/** What two people decided, and what its channel says then. */
export const storiesOfDecisions: Stories = {
  'mobile: decided:failed': 'pending, not by people',
  'mobile: decided:failed ()': 'failed, answer open, by people',
  'mobile: decided:paid ()': 'paid, answer open, moved people itself -50000 ×1',
  'mobile: decided:paid cancel': 'paid',
  'mobile: decided:paid unsent': 'paid',
  // The channel was asked before they decided: its silence says nothing about that, however often it is told.
  'mobile: sent:unknown decided:paid never_arrived': 'paid, answer open, by people',
  'ussd: sent:unknown decided:paid () never_arrived': 'completed, answer open',
  'mobile: decided:failed never_arrived never_arrived': 'failed, answer open',
  // An answer of the channel wins, and what never left us needs no opinion.
  'mobile: decided:paid failure': 'failed, not by people',
  'mobile: sent:not_sent decided:paid unsent': 'failed network_unavailable',
  // It is confirmed; any other receipt is another movement.
  'mobile: decided:paid () success': 'paid, answer confirmed',
  'mobile: decided:failed () failure': 'failed, answer confirmed',
  'mobile: decided:failed () unanswered': 'failed, answer none',
  'mobile: decided:paid () success:R1 success:R2':
    'paid, suspense -50000, asks late_success, answer confirmed',
  'mobile: sent:accepted:A1 decided:paid () success:R1': 'paid, answer confirmed',
  'mobile: sent:accepted:A1 decided:paid () success:R1 success:R2':
    'paid, suspense -50000, asks late_success, answer confirmed',
  'mobile: decided:paid () success:W1:49999': 'paid, suspense -49999, asks wrong_amount, answer open',
  // It is contradicted: the books say what the channel says, and people have the difference.
  'mobile: decided:failed () success': 'failed, suspense -50000, asks late_success, answer contradicted',
  'mobile: sent:unknown decided:paid () failure': [
    'paid, suspense 50000, asks conflicting_failure, answer contradicted, moved people itself -50000 ×0',
    'reported a failure (network_error) after the transaction was paid by a decision',
  ],
  'mobile: sent:unknown decided:paid () never_arrived:after': [
    'paid, suspense 50000, asks conflicting_failure, answer contradicted',
    'reported a failure (network_unavailable) after the transaction was paid',
  ],
  'ussd: decided:paid () failure': 'completed, suspense -50000, asks conflicting_failure',
  // It moved after all.
  'mobile: decided:paid () failure success:R1 success:- success:R1': [
    'paid, receipt R1, suspense 50000 -50000, asks conflicting_failure late_success, moved people itself -50000 ×1 R1',
    'neither without the other',
  ],
  'mobile: decided:paid () failure success:R1 success:R2':
    'paid, receipt R1, suspense 50000 -50000 -50000, asks conflicting_failure late_success',
  'mobile: sent:accepted:R1 decided:paid () failure success:R1 success:- success:R1': [
    'paid, receipt R1, suspense 50000 -50000, asks conflicting_failure late_success, moved people itself -50000 ×1 R1 (points) R1',
    'neither without the other',
  ],
  'mobile: sent:accepted:R1 decided:paid () failure success:R1 success:R2':
    'paid, receipt R1, suspense 50000 -50000 -50000, asks conflicting_failure late_success',
  'mobile: sent:accepted:A1 decided:paid () failure success:R1 success:- success:R1': [
    'paid, receipt R1, suspense 50000 -50000, asks conflicting_failure late_success, moved people itself -50000 ×1 A1 (points) R1',
    'neither without the other',
  ],
  'mobile: sent:accepted:A1 decided:paid () failure success:R1 success:R2':
    'paid, receipt R1, suspense 50000 -50000 -50000, asks conflicting_failure late_success',
  'mobile: decided:paid () failure ~success:-': [
    'paid, suspense 50000 -50000, asks conflicting_failure late_success, door contradicting',
    'moved 50,000.00 TZS (no receipt) after it had reported a failure',
  ],
  // Two people corrected it before its channel said the same: a person is called where it says otherwise then.
  'mobile: decided:paid () line:OTHER:5 corrected failure':
    'paid, suspense 5 50000, asks conflicting_failure, moved people itself -50000 ×0 and line itself 5 ×1 OTHER',
  'mobile: decided:paid () line:OTHER:5 corrected failure ~back:B1':
    'paid, suspense 5 50000, asks conflicting_failure returned, moved people itself -50000 ×0 and line itself 5 ×1 OTHER',
  'mobile: decided:paid () line:OTHER:5 corrected failure ~success:R2':
    'paid, suspense 5 50000, asks conflicting_failure late_success, moved people itself -50000 ×0 R2 and line itself 5 ×1 OTHER',
  // The line of a void statement is no word about it.
  'mobile: line:WRONG:-50000:ours void decided:paid () failure':
    'paid, suspense 50000, asks conflicting_failure, moved line itself -50000 ×0 WRONG (freed) and people itself -50000 ×0',
  'mobile: line:WRONG:-50000:ours void decided:paid () failure success':
    'paid, suspense 50000 -50000, asks conflicting_failure late_success, moved line itself -50000 ×0 WRONG (freed) and people itself -50000 ×1 R1',
  // It came back.
  'bank: decided:paid () ~back failure': 'paid, came back, asks returned, answer confirmed',
  'bank: decided:paid () failure ~back': 'paid, suspense 50000, asks conflicting_failure returned',
  'bank: decided:paid () failure ~back success': 'paid, suspense 50000, asks conflicting_failure returned',
  // A statement that knows the payout by our reference alone names its return so, too.
  'mobile: decided:paid () failure line:-:-50000:ours ~back:V1 success line:V1:50000:return:ours':
    'paid, suspense 50000, asks conflicting_failure returned',
  'bank: decided:paid () failure ~back:V1 success ~back:V2':
    'paid, suspense 50000 50000, asks conflicting_failure returned',
  'bank: decided:paid () failure success ~back':
    'paid, came back, suspense 50000 -50000, asks conflicting_failure late_success returned',
};
