"""Calls of the Python client that a generator makes of openapi.json, as it comes out of it, against a running Malipo.

Prints one JSON line per call: {"call", "kind", "answer"}; kind is the generated class that the answer was read as.
"""

import json
import sys
import time
import uuid


from malipo import AuthenticatedClient
from malipo.api.balance import get_balance
from malipo.api.callbacks import get_callback_settings, get_callbacks
from malipo.api.payments import (
    cancel_payment,
    create_bill,
    create_qr,
    get_payment,
    initiate_ussd_push,
    refund_payment,
)
from malipo.api.payouts import get_bank_list, get_payout, initiate_mobile_payout, preview_mobile_payout
from malipo.api.statements import get_statement
from malipo.api.status import get_status
from malipo.api.transactions import get_entries, get_transaction, get_transactions
from malipo.models import (
    CreateBillRequest,
    CreateQrRequest,
    GetTransactionsStatus,
    InitiateMobilePayoutRequest,
    InitiateUssdPushRequest,
    InitiateUssdPushRequestMetadataType0 as Metadata,
    PreviewMobilePayoutRequest,
    RefundPaymentRequest,
)

client = AuthenticatedClient(base_url=f"{sys.argv[1]}/api/v1", token=sys.argv[2])


def tell(call, answer):
    shown = answer.to_dict() if hasattr(answer, "to_dict") else repr(answer)
    print(json.dumps({"call": call, "kind": type(answer).__name__, "answer": shown}), flush=True)
    return answer


def ended(lookup, id):
    deadline = time.monotonic() + 60
    while (found := lookup.sync(id, client=client)).status == "pending" and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def new_key():
    return str(uuid.uuid4())


tell("status", get_status.sync(client=client))

metadata = Metadata.from_dict({"order_id": "INV-1001", "paid": 1.5})
push = InitiateUssdPushRequest(amount=5000, currency="TZS", phone_number="0754000001", metadata=metadata)
key = new_key()
asked = tell("push", initiate_ussd_push.sync(client=client, body=push, idempotency_key=key))
tell("the same push again", initiate_ussd_push.sync(client=client, body=push, idempotency_key=key))
tell("payment", ended(get_payment, asked.transaction_id))
back = RefundPaymentRequest(amount=1000)
refund = tell("refund", refund_payment.sync(asked.transaction_id, client=client, body=back, idempotency_key=new_key()))
tell("payout of the refund", ended(get_payout, refund.transaction_id))

poor = InitiateUssdPushRequest(amount=1, currency="KES", phone_number="12")
tell("push with wrong fields", initiate_ussd_push.sync(client=client, body=poor, idempotency_key=new_key()))

to = {"amount": 20000, "currency": "TZS", "phone_number": "0754000002"}
preview = tell("preview", preview_mobile_payout.sync(client=client, body=PreviewMobilePayoutRequest(**to)))
payout = InitiateMobilePayoutRequest(**to, preview_id=preview.preview_id)
paid = tell("payout", initiate_mobile_payout.sync(client=client, body=payout, idempotency_key=new_key()))
tell("paid payout", ended(get_payout, paid.transaction_id))

bill = CreateBillRequest(amount=25000, payment_number=new_key(), description="School fees")
billed = tell("bill", create_bill.sync(client=client, body=bill))
tell("open bill", get_payment.sync(billed.transaction_id, client=client))
tell("cancelled bill", cancel_payment.sync(billed.transaction_id, client=client))
code = CreateQrRequest(amount=15000, currency="TZS")
tell("qr", create_qr.sync(client=client, body=code, idempotency_key=new_key()))

tell("banks", get_bank_list.sync(client=client))
tell("balance", get_balance.sync(client=client))
tell("list", get_transactions.sync(client=client, per_page=100))
tell("list of the paid", get_transactions.sync(client=client, status=GetTransactionsStatus.PAID))
tell("transaction", get_transaction.sync(asked.transaction_id, client=client))
tell("entries", get_entries.sync(asked.transaction_id, client=client))
tell("statement", get_statement.sync(client=client))
tell("callbacks", get_callbacks.sync(client=client))
tell("settings", get_callback_settings.sync(client=client))
