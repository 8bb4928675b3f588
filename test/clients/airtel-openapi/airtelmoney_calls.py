"""Calls of airtelmoney-py 1.0.6 against the simulator, or its own check of a callback; one JSON line per call."""

import json
import sys
import time

from airtelmoney import AirtelMoney
from airtelmoney.exceptions import AirtelAPIError


def tell(call, work):
    try:
        print(json.dumps({"call": call, "body": work()}))
    except AirtelAPIError as error:
        print(json.dumps({"call": call, "status": error.status_code, "body": error.payload}))


def until_decided(enquire):
    for _ in range(100):
        answer = enquire()
        if answer["data"]["transaction"]["status"] != "TIP":
            return answer
        time.sleep(0.1)
    return answer


if sys.argv[1] == "verify":
    payload, key = json.loads(sys.argv[2]), sys.argv[3]
    from airtelmoney.resources.collection import CollectionAPI

    tell("verify callback", lambda: {"verified": CollectionAPI.verify_callback_hash(payload, key)})
    sys.exit(0)

client = AirtelMoney("cid", "csecret", base_url=sys.argv[1], country="TZ", currency="TZS")
collect = {"reference": "Order1", "amount": 1500}
tell("collect", lambda: client.collection.payment(msisdn="784000001", transaction_id="PYAIRTELMONEY00001", **collect))
tell("collect again", lambda: client.collection.payment(msisdn="784000001", transaction_id="PYAIRTELMONEY00001", **collect))
tell("collect declined", lambda: client.collection.payment(msisdn="784000039", transaction_id="PYAIRTELMONEY00039", **collect))
tell("collect unsigned", lambda: client.collection.payment(msisdn="784000001", transaction_id="PYAIRTELMONEY00002", sign=False, **collect))
tell("enquire", lambda: until_decided(lambda: client.collection.enquiry("PYAIRTELMONEY00001")))
tell("enquire declined", lambda: until_decided(lambda: client.collection.enquiry("PYAIRTELMONEY00039")))
tell("enquire nothing", lambda: client.collection.enquiry("PYAIRTELMONEY00000"))
pay = {"msisdn": "784000001", "amount": 700, "reference": "Pay1"}
tell("pay out", lambda: client.disbursement.payment(pin="1234", transaction_id="POAIRTELMONEY00001", **pay))
tell("pay out again", lambda: client.disbursement.payment(pin="1234", transaction_id="POAIRTELMONEY00001", **pay))
tell("pay out, wrong PIN", lambda: client.disbursement.payment(pin="9999", transaction_id="POAIRTELMONEY00002", **pay))
tell("enquire payout", lambda: until_decided(lambda: client.disbursement.enquiry("POAIRTELMONEY00001")))
tell("name", lambda: client.kyc.user_enquiry("784000001"))
tell("balance", lambda: client.account.balance())
