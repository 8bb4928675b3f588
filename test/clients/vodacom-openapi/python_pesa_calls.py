"""python-pesa 0.7, unmodified (its module is also called pypesa): collect, pay out, enquire, reverse."""

import contextlib
import io
import json
import re
import sys

port, api_key, public_key = sys.argv[1], sys.argv[2], sys.argv[3]

with contextlib.redirect_stdout(io.StringIO()):
    import pypesa

    client = pypesa(environment="sandbox")
client.auth_keys = {"api_key": api_key, "public_key": public_key}
for name, url in vars(client.urls).items():
    setattr(client.urls, name, re.sub(r"^https://[^/]+", f"http://127.0.0.1:{port}", url))


def tell(call, method, fields):
    with contextlib.redirect_stdout(io.StringIO()):
        body = method(fields)
    print(json.dumps({"call": call, "status": None, "body": body}), flush=True)
    return body


common = {"input_Country": "TZN", "input_ServiceProviderCode": "000000"}
wallet = {**common, "input_Currency": "TZS", "input_CustomerMSISDN": "000000000001"}
paid = tell("collect", client.customer_to_bussiness, {
    **wallet,
    "input_ThirdPartyConversationID": "2edf7a0206d848f6b6fedea26accdc31",
    "input_Amount": "1600",
    "input_TransactionReference": "T23434ZE5",
    "input_PurchasedItemsDesc": "Python Book",
})
tell("pay out", client.bussiness_to_customer, {
    **wallet,
    "input_ThirdPartyConversationID": "2edf7a0206d848f6b6fedea26accdc32",
    "input_Amount": "800",
    "input_TransactionReference": "T12344Z",
    "input_PaymentItemsDesc": "Salary payment",
})
tell("enquire", client.query_transaction_status, {
    **common,
    "input_QueryReference": "2edf7a0206d848f6b6fedea26accdc31",
    "input_ThirdPartyConversationID": "2edf7a0206d848f6b6fedea26accdc33",
})
tell("reverse", client.payment_reversal, {
    **common,
    "input_ThirdPartyConversationID": "2edf7a0206d848f6b6fedea26accdc34",
    "input_ReversalAmount": "1600",
    "input_TransactionID": paid["output_TransactionID"],
})
