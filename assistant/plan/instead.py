"""What else would do where no hardware was found: any card, machines of one memory, a card with the host's memory."""

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import packed_format
from assistant.plan.ways import only
from kb import clock
from kb.catalog import gpu, gpus
from kb.units import GIB
from tools.configure.market.choice import LEAST_MACHINE_USD
from tools.configure.market.sold import second_hand
from tools.need import GpuCount, Need
from tools.prices import card_price

DESKS = ("APU", "SoC (desktop)", "Mac Studio")
"""Form factors of desktop machines whose processor and graphics share one large memory."""
DESK_BYTES = 96 * GIB
"""Memory from which on such a machine holds what cards of its price do not."""
HOST_CARD, HOST_BYTES = "rtx-5090-32gb", 192 * GIB
"""The card and the memory of a desktop computer as large as they are sold: four modules of 48 GiB."""


def desks() -> tuple[str, ...]:
    """The machines of one memory that are sold today, new or lately taken off the market and sold on."""
    return _desks(clock.today())


@lru_cache(maxsize=1)
def _desks(_: date) -> tuple[str, ...]:
    return tuple(
        name for name, one in gpus().items()
        if one.form_factor in DESKS and (one.status == "available" or second_hand(one))
        and one.memory_bytes >= DESK_BYTES
    )  # fmt: skip


def instead(
    need: Need, text: str, results: Sequence[ToolCallRecord], *, fitted: bool = False
) -> list[PlannedCall | None]:
    """Searches with one limit less, and llama.cpp's way, when every search came back empty; none otherwise.

    `fitted`: whether a machine with memory for the model is worked out already.
    """
    searches = [one for one in results if one.tool == "configure" and "error" not in one.result]
    if not requests.sized(need) or not searches:
        return []
    if found := [row for one in searches for row in one.result.get("configurations") or ()]:
        return _in_files(need) if need.budget and all(map(_barely, found)) else []
    calls = [requests.configure(need, gpus_asked=()) if need.gpus_asked else None]
    if model_kind(need) in ("diffusion", "video") and need.offload is None and not requests.is_training(need):
        return [
            requests.configure(need, offload="components", whole_budget=need.budget is not None or None),
            requests.memory(need, offload="components"),
        ]
    served = not requests.is_training(need) and model_kind(need) in {"llm", "vlm", None}
    if not served or only(text.lower(), need) == "rent" or need.gpus_asked or need.gpus_owned:
        return calls
    form = need.weight_format or packed_format(need.model)
    if not form.startswith("gguf:"):
        return calls
    priced = tuple(name for name in desks() if card_price(gpu(name)) is not None)
    unpriced = tuple(name for name in desks() if name not in priced)
    packed = need.model_copy(update={"engine": "llama.cpp", "tensor_parallel": None})
    host: dict[str, Any] = {"host_memory_bytes": HOST_BYTES, "tensor_parallel": None, "pipeline_parallel": 1}
    card = GpuCount(gpu=HOST_CARD, count=1)
    return [
        *calls,
        requests.configure(need, weight_format=form) if need.weight_format is None else None,
        requests.configure(need, gpus_asked=priced, weight_format=form, acquisition="buy"),
        requests.configure(need, gpus_asked=unpriced, weight_format=form, acquisition="buy", budget=None),
        requests.memory(need, weight_format=form),
        *(() if fitted else (requests.memory(packed, card, weight_format=form, **host),
                             requests.speed(packed, card, form))),
    ]  # fmt: skip


def _barely(row: dict[str, Any]) -> bool:
    """Whether it only just holds it, on cards for less than any new machine costs."""
    price = row["price"]
    cheap = not price["complete"] and price["amount"] is not None and float(price["amount"]) <= LEAST_MACHINE_USD
    return cheap and row["memory"]["verdict"] == "tight"


def _in_files(need: Need) -> list[PlannedCall | None]:
    """A search among files of four bits, which run in less than what servers add, where little money finds no room."""
    served = not requests.is_training(need) and model_kind(need) in {"llm", "vlm", None}
    form = packed_format(need.model)
    if not served or need.weight_format or need.engine or not form.startswith("gguf:"):
        return []
    return [requests.configure(need, weight_format=form), requests.memory(need, weight_format=form)]
