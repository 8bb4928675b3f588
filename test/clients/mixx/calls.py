"""Calls the simulator through tigopesasdk, unmodified. Writes one JSON line for each call."""

import json
import sys

from tigopesasdk import BillPayRequest, Config, TigoClient

given = json.loads(sys.argv[1])


def client(**changes):
    settings = {
        "username": given["username"],
        "password": given["password"],
        "account_name": "Malipo",
        "account_msisdn": given["billerMsisdn"],
        "brand_id": "1234",
        "biller_code": given["billerCode"],
        "token_url": given["tokenUrl"],
        "biller_payment_url": given["pushUrl"],
    }
    return TigoClient(config=Config(**{**settings, **changes}), callback_handler=None)


def push(name, ending, reference, **changes):
    request = BillPayRequest(
        customer_msisdn="255654000" + ending, amount=1500, remarks="Shoes", reference_id=reference
    )
    answer = client(**changes).bill(request)
    print(json.dumps({"call": name, "answer": answer and vars(answer)}))


def token(name, **changes):
    answer = client(**changes).generate_token()
    print(json.dumps({"call": name, "answer": answer and vars(answer)}))


code = given["billerCode"]
token("token")
token("token with a wrong password", password="wrong")
push("push", "001", code + "0000000000000001")
push("the same push again", "001", code + "0000000000000001")
push("push that is declined later", "039", code + "0000000000000002")
push("push to no number", "00", code + "0000000000000003")
push("push for another biller", "001", code + "0000000000000004", account_msisdn="255000000000")
push("push with a foreign reference", "001", "OTHER" + "000000000000005")
