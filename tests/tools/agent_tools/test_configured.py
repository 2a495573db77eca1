"""The bill of an order: what nobody knows the price of is no gift."""

from tools.agent_tools.configuring import _bill, _Paid


def test_a_part_without_a_price_is_told_as_that() -> None:
    cards = {"part": "gpu", "product": "RTX PRO 5000", "count": 6, "subtotal": None}
    rest = {"part": "chassis", "product": "A server", "count": 1, "subtotal": 39_000.0}
    paid = _Paid("USD", 1.0, None)
    told = _bill([cards, rest], paid, whole=False)

    assert told == "cards (no price known) + machine $39,000"
    assert _bill([{**cards, "subtotal": 3e3}, rest], paid, whole=False) == "cards $3,000 + machine $39,000"
