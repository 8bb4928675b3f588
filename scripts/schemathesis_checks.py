"""A check of our own for Schemathesis: what the schema allows, the fields accept."""

import re

import schemathesis
from schemathesis.generation import GenerationMode

# What no schema can tell: how long a JSON value is as text, what time it is, which addresses are
# public, which banks and networks there are and what each of these takes, that one field is at least another, that one of two is there, and what stands in a CSV. Two decimals it could tell, but dividing
# doubles, as `multipleOf` does, refuses good amounts.
BEYOND_A_SCHEMA = {
    "metadata": r"shorter than 100|fewer than 100",
    "to": r"must be after from|at most 92 days after from",
    "from": r"is needed with to",
    "expires_at": r"future|days ahead|must be a time",
    "start_at": r"future|days ahead|must be a time",
    "callback_url": r"",
    "bic": r"is not a bank|does not exist|was taken over",
    "phone_number": r"belongs to no network",
    "transaction_channel": r"belongs to no network",
    "maximum": r"must be at least",
    "items": r"is required|CSV|file|workbook|row|line|column|separator|must be left out where",
    "batch_number": r"is required",
    "format": r"must be left out, or json",
    "payers": r"must be left out unless",
    "amount": r"must be at (least|most)|at most two decimals",
}


def is_beyond_a_schema(error):
    name = re.split(r"[.\[]", error["field"])[0]
    return name in BEYOND_A_SCHEMA and re.search(BEYOND_A_SCHEMA[name], error["message"]) is not None


@schemathesis.check
def schema_is_as_strict_as_the_fields(ctx, response, case):
    meta = case.meta
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE or response.status_code != 422:
        return None
    error = response.json()
    if error["code"] != "validation_failed":
        return None
    wrong = [field for field in error["errors"] if not is_beyond_a_schema(field)]
    if wrong:
        raise AssertionError(f"The schema allows what the fields refuse: {wrong}")
    return None
