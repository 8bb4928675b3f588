"""Calls of Selcom's own Python client, unmodified. Prints one JSON line per call: {"name", "answer"}."""

import json
import sys

from selcom_apigw_client import apigwClient

base_url, api_key, api_secret, calls = sys.argv[1:5]
client = apigwClient.Client(base_url, api_key, api_secret)
send = {"POST": client.postFunc, "GET": client.getFunc}
for call in json.loads(calls):
    try:
        answer = send[call["method"]](call["path"], call["fields"])
    except Exception as error:  # an answer that the client cannot read is a failure of the run
        answer = {"error": repr(error)}
    print(json.dumps({"name": call["name"], "answer": answer}), flush=True)
