"""Renting held against owning in one format: four bits bought and sixteen rented are different work."""

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.plan.formats import bits
from tools.configuration import Configuration


def like_for_like(
    bought: Sequence[Configuration], leases: Sequence[Configuration]
) -> tuple[list[Configuration], list[Configuration]]:
    """The purchases from the first that is also rented in as many bits, and those leases; all where there is none."""
    widths = {bits(one.weight_format) for one in leases}
    kept = [one for one in bought if bits(one.weight_format) in widths]
    if not kept:
        return list(bought), list(leases)
    return kept, [one for one in leases if bits(one.weight_format) == bits(kept[0].weight_format)]


def as_wide(leases: Sequence[Configuration], request: Mapping[str, Any]) -> list[Configuration]:
    """Those in as many bits as what is owned was reckoned in; all where that is not known, or there is none."""
    form = request.get("weight_format")
    return [one for one in leases if form and bits(one.weight_format) == bits(form)] or list(leases)
