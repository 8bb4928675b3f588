import { long } from './long.ts';

export const refusals = {
  idempotency_key_missing:
    'Send an Idempotency-Key header: one new value per payment, the same value when you retry it',
  idempotency_key_wrong:
    'The Idempotency-Key header must be sent once, with 1 to 255 visible ASCII characters and no spaces',
  idempotency_key_of_nothing: long(
    'The Idempotency-Key is {key}: your program lost the key of the order. Nothing was done;',
    'send a key for each payment',
  ),
  idempotency_key_reused: long(
    'This Idempotency-Key was already used for a different request. Nothing was done;',
    'use a new key for a new payment',
  ),
  idempotency_key_forgotten: long(
    'This Idempotency-Key was used years ago and its answer is no longer kept. Nothing was done;',
    'use a new key for a new payment',
  ),
  outcome_unknown: long(
    'The outcome is not known yet. Send the same request with the same Idempotency-Key:',
    'it will not be done twice. A new key could pay twice',
  ),
  submission_expired: long(
    'This request waited too long to be accepted and nothing was done.',
    'Send it again with a new Idempotency-Key',
  ),
  balance_too_small: long(
    'The balance of {available} {currency} does not cover {total} {currency} ({amount} and the fee of',
    '{fee}). Top up, then send the payout with a new Idempotency-Key',
  ),
  preview_unknown: 'There is no preview with this preview_id',
  preview_expired: 'This preview has expired',
  preview_used: 'This preview was already used by another payout',
  preview_differs: 'This preview was made for a payout with another {parts}',
  preview_again: 'Nothing was done; preview again, or leave preview_id out',
  payment_number_taken: 'The payment number {number} already belongs to another bill',
  customer_reference_taken: 'The customer reference {reference} already belongs to another number',
  payment_number_cancelled: long(
    'The payment number {number} already belongs to a bill that was cancelled;',
    'make the new bill under a new number',
  ),
  payment_number_expired: long(
    'The payment number {number} already belongs to a bill that has expired;',
    'make the new bill under a new number',
  ),
  must_be_unique_number: 'must be unique; it is used by another number, with other fields',
  numbers_unknown: long(
    'It is not known yet which numbers were made. Send the same request again:',
    'it finds them, and makes the others',
  ),
  must_be_unique_bill: 'must be unique; it is used by another bill',
  no_control_numbers: 'No control numbers are left: no bill or QR code can be made now',

  refund_not_paid:
    'Nothing was paid: only a completed payment, or a payment that a bill has received, can be refunded',
  refund_not_paid_yet:
    'It is pending, and not paid as far as we know: only a completed payment can be refunded',
  refund_paid_beside: long(
    'Its money came late or with another amount, so it is no payment that can be refunded.',
    'If you got it as an adjustment, give it back with a payout; until then ask us',
  ),
  refund_receipt_unknown: 'No payment that was received here has this receipt',
  refund_receipt_needed: 'Several payments match; name one of them by its receipt',
  refund_receipt_shared: long(
    'Several payments match, because networks number their receipts apart:',
    'give this one back with a payout',
  ),
  refund_just_paid: 'It was paid only after this refund was asked for',
  refund_payer_erased: 'Name and number of who paid were erased',
  refund_payer_unknown: 'The network did not say who paid',
  refund_account_unknown: 'It was paid from a bank account, and the bank did not say from which',
  refund_not_offered: "Payouts over the payer's network are not offered here",
  refund_what_it_pays:
    'This push paid {id}, which has its money: refund that one, by the receipt of this payment',
  refund_top_up: 'A top-up of your own balance is not refunded',
  refund_given_back: 'The network has given it back to its payer already',
  refund_waits: long(
    "The network's statement shows that money of this payment moved, and it is not known yet what that",
    'was. Nothing was done; send it again with the same Idempotency-Key, later',
  ),
  refund_too_old: 'Too much time has passed since it was paid',
  refund_too_many: 'There were {count} refunds of this payment already',
  refund_too_much: long(
    '{refunded} of this payment are refunded or on their way;',
    '{left} can still be refunded, and a refund is at least {minimum}',
  ),
  settlement_no_rule: long(
    'There is no settlement rule for this account:',
    'ask us to set your own bank account or wallet, and what stays in the balance',
  ),
  settlement_waits:
    'Your settlement account was changed, and may be paid from {time} on. If it was not you, tell us now',
  settlement_rule_changed: 'The settlement rule was changed at this moment: send it again',
  settlement_not_carried:
    'Nothing carries payouts to your settlement account now; try again later, or tell us',
  settlement_bounds: 'A settlement of yours is at least {smallest} and at most {cap}, as its rule says',
  settlement_too_small: long(
    'The balance is {available} and {keep} of it stays, as your settlement rule says:',
    'with the fees, less than {smallest} is left to settle',
  ),
  settlement_leaves_too_little: long(
    'The balance is {available} and {keep} of it stays, as your settlement rule says:',
    '{amount} and the fees of {fee} are more than what is left',
  ),
  use_new_key: 'Nothing was done; another attempt needs a new Idempotency-Key',
  limit_of_payout: long(
    'A payout of {whose} may be at most {amount} (payout_max). Time does not change it:',
    'send less, or ask for a higher limit',
  ),
  limit_of_new_recipient: long(
    'This recipient is new to {whose}, which waits {seconds} s before it pays one',
    '(new_recipient_cooloff_s). It is possible from {time}',
  ),
  limit_of_payouts_a_day: long(
    'The payouts of a day of {whose} may be {count} (payouts_per_day), and all are used.',
    'It is free again at {time}, midnight in Dar es Salaam',
  ),
  limit_of_day: long(
    'The payouts of a day of {whose} may be {limit} in all ({name}): {used} are used,',
    'and {amount} would be too much. It is free again at {time}, midnight in Dar es Salaam',
  ),
  limit_of_recipient_a_day: long(
    'The payouts of a day to one recipient of {whose} may be {limit} in all ({name}): {used} are used,',
    'and {amount} would be too much. It is free again at {time}, midnight in Dar es Salaam',
  ),
  send_when_it_fits: 'Nothing was done; send the payout with a new Idempotency-Key when it fits',
  duplicate_suspected: long(
    'The same amount with the same number or account was accepted at {time} under another',
    'Idempotency-Key, and duplicate_window_s is {seconds} s. Nothing was done;',
    'if you mean it, send it with a new Idempotency-Key after {later}',
  ),
  uses_an_hour: 'This account may make {count} {use} an hour; try again later',
  uses_a_day: 'This account may make {count} {use} a day; try again tomorrow',

  batch_number_taken:
    'The batch number {number} already belongs to a batch with other items, or sent otherwise',
  must_be_unique_batch: 'must be unique; it is used by another batch',
  batch_items_changed: long(
    'The items are not those of this items_hash, or some are wrong:',
    'look at the batch, and send its items_hash',
  ),
  batch_is: 'The batch is {status}',
  batch_must_be: 'The batch is {status}; this can be done only while it is {states}',
  batch_has_errors: 'The batch has rows with errors: correct them and send it again under the same number',
  batch_rows_not_kept: long(
    'Rows of a batch with errors are not kept: its errors say what is wrong.',
    'Correct them and send it again under the same number',
  ),
  batch_of_same_holder: long(
    'A batch is started by somebody else than its maker, and both keys are of one holder:',
    'use a key of another holder',
  ),
  batch_frozen: 'This account is frozen: nothing of the batch was started',
  batch_key_refused: 'Nothing of the batch was started: the API key {key}, which {did}, {became}',
  key_made_batch: 'made it',
  key_approved_batch: 'was to start it',
  key_was_revoked: 'was revoked',
  key_has_expired: 'has expired',
  key_is_frozen: 'is frozen',
  key_approves_no_more: 'may start no batches any more',
  batch_dearer: long(
    'Nothing of the batch was started: its fees are {now} {currency} by now,',
    'and were {before} {currency} when it was looked at',
  ),
  batch_start_again: 'Look at the batch, and start it again if you agree',
  batch_not_covered: long(
    'The batch needs {total} {currency} with its fees and {available} {currency} are available:',
    '{missing} {currency} are missing. Nothing was started: top up first',
  ),
  batch_unknown: 'It is not known yet whether the batch was started. Send the same request again',
  no_payouts_over: 'Payouts over {channel} are not offered here',
  batch_not_over: long(
    'Items of this batch may still be paid:',
    'send this again when all of them have ended, as its batch.finished says',
  ),
  batch_without_failures: 'No item of this batch failed',
  too_many_drafts: 'There are {count} drafts already: start or cancel some first',
  batch_file_no_header: long(
    'None of the first rows names the columns: write a row such as phone_number, amount,',
    'full_name above the recipients (at most {maximum} rows may stand above it)',
  ),
  batch_file_two_columns:
    'The columns {one} and {another} mean the same: name the one that counts, and rename or delete the other',
  batch_file_row_above: long(
    'Row {line} of the file has a recipient and an amount, and stands above the names of the columns:',
    'move it below them',
  ),
  batch_file_note: 'Row {line} of the file stands above the columns and was left out: {text}',
  batch_file_other_total: long(
    'The total in row {line} of the file is {total}, and the rows above it sum to {sum}:',
    'add the row that is missing, or correct the amount that is wrong',
  ),
  file_empty: 'The file is empty: send the one that has the rows',
  file_is_xls: 'This is an .xls workbook: open it, save it as "Excel Workbook (.xlsx)", and send that file',
  file_is_html:
    'This is a web page with the name of a workbook: open it, save it as .xlsx, and send that file',
  file_is_encrypted:
    'This workbook has a password: open it, remove the password, save it, and send that file',
  file_is_zip:
    'This is a zip without a workbook that can be read here: unpack it, or save the workbook as .xlsx',
  file_workbook_unreadable:
    'The workbook is damaged ({part}): open it in a spreadsheet, save it as .xlsx again, and send that file',
  file_unpacks_too_large: long(
    'The workbook has more than {maximum} MiB of cells:',
    'keep only the rows that are meant, and send it in parts',
  ),
  file_two_sheets:
    'The workbook has two sheets with cells, {first} and {second}: hide or delete the one that is not meant',
  file_column_hidden: long(
    'Column {column} of the file is hidden and has cells, and nobody knows whether they are meant:',
    'show it or delete it',
  ),
  file_row_hidden: long(
    'Row {line} of the file is hidden, by a filter perhaps, and nobody knows whether it is meant:',
    'show it or delete it',
  ),
  file_formula_of_many:
    'Row {line} of the file has a formula that fills several cells: copy them, and paste them as values',
  file_is_compressed: 'This is a compressed file: unpack it first',
  file_is_pdf: 'This is a PDF: download it as CSV or .xlsx',
  file_has_nul:
    'Row {line} of the file has a zero byte: save it as "CSV UTF-8 (Comma delimited)", and send that file',
  file_bytes_unreadable: long(
    'Row {line} of the file has letters that are neither UTF-8 nor Windows text:',
    'save it as "CSV UTF-8 (Comma delimited)", and send that file',
  ),
  file_two_separators: long(
    'The names of the columns can be read with two separators:',
    'save the file as "CSV UTF-8 (Comma delimited)"',
  ),
  file_row_too_long: long(
    'Row {line} of the file has more than 65,536 characters:',
    'delete it if it is no row of the table, or shorten it',
  ),
  file_row_too_wide:
    'Row {line} of the file has more than {maximum} cells: delete the columns that nobody needs',
  file_too_many_rows: 'The file has more than {maximum} rows: send it in parts',
  no_batch: 'There is no batch with this id',

  no_link: 'There is no payment link with this id',
  no_pages: 'There are no pages to pay on here, so there are no links',
  no_number: 'There is no number with this id',
  no_payment: 'There is no payment with this id',
  no_payout: 'There is no payout with this id',
  no_transaction: 'There is no transaction with this id',
  no_callback_event: 'There is no callback event with this id',
  no_api_key: 'No API key has this id',
  payment_is_final: 'The payment is already {status}',
  payout_is_final: 'The payout is already {status}',
  payment_handed_over: 'The payment has been handed to the network and the customer may still confirm it',
  payout_handed_over: 'The payout has been handed to the {channel} and may still be paid',
  refund_handed_over: 'The refund has been handed to the network and may still be paid',
  bill_paid_in_part: 'The bill is paid in part ({paid} of {amount}) and can no longer be cancelled',
  bill_payment_unread: long(
    'A payment came for it whose amount could not be read, and a person is looking into that:',
    'it may have been paid',
  ),
  qr_being_paid: long(
    'A customer is paying this QR code right now.',
    'If the payment has not come by {time}, it can be cancelled',
  ),
  bill_being_paid: long(
    'A customer is paying this bill right now.',
    'If the payment has not come by {time}, it can be cancelled',
  ),
  cancel_unknown:
    'It is not known yet whether this was cancelled. Look it up, or send the cancellation again',
} as const;
