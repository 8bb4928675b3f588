"""Calls of pyairtel 0.1.1 (v1, unsigned, 255… as a number) against the simulator; one JSON line per call."""

import base64
import json
import sys
import time

import requests

import pyairtel.client

base, key = sys.argv[1], sys.argv[2]
pyairtel.client._SANDBOX_URL = base
client = pyairtel.client.AirtelMoney(client_id="cid", client_secret="csecret")
lines = "\n".join(key[i : i + 64] for i in range(0, len(key), 64))
pem = f"-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----\n"


def tell(call, body):
    print(json.dumps({"call": call, "body": body}))


tell("collect", client.collect(phone="0784000001", amount=1600, reference="Order2", transaction_id="PYPYAIRTEL00000001").raw)
for _ in range(100):
    status = client.get_collection_status("PYPYAIRTEL00000001")
    if status.status != "TIP":
        break
    time.sleep(0.1)
tell("enquire", status.raw)
paid = client.transfer(
    phone="0784000001",
    amount=800,
    pin="1234",
    public_key_pem=pem,
    payer_first_name="A",
    payer_last_name="B",
    reference="Pay2",
    transaction_id="POPYAIRTEL00000001",
)
tell("pay out", paid.raw)

# The two other ways of asking for a token that integrations report to work.
form = {"client_id": "cid", "client_secret": "csecret", "grant_type": "client_credentials"}
tell("token by form", requests.post(f"{base}/auth/oauth2/token", data=form, timeout=5).json())
basic = {"Authorization": "Basic " + base64.b64encode(b"cid:csecret").decode()}
only = {"grant_type": "client_credentials"}
tell("token by Basic", requests.post(f"{base}/auth/oauth2/token", data=only, headers=basic, timeout=5).json())
