// Generated from openapi.json by npm run openapi: do not edit.

export const operations = {
  /** Whether payments, payouts and callbacks work at present. Ask this before you open your shop, or from your monitoring: it needs no key. A 503 means that requests would not be carried out now; try again after `Retry-After`. */
  getStatus: { method: 'GET', path: '/status', key: null },
  /** Ask a customer's phone to confirm a payment. Collect money from a customer who stands in front of you or shops online: the phone shows a prompt, and the customer confirms it with the PIN of the wallet. The answer only says that the request was taken; wait for the callback, or look the payment up, to learn how it ended. Needs the scope payments:write. */
  initiateUssdPush: { method: 'POST', path: '/payments/ussd', key: 'made' },
  /** Make a bill that a customer pays by its control number. Collect money that the customer pays later: the answer has a control number that works in every wallet and many banking apps. Choose `exact` for one payment of that amount, `flexible` for parts; each payment sends a callback. Needs the scope payments:write. */
  createBill: { method: 'POST', path: '/payments/billpay', key: 'given' },
  /** Make a QR code that a customer scans and pays. Show a code at a counter or on a web page that any TANQR app can scan and pay. The answer has the image and the text inside it; the code is for one payment and lives for minutes. Needs the scope payments:write. */
  createQr: { method: 'POST', path: '/payments/qr', key: 'made' },
  /** Make a standing number: a control number for many payments. Give somebody who pays again and again, such as a pupil or a tenant, one control number for ever. Each payment is a transaction of its own with its callback; the same request again gets the same number. Needs the scope payments:write. */
  createNumber: { method: 'POST', path: '/payments/numbers', key: null },
  /** Standing numbers, newest first. Page through your standing numbers, newest first, or find one by your reference or its control number. Their payments are in `GET transactions`, with the same reference. Needs the scope payments:read. */
  getNumbers: { method: 'GET', path: '/payments/numbers', key: null },
  /** Make up to 1,000 standing numbers, with an answer for each. Make the numbers of a whole school or estate in one request. Each has its own answer, in the same order, and you can send the same request again. Needs the scope payments:write. */
  createNumbers: { method: 'POST', path: '/payments/numbers/batch', key: null },
  /** Make a payment link: a short address for chats, SMS and posters. Sell in a chat: the answer has the short address of a page that says what to pay, and asks a phone to pay it. `once` ends with its payment; `many` is for a poster. Needs the scope payments:write. */
  createLink: { method: 'POST', path: '/payments/links', key: 'made' },
  /** Payment links, newest first, and the payments of each. Page through your payment links, newest first, with the sum paid over each. The bills of a link are in `GET transactions` with the payment numbers `<code>-<n>`. Needs the scope payments:read. */
  getLinks: { method: 'GET', path: '/payments/links', key: null },
  /** A payment link as it is now, and its payments. See whether a payment link was paid: `payments` and `paid` count its bills. They are in `GET transactions` with the payment numbers `<code>-<n>`. Needs the scope payments:read. */
  getLink: { method: 'GET', path: '/payments/links/{id}', key: null },
  /** Close a payment link. Close a payment link, so that no more payers are asked. A payer who was asked before may still confirm; a second close changes nothing. Needs the scope payments:write. */
  closeLink: { method: 'POST', path: '/payments/links/{id}/close', key: null },
  /** A standing number as it is now. Look up a standing number: whether it is open, and its limits. Its payments are in `GET transactions?reference=` with its control number. Needs the scope payments:read. */
  getNumber: { method: 'GET', path: '/payments/numbers/{id}', key: null },
  /** Take no more payments of a standing number. Stop taking payments of a standing number, for a pupil who left. You can open it again, and a second close changes nothing. Needs the scope payments:write. */
  closeNumber: { method: 'POST', path: '/payments/numbers/{id}/close', key: null },
  /** Take payments of a standing number again. Take payments of a closed standing number again. A second opening changes nothing. Needs the scope payments:write. */
  openNumber: { method: 'POST', path: '/payments/numbers/{id}/open', key: null },
  /** A payment as it is now. Look up the state of a USSD push, a bill or a QR code when its callback has not come yet. While it is pending, `status_reason` says why; final states never change. Needs the scope payments:read. */
  getPayment: { method: 'GET', path: '/payments/{id}', key: null },
  /** Cancel a payment before the hand-over to the channel, a bill or QR code before it is paid. Take back a push before it reaches the network, or a bill or code that nobody has paid. After that the answer is 409 `not_cancellable`, and the payment goes on. Needs the scope payments:write. */
  cancelPayment: { method: 'POST', path: '/payments/{id}/cancel', key: null },
  /** Refund a payment, or a part of it, to its payer. Give a completed payment back to its payer, all of it or a part. Your balance pays the value and the fee; all refunds of a payment together never exceed it. Needs the scope payouts:write. */
  refundPayment: { method: 'POST', path: '/payments/{id}/refunds', key: 'made' },
  /** What a mobile payout would cost and who would get it; nothing is sent. See the fee, your balance and, where the network knows it, the name of the recipient before any money moves. Send its `preview_id` with the payout within 15 minutes to keep this fee; `getFees` shows the fees of every amount. Needs the scope payouts:write. */
  previewMobilePayout: { method: 'POST', path: '/payouts/mobile/preview', key: null },
  /** Pay out to a mobile wallet. Send money to a mobile wallet: the value and the fee are held at once and taken when the network has paid. An unclear answer never pays twice, so repeat it with the same Idempotency-Key until you have one. Needs the scope payouts:write. */
  initiateMobilePayout: { method: 'POST', path: '/payouts/mobile', key: 'made' },
  /** What a bank payout would cost and who would get it; nothing is sent. See the fee, your balance and, where the bank says it, the name of the account before any money moves. `name_match` compares that name with the one you sent and never blocks the payout; `getFees` shows the fees of every amount. Needs the scope payouts:write. */
  previewBankPayout: { method: 'POST', path: '/payouts/bank/preview', key: null },
  /** Pay out to a bank account. Send money to a bank account, named by its number and the BIC of its bank. The value and the fee are held at once and taken when the bank has paid; a bank may send a paid payout back later, which sends `payout.returned`. Needs the scope payouts:write. */
  initiateBankPayout: { method: 'POST', path: '/payouts/bank', key: 'made' },
  /** Send a part of the balance to your own account now. Send your money now to your own bank account or wallet, which two of our people have set at your request. A sum too large for one payout goes in several, which are all accepted or none. Needs the scope payouts:write. */
  settle: { method: 'POST', path: '/payouts/settlement', key: 'made' },
  /** The banks that take payouts, and past bank payouts (page and filters apply to these). Fill the list of banks in your form from `banks`: each has the `bic` that payouts take. The same answer pages through your own bank payouts in `payouts`, to which the filters apply. Needs the scope payouts:read. */
  getBankList: { method: 'GET', path: '/payouts/bank/list', key: null },
  /** The networks, their limits, and whether they work at the moment. Ask this before you offer a network to a customer, and once a minute at most while you do: what a network really answered lately says whether it works. While one is `down` a push over it is refused at once, and a payout waits for it, 24 hours at most. Needs the scope payments:read or payouts:read or payments:write or payouts:write. */
  getNetworks: { method: 'GET', path: '/networks', key: null },
  /** What you pay for each kind of payment and payout, and what you will pay next. Show these before your customer or your own people decide: the fee of an amount is `fixed` plus `basis_points` of it, by the tier that has its whole shillings. `next` is what you will pay from its `effective_from` on; each transaction keeps the fees of the moment at which it was accepted. Needs the scope payments:write or payments:read or payouts:write or payouts:read or payouts:approve or callbacks:write. */
  getFees: { method: 'GET', path: '/fees', key: null },
  /** Check a batch of up to 10,000 payouts, as JSON or as a file; nothing moves before it is started. Send hundreds of payouts at once, from a spreadsheet or as JSON. Every row is checked, and the answer names the wrong ones; no money moves before somebody else starts the batch. Needs the scope payouts:write. */
  createBatch: { method: 'POST', path: '/payouts/batches', key: null },
  /** Batches of payouts, newest first. Page through your batches, newest first. Each says how many of its items are paid by now. Needs the scope payouts:read. */
  getBatches: { method: 'GET', path: '/payouts/batches', key: null },
  /** A batch as it is now. Look up a batch: its present state and totals. You need its `items_hash` to start it. Needs the scope payouts:read. */
  getBatch: { method: 'GET', path: '/payouts/batches/{id}', key: null },
  /** How each item of a batch ended, as pages of JSON or all of it as CSV in your own columns. See how each item ended. As CSV it has your own columns in your own order, and beside them how each row ended. Needs the scope payouts:read. */
  getBatchItems: { method: 'GET', path: '/payouts/batches/{id}/items', key: null },
  /** Start or schedule a batch, with the key of another person than its maker. Start a batch that you have checked, as its `items_hash` proves. All of its money is held at once, or none; the same request again gets the present state. Needs the scope payouts:approve. */
  startBatch: { method: 'POST', path: '/payouts/batches/{id}/start', key: null },
  /** Pause a batch: no more items start, and items that were sent go on. Start no more items for now. Items that were sent go on, and a second pause changes nothing. Needs the scope payouts:approve or payouts:write. */
  pauseBatch: { method: 'POST', path: '/payouts/batches/{id}/pause', key: null },
  /** Go on with a paused batch. Go on with a batch that was paused. After a restore of ours, look at what was paid first. Needs the scope payouts:approve. */
  resumeBatch: { method: 'POST', path: '/payouts/batches/{id}/resume', key: null },
  /** Cancel the items of a batch that were not sent; their hold is released. Take back the items that were not sent: their hold goes back to your balance. Items that were sent go on. Needs the scope payouts:approve or payouts:write. */
  cancelBatch: { method: 'POST', path: '/payouts/batches/{id}/cancel', key: null },
  /** A payout as it is now. Look up the state of a payout or a refund when its callback has not come yet. While it is pending it may still be paid at any moment: do not pay again. Needs the scope payouts:read. */
  getPayout: { method: 'GET', path: '/payouts/{id}', key: null },
  /** A payout as it is now. The same as `getPayout`, at the address of earlier clients. Use `payouts/{id}` in new programs. Needs the scope payouts:read. */
  checkPayout: { method: 'GET', path: '/payouts/check/{id}', key: null },
  /** Cancel a payout before the hand-over to the channel. Take back a payout before it reaches the network or bank: its hold is released at once. After that the answer is 409 `not_cancellable`, and the payout goes on. Needs the scope payouts:write. */
  cancelPayout: { method: 'POST', path: '/payouts/{id}/cancel', key: null },
  /** Transactions, newest first. Page through everything your key may read, newest first: for a screen, a search or a nightly comparison. A transaction must match all filters that you send, and an unknown filter is refused. Needs the scope payments:read or payouts:read. */
  getTransactions: { method: 'GET', path: '/transactions', key: null },
  /** Any transaction, as an item of the list. Look up any transaction when you do not know whether it is a payment, a bill or a payout. The answer is an item of the list; the lookups of payments and payouts have more fields. Needs the scope payments:read or payouts:read. */
  getTransaction: { method: 'GET', path: '/transactions/{id}', key: null },
  /** The ledger entries of a transaction. See how a transaction moved money in the ledger, entry by entry. Use it to explain a balance; for bookkeeping the statement is easier. Needs the scope payments:read or payouts:read. */
  getEntries: { method: 'GET', path: '/transactions/{id}/entries', key: null },
  /** The balance: what you can pay out, and what is held for payouts. See what you can pay out now, and what is held for pending payouts. Payments are added, less their fees, when they complete. Needs the scope payments:read or payouts:read. */
  getBalance: { method: 'GET', path: '/balance', key: null },
  /** Every change of the balance, oldest first, as pages of JSON or all of it as CSV. Reconcile your books: every change of the available balance in order, each with the balance after it. A range whose answer says `final: true` never changes again. Needs the scopes payments:read and payouts:read. */
  getStatement: { method: 'GET', path: '/statements', key: null },
  /** Your fees of a month, added up from the lines of your statement. Book our fees: the sum of each kind of fee in a month, from the lines of the statement. A month whose answer says `final: true` never changes again. Needs the scopes payments:read and payouts:read. */
  getFeeStatement: { method: 'GET', path: '/statements/fees', key: null },
  /** Where callbacks of this API key go. See where callbacks of this key go, which events are sent, and whether we stopped sending. The passphrase itself is never shown. Needs the scope callbacks:write. */
  getCallbackSettings: { method: 'GET', path: '/callbacks/settings', key: null },
  /** Set the URL and the passphrase of callbacks (a missing field stays, null removes). Set the address that gets this key's callbacks from now on, in place of the one before, the passphrase that signs them, and the events that you want. Set it again to start once more after we disabled an address. Needs the scope callbacks:write. */
  putCallbackSettings: { method: 'PUT', path: '/callbacks/settings', key: null },
  /** Send a ping to the callback URL of this API key. Prove that your receiver answers and checks signatures before real events come. The `ping` is signed like any event and belongs to no transaction. Needs the scope callbacks:write. */
  testCallback: { method: 'POST', path: '/callbacks/test', key: null },
  /** Callback events of the account and every attempt to deliver them, newest first. See what we sent you, when, and what your receiver answered. Look here first when a callback seems to be missing. Needs the scope callbacks:write. */
  getCallbacks: { method: 'GET', path: '/callbacks', key: null },
  /** An event of this API key as it is sent: its exact bytes, signed now. Hand an event to a receiver that we cannot reach, such as the one on your laptop: send `body` to it, byte for byte, with `headers`. `callbacks forward` of the client that this service serves does just that; nothing is sent by us and nothing is noted. Needs the scope callbacks:write. */
  getCallback: { method: 'GET', path: '/callbacks/{event_id}', key: null },
  /** Send the events of a range of time again, oldest first, at most 500 at a time. Get the events of a time range again after your receiver was down. Without `state` only events that never arrived are sent. Needs the scope callbacks:write. */
  resendCallbacks: { method: 'POST', path: '/callbacks/resend', key: null },
  /** Send an event again: same bytes, same id, a new schedule of attempts. Get one event again, whether or not it arrived before. It has the same bytes and the same id, so a careful receiver acts on it once. Needs the scope callbacks:write. */
  resendCallback: { method: 'POST', path: '/callbacks/{event_id}/resend', key: null },
} as const;
