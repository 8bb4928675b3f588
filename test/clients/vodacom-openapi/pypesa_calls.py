"""pypesa 0.0.3, unmodified: collect, pay out, enquire, reverse. A new object for each call: it keeps the last session."""

import contextlib
import io
import json
import sys

from pypesa.vodacom import MPESA

port, api_key, public_key = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def client():
    one = MPESA(api_key, public_key, ssl=False)
    one.context["headers"] = {"Origin": "*"}
    one.context.update({"address": "127.0.0.1", "port": port})
    return one


def tell(call, method, fields):
    # The library prints while it works.
    with contextlib.redirect_stdout(io.StringIO()):
        answer = method(fields)
    print(json.dumps({"call": call, "status": answer.status_code, "body": answer.body}), flush=True)
    return answer.body


common = {"input_Country": "TZN", "input_ServiceProviderCode": "000000"}
wallet = {**common, "input_Currency": "TZS", "input_CustomerMSISDN": "000000000001"}
payment = {
    **wallet,
    "input_ThirdPartyConversationID": "0198c0de000070008000000000000001",
    "input_Amount": "1500",
    "input_TransactionReference": "T1234C",
    "input_PurchasedItemsDesc": "Shoes",
}
paid = tell("collect", client().customer2business, payment)
tell("collect again", client().customer2business, payment)
tell("pay out", client().business2customer, {
    **wallet,
    "input_ThirdPartyConversationID": "0198c0de000070008000000000000002",
    "input_Amount": "700",
    "input_TransactionReference": "T1234D",
    "input_PaymentItemsDesc": "Salary payment",
})
tell("enquire", client().status, {
    **common,
    "input_QueryReference": "0198c0de000070008000000000000001",
    "input_ThirdPartyConversationID": "0198c0de000070008000000000000003",
})
tell("reverse", client().reversal, {
    **common,
    "input_ThirdPartyConversationID": "0198c0de000070008000000000000004",
    "input_ReversalAmount": "25",
    "input_TransactionID": paid["output_TransactionID"],
})
