// Generated from openapi.json by npm run openapi: do not edit.

export interface paths {
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether payments, payouts and callbacks work at present
         * @description Ask this before you open your shop, or from your monitoring: it needs no key. A 503 means that requests would not be carried out now; try again after `Retry-After`.
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/ussd": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a customer's phone to confirm a payment
         * @description Collect money from a customer who stands in front of you or shops online: the phone shows a prompt, and the customer confirms it with the PIN of the wallet. The answer only says that the request was taken; wait for the callback, or look the payment up, to learn how it ended.
         *
         *     Needs the scope payments:write.
         */
        post: operations["initiateUssdPush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/billpay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a bill that a customer pays by its control number
         * @description Collect money that the customer pays later: the answer has a control number that works in every wallet and many banking apps. Choose `exact` for one payment of that amount, `flexible` for parts; each payment sends a callback.
         *
         *     Needs the scope payments:write.
         */
        post: operations["createBill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/qr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a QR code that a customer scans and pays
         * @description Show a code at a counter or on a web page that any TANQR app can scan and pay. The answer has the image and the text inside it; the code is for one payment and lives for minutes.
         *
         *     Needs the scope payments:write.
         */
        post: operations["createQr"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/numbers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Standing numbers, newest first
         * @description Page through your standing numbers, newest first, or find one by your reference or its control number. Their payments are in `GET transactions`, with the same reference.
         *
         *     Needs the scope payments:read.
         */
        get: operations["getNumbers"];
        put?: never;
        /**
         * Make a standing number: a control number for many payments
         * @description Give somebody who pays again and again, such as a pupil or a tenant, one control number for ever. Each payment is a transaction of its own with its callback; the same request again gets the same number.
         *
         *     Needs the scope payments:write.
         */
        post: operations["createNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/numbers/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make up to 1,000 standing numbers, with an answer for each
         * @description Make the numbers of a whole school or estate in one request. Each has its own answer, in the same order, and you can send the same request again.
         *
         *     Needs the scope payments:write.
         */
        post: operations["createNumbers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payment links, newest first, and the payments of each
         * @description Page through your payment links, newest first, with the sum paid over each. The bills of a link are in `GET transactions` with the payment numbers `<code>-<n>`.
         *
         *     Needs the scope payments:read.
         */
        get: operations["getLinks"];
        put?: never;
        /**
         * Make a payment link: a short address for chats, SMS and posters
         * @description Sell in a chat: the answer has the short address of a page that says what to pay, and asks a phone to pay it. `once` ends with its payment; `many` is for a poster.
         *
         *     Needs the scope payments:write.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A payment link as it is now, and its payments
         * @description See whether a payment link was paid: `payments` and `paid` count its bills. They are in `GET transactions` with the payment numbers `<code>-<n>`.
         *
         *     Needs the scope payments:read.
         */
        get: operations["getLink"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/links/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a payment link
         * @description Close a payment link, so that no more payers are asked. A payer who was asked before may still confirm; a second close changes nothing.
         *
         *     Needs the scope payments:write.
         */
        post: operations["closeLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/numbers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A standing number as it is now
         * @description Look up a standing number: whether it is open, and its limits. Its payments are in `GET transactions?reference=` with its control number.
         *
         *     Needs the scope payments:read.
         */
        get: operations["getNumber"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/numbers/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take no more payments of a standing number
         * @description Stop taking payments of a standing number, for a pupil who left. You can open it again, and a second close changes nothing.
         *
         *     Needs the scope payments:write.
         */
        post: operations["closeNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/numbers/{id}/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take payments of a standing number again
         * @description Take payments of a closed standing number again. A second opening changes nothing.
         *
         *     Needs the scope payments:write.
         */
        post: operations["openNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A payment as it is now
         * @description Look up the state of a USSD push, a bill or a QR code when its callback has not come yet. While it is pending, `status_reason` says why; final states never change.
         *
         *     Needs the scope payments:read.
         */
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a payment before the hand-over to the channel, a bill or QR code before it is paid
         * @description Take back a push before it reaches the network, or a bill or code that nobody has paid. After that the answer is 409 `not_cancellable`, and the payment goes on.
         *
         *     Needs the scope payments:write.
         */
        post: operations["cancelPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a payment, or a part of it, to its payer
         * @description Give a completed payment back to its payer, all of it or a part. Your balance pays the value and the fee; all refunds of a payment together never exceed it.
         *
         *     Needs the scope payouts:write.
         */
        post: operations["refundPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/mobile/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a mobile payout would cost and who would get it; nothing is sent
         * @description See the fee, your balance and, where the network knows it, the name of the recipient before any money moves. Send its `preview_id` with the payout within 15 minutes to keep this fee; `getFees` shows the fees of every amount.
         *
         *     Needs the scope payouts:write.
         */
        post: operations["previewMobilePayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/mobile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay out to a mobile wallet
         * @description Send money to a mobile wallet: the value and the fee are held at once and taken when the network has paid. An unclear answer never pays twice, so repeat it with the same Idempotency-Key until you have one.
         *
         *     Needs the scope payouts:write.
         */
        post: operations["initiateMobilePayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/bank/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a bank payout would cost and who would get it; nothing is sent
         * @description See the fee, your balance and, where the bank says it, the name of the account before any money moves. `name_match` compares that name with the one you sent and never blocks the payout; `getFees` shows the fees of every amount.
         *
         *     Needs the scope payouts:write.
         */
        post: operations["previewBankPayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/bank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay out to a bank account
         * @description Send money to a bank account, named by its number and the BIC of its bank. The value and the fee are held at once and taken when the bank has paid; a bank may send a paid payout back later, which sends `payout.returned`.
         *
         *     Needs the scope payouts:write.
         */
        post: operations["initiateBankPayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/settlement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a part of the balance to your own account now
         * @description Send your money now to your own bank account or wallet, which two of our people have set at your request. A sum too large for one payout goes in several, which are all accepted or none.
         *
         *     Needs the scope payouts:write.
         */
        post: operations["settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/bank/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The banks that take payouts, and past bank payouts (page and filters apply to these)
         * @description Fill the list of banks in your form from `banks`: each has the `bic` that payouts take. The same answer pages through your own bank payouts in `payouts`, to which the filters apply.
         *
         *     Needs the scope payouts:read.
         */
        get: operations["getBankList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/networks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The networks, their limits, and whether they work at the moment
         * @description Ask this before you offer a network to a customer, and once a minute at most while you do: what a network really answered lately says whether it works. While one is `down` a push over it is refused at once, and a payout waits for it, 24 hours at most.
         *
         *     Needs the scope payments:read or payouts:read or payments:write or payouts:write.
         */
        get: operations["getNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What you pay for each kind of payment and payout, and what you will pay next
         * @description Show these before your customer or your own people decide: the fee of an amount is `fixed` plus `basis_points` of it, by the tier that has its whole shillings. `next` is what you will pay from its `effective_from` on; each transaction keeps the fees of the moment at which it was accepted.
         *
         *     Needs the scope payments:write or payments:read or payouts:write or payouts:read or payouts:approve or callbacks:write.
         */
        get: operations["getFees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Batches of payouts, newest first
         * @description Page through your batches, newest first. Each says how many of its items are paid by now.
         *
         *     Needs the scope payouts:read.
         */
        get: operations["getBatches"];
        put?: never;
        /**
         * Check a batch of up to 10,000 payouts, as JSON or as a file; nothing moves before it is started
         * @description Send hundreds of payouts at once, from a spreadsheet or as JSON. Every row is checked, and the answer names the wrong ones; no money moves before somebody else starts the batch.
         *
         *     Needs the scope payouts:write.
         */
        post: operations["createBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A batch as it is now
         * @description Look up a batch: its present state and totals. You need its `items_hash` to start it.
         *
         *     Needs the scope payouts:read.
         */
        get: operations["getBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/batches/{id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How each item of a batch ended, as pages of JSON or all of it as CSV in your own columns
         * @description See how each item ended. As CSV it has your own columns in your own order, and beside them how each row ended.
         *
         *     Needs the scope payouts:read.
         */
        get: operations["getBatchItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/batches/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start or schedule a batch, with the key of another person than its maker
         * @description Start a batch that you have checked, as its `items_hash` proves. All of its money is held at once, or none; the same request again gets the present state.
         *
         *     Needs the scope payouts:approve.
         */
        post: operations["startBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/batches/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a batch: no more items start, and items that were sent go on
         * @description Start no more items for now. Items that were sent go on, and a second pause changes nothing.
         *
         *     Needs the scope payouts:approve or payouts:write.
         */
        post: operations["pauseBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/batches/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a paused batch
         * @description Go on with a batch that was paused. After a restore of ours, look at what was paid first.
         *
         *     Needs the scope payouts:approve.
         */
        post: operations["resumeBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/batches/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the items of a batch that were not sent; their hold is released
         * @description Take back the items that were not sent: their hold goes back to your balance. Items that were sent go on.
         *
         *     Needs the scope payouts:approve or payouts:write.
         */
        post: operations["cancelBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A payout as it is now
         * @description Look up the state of a payout or a refund when its callback has not come yet. While it is pending it may still be paid at any moment: do not pay again.
         *
         *     Needs the scope payouts:read.
         */
        get: operations["getPayout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/check/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A payout as it is now
         * @description The same as `getPayout`, at the address of earlier clients. Use `payouts/{id}` in new programs.
         *
         *     Needs the scope payouts:read.
         */
        get: operations["checkPayout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payouts/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a payout before the hand-over to the channel
         * @description Take back a payout before it reaches the network or bank: its hold is released at once. After that the answer is 409 `not_cancellable`, and the payout goes on.
         *
         *     Needs the scope payouts:write.
         */
        post: operations["cancelPayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Transactions, newest first
         * @description Page through everything your key may read, newest first: for a screen, a search or a nightly comparison. A transaction must match all filters that you send, and an unknown filter is refused.
         *
         *     Needs the scope payments:read or payouts:read.
         */
        get: operations["getTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Any transaction, as an item of the list
         * @description Look up any transaction when you do not know whether it is a payment, a bill or a payout. The answer is an item of the list; the lookups of payments and payouts have more fields.
         *
         *     Needs the scope payments:read or payouts:read.
         */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The ledger entries of a transaction
         * @description See how a transaction moved money in the ledger, entry by entry. Use it to explain a balance; for bookkeeping the statement is easier.
         *
         *     Needs the scope payments:read or payouts:read.
         */
        get: operations["getEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The balance: what you can pay out, and what is held for payouts
         * @description See what you can pay out now, and what is held for pending payouts. Payments are added, less their fees, when they complete.
         *
         *     Needs the scope payments:read or payouts:read.
         */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every change of the balance, oldest first, as pages of JSON or all of it as CSV
         * @description Reconcile your books: every change of the available balance in order, each with the balance after it. A range whose answer says `final: true` never changes again.
         *
         *     Needs the scopes payments:read and payouts:read.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/statements/fees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your fees of a month, added up from the lines of your statement
         * @description Book our fees: the sum of each kind of fee in a month, from the lines of the statement. A month whose answer says `final: true` never changes again.
         *
         *     Needs the scopes payments:read and payouts:read.
         */
        get: operations["getFeeStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where callbacks of this API key go
         * @description See where callbacks of this key go, which events are sent, and whether we stopped sending. The passphrase itself is never shown.
         *
         *     Needs the scope callbacks:write.
         */
        get: operations["getCallbackSettings"];
        /**
         * Set the URL and the passphrase of callbacks (a missing field stays, null removes)
         * @description Set the address that gets this key's callbacks from now on, in place of the one before, the passphrase that signs them, and the events that you want. Set it again to start once more after we disabled an address.
         *
         *     Needs the scope callbacks:write.
         */
        put: operations["putCallbackSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a ping to the callback URL of this API key
         * @description Prove that your receiver answers and checks signatures before real events come. The `ping` is signed like any event and belongs to no transaction.
         *
         *     Needs the scope callbacks:write.
         */
        post: operations["testCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Callback events of the account and every attempt to deliver them, newest first
         * @description See what we sent you, when, and what your receiver answered. Look here first when a callback seems to be missing.
         *
         *     Needs the scope callbacks:write.
         */
        get: operations["getCallbacks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An event of this API key as it is sent: its exact bytes, signed now
         * @description Hand an event to a receiver that we cannot reach, such as the one on your laptop: send `body` to it, byte for byte, with `headers`. `callbacks forward` of the client that this service serves does just that; nothing is sent by us and nothing is noted.
         *
         *     Needs the scope callbacks:write.
         */
        get: operations["getCallback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the events of a range of time again, oldest first, at most 500 at a time
         * @description Get the events of a time range again after your receiver was down. Without `state` only events that never arrived are sent.
         *
         *     Needs the scope callbacks:write.
         */
        post: operations["resendCallbacks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{event_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again: same bytes, same id, a new schedule of attempts
         * @description Get one event again, whether or not it arrived before. It has the same bytes and the same id, so a careful receiver acts on it once.
         *
         *     Needs the scope callbacks:write.
         */
        post: operations["resendCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description How much */
        AmountAndFee: {
            /** @description The amount of the transaction, without the fee */
            value: number;
            /**
             * @description The currency of the amounts beside it
             * @example TZS
             */
            currency: string;
            /** @description What we charge for the transaction: taken from a payment, added to a payout (docs: what `fee` means) */
            fee: number;
        };
        /** @description Your balance, after this request */
        Balance: {
            /** @description The amount that you can pay out now */
            current: number;
            /** @description The amount held for payouts that have not ended, with their fees */
            reserved: number;
        };
        BankBeneficiary: {
            /** @description The number of the account, without spaces and dashes */
            bank_account: string;
            /** @description The name of the bank */
            bank_name: string;
            /** @description The BIC of the bank, 8 characters */
            bank_bic: string;
        };
        /** @description The batch */
        Batch: {
            /**
             * Format: uuid
             * @description The id of the batch
             */
            id: string;
            /** @description Your own number of the batch */
            batch_number: string;
            /**
             * @description `draft`, `scheduled`, `running`, `paused`, `finished` or `cancelled`
             * @enum {string}
             */
            status: "draft" | "scheduled" | "running" | "paused" | "finished" | "cancelled";
            /** @description Why we cancelled or paused it; absent if you did */
            status_reason?: string;
            /** @description The hash of the items: send it with the start, to say which items you have checked */
            items_hash: string;
            totals: components["schemas"]["BatchTotals"];
            /** @description The errors, row by row: a batch with errors cannot start. A list shows the first 10 */
            errors: {
                /** @description Its place, from 1, without a header */
                row: number;
                /** @description The field, with dots between an object and its member */
                field: string;
                /** @description What is wrong with it */
                message: string;
            }[];
            /**
             * @description When it starts
             * @example 2026-11-20T08:15:30.123456Z
             */
            start_at?: string;
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        BatchFinishedEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "batch.finished";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /**
             * Format: uuid
             * @description The id of the batch
             */
            batch_id: string;
            /** @description Your own number of the batch */
            batch_number: string;
            /**
             * @description The state; final states never change
             * @enum {string}
             */
            status: "finished" | "cancelled";
            /** @description A sentence: why it is not final yet, or why it was cancelled */
            status_reason?: string;
            totals: components["schemas"]["BatchTotals"];
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
        };
        BatchItem: {
            /** @description Its place, from 1, without a header */
            row: number;
            /**
             * Format: uuid
             * @description Its payout, once it was accepted
             */
            transaction_id?: string;
            /**
             * @description `waiting`, `pending`, `paid`, `failed` or `cancelled`
             * @enum {string}
             */
            status: "waiting" | "pending" | "paid" | "failed" | "cancelled";
            /**
             * @description Why it failed: one of a closed list
             * @enum {string}
             */
            failure_code?: "insufficient_funds" | "customer_declined" | "customer_timeout" | "wrong_pin" | "payer_not_found" | "recipient_not_found" | "account_blocked" | "payer_limit_reached" | "recipient_limit_reached" | "amount_out_of_range" | "transaction_in_progress" | "invalid_account" | "account_closed" | "name_mismatch" | "bank_not_reachable" | "insufficient_float" | "network_unavailable" | "network_error" | "cancelled" | "expired" | "expired_partially_paid" | "reversed";
            /** @description As `07XXXXXXXX` or `06XXXXXXXX`; null while nobody has paid */
            phone_number?: string;
            /** @description The number of the account, without spaces and dashes */
            account_number?: string;
            /** @description The BIC of the bank, 8 characters */
            bic?: string;
            /** @description The name of the bank */
            bank_name?: string;
            /** @description The name that the network or bank gave, or that you sent with a bank payout; null when there is none */
            full_name?: string;
            /** @description True if each word of one name is in the other: the one from the network or bank, and yours. Where one has more words, the other must have two. Order and case are ignored; null if no name came */
            name_match: boolean | null;
            /**
             * @description How much
             * @example 5,000.00
             */
            amount: string;
            /**
             * @description Its fee, fixed when the batch was checked
             * @example 5,000.00
             */
            fee?: string;
            /**
             * @description The currency of the amounts beside it
             * @example TZS
             */
            currency: string;
            /** @description Your own reference of the row */
            reference?: string;
            /** @description Our reference of the payout, the same on every attempt */
            payout_reference?: string;
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        /** @description The number of items, their sums, and how many have ended */
        BatchTotals: {
            /** @description How many items it has */
            items: number;
            /**
             * @description The sum of their amounts, without fees
             * @example 5,000.00
             */
            amount: string;
            /**
             * @description The sum of their fees
             * @example 5,000.00
             */
            fees: string;
            /** @description How many are paid */
            paid: number;
            /** @description How many failed */
            failed: number;
            /** @description How many were cancelled */
            cancelled: number;
        };
        /** @description Who is paid */
        Beneficiary: components["schemas"]["MobileBeneficiary"] | components["schemas"]["BankBeneficiary"];
        /** @description The bill */
        Bill: {
            /**
             * @description The amount of the bill
             * @example 5,000.00
             */
            amount: string;
            /**
             * @description The control number that the customer types
             * @example 770000000049
             */
            reference: string;
            /**
             * @description `exact`: that amount, once; `flexible`: any amounts until they reach it
             * @enum {string}
             */
            mode: "exact" | "flexible";
            /** @description Your own number of the bill */
            payment_number: string;
            /**
             * @description The amount paid so far
             * @example 5,000.00
             */
            paid: string;
            /**
             * @description The amount still to pay; 0.00 when enough was paid
             * @example 5,000.00
             */
            outstanding: string;
        };
        BillPayment: {
            /** @description How much */
            amount: {
                /**
                 * @description The amount of the transaction, without the fee
                 * @example 5,000.00
                 */
                value: string;
                /**
                 * @description Our fee for this one payment of the bill
                 * @example 5,000.00
                 */
                fee: string;
                /**
                 * @description The amount added to your balance: the payment less the fee
                 * @example 5,000.00
                 */
                settled: string;
            };
            channel: components["schemas"]["Channel"];
            customer: components["schemas"]["Customer"];
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            received_at: string;
            /** @description The page that shows this payment or payout to anyone who has the address. Absent before it succeeds (a line of a statement has it from the start), for a bill paid in parts (each of `payments` has one), and if the service has no such pages */
            receipt_url?: string;
        };
        CallbackAttempt: {
            /** @description Counts the attempts from 1 */
            number: number;
            /**
             * @description When it was sent
             * @example 2026-11-20T08:15:30.123456Z
             */
            sent_at: string;
            /** @description The HTTP status of your answer; null if there was none */
            http_status: number | null;
            /** @description Why there is no answer; null when there is one */
            error: string | null;
            /** @description How long the attempt took, in milliseconds */
            duration_ms: number | null;
        };
        CallbacksAddressChangedEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "callbacks.address_changed";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
            /**
             * @description Who changed it: `merchant` (one of your API keys) or `operator` (two people of ours)
             * @enum {string}
             */
            changed_by: "merchant" | "operator";
            /** @description The host of the new URL; null when the URL was removed */
            new_host: string | null;
        };
        /** @description The network or bank; for a bill or QR code that nobody has paid yet, its kind */
        Channel: {
            /** @description The network or bank; upper case for payments, an id for payouts */
            name: string;
            /** @description The network's or bank's receipt, or the number under which they know it */
            reference: string;
        };
        /** @description The network or bank; for a bill or QR code that nobody has paid yet, its kind */
        ChannelSoFar: {
            /** @description The network or bank; upper case for payments, an id for payouts */
            name: string;
            /** @description The network's or bank's receipt, or the number under which they know it */
            reference: string | null;
        };
        CreateBatchAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            batch: components["schemas"]["Batch"];
            /** @description One sentence for each row above the header of the file, which we left out */
            notes?: string[];
        };
        CreateBatchRequest: {
            /**
             * @description Your own number of the batch, unique in the account; sent again, it gets the first batch
             * @example SALARIES-2026-11
             */
            batch_number: string;
            /** @description Allow the same amount to the same recipient twice, in this batch or within a day */
            allow_twins?: boolean | null;
            /** @description No callbacks of single items; you still get `batch.finished` */
            quiet?: boolean | null;
            /** @description The payouts, each to a wallet or a bank account */
            items?: {
                /**
                 * @description Its place, from 1; a wrong place is refused
                 * @example 1
                 */
                row?: number;
                /**
                 * @description 07XXXXXXXX or 06XXXXXXXX; with 255, +255 or 00255 in front, or without the 0, it is the same number. Spaces, dashes, parentheses and dots between groups are dropped
                 * @example 0754123456
                 */
                phone_number?: string;
                /**
                 * @description 5 to 34 letters and digits; spaces and dashes are dropped
                 * @example 0150123456789
                 */
                account_number?: string;
                /**
                 * @description The BIC of a bank in GET payouts/bank/list, with or without a branch; case is ignored
                 * @example CORUTZTZ
                 */
                bic?: string;
                /**
                 * @description For a wallet: a name to compare with the one that the network gives; for an account: its owner, as the bank knows the name
                 * @example Asha Juma
                 */
                full_name?: string;
                /**
                 * @description Whole shillings
                 * @example 5000
                 */
                amount: number;
                /**
                 * @description Case is ignored
                 * @example TZS
                 */
                currency: string;
                /**
                 * @description Your own reference of the row
                 * @example EMP-017
                 */
                reference?: string;
                /**
                 * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
                 * @example {
                 *       "order_id": "INV-1001"
                 *     }
                 */
                metadata?: {
                    [key: string]: unknown;
                };
            }[];
            /**
             * Format: uuid
             * @description Instead of items: take the failed items of this batch
             */
            from_failed?: string | null;
            /**
             * @description When it starts once approved, at most 30 days ahead; default: at once
             * @example 2026-11-25T06:00:00+03:00
             */
            start_at?: string | null;
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        CreateBillAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /** @description The bill */
            bill: {
                /**
                 * @description The amount of the bill
                 * @example 5,000.00
                 */
                amount: string;
                /**
                 * @description The control number that the customer types
                 * @example 770000000049
                 */
                reference: string;
                /**
                 * @description `exact`: that amount, once; `flexible`: any amounts until they reach it
                 * @enum {string}
                 */
                mode: "exact" | "flexible";
            };
            /** @description The page to pay on: send it to your customer. Absent if the service has no such pages */
            pay_url?: string;
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description When it expires: it can be used or paid until then
             * @example 2026-11-20T08:15:30.123456Z
             */
            expires_at: string;
        };
        CreateBillRequest: {
            /**
             * @description Shillings, at most two decimals
             * @example 25000
             */
            amount: number;
            /**
             * @description Default: TZS
             * @example TZS
             */
            currency?: string | null;
            /**
             * @description Your own number of the bill, unique in the account; space around it is dropped
             * @example INV-2001
             */
            payment_number: string;
            /**
             * @description exact (the default): that amount, once. flexible: any amounts until their sum reaches it
             * @enum {string|null}
             */
            payment_mode?: "exact" | "flexible" | null;
            /**
             * @description What it is for
             * @example School fees, term 1
             */
            description: string;
            /**
             * @description It can be paid until then: in the future, at most 366 days ahead. A date alone means its first moment, midnight in Dar es Salaam
             * @example 2026-12-31T21:00:00Z
             */
            expires_at?: string | null;
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        CreateLinkAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            link: components["schemas"]["PaymentLink"];
        };
        CreateLinkRequest: {
            /**
             * @description Default: the payer enters it
             * @example 5000
             */
            amount?: number | null;
            /**
             * @description What it is for
             * @example School fees, term 1
             */
            description: string;
            /**
             * @description When it stops taking payments; default: when you close it
             * @example 2026-11-20
             */
            expires_at?: string | null;
            /**
             * @description `once` (the default): one payment; `many`: any number of payments
             * @enum {string|null}
             */
            quantity?: "once" | "many" | null;
        };
        CreateNumberAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            number: components["schemas"]["StandingNumber"];
            /** @description The code to show */
            qr: {
                /** @description The text inside the code (TANQR, EMVCo) */
                payload: string;
                /** @description The code as a PNG, ready for the `src` of an image */
                image: string;
            };
        };
        CreateNumberRequest: {
            /**
             * @description Your own reference of the customer who pays it, unique in the account; space around it is dropped
             * @example PUPIL-0117
             */
            customer_reference: string;
            /**
             * @description What it is for
             * @example School fees, term 1
             */
            description?: string | null;
            /**
             * @description Whole shillings
             * @example 5000
             */
            minimum?: number | null;
            /**
             * @description Whole shillings
             * @example 5000
             */
            maximum?: number | null;
            /**
             * @description `collect`: customers pay; `top_up`: you add your own money to your balance
             * @enum {string|null}
             */
            purpose?: "collect" | "top_up" | null;
            /** @description Only for `top_up`: the phones and accounts from which your own money comes */
            payers?: string[];
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        CreateNumbersAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The numbers, in the order of the request */
            numbers: (components["schemas"]["MadeNumber"] | components["schemas"]["RefusedNumber"])[];
        };
        CreateNumbersRequest: {
            /** @description The numbers to make */
            numbers: {
                /**
                 * @description Your own reference of the customer who pays it, unique in the account; space around it is dropped
                 * @example PUPIL-0117
                 */
                customer_reference: string;
                /**
                 * @description What it is for
                 * @example School fees, term 1
                 */
                description?: string;
                /**
                 * @description Whole shillings
                 * @example 5000
                 */
                minimum?: number;
                /**
                 * @description Whole shillings
                 * @example 5000
                 */
                maximum?: number;
                /**
                 * @description `collect`: customers pay; `top_up`: you add your own money to your balance
                 * @enum {string}
                 */
                purpose?: "collect" | "top_up";
                /** @description Only for `top_up`: the phones and accounts from which your own money comes */
                payers?: string[];
                /**
                 * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
                 * @example {
                 *       "order_id": "INV-1001"
                 *     }
                 */
                metadata?: {
                    [key: string]: unknown;
                };
            }[];
        };
        CreateQrAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /** @description The network that asks the customer, or `DYNAMIC-QR` */
            transaction_channel: string;
            amount: components["schemas"]["RequestedAmount"];
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account
             * @constant
             */
            transaction_mode: "qr";
            /** @description The code to show */
            qr: {
                /** @description The text inside the code (TANQR, EMVCo) */
                payload: string;
                /** @description The code as a PNG, ready for the `src` of an image */
                image: string;
                /**
                 * @description When it expires: it can be used or paid until then
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                expires_at: string;
            };
            /** @description The page to pay on: send it to your customer. Absent if the service has no such pages */
            pay_url?: string;
        };
        CreateQrRequest: {
            /**
             * @description Whole shillings
             * @example 5000
             */
            amount: number;
            /**
             * @description Case is ignored
             * @example TZS
             */
            currency: string;
            /**
             * @description What it is for
             * @example School fees, term 1
             */
            description?: string | null;
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description Who pays */
        Customer: {
            /** @description The name that the network or bank gave, or that you sent with a bank payout; null when there is none */
            full_name: string | null;
            /** @description As `07XXXXXXXX` or `06XXXXXXXX`; null while nobody has paid */
            phone_number: string | null;
        };
        Entry: {
            /**
             * Format: uuid
             * @description Entries of one transfer add up to zero
             */
            transfer_id: string;
            /**
             * @description What the transfer is for
             * @enum {string}
             */
            kind: "hold" | "release" | "payout" | "collection" | "suspense" | "reversal" | "suspense_release" | "suspense_return" | "write_off" | "correction" | "void";
            /**
             * @description The account that the entry moves
             * @enum {string}
             */
            account: "available" | "held" | "clearing" | "fees" | "suspense" | "settlement" | "gains" | "losses";
            /**
             * @description Positive: added to the account; negative: taken from it
             * @example 5,000.00
             */
            amount: string;
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
        };
        ErrorAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * @description Names the error and never changes: decide by it
             * @enum {string}
             */
            code: "invalid_request" | "invalid_json" | "idempotency_key_missing" | "idempotency_key_invalid" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "insufficient_balance" | "payment_number_taken" | "not_cancellable" | "preview_mismatch" | "submission_expired" | "limit_exceeded" | "duplicate_suspected" | "not_refundable" | "not_settleable" | "refund_exceeds_payment" | "batch_number_taken" | "batch_state" | "items_changed" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "too_many_values" | "unsupported_currency" | "unsupported_network" | "unknown_bank" | "recipient_not_found" | "amount_out_of_range" | "idempotency_key_reused" | "rate_limited" | "internal_error" | "unavailable" | "outcome_unknown";
            /** @description What the code means and what to do: its place in the reference */
            docs: string;
            /** @description The same as the header `X-Request-Id`; quote it to support */
            request_id: string;
            /** @description Every field that is wrong */
            errors?: components["schemas"]["FieldError"][];
            /**
             * Format: uuid
             * @description With `outcome_unknown`: the id that the transaction has if it was started
             */
            transaction_id?: string;
            operations?: components["schemas"]["Operations"];
            /** @description Whether the same request may work later as it is: true for 429, 500 and 503 */
            retryable: boolean;
        };
        FeeSchedule: {
            fees: components["schemas"]["Fees"];
            /**
             * @description Names these fees
             * @example 2025-01
             */
            version: string;
            /**
             * @description Since when, or from when on, all of them hold
             * @example 2026-11-20T08:15:30.123456Z
             */
            effective_from: string;
        };
        FeeTier: {
            /** @description The smallest amount of the tier, in whole shillings */
            from: number;
            /** @description The largest amount of the tier, in whole shillings; null: it has no end */
            to: number | null;
            /** @description In whole shillings, whatever the amount */
            fixed: number;
            /** @description What is added to it: hundredths of a percent of the amount, rounded to the whole shilling, half of one upwards */
            basis_points: number;
            /** @description The fee is no less, in whole shillings; no fee of a payment exceeds its amount */
            min: number;
            /** @description The fee is no more, in whole shillings; null: it has no bound */
            max: number | null;
        };
        FeeTotal: {
            /** @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account */
            transaction_mode?: string;
            /** @description As the statement's lines say */
            description: string;
            /** @description How many lines of the statement */
            lines: number;
            /**
             * @description Negative: fees taken; positive: fees given back
             * @example 5,000.00
             */
            amount: string;
        };
        /** @description What each kind of payment and payout costs, by `transaction_mode` */
        Fees: {
            /** @description USSD pushes */
            ussd: components["schemas"]["ServiceFees"];
            /** @description QR codes */
            qr: components["schemas"]["ServiceFees"];
            /** @description Payments of bills */
            billpay: components["schemas"]["ServiceFees"];
            /** @description Payments of standing numbers */
            number: components["schemas"]["ServiceFees"];
            /** @description Top-ups of the balance by a standing number */
            top_up: components["schemas"]["ServiceFees"];
            /** @description Payouts to wallets */
            mobile: components["schemas"]["ServiceFees"];
            /** @description Refunds */
            refund: components["schemas"]["ServiceFees"];
            /** @description Payouts to bank accounts */
            bank: components["schemas"]["ServiceFees"];
            /** @description Settlements, to the account that the rule names */
            settlement: components["schemas"]["ServiceFees"];
        };
        FieldError: {
            /** @description The field, with dots between an object and its member */
            field: string;
            /** @description What is wrong with it */
            message: string;
        };
        GetBalanceAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * @description The currency of the amounts beside it
             * @example TZS
             */
            currency: string;
            balance: components["schemas"]["Balance"];
        };
        GetBankListAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description Every bank that takes payouts */
            banks: {
                /** @description The name for people */
                name: string;
                /** @description The id that lists and callbacks show as `channel.name` */
                value: string;
                /** @description The BIC of the bank, 8 characters */
                bic: string;
            }[];
            /** @description Your bank payouts, newest first */
            payouts: components["schemas"]["TransactionItem"][];
            pagination: components["schemas"]["Pagination"];
        };
        GetBatchAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            batch: components["schemas"]["Batch"];
        };
        GetBatchItemsAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The items of this page */
            data: components["schemas"]["BatchItem"][];
            pagination: components["schemas"]["Pagination"];
        };
        GetBatchesAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The items of this page */
            data: components["schemas"]["Batch"][];
            pagination: components["schemas"]["Pagination"];
        };
        GetCallbackAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /**
             * @description The latest event
             * @enum {string}
             */
            event: "payment.received" | "payment.failed" | "payout.completed" | "payout.failed" | "payout.returned" | "batch.finished" | "callbacks.address_changed" | "settlement.account_changed" | "ping";
            /** @description The headers for the body, made for this moment */
            headers: {
                /** @description What the body is */
                "Content-Type": string;
                /** @description The `event_id` */
                "webhook-id": string;
                /** @description The present time in seconds since 1970 */
                "webhook-timestamp": string;
                /** @description The signature of the body; absent without a passphrase */
                "Service-Signature"?: string;
                /** @description The signature of id, time and body; absent without a passphrase */
                "webhook-signature"?: string;
            };
            /** @description The exact text of the event: every attempt sends the same */
            body: string;
        };
        GetCallbackSettingsAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The URL that gets callbacks; null: none are sent */
            callback_url: string | null;
            /** @description Whether callbacks are signed */
            passphrase_set: boolean;
            /** @description Whether callbacks are sent */
            enabled: boolean;
            /** @description Why we stopped sending; null while we send */
            disabled_reason: string | null;
            /** @description The events that are sent */
            events: ("batch.finished" | "payment.failed" | "payment.received" | "payout.completed" | "payout.failed" | "payout.returned")[];
            /**
             * @description When it last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            updated_at: string;
            /**
             * @description When operators set the present URL; absent if you set it
             * @example 2026-11-20T08:15:30.123456Z
             */
            callback_url_set_by_operator_at?: string;
        };
        GetCallbacksAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The items of this page */
            data: components["schemas"]["LoggedCallback"][];
            pagination: components["schemas"]["Pagination"];
        };
        GetEntriesAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /** @description What moved, oldest first */
            entries: components["schemas"]["Entry"][];
        };
        GetFeeStatementAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * @description The currency of the amounts beside it
             * @example TZS
             */
            currency: string;
            /**
             * @description The month, of Dar es Salaam
             * @example 2026-11
             */
            month: string;
            /**
             * @description Where it begins, inclusive
             * @example 2026-11-20T08:15:30.123456Z
             */
            from: string;
            /**
             * @description Where it ends, exclusive
             * @example 2026-11-20T08:15:30.123456Z
             */
            to: string;
            /** @description True if this month will never change */
            final: boolean;
            /** @description What each kind of fee came to */
            fees: components["schemas"]["FeeTotal"][];
            /**
             * @description All of them; negative: taken
             * @example 5,000.00
             */
            total: string;
        };
        GetFeesAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            fees: components["schemas"]["Fees"];
            /**
             * @description Names these fees
             * @example 2025-01
             */
            version: string;
            /**
             * @description Since when, or from when on, all of them hold
             * @example 2026-11-20T08:15:30.123456Z
             */
            effective_from: string;
            /** @description The fees that follow, where they are known already */
            next?: components["schemas"]["FeeSchedule"];
        };
        GetLinksAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The items of this page */
            data: components["schemas"]["PaymentLink"][];
            pagination: components["schemas"]["Pagination"];
        };
        GetNetworksAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description Every network that numbers belong to */
            networks: components["schemas"]["Network"][];
        };
        GetNumbersAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The items of this page */
            data: components["schemas"]["StandingNumber"][];
            pagination: components["schemas"]["Pagination"];
        };
        GetOpenApiAnswer: {
            [key: string]: unknown;
        };
        GetPaymentAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * @description The state; final states never change
             * @enum {string}
             */
            status: "pending" | "completed" | "failed" | "cancelled";
            /** @description The payment */
            payment: {
                /**
                 * Format: uuid
                 * @description The id of the transaction in lookups, lists and callbacks; it never changes
                 */
                transaction_id: string;
                /**
                 * @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account
                 * @enum {string}
                 */
                transaction_mode: "ussd" | "billpay" | "qr" | "number";
                /**
                 * @description The currency of every amount here
                 * @example TZS
                 */
                transaction_currency: string;
                channel: components["schemas"]["ChannelSoFar"];
                customer: components["schemas"]["Customer"];
                /** @description Your metadata, unchanged; `{}` if you sent none */
                metadata: {
                    [key: string]: unknown;
                };
                /** @description How much */
                amount: {
                    /**
                     * @description The amount of the transaction, without the fee
                     * @example 5,000.00
                     */
                    value: string;
                };
                /**
                 * @description When it was accepted
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                created_at: string;
                /**
                 * @description When it last changed
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                updated_at: string;
                /**
                 * @description When its state last changed
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                timestamp: string;
                /**
                 * @description The latest event
                 * @enum {string}
                 */
                event: "payment.pending" | "payment.received" | "payment.failed";
                /**
                 * @description Our fee in total, once the payment is completed
                 * @example 5,000.00
                 */
                fee?: string;
                /**
                 * @description The amount added to your balance: the payment less the fee
                 * @example 5,000.00
                 */
                settled?: string;
                /** @description A sentence that explains `failure_code` */
                failure_reason?: string;
                /**
                 * @description Why it failed: one of a closed list
                 * @enum {string}
                 */
                failure_code?: "insufficient_funds" | "customer_declined" | "customer_timeout" | "wrong_pin" | "payer_not_found" | "recipient_not_found" | "account_blocked" | "payer_limit_reached" | "recipient_limit_reached" | "amount_out_of_range" | "transaction_in_progress" | "invalid_account" | "account_closed" | "name_mismatch" | "bank_not_reachable" | "insufficient_float" | "network_unavailable" | "network_error" | "cancelled" | "expired" | "expired_partially_paid" | "reversed";
                /** @description A sentence: why it is not final yet, or why it was cancelled */
                status_reason?: string;
                bill?: components["schemas"]["Bill"];
                /** @description The page to pay on: send it to your customer. Absent if the service has no such pages */
                pay_url?: string;
                /**
                 * Format: uuid
                 * @description Only for a push requested on a pay page: the bill, or payment of a number, that it pays
                 */
                pays?: string;
                number?: components["schemas"]["PaidNumber"];
                /** @description Your description, unchanged */
                description?: string;
                /** @description The accepted payments of the bill, oldest first */
                payments?: components["schemas"]["BillPayment"][];
                /**
                 * @description When it expires: it can be used or paid until then
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                expires_at?: string;
                /**
                 * @description The amount refunded or on its way back to the payer; absent if there was no refund
                 * @example 5,000.00
                 */
                refunded?: string;
                /** @description Its refunds, the oldest first, also those that failed */
                refunds?: {
                    /**
                     * Format: uuid
                     * @description The id of the transaction in lookups, lists and callbacks; it never changes
                     */
                    transaction_id: string;
                    /**
                     * @description The state of this refund
                     * @enum {string}
                     */
                    status: "pending" | "paid" | "failed" | "cancelled";
                    /**
                     * @description How much
                     * @example 5,000.00
                     */
                    amount: string;
                    /**
                     * @description When it was accepted
                     * @example 2026-11-20T08:15:30.123456Z
                     */
                    created_at: string;
                }[];
            };
            /** @description The page that shows this payment or payout to anyone who has the address. Absent before it succeeds (a line of a statement has it from the start), for a bill paid in parts (each of `payments` has one), and if the service has no such pages */
            receipt_url?: string;
        };
        GetPayoutAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * @description The state; final states never change
             * @enum {string}
             */
            status: "pending" | "paid" | "failed" | "cancelled";
            /** @description The payout */
            payout: {
                /**
                 * @description The latest event
                 * @enum {string}
                 */
                event: "payout.pending" | "payout.completed" | "payout.failed";
                /**
                 * Format: uuid
                 * @description The id of the transaction in lookups, lists and callbacks; it never changes
                 */
                transaction_id: string;
                /**
                 * @description `mobile` or `ach` (a bank); absent once it failed or was cancelled
                 * @enum {string}
                 */
                transaction_method?: "mobile" | "ach";
                /** @description How much */
                amount: {
                    /**
                     * @description The amount of the transaction, without the fee
                     * @example 5,000.00
                     */
                    value: string;
                    /**
                     * @description The fee, held and then taken with the value; absent once it failed or was cancelled
                     * @example 5,000.00
                     */
                    fee?: string;
                };
                /** @description The wallet that is paid */
                mobile?: {
                    /** @description As `07XXXXXXXX` or `06XXXXXXXX`; null while nobody has paid */
                    phone_number: string;
                    /** @description The recipient's network */
                    network: string;
                };
                /** @description The account that is paid */
                bank?: {
                    /** @description The number of the account, without spaces and dashes */
                    account_number: string;
                    /** @description The name of the bank */
                    name: string;
                    /** @description The BIC of the bank, 8 characters */
                    bic: string;
                };
                /**
                 * @description When the network or bank paid it; absent or null until then
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                paid_at?: string;
                /** @description A sentence that explains `failure_code` */
                failure_reason?: string;
                /**
                 * @description Why it failed: one of a closed list
                 * @enum {string}
                 */
                failure_code?: "insufficient_funds" | "customer_declined" | "customer_timeout" | "wrong_pin" | "payer_not_found" | "recipient_not_found" | "account_blocked" | "payer_limit_reached" | "recipient_limit_reached" | "amount_out_of_range" | "transaction_in_progress" | "invalid_account" | "account_closed" | "name_mismatch" | "bank_not_reachable" | "insufficient_float" | "network_unavailable" | "network_error" | "cancelled" | "expired" | "expired_partially_paid" | "reversed";
                /** @description A sentence: why it is not final yet, or why it was cancelled */
                status_reason?: string;
                /**
                 * @description The currency of every amount here
                 * @example TZS
                 */
                transaction_currency: string;
                /** @description Our reference of the payout, the same on every attempt */
                payout_reference: string;
                channel: components["schemas"]["Channel"];
                beneficiary: components["schemas"]["Beneficiary"];
                /** @description Your metadata, unchanged; `{}` if you sent none */
                metadata: {
                    [key: string]: unknown;
                };
                /**
                 * Format: uuid
                 * @description The batch of which the payout is an item
                 */
                batch_id?: string;
                /**
                 * Format: uuid
                 * @description The payment that this refund gives back
                 */
                refund_of?: string;
                /** @description The reason of a refund, unchanged */
                reason?: string;
                /**
                 * @description When the bank or network sent the paid payout back
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                returned_at?: string;
                /** @description Why it was sent back */
                return_reason?: string;
                /**
                 * @description When it was accepted
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                created_at: string;
                /**
                 * @description When it last changed
                 * @example 2026-11-20T08:15:30.123456Z
                 */
                updated_at: string;
            };
            /** @description The page that shows this payment or payout to anyone who has the address. Absent before it succeeds (a line of a statement has it from the start), for a bill paid in parts (each of `payments` has one), and if the service has no such pages */
            receipt_url?: string;
        };
        GetStatementAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * @description The currency of the amounts beside it
             * @example TZS
             */
            currency: string;
            /**
             * @description Where the range begins, inclusive
             * @example 2026-11-20T08:15:30.123456Z
             */
            from: string;
            /**
             * @description Where the range ends, exclusive
             * @example 2026-11-20T08:15:30.123456Z
             */
            to: string;
            /** @description True if this range will never change: a later correction is a line of its own day */
            final: boolean;
            /**
             * @description What was available when the range began
             * @example 5,000.00
             */
            opening_balance: string;
            /**
             * @description opening_balance and the amounts of all lines of the range, not only of this page
             * @example 5,000.00
             */
            closing_balance: string;
            /** @description The items of this page */
            data: components["schemas"]["StatementLine"][];
            pagination: components["schemas"]["Pagination"];
        };
        GetStatusAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            operations: components["schemas"]["Operations"];
        };
        GetTransactionAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The transaction */
            data: components["schemas"]["TransactionItem"];
        };
        GetTransactionsAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The items of this page */
            data: components["schemas"]["TransactionItem"][];
            pagination: components["schemas"]["Pagination"];
        };
        InitiateBankPayoutAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            balance: components["schemas"]["Balance"];
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description The state; final states never change
             * @constant
             */
            status: "initiated";
            amount: components["schemas"]["AmountAndFee"];
            /** @description The account that is paid */
            bank: {
                /** @description The number of the account, without spaces and dashes */
                account_number: string;
                /** @description The BIC of the bank, 8 characters */
                bic: string;
            };
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        InitiateBankPayoutRequest: {
            /**
             * @description Whole shillings
             * @example 5000
             */
            amount: number;
            /**
             * @description Case is ignored
             * @example TZS
             */
            currency: string;
            /**
             * @description 5 to 34 letters and digits; spaces and dashes are dropped
             * @example 0150123456789
             */
            account_number: string;
            /**
             * @description The BIC of a bank in GET payouts/bank/list, with or without a branch; case is ignored
             * @example CORUTZTZ
             */
            bic: string;
            /** @description Who is paid */
            beneficiary: {
                /**
                 * @description The owner of the account, as the bank knows the name
                 * @example Asha Juma
                 */
                full_name: string;
                /**
                 * @description Checked, and neither sent to the bank nor kept
                 * @example 0754123456
                 */
                phone_number?: string | null;
            };
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description The preview_id of a preview of the same payout */
            preview_id?: string | null;
        };
        InitiateMobilePayoutAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            balance: components["schemas"]["Balance"];
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description The state; final states never change
             * @constant
             */
            status: "initiated";
            amount: components["schemas"]["AmountAndFee"];
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        InitiateMobilePayoutRequest: {
            /**
             * @description Whole shillings
             * @example 5000
             */
            amount: number;
            /**
             * @description Case is ignored
             * @example TZS
             */
            currency: string;
            /**
             * @description 07XXXXXXXX or 06XXXXXXXX; with 255, +255 or 00255 in front, or without the 0, it is the same number. Spaces, dashes, parentheses and dots between groups are dropped
             * @example 0754123456
             */
            phone_number: string;
            /**
             * @description The network, if the number was ported to it; case is ignored
             * @example M-PESA
             * @enum {string|null}
             */
            transaction_channel?: "M-PESA" | "AIRTEL-MONEY" | "TIGO-PESA" | "HALOPESA" | "T-PESA" | "AZAMPESA" | null;
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description The preview_id of a preview of the same payout */
            preview_id?: string | null;
        };
        InitiateUssdPushAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /** @description The network that asks the customer, or `DYNAMIC-QR` */
            transaction_channel: string;
            amount: components["schemas"]["RequestedAmount"];
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        InitiateUssdPushRequest: {
            /**
             * @description Whole shillings
             * @example 5000
             */
            amount: number;
            /**
             * @description Case is ignored
             * @example TZS
             */
            currency: string;
            /**
             * @description 07XXXXXXXX or 06XXXXXXXX; with 255, +255 or 00255 in front, or without the 0, it is the same number. Spaces, dashes, parentheses and dots between groups are dropped
             * @example 0754123456
             */
            phone_number: string;
            /**
             * @description The network, if the number was ported to it; case is ignored
             * @example M-PESA
             * @enum {string|null}
             */
            transaction_channel?: "M-PESA" | "AIRTEL-MONEY" | "TIGO-PESA" | "HALOPESA" | "T-PESA" | "AZAMPESA" | null;
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        LoggedCallback: {
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /**
             * @description The latest event
             * @enum {string}
             */
            event: "payment.received" | "payment.failed" | "payout.completed" | "payout.failed" | "payout.returned" | "batch.finished" | "callbacks.address_changed" | "settlement.account_changed" | "ping";
            /**
             * Format: uuid
             * @description The transaction that it is about; null for a ping
             */
            transaction_id: string | null;
            /** @description Counts the events of a transaction from 1, in the order in which they happened; null for a ping */
            sequence: number | null;
            /**
             * @description Whether it waits, arrived, ran out of attempts or had no address
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "no_url";
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /**
             * @description When it is sent next; null when it is not
             * @example 2026-11-20T08:15:30.123456Z
             */
            next_attempt_at: string | null;
            /** @description Every attempt, oldest first */
            attempts: components["schemas"]["CallbackAttempt"][];
        };
        MadeNumber: {
            number: components["schemas"]["StandingNumber"];
            /** @description The code to show */
            qr: {
                /** @description The text inside the code (TANQR, EMVCo) */
                payload: string;
            };
        };
        MobileBeneficiary: {
            /** @description As `07XXXXXXXX` or `06XXXXXXXX`; null while nobody has paid */
            phone_number: string;
            /** @description The recipient's network */
            phone_network: string;
            /** @description The name that the network or bank gave, or that you sent with a bank payout; null when there is none */
            full_name: string | null;
        };
        Network: {
            /**
             * @description The name under payouts
             * @example m-pesa
             */
            id: string;
            /**
             * @description The name under payments
             * @example M-PESA
             */
            name: string;
            /** @description Prefixes of the numbers that it gave out; a number may have moved to another network since */
            prefixes: string[];
            /** @description USSD pushes over it */
            payments: components["schemas"]["NetworkService"];
            /** @description Payouts over it */
            payouts: components["schemas"]["NetworkService"];
        };
        NetworkService: {
            /**
             * @description `up`, `degraded` (some requests are not answered), `down` (pushes are refused, payouts wait) or `unavailable` (not offered)
             * @enum {string}
             */
            status: "up" | "degraded" | "down" | "unavailable";
            /** @description The smallest amount, in whole shillings */
            min: number;
            /** @description The largest amount, in whole shillings */
            max: number;
        };
        /** @description Whether each kind of work is done at present */
        Operations: {
            /**
             * @description USSD pushes, bills and QR codes
             * @enum {string}
             */
            payments: "up" | "degraded" | "down";
            /**
             * @description Payouts to wallets and bank accounts
             * @enum {string}
             */
            payouts: "up" | "degraded" | "down";
            /**
             * @description Our callbacks to you
             * @enum {string}
             */
            callbacks: "up" | "degraded" | "down";
        };
        /** @description Which page this is, and how many there are */
        Pagination: {
            /** @description The number of this page */
            current_page: number;
            /** @description The last page that has items; 1 when there are none */
            last_page: number;
            /** @description How many items a page has */
            per_page: number;
            /** @description The number of items on all pages */
            total_items: number;
            /** @description There are more than `total_items`, because counting stopped. You can ask for pages after `last_page`; an empty page is the end */
            total_is_minimum?: boolean;
        };
        /** @description The standing number */
        PaidNumber: {
            /**
             * Format: uuid
             * @description The id of the number
             */
            id: string;
            /**
             * @description The control number that the customer types
             * @example 770000000049
             */
            reference: string;
            /** @description Your own reference of the customer who pays the number */
            customer_reference: string;
        };
        PaymentFailedEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "payment.failed";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /** @description Counts the events of a transaction from 1, in the order in which they happened; null for a ping */
            sequence: number;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account
             * @enum {string}
             */
            transaction_mode: "ussd" | "billpay" | "qr" | "number";
            /**
             * @description The currency of every amount here
             * @example TZS
             */
            transaction_currency: string;
            channel: components["schemas"]["ChannelSoFar"];
            customer: components["schemas"]["Customer"];
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
            bill?: components["schemas"]["Bill"];
            number?: components["schemas"]["PaidNumber"];
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /**
             * @description When it last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            updated_at: string;
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
            /** @description How much */
            amount: {
                /**
                 * @description The amount of the transaction, without the fee
                 * @example 5,000.00
                 */
                value: string;
            };
            /** @description A sentence that explains `failure_code` */
            failure_reason: string;
            /**
             * @description Why it failed: one of a closed list
             * @enum {string}
             */
            failure_code: "insufficient_funds" | "customer_declined" | "customer_timeout" | "wrong_pin" | "payer_not_found" | "recipient_not_found" | "account_blocked" | "payer_limit_reached" | "recipient_limit_reached" | "amount_out_of_range" | "transaction_in_progress" | "invalid_account" | "account_closed" | "name_mismatch" | "bank_not_reachable" | "insufficient_float" | "network_unavailable" | "network_error" | "cancelled" | "expired" | "expired_partially_paid" | "reversed";
        };
        /** @description The payment link */
        PaymentLink: {
            /**
             * Format: uuid
             * @description The id of the link
             */
            id: string;
            /** @description The short address, for an SMS, a chat or a wall */
            url: string;
            /** @description The description that the payer reads */
            description: string;
            /** @description How much */
            amount?: number;
            /**
             * @description `once`: the link ends with its payment; `many`: each payer gets a new bill
             * @enum {string}
             */
            quantity: "once" | "many";
            /**
             * @description The state; final states never change
             * @enum {string}
             */
            status: "open" | "closed" | "expired" | "paid";
            /**
             * @description When it expires: it can be used or paid until then
             * @example 2026-11-20T08:15:30.123456Z
             */
            expires_at?: string;
            /** @description The number of payments made with it */
            payments: number;
            /** @description The amount paid so far */
            paid: number;
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
        };
        PaymentReceivedEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "payment.received";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /** @description Counts the events of a transaction from 1, in the order in which they happened; null for a ping */
            sequence: number;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account
             * @enum {string}
             */
            transaction_mode: "ussd" | "billpay" | "qr" | "number";
            /**
             * @description The currency of every amount here
             * @example TZS
             */
            transaction_currency: string;
            channel: components["schemas"]["ChannelSoFar"];
            customer: components["schemas"]["Customer"];
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
            bill?: components["schemas"]["Bill"];
            number?: components["schemas"]["PaidNumber"];
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /**
             * @description When it last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            updated_at: string;
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
            /** @description How much */
            amount: {
                /**
                 * @description The amount of the transaction, without the fee
                 * @example 5,000.00
                 */
                value: string;
                /**
                 * @description Our fee for the payment that this callback is about
                 * @example 5,000.00
                 */
                fee: string;
                /**
                 * @description The amount added to your balance: the payment less the fee
                 * @example 5,000.00
                 */
                settled: string;
            };
            /** @description The page that shows this payment or payout to anyone who has the address. Absent before it succeeds (a line of a statement has it from the start), for a bill paid in parts (each of `payments` has one), and if the service has no such pages */
            receipt_url?: string;
        };
        PayoutCompletedEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "payout.completed";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /** @description Counts the events of a transaction from 1, in the order in which they happened; null for a ping */
            sequence: number;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account
             * @enum {string}
             */
            transaction_mode: "mobile" | "bank" | "refund" | "settlement";
            /**
             * @description The currency of every amount here
             * @example TZS
             */
            transaction_currency: string;
            channel: components["schemas"]["Channel"];
            /** @description How much */
            amount: {
                /**
                 * @description The amount of the transaction, without the fee
                 * @example 5,000.00
                 */
                value: string;
            };
            /** @description Our reference of the payout, the same on every attempt */
            payout_reference: string;
            beneficiary: components["schemas"]["Beneficiary"];
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The batch of which the payout is an item
             */
            batch_id?: string;
            /**
             * Format: uuid
             * @description The payment that this refund gives back
             */
            refund_of?: string;
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
            /**
             * @description What we charge for the transaction: taken from a payment, added to a payout (docs: what `fee` means)
             * @example 5,000.00
             */
            fee: string;
            /**
             * @description When the network or bank paid it; absent or null until then
             * @example 2026-11-20T08:15:30.123456Z
             */
            paid_at: string;
            /** @description The page that shows this payment or payout to anyone who has the address. Absent before it succeeds (a line of a statement has it from the start), for a bill paid in parts (each of `payments` has one), and if the service has no such pages */
            receipt_url?: string;
        };
        PayoutFailedEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "payout.failed";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /** @description Counts the events of a transaction from 1, in the order in which they happened; null for a ping */
            sequence: number;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account
             * @enum {string}
             */
            transaction_mode: "mobile" | "bank" | "refund" | "settlement";
            /**
             * @description The currency of every amount here
             * @example TZS
             */
            transaction_currency: string;
            channel: components["schemas"]["Channel"];
            /** @description How much */
            amount: {
                /**
                 * @description The amount of the transaction, without the fee
                 * @example 5,000.00
                 */
                value: string;
            };
            /** @description Our reference of the payout, the same on every attempt */
            payout_reference: string;
            beneficiary: components["schemas"]["Beneficiary"];
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The batch of which the payout is an item
             */
            batch_id?: string;
            /**
             * Format: uuid
             * @description The payment that this refund gives back
             */
            refund_of?: string;
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
            /** @description A sentence that explains `failure_code` */
            failure_reason: string;
            /**
             * @description Why it failed: one of a closed list
             * @enum {string}
             */
            failure_code: "insufficient_funds" | "customer_declined" | "customer_timeout" | "wrong_pin" | "payer_not_found" | "recipient_not_found" | "account_blocked" | "payer_limit_reached" | "recipient_limit_reached" | "amount_out_of_range" | "transaction_in_progress" | "invalid_account" | "account_closed" | "name_mismatch" | "bank_not_reachable" | "insufficient_float" | "network_unavailable" | "network_error" | "cancelled" | "expired" | "expired_partially_paid" | "reversed";
            /**
             * @description When the network or bank paid it; absent or null until then
             * @constant
             */
            paid_at: string | null;
        };
        PayoutReturnedEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "payout.returned";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /** @description Counts the events of a transaction from 1, in the order in which they happened; null for a ping */
            sequence: number;
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account
             * @enum {string}
             */
            transaction_mode: "mobile" | "bank" | "refund" | "settlement";
            /**
             * @description The currency of every amount here
             * @example TZS
             */
            transaction_currency: string;
            channel: components["schemas"]["Channel"];
            /** @description How much */
            amount: {
                /**
                 * @description The amount of the transaction, without the fee
                 * @example 5,000.00
                 */
                value: string;
            };
            /** @description Our reference of the payout, the same on every attempt */
            payout_reference: string;
            beneficiary: components["schemas"]["Beneficiary"];
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The batch of which the payout is an item
             */
            batch_id?: string;
            /**
             * Format: uuid
             * @description The payment that this refund gives back
             */
            refund_of?: string;
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
            /**
             * @description When the bank or network sent the paid payout back
             * @example 2026-11-20T08:15:30.123456Z
             */
            returned_at: string;
            /** @description Why it was sent back */
            return_reason: string;
            /**
             * @description When the network or bank paid it; absent or null until then
             * @example 2026-11-20T08:15:30.123456Z
             */
            paid_at: string;
        };
        PingEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "ping";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
        };
        PreviewBankPayoutAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description Send it with the payout to keep the fee; good for 15 minutes and one payout */
            preview_id: string;
            /**
             * @description When it expires: it can be used or paid until then
             * @example 2026-11-20T08:15:30.123456Z
             */
            expires_at: string;
            /** @description How much */
            amount: {
                /** @description The amount of the transaction, without the fee */
                value: number;
                /**
                 * @description The currency of the amounts beside it
                 * @example TZS
                 */
                currency: string;
                /** @description What we charge for the transaction: taken from a payment, added to a payout (docs: what `fee` means) */
                fee: number;
                /** @description Value and fee: what your balance must cover */
                total: number;
            };
            /** @description Your balance, after this request */
            balance: {
                /** @description The amount that you can pay out now */
                current: number;
                /** @description The amount held for payouts that have not ended, with their fees */
                reserved: number;
                /** @description Whether the balance covers the total now */
                sufficient: boolean;
            };
            /** @description The network or bank; for a bill or QR code that nobody has paid yet, its kind */
            channel: {
                /** @description The network or bank; upper case for payments, an id for payouts */
                name: string;
            };
            /** @description Who is paid */
            beneficiary: {
                /** @description The name that the network or bank gave, or that you sent with a bank payout; null when there is none */
                full_name: string | null;
                /** @description True if each word of one name is in the other: the one from the network or bank, and yours. Where one has more words, the other must have two. Order and case are ignored; null if no name came */
                name_match: boolean | null;
                /** @description The number of the account, without spaces and dashes */
                account_number: string;
                /** @description The name of the bank */
                bank_name: string;
                /** @description The BIC of the bank, 8 characters */
                bic: string;
            };
            /** @description The limits of one payout, both inclusive */
            limits: {
                /** @description The smallest amount */
                minimum: number;
                /** @description The largest amount */
                maximum: number;
            };
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        PreviewBankPayoutRequest: {
            /**
             * @description Whole shillings
             * @example 5000
             */
            amount: number;
            /**
             * @description Case is ignored
             * @example TZS
             */
            currency: string;
            /**
             * @description 5 to 34 letters and digits; spaces and dashes are dropped
             * @example 0150123456789
             */
            account_number: string;
            /**
             * @description The BIC of a bank in GET payouts/bank/list, with or without a branch; case is ignored
             * @example CORUTZTZ
             */
            bic: string;
            /** @description Who is paid */
            beneficiary: {
                /**
                 * @description The owner of the account, as the bank knows the name
                 * @example Asha Juma
                 */
                full_name: string;
                /**
                 * @description Checked, and neither sent to the bank nor kept
                 * @example 0754123456
                 */
                phone_number?: string | null;
            };
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        PreviewMobilePayoutAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description Send it with the payout to keep the fee; good for 15 minutes and one payout */
            preview_id: string;
            /**
             * @description When it expires: it can be used or paid until then
             * @example 2026-11-20T08:15:30.123456Z
             */
            expires_at: string;
            /** @description How much */
            amount: {
                /** @description The amount of the transaction, without the fee */
                value: number;
                /**
                 * @description The currency of the amounts beside it
                 * @example TZS
                 */
                currency: string;
                /** @description What we charge for the transaction: taken from a payment, added to a payout (docs: what `fee` means) */
                fee: number;
                /** @description Value and fee: what your balance must cover */
                total: number;
            };
            /** @description Your balance, after this request */
            balance: {
                /** @description The amount that you can pay out now */
                current: number;
                /** @description The amount held for payouts that have not ended, with their fees */
                reserved: number;
                /** @description Whether the balance covers the total now */
                sufficient: boolean;
            };
            /** @description The network or bank; for a bill or QR code that nobody has paid yet, its kind */
            channel: {
                /** @description The network or bank; upper case for payments, an id for payouts */
                name: string;
            };
            /** @description Who is paid */
            beneficiary: {
                /** @description The name that the network or bank gave, or that you sent with a bank payout; null when there is none */
                full_name: string | null;
                /** @description True if each word of one name is in the other: the one from the network or bank, and yours. Where one has more words, the other must have two. Order and case are ignored; null if no name came */
                name_match: boolean | null;
                /** @description As `07XXXXXXXX` or `06XXXXXXXX`; null while nobody has paid */
                phone_number: string;
            };
            /** @description The limits of one payout, both inclusive */
            limits: {
                /** @description The smallest amount */
                minimum: number;
                /** @description The largest amount */
                maximum: number;
            };
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        PreviewMobilePayoutRequest: {
            /**
             * @description Whole shillings
             * @example 5000
             */
            amount: number;
            /**
             * @description Case is ignored
             * @example TZS
             */
            currency: string;
            /**
             * @description 07XXXXXXXX or 06XXXXXXXX; with 255, +255 or 00255 in front, or without the 0, it is the same number. Spaces, dashes, parentheses and dots between groups are dropped
             * @example 0754123456
             */
            phone_number: string;
            /**
             * @description The network, if the number was ported to it; case is ignored
             * @example M-PESA
             * @enum {string|null}
             */
            transaction_channel?: "M-PESA" | "AIRTEL-MONEY" | "TIGO-PESA" | "HALOPESA" | "T-PESA" | "AZAMPESA" | null;
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        PutCallbackSettingsRequest: {
            /**
             * Format: uri
             * @description The URL that gets callbacks; null: none are sent
             * @example https://shop.example/callbacks
             */
            callback_url?: string | null;
            /** @description At least 24 characters, or whsec_ and at least 24 bytes in base64 */
            passphrase?: string | null;
            /** @description The events that are sent: all of them at first. `ping` and `callbacks.address_changed` are always sent */
            events?: ("payment.received" | "payment.failed" | "payout.completed" | "payout.failed" | "payout.returned" | "batch.finished" | "callbacks.address_changed" | "settlement.account_changed" | "ping")[];
        };
        RefundPaymentAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            balance: components["schemas"]["Balance"];
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description The state; final states never change
             * @constant
             */
            status: "initiated";
            amount: components["schemas"]["AmountAndFee"];
            /**
             * Format: uuid
             * @description The payment that this refund gives back
             */
            refund_of: string;
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        RefundPaymentRequest: {
            /**
             * @description Shillings, with decimals only if the bill has them; default: all that is left
             * @example 2000
             */
            amount?: number | null;
            /**
             * @description One of several payments of a bill, by its receipt (`payments[].channel.reference` of the lookup)
             * @example CKL6A1B2C3
             */
            receipt?: string | null;
            /**
             * @description Why, in your own words
             * @example School fees, term 1
             */
            reason?: string | null;
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        RefusedNumber: {
            /** @description Your own reference of the customer who pays the number */
            customer_reference?: string;
            /** @description Every field that is wrong */
            errors: components["schemas"]["FieldError"][];
        };
        /** @description How much */
        RequestedAmount: {
            /** @description The amount of the transaction, without the fee */
            value: number;
            /**
             * @description The currency of the amounts beside it
             * @example TZS
             */
            currency: string;
        };
        ResendCallbacksAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description How many events are sent again */
            queued: number;
            /**
             * @description The `from` of the next request; null when there are no more events
             * @example 2026-11-20T08:15:30.123456Z
             */
            next_from: string | null;
        };
        ResendCallbacksRequest: {
            /**
             * @description inclusive, on created_at; events older than 90 days are left out
             * @example 2026-11-20
             */
            from: string;
            /**
             * @description exclusive; default: now
             * @example 2026-11-21T00:00:00Z
             */
            to?: string | null;
            /**
             * @description Default: failed and no_url
             * @enum {string|null}
             */
            state?: "failed" | "no_url" | "delivered" | null;
        };
        ServiceFees: {
            /** @description Every amount has one of them */
            tiers: components["schemas"]["FeeTier"][];
        };
        SettleAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            balance: components["schemas"]["Balance"];
            /** @description The settlement to your own account */
            settlement: {
                /**
                 * Format: uuid
                 * @description The transaction_id of its first payout
                 */
                id: string;
                /** @description The sum of its payouts in whole shillings, without their fees */
                amount: number;
                /** @description The transaction_id of each of its payouts */
                payouts: string[];
            };
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        SettleRequest: {
            /**
             * @description Whole shillings; default: all that your rule does not keep, at most its cap
             * @example 5000
             */
            amount?: number | null;
            /**
             * @description At most 3 items of any JSON value; keys and values under 100 characters; echoed as sent
             * @example {
             *       "order_id": "INV-1001"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        SettlementAccountChangedEvent: {
            /**
             * @description The latest event
             * @constant
             */
            event: "settlement.account_changed";
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
            /**
             * @description When its state last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            timestamp: string;
            /** @description Your bank or network, and the number, masked */
            new_account: string;
            /**
             * @description Nothing is settled to the new account before this time
             * @example 2026-11-20T08:15:30.123456Z
             */
            paid_from: string;
        };
        /** @description The standing number */
        StandingNumber: {
            /**
             * Format: uuid
             * @description The id of the number
             */
            id: string;
            /**
             * @description The control number that the customer types
             * @example 770000000049
             */
            reference: string;
            /** @description Your own reference of the customer who pays the number */
            customer_reference: string;
            /**
             * @description `collect`: customers pay; `top_up`: you add your own money to your balance
             * @enum {string}
             */
            purpose: "collect" | "top_up";
            /**
             * @description `open` or `closed`: a closed number takes no payments
             * @enum {string}
             */
            status: "open" | "closed";
            /** @description Your description, unchanged */
            description?: string;
            /** @description The smallest payment, in whole shillings */
            minimum?: number;
            /** @description The largest payment, in whole shillings */
            maximum?: number;
            /** @description Payments that the network reports from these phones or accounts have the fee row `top_up`; this list never changes */
            payers?: string[];
            /** @description The page to pay on: send it to your customer. Absent if the service has no such pages */
            pay_url?: string;
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
        };
        StartBatchRequest: {
            /**
             * @description The `items_hash` of the batch that you checked
             * @example 9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f
             */
            items_hash: string;
        };
        StatementLine: {
            /** @description The number of the line; the numbers of an account have no gap */
            line: number;
            /**
             * @description When the balance changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            at: string;
            /**
             * @description What changed the balance
             * @enum {string}
             */
            type: "payment" | "payout" | "payout_reversal" | "fee" | "refund" | "top_up" | "withdrawal" | "return" | "adjustment";
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id?: string;
            /** @description The network's receipt of a payment, our payout_reference, or the name of a top-up or withdrawal */
            reference?: string;
            /** @description The change in words */
            description: string;
            /**
             * @description Positive: money came in; negative: money went out
             * @example 5,000.00
             */
            amount: string;
            /**
             * @description What was available after this line
             * @example 5,000.00
             */
            balance: string;
            /** @description The page that shows this payment or payout to anyone who has the address. Absent before it succeeds (a line of a statement has it from the start), for a bill paid in parts (each of `payments` has one), and if the service has no such pages */
            receipt_url?: string;
        };
        TestCallbackAnswer: {
            /** @description Whether this request worked; it says nothing about how a transaction ended */
            success: boolean;
            /** @description A sentence for people; it may change */
            message: string;
            /** @description The id of the event. It is the same on every attempt, so act once on each id */
            event_id: string;
        };
        TransactionItem: {
            /**
             * Format: uuid
             * @description The id of the transaction in lookups, lists and callbacks; it never changes
             */
            transaction_id: string;
            /**
             * @description Payment, bill or payout
             * @enum {string}
             */
            type: "payment" | "bill" | "payout";
            /**
             * @description How it is paid: push, bill, QR code, standing number, to a wallet, to a bank, a refund, or to your own account
             * @enum {string}
             */
            transaction_mode: "ussd" | "billpay" | "qr" | "number" | "mobile" | "bank" | "refund" | "settlement";
            /**
             * @description The currency of every amount here
             * @example TZS
             */
            transaction_currency: string;
            /**
             * @description The state; final states never change
             * @enum {string}
             */
            status: "pending" | "completed" | "failed" | "cancelled" | "paid";
            /**
             * @description The latest event
             * @enum {string}
             */
            event: "payment.pending" | "payment.received" | "payment.failed" | "payout.pending" | "payout.completed" | "payout.failed";
            channel: components["schemas"]["ChannelSoFar"];
            /** @description How much */
            amount: {
                /**
                 * @description The amount of the transaction, without the fee
                 * @example 5,000.00
                 */
                value: string;
                /**
                 * @description What we charge for the transaction: taken from a payment, added to a payout (docs: what `fee` means)
                 * @example 5,000.00
                 */
                fee?: string;
                /**
                 * @description The amount added to your balance: the payment less the fee
                 * @example 5,000.00
                 */
                settled?: string;
            };
            customer?: components["schemas"]["Customer"];
            beneficiary?: components["schemas"]["Beneficiary"];
            /** @description The payment number of a bill, the customer reference of a standing number, the `payout_reference` of a payout, else null: the receipt is `channel.reference` */
            reference: string | null;
            bill?: components["schemas"]["Bill"];
            /**
             * Format: uuid
             * @description Only for a push requested on a pay page: the bill, or payment of a number, that it pays
             */
            pays?: string;
            number?: components["schemas"]["PaidNumber"];
            /** @description A sentence that explains `failure_code` */
            failure_reason?: string;
            /**
             * @description Why it failed: one of a closed list
             * @enum {string}
             */
            failure_code?: "insufficient_funds" | "customer_declined" | "customer_timeout" | "wrong_pin" | "payer_not_found" | "recipient_not_found" | "account_blocked" | "payer_limit_reached" | "recipient_limit_reached" | "amount_out_of_range" | "transaction_in_progress" | "invalid_account" | "account_closed" | "name_mismatch" | "bank_not_reachable" | "insufficient_float" | "network_unavailable" | "network_error" | "cancelled" | "expired" | "expired_partially_paid" | "reversed";
            /**
             * @description When the network or bank paid it; absent or null until then
             * @example 2026-11-20T08:15:30.123456Z
             */
            paid_at?: string;
            /**
             * @description When the bank or network sent the paid payout back
             * @example 2026-11-20T08:15:30.123456Z
             */
            returned_at?: string;
            /** @description Why it was sent back */
            return_reason?: string;
            /**
             * Format: uuid
             * @description The payment that this refund gives back
             */
            refund_of?: string;
            /**
             * @description The amount refunded or on its way back to the payer; absent if there was no refund
             * @example 5,000.00
             */
            refunded?: string;
            /** @description Your metadata, unchanged; `{}` if you sent none */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The batch of which the payout is an item
             */
            batch_id?: string;
            /**
             * @description When it was accepted
             * @example 2026-11-20T08:15:30.123456Z
             */
            created_at: string;
            /**
             * @description When it last changed
             * @example 2026-11-20T08:15:30.123456Z
             */
            updated_at: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetStatusAnswer"];
                };
            };
        };
    };
    initiateUssdPush: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for each transaction, and the same value for a retry. "k" and k are one key
                 * @example order-1001
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InitiateUssdPushRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InitiateUssdPushAnswer"];
                };
            };
        };
    };
    createBill: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for each transaction, and the same value for a retry. "k" and k are one key
                 * @example order-1001
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBillRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateBillAnswer"];
                };
            };
        };
    };
    createQr: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for each transaction, and the same value for a retry. "k" and k are one key
                 * @example order-1001
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateQrRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateQrAnswer"];
                };
            };
        };
    };
    getNumbers: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1; a page after the last is empty */
                page?: number;
                /** @description How many items a page has, at most 100 */
                per_page?: number;
                /** @description Your own reference of the customer, in full */
                customer_reference?: string;
                /** @description A control number, in full */
                reference?: string;
                /** @description Only items in this state now */
                status?: "open" | "closed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetNumbersAnswer"];
                };
            };
        };
    };
    createNumber: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateNumberRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateNumberAnswer"];
                };
            };
        };
    };
    createNumbers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateNumbersRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateNumbersAnswer"];
                };
            };
        };
    };
    getLinks: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1; a page after the last is empty */
                page?: number;
                /** @description How many items a page has, at most 100 */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetLinksAnswer"];
                };
            };
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for each transaction, and the same value for a retry. "k" and k are one key
                 * @example order-1001
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLinkRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateLinkAnswer"];
                };
            };
        };
    };
    getLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateLinkAnswer"];
                };
            };
        };
    };
    closeLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateLinkAnswer"];
                };
            };
        };
    };
    getNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateNumberAnswer"];
                };
            };
        };
    };
    closeNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateNumberAnswer"];
                };
            };
        };
    };
    openNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateNumberAnswer"];
                };
            };
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetPaymentAnswer"];
                };
            };
        };
    };
    cancelPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetPaymentAnswer"];
                };
            };
        };
    };
    refundPayment: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for each transaction, and the same value for a retry. "k" and k are one key
                 * @example order-1001
                 */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundPaymentRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefundPaymentAnswer"];
                };
            };
        };
    };
    previewMobilePayout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewMobilePayoutRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewMobilePayoutAnswer"];
                };
            };
        };
    };
    initiateMobilePayout: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for each transaction, and the same value for a retry. "k" and k are one key
                 * @example order-1001
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InitiateMobilePayoutRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InitiateMobilePayoutAnswer"];
                };
            };
        };
    };
    previewBankPayout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewBankPayoutRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewBankPayoutAnswer"];
                };
            };
        };
    };
    initiateBankPayout: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for each transaction, and the same value for a retry. "k" and k are one key
                 * @example order-1001
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InitiateBankPayoutRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InitiateBankPayoutAnswer"];
                };
            };
        };
    };
    settle: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for each transaction, and the same value for a retry. "k" and k are one key
                 * @example order-1001
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettleRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettleAnswer"];
                };
            };
        };
    };
    getBankList: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1; a page after the last is empty */
                page?: number;
                /** @description How many items a page has, at most 100 */
                per_page?: number;
                /** @description Only payments, only bills or only payouts; a QR code is a payment, a refund is a payout */
                type?: "payment" | "bill" | "payout";
                /** @description Only items in this state now */
                status?: "pending" | "completed" | "failed" | "cancelled" | "paid";
                /** @description Only transactions made in this way: a push, a bill, a code, a standing number, a payout to a wallet or bank, a refund, or a settlement */
                mode?: "ussd" | "billpay" | "qr" | "number" | "mobile" | "bank" | "refund" | "settlement";
                /** @description A network, a bank (its `value`), `bank` for all of them, or what a bill (`billpay`) or QR code (`dynamic-qr`) shows while nobody has paid it. Case is ignored */
                channel?: "m-pesa" | "airtel-money" | "tigo-pesa" | "halopesa" | "t-pesa" | "azampesa" | "absa_bank" | "access_bank" | "akiba_bank" | "amana_bank" | "azania_bank" | "bank_of_africa" | "bank_of_baroda" | "bank_of_india" | "china_dasheng_bank" | "citibank" | "coop_bank" | "crdb_bank" | "dcb_commercial_bank" | "diamond_trust_bank" | "ecobank" | "equity_bank" | "exim_bank" | "finca_bank" | "gt_bank" | "habib_african_bank" | "i_and_m_bank" | "international_commercial_bank" | "kcb_bank" | "letshego_faidika_bank" | "maendeleo_bank" | "mkombozi_bank" | "mucoba_bank" | "mwalimu_bank" | "mwanga_hakika_bank" | "nbc_bank" | "ncba_bank" | "nmb_bank" | "pbz_bank" | "selcom_microfinance_bank" | "stanbic_bank" | "standard_chartered_bank" | "tadb_bank" | "tcb_bank" | "tib_bank" | "uchumi_bank" | "uba_bank" | "bank" | "billpay" | "dynamic-qr";
                /** @description A payment number, a control number, the customer reference of a standing number, a payout reference, or a receipt of the channel, in full */
                reference?: string;
                /** @description 07XXXXXXXX or 06XXXXXXXX; with 255, +255 or 00255 in front, or without the 0, it is the same number. Spaces, dashes, parentheses and dots between groups are dropped */
                phone_number?: string;
                /** @description The `Idempotency-Key` that created it, in full */
                idempotency_key?: string;
                /** @description Inclusive. A day, which begins at midnight in Dar es Salaam, or a moment with its zone */
                from?: string;
                /** @description Exclusive. A day, which begins at midnight in Dar es Salaam, or a moment with its zone */
                to?: string;
                /** @description metadata[key]=value: the items that a transaction must have */
                metadata?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBankListAnswer"];
                };
            };
        };
    };
    getNetworks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetNetworksAnswer"];
                };
            };
        };
    };
    getFees: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetFeesAnswer"];
                };
            };
        };
    };
    getBatches: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1; a page after the last is empty */
                page?: number;
                /** @description How many items a page has, at most 100 */
                per_page?: number;
                /** @description Only items in this state now */
                status?: "draft" | "scheduled" | "running" | "paused" | "finished" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBatchesAnswer"];
                };
            };
        };
    };
    createBatch: {
        parameters: {
            query?: {
                /** @description Your own number of the batch, unique in the account; sent again, it gets the first batch */
                batch_number?: string;
                /** @description Only for a file: allow the same amount to the same recipient twice */
                allow_twins?: "true" | "false";
                /** @description Only for a file: no callbacks of single items */
                quiet?: "true" | "false";
                /** @description When it starts once approved, at most 30 days ahead; default: at once */
                start_at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBatchRequest"];
                "text/csv": string;
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateBatchAnswer"];
                };
            };
        };
    };
    getBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBatchAnswer"];
                };
            };
        };
    };
    getBatchItems: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1; a page after the last is empty */
                page?: number;
                /** @description How many items a page has, at most 100 */
                per_page?: number;
                /** @description Only items in this state now */
                status?: "waiting" | "pending" | "paid" | "failed" | "cancelled";
                /** @description Only for a CSV: `UTC` writes times in UTC; otherwise `at` is Dar es Salaam time */
                timezone?: "Africa/Dar_es_Salaam" | "UTC";
            };
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBatchItemsAnswer"];
                };
            };
        };
    };
    startBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartBatchRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBatchAnswer"];
                };
            };
        };
    };
    pauseBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBatchAnswer"];
                };
            };
        };
    };
    resumeBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBatchAnswer"];
                };
            };
        };
    };
    cancelBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBatchAnswer"];
                };
            };
        };
    };
    getPayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetPayoutAnswer"];
                };
            };
        };
    };
    checkPayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetPayoutAnswer"];
                };
            };
        };
    };
    cancelPayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetPayoutAnswer"];
                };
            };
        };
    };
    getTransactions: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1; a page after the last is empty */
                page?: number;
                /** @description How many items a page has, at most 100 */
                per_page?: number;
                /** @description Only payments, only bills or only payouts; a QR code is a payment, a refund is a payout */
                type?: "payment" | "bill" | "payout";
                /** @description Only items in this state now */
                status?: "pending" | "completed" | "failed" | "cancelled" | "paid";
                /** @description Only transactions made in this way: a push, a bill, a code, a standing number, a payout to a wallet or bank, a refund, or a settlement */
                mode?: "ussd" | "billpay" | "qr" | "number" | "mobile" | "bank" | "refund" | "settlement";
                /** @description A network, a bank (its `value`), `bank` for all of them, or what a bill (`billpay`) or QR code (`dynamic-qr`) shows while nobody has paid it. Case is ignored */
                channel?: "m-pesa" | "airtel-money" | "tigo-pesa" | "halopesa" | "t-pesa" | "azampesa" | "absa_bank" | "access_bank" | "akiba_bank" | "amana_bank" | "azania_bank" | "bank_of_africa" | "bank_of_baroda" | "bank_of_india" | "china_dasheng_bank" | "citibank" | "coop_bank" | "crdb_bank" | "dcb_commercial_bank" | "diamond_trust_bank" | "ecobank" | "equity_bank" | "exim_bank" | "finca_bank" | "gt_bank" | "habib_african_bank" | "i_and_m_bank" | "international_commercial_bank" | "kcb_bank" | "letshego_faidika_bank" | "maendeleo_bank" | "mkombozi_bank" | "mucoba_bank" | "mwalimu_bank" | "mwanga_hakika_bank" | "nbc_bank" | "ncba_bank" | "nmb_bank" | "pbz_bank" | "selcom_microfinance_bank" | "stanbic_bank" | "standard_chartered_bank" | "tadb_bank" | "tcb_bank" | "tib_bank" | "uchumi_bank" | "uba_bank" | "bank" | "billpay" | "dynamic-qr";
                /** @description A payment number, a control number, the customer reference of a standing number, a payout reference, or a receipt of the channel, in full */
                reference?: string;
                /** @description 07XXXXXXXX or 06XXXXXXXX; with 255, +255 or 00255 in front, or without the 0, it is the same number. Spaces, dashes, parentheses and dots between groups are dropped */
                phone_number?: string;
                /** @description The `Idempotency-Key` that created it, in full */
                idempotency_key?: string;
                /** @description Inclusive. A day, which begins at midnight in Dar es Salaam, or a moment with its zone */
                from?: string;
                /** @description Exclusive. A day, which begins at midnight in Dar es Salaam, or a moment with its zone */
                to?: string;
                /** @description metadata[key]=value: the items that a transaction must have */
                metadata?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetTransactionsAnswer"];
                };
            };
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetTransactionAnswer"];
                };
            };
        };
    };
    getEntries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id`, or `id`, of the answer that created it */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetEntriesAnswer"];
                };
            };
        };
    };
    getBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBalanceAnswer"];
                };
            };
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /** @description Inclusive. A day, which begins at midnight in Dar es Salaam, or a moment with its zone; without `from` and `to`: today */
                from?: string;
                /** @description Exclusive, at most 92 days after `from`; the end of today when left out */
                to?: string;
                /** @description The number of the page, from 1; a page after the last is empty */
                page?: number;
                /** @description How many items a page has, at most 100 */
                per_page?: number;
                /** @description Only for a CSV: `UTC` writes times in UTC; otherwise `at` is Dar es Salaam time */
                timezone?: "Africa/Dar_es_Salaam" | "UTC";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetStatementAnswer"];
                };
            };
        };
    };
    getFeeStatement: {
        parameters: {
            query?: {
                /** @description A month (Dar es Salaam time); default: this month */
                month?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetFeeStatementAnswer"];
                };
            };
        };
    };
    getCallbackSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetCallbackSettingsAnswer"];
                };
            };
        };
    };
    putCallbackSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutCallbackSettingsRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetCallbackSettingsAnswer"];
                };
            };
        };
    };
    testCallback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestCallbackAnswer"];
                };
            };
        };
    };
    getCallbacks: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1; a page after the last is empty */
                page?: number;
                /** @description How many items a page has, at most 100 */
                per_page?: number;
                /** @description Only the events of this transaction */
                transaction_id?: string;
                /** @description Only events of this name */
                event?: "payment.received" | "payment.failed" | "payout.completed" | "payout.failed" | "payout.returned" | "batch.finished" | "callbacks.address_changed" | "settlement.account_changed" | "ping";
                /** @description Only events that wait (`pending`), arrived (`delivered`), ran out of attempts (`failed`) or had no address (`no_url`) */
                state?: "pending" | "delivered" | "failed" | "no_url";
                /** @description Inclusive. A day, which begins at midnight in Dar es Salaam, or a moment with its zone */
                from?: string;
                /** @description Exclusive. A day, which begins at midnight in Dar es Salaam, or a moment with its zone */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetCallbacksAnswer"];
                };
            };
        };
    };
    getCallback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `event_id` of the callback, or of a line of its log */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetCallbackAnswer"];
                };
            };
        };
    };
    resendCallbacks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResendCallbacksRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendCallbacksAnswer"];
                };
            };
        };
    };
    resendCallback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `event_id` of the callback, or of a line of its log */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestCallbackAnswer"];
                };
            };
        };
    };
}
