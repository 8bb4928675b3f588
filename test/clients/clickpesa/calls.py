"""Calls the simulator through clickpesa-python-sdk, unmodified. Writes one JSON line for each call."""

import json
import sys

import httpx
from clickpesa import ClickPesa
from clickpesa.security import SecurityManager

given = json.loads(sys.argv[1])


def client(**changes):
    settings = {"client_id": given["clientId"], "api_key": given["apiKey"], "checksum_key": given["checksumKey"]}
    one = ClickPesa(**{**settings, **changes})
    one._http.base_url = httpx.URL(given["url"])
    return one


def call(name, work):
    try:
        answer = work()
    except Exception as error:  # its kind is what the client made of the refusal
        answer = {"error": type(error).__name__, "message": str(error)}
    print(json.dumps({"call": name, "answer": answer}))


if "webhook" in given:
    payload = dict(given["webhook"])
    signature = payload.pop("checksum", "")
    call("webhook", lambda: SecurityManager.verify_webhook(given["checksumKey"], payload, signature))
    sys.exit()

c = client()
push = {"amount": "1500", "phone": "255713000001", "order_id": "PYCLIENT1"}
payout = {"amount": 1000, "phone": "255713000001", "order_id": "POCLIENT1"}
bank = {"amount": 1000, "account_number": "0150000001", "bic": "CORUTZTZ", "order_id": "POCLIENT2"}
call("with a wrong key", lambda: client(api_key="wrong").payments.initiate_ussd_push(**push))
call("with a wrong check sum", lambda: client(checksum_key="wrong").payments.initiate_ussd_push(**push))
call("push", lambda: c.payments.initiate_ussd_push(**push))
call("the same push again", lambda: c.payments.initiate_ussd_push(**push))
call("push to no number", lambda: c.payments.initiate_ussd_push("1500", "25571", "PYCLIENT2"))
call("an order that is not there", lambda: c.payments.get_status("PYNOTHERE"))
call("preview of a payout", lambda: c.payouts.preview_mobile_money(**payout))
call("payout", lambda: c.payouts.create_mobile_money(**payout))
call("the same payout again", lambda: c.payouts.create_mobile_money(**payout))
call("preview of a payout to a bank", lambda: c.payouts.preview_bank(**bank))
call("payout to a bank", lambda: c.payouts.create_bank(account_name="ASHA JUMA", **bank))
call("balance", lambda: c.account.get_balance())
for _ in range(100):
    if c.payments.get_status("PYCLIENT1")[0]["status"] != "PROCESSING":
        break
call("how the push ended", lambda: c.payments.get_status("PYCLIENT1"))
call("how the payout ended", lambda: c.payouts.get_status("POCLIENT1"))
