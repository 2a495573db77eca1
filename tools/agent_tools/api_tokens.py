"""Tokens of a month and what a service asks for them: by the million of each kind, or a bill in all."""

import re
from typing import Any, Protocol

from kb.base import BadInput
from kb.lexicon import Money
from kb.market.rates import convert
from kb.units import HOURS_PER_MONTH
from tools.agent_tools import reading
from tools.agent_tools.monthly import of_month

OF_BILL = {"hour": HOURS_PER_MONTH, "day": HOURS_PER_MONTH / 24, "month": 1.0, "year": 1 / 12}
"""Times of a month by which a bill is paid."""
SIDE = re.compile(
    r"(?<![a-z])(?:(?P<read>in|input|prompts?|输入)|(?P<made>out|output|answers?|输出))(?:\s*tokens?)?(?![a-z])", re.I
)
"""Words for what a model reads and for what it writes."""


class ApiRequest(Protocol):
    """The fields of `cost` that are read here."""

    @property
    def model(self) -> str | None: ...
    @property
    def tokens_per_month(self) -> str | None: ...
    @property
    def api_price(self) -> str | None: ...


def of_tokens(request: ApiRequest, currency: str) -> dict[str, Any]:
    """The model and its tokens as `estimate_cost` takes them, with what a service asks for them."""
    named, form = reading.model_and_format(request.model, None)
    tokens = of_month(_pair(request.tokens_per_month)[1], "tokens_per_month", request.tokens_per_month)
    return {
        **named, "weight_format": form, "tokens_per_month": tokens,
        "api_million_price": _api_price(request, tokens, currency),
    }  # fmt: skip


def _api_price(request: ApiRequest, output: float | None, currency: str) -> float | None:
    """A provider's price of a million output tokens, with what is read for each of them where both are stated.

        price = output price + input price · input tokens / output tokens

    One price is that of both kinds of token; a sum by the month or year is a bill, of which
    price = bill of a month / millions of output tokens.

    Raises:
        BadInput: a bill of nobody knows how many tokens.
    """
    read, made = (reading.money(one, "api_price") for one in _pair(request.api_price))
    prompts = of_month(_pair(request.tokens_per_month)[0], "tokens_per_month", request.tokens_per_month)
    if made is not None and made.per in OF_BILL:
        if not output:
            raise BadInput("api_price", "is a bill, of no stated tokens.", "Give tokens_per_month, or the price of 1M.")
        return (paid_in(made, currency) or 0.0) * OF_BILL[made.per] / (output / 1e6)
    of_read, of_made = paid_in(read or (made if prompts else None), currency), paid_in(made, currency)
    return of_made + of_read * prompts / output if of_made and of_read and prompts and output else of_made


def tokens_said(request: ApiRequest) -> list[str]:
    """How a price and tokens of an API were counted, where it is not as they stand."""
    prompts, made = _pair(request.tokens_per_month)
    price = reading.money(_pair(request.api_price)[1], "api_price")
    said = []
    if price is not None and price.per in OF_BILL:
        said.append(f"api_price is read as a bill a {price.per}: api_million_price is it over the output tokens.")
    elif prompts and price is not None and _pair(request.api_price)[0] is None:
        said.append("One price was given: it is taken for tokens read and written alike.")
    if prompts:
        said.append(f"Own cards: the {made} written are counted; reading {prompts} keeps them busy besides.")
    return said


def _pair(text: str | None) -> tuple[str | None, str | None]:
    """(of input, of output) of what is stated for both: "$3 in, $15 out", 「输入 3M 输出 0.75M」.

    Anything else is (null, all of it).
    """
    found = list(SIDE.finditer(text or ""))
    if text is None or len(found) != 2 or bool(found[0]["read"]) == bool(found[1]["read"]):
        return None, text
    first, second = found
    behind = any(one.isdigit() for one in text[: first.start()])  # the amount stands before its word
    cut = first.end() if behind else second.start()
    parts = [SIDE.sub(" ", one).strip(" ,;+/&，；、和") for one in (text[:cut], text[cut:])]
    return (parts[0], parts[1]) if first["read"] else (parts[1], parts[0])


def paid_in(money: Money | None, currency: str) -> float | None:
    """An amount in the currency of the answer, whatever it was given in."""
    return None if money is None else float(convert(money.amount, money.currency, currency))
