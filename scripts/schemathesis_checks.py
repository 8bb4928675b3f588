"""A check of our own for Schemathesis: what the schema allows, the fields accept."""

import schemathesis
from schemathesis.generation import GenerationMode

# What no schema can tell of these: the length of a JSON value as text, days that do not exist or are past, addresses
# that are not public.
BEYOND_A_SCHEMA = ("metadata", "from", "to", "expires_at", "callback_url")
# multipleOf 0.01 would have validators refuse 8.03, which is no multiple of 0.01 in doubles.
DECIMALS = "two decimals"


@schemathesis.check
def schema_is_as_strict_as_the_fields(ctx, response, case):
    meta = case.meta
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE or response.status_code != 422:
        return None
    error = response.json()
    if error["code"] != "validation_failed":
        return None
    wrong = [e for e in error.get("errors", []) if e["field"].split(".")[0].split("[")[0] not in BEYOND_A_SCHEMA and DECIMALS not in e["message"]]
    if wrong:
        raise AssertionError(f"The schema allows what the fields refuse: {wrong}")
    return None
