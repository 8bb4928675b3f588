/** The purpose of each operation in two sentences, by operationId: when to call it, and what to know before doing so. */
export const operationDescriptions: Record<string, string> = {
  getStatus:
    'Ask this before you open your shop, or from your monitoring: it needs no key. A 503 means that requests would not be carried out now; try again after `Retry-After`.',
  getOpenApi:
    'Make a client in your language from this document, or read it into your own tools. It needs no key and describes exactly the version that serves it.',
  initiateUssdPush:
    'Collect money from a customer who stands in front of you or shops online: the phone shows a prompt, and the customer confirms it with the PIN of the wallet. The answer only says that the request was taken; wait for the callback, or look the payment up, to learn how it ended.',
  createBill:
    'Collect money that the customer pays when it suits: the answer has a control number that works in every wallet and many banking apps. Choose `exact` for one payment of that amount, `flexible` for parts; each payment sends a callback.',
  createQr:
    'Show a code at a counter or on a web page that any TANQR app can scan and pay. The answer has the image and the text inside it; the code is for one payment and lives for minutes.',
  createNumber:
    'Give somebody who pays again and again, such as a pupil or a tenant, one control number for ever. Each payment is a transaction of its own with its callback; the same request again is answered with the same number.',
  createNumbers:
    'Make the numbers of a whole school or estate in one request. Each is answered by itself, in its place, and the batch can be repeated as it is.',
  createLink:
    'Sell in a chat: the answer has a short address that says what is to be paid, and asks a phone to pay it. `once` ends with its payment; `many` hangs on a wall.',
  getLinks:
    'Page through your payment links, newest first, with what was paid over each. The bills of one are in `GET transactions` under their names `<code>-<n>`.',
  getLink:
    'See whether a payment link was paid: `payments` and `paid` count its bills. They are in `GET transactions` under their names `<code>-<n>`.',
  closeLink:
    'Ask no more payers over a payment link. Who was asked before may still confirm; closing it twice is no mistake.',
  getNumbers:
    'Page through your standing numbers, newest first, or find one by your reference or its control number. What they received is in `GET transactions`, with the same reference.',
  getNumber:
    'Look up a standing number: whether it is open, and its bounds. Its payments are in `GET transactions?reference=` with its control number.',
  closeNumber:
    'Stop taking payments of a standing number, for a pupil who left. It can be opened again, and closing it twice is no mistake.',
  openNumber: 'Take payments of a closed standing number again. Opening it twice is no mistake.',
  getPayment:
    'Look up how a USSD push, a bill or a QR code stands when a callback has not come yet. While it is pending, `status_reason` says what it waits for; final states never change.',
  cancelPayment:
    'Take back a push before it reaches the network, or a bill or code that nobody has paid. After that the answer is 409 `not_cancellable`, and the payment goes its way.',
  refundPayment:
    'Give a completed payment back to whoever paid, all of it or a part. Your balance pays the value and the fee; all refunds of a payment together never exceed it.',
  previewMobilePayout:
    'See the fee, your balance and, where the network knows it, the name of the recipient before any money moves. Send its `preview_id` with the payout within 15 minutes to keep this fee; `getFees` shows the fees of every amount.',
  initiateMobilePayout:
    'Send money to a mobile wallet: the value and the fee are held at once and taken when the network has paid. An unclear answer never pays twice, so repeat it with the same Idempotency-Key until you have one.',
  previewBankPayout:
    'See the fee, your balance and, where the bank says it, the name of the account before any money moves. `name_match` compares that name with the one you sent and never blocks the payout; `getFees` shows the fees of every amount.',
  initiateBankPayout:
    'Send money to a bank account, named by its number and the BIC of its bank. The value and the fee are held at once and taken when the bank has paid; a bank may send a paid payout back later, which sends `payout.returned`.',
  getBankList:
    'Fill the list of banks in your form from `banks`: each has the `bic` that payouts take. The same answer pages through your own bank payouts in `payouts`, to which the filters apply.',
  getNetworks:
    'Ask this before you offer a network to a customer, and once a minute at most while you do: what a network really answered lately says whether it works. While one is `down` a push over it is refused at once, and a payout waits for it, 24 hours at most.',
  getFees:
    'Show these before your customer or your own people decide: the fee of an amount is `fixed` plus `basis_points` of it, by the tier that has its whole shillings. `next` is what you will pay from its `effective_from` on; each transaction keeps the fees of the moment at which it was accepted.',
  createBatch:
    'Send hundreds of payouts at once, from a spreadsheet or as JSON. Every row is checked, and those that are wrong are named; nothing moves before somebody else starts the batch.',
  getBatches: 'Page through your batches, newest first. Each says how many of its items are paid by now.',
  getBatch: 'Look up a batch: its state and its totals by now. Whoever starts it sends its `items_hash`.',
  getBatchItems:
    'See how each item ended. As CSV it has your own columns in your own order, and beside them how each row ended.',
  startBatch:
    'Say yes to a batch that you have looked at, by its `items_hash`. All of its money is held at once, or nothing; sent again it is answered as it is by then.',
  pauseBatch: 'Start no more items for now. What has left goes on, and pausing twice is no mistake.',
  resumeBatch: 'Go on with a batch that was paused. After a restore of ours, look at what was paid first.',
  cancelBatch:
    'Take back what has not left of a batch: its hold goes back to your balance. What has left goes its way.',
  getPayout:
    'Look up how a payout or a refund stands when a callback has not come yet. While it is pending it may still be paid at any moment: do not pay again.',
  checkPayout:
    'The same as `getPayout`, at the address of earlier clients. Use `payouts/{id}` in what you write now.',
  cancelPayout:
    'Take back a payout before it reaches the network or bank: its hold is released at once. After that the answer is 409 `not_cancellable`, and the payout goes its way.',
  settle:
    'Send your money to your own bank account or wallet now, which two of our people have set at your wish. What is more than one payout takes goes in several, all or none of them accepted.',
  getTransactions:
    'Page through everything your key may read, newest first: for a screen, a search or a nightly comparison. All filters that you send must hold, and one that does not exist is refused.',
  getTransaction:
    'Look up any transaction when you do not know whether it is a payment, a bill or a payout. It is shown as the list shows it; the lookups of payments and payouts say more.',
  getEntries:
    'See how a transaction moved money in the ledger, entry by entry. Use it to explain a balance; for bookkeeping the statement is easier.',
  getBalance:
    'See what you can pay out now, and what is held for payouts that are under way. Payments are added, less their fees, when they complete.',
  getStatement:
    'Reconcile your books: every change of the available balance in order, each with the balance after it. A range whose answer says `final: true` never changes again.',
  getFeeStatement:
    'Book our fees: what each kind of fee came to in a month, added up from the lines of the statement. A month whose answer says `final: true` never changes again.',
  getCallbackSettings:
    'See where callbacks of this key go, which events are sent, and whether we stopped sending. The passphrase itself is never shown.',
  putCallbackSettings:
    "Set the address that gets this key's callbacks from now on, in place of the one before, the passphrase that signs them, and the events that you want. Set it again to start once more after we disabled an address.",
  testCallback:
    'Prove that your receiver answers and checks signatures before real events come. The `ping` is signed like any event and belongs to no transaction.',
  getCallbacks:
    'See what we sent you, when, and what your receiver answered. Look here first when a callback seems to be missing.',
  getCallback:
    'Hand an event to a receiver that we cannot reach, such as the one on your laptop: send `body` to it, byte for byte, with `headers`. `callbacks forward` of the client that this service serves does just that; nothing is sent by us and nothing is noted.',
  resendCallbacks:
    'Get the events of a time range again after your receiver was down. Without `state` only those that never arrived are sent.',
  resendCallback:
    'Get one event again, whether or not it arrived before. It has the same bytes and the same id, so a careful receiver acts on it once.',
};
