"""Which machine a set-up is for: as the caller says, else as the set-up itself, a table or a log beside it says."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kb.artifacts.artifact import Artifact
from kb.artifacts.setups.written import Unit
from kb.base import AdvisorError
from kb.catalog import gpu as catalog_gpu
from kb.lexicon.cards.rules import CardCount, read_cards
from kb.programs.software import compute_capability
from kb.records.gpu import Gpu

_GRES = re.compile(r"gpu:(?:([A-Za-z][\w.-]*):)?(\d+)")


@dataclass(frozen=True)
class Machine:
    """Cards of one machine."""

    cards: tuple[CardCount, ...] = ()
    nodes: int | None = None
    host_bytes: int | None = None

    @cached_property
    def card(self) -> Gpu | None:
        """The card; of several kinds the one with the least memory."""
        named = [catalog_gpu(one.gpu) for one in self.cards if one.gpu and one.gpu != "cpu"]
        return min(named, key=lambda one: one.memory_bytes or 0) if named else None

    @property
    def count(self) -> int | None:
        """Cards of one machine; null = not said."""
        return sum(one.count for one in self.cards) or None

    @property
    def mixed(self) -> bool:
        """Whether the cards are of several kinds."""
        return len({one.gpu for one in self.cards}) > 1

    def value(self, name: str) -> Any:
        """What rules may ask of it."""
        card = self.card
        if name in {"cards", "nodes", "mixed"}:
            return {"cards": self.count, "nodes": self.nodes, "mixed": self.mixed}[name]
        if name == "host":
            return self.host_bytes
        if card is None:
            return None
        compute = compute_capability(card)
        known: dict[str, Any] = {
            "name": card.name, "vendor": card.vendor, "memory": card.memory_bytes, "usable": card.usable_bytes,
            "market": card.market, "architecture": card.architecture, "nvlink": card.nvlink_bytes_per_s,
            "compute": float(f"{compute[0]}.{compute[1]}") if compute and compute[1] < 10 else None,
        }  # fmt: skip
        return known.get(name)


def machine_of(
    stated: tuple[CardCount, ...], nodes: int | None, host: int | None, units: Iterable[Unit],
    artifacts: Iterable[Artifact],
) -> Machine:  # fmt: skip
    """The machine as stated; what is not stated, as the set-up or what lies beside it says."""
    cards = stated or _of_artifacts(artifacts) or _of_units(units)
    return Machine(tuple(cards), nodes, host)


def _of_artifacts(artifacts: Iterable[Artifact]) -> list[CardCount]:
    """Cards that an nvidia-smi table or a log names, each once."""
    for one in artifacts:
        named: dict[str, str] = {}
        for fact in one.facts:
            if fact.name == "gpu_name" and isinstance(fact.value, str):
                named.setdefault(fact.of or fact.value, fact.value)
        memory = one.get("memory_total_bytes")
        found: list[CardCount] = []
        for name in named.values():
            found += _read(name, memory if isinstance(memory, int) else None)
        if found:
            return found
    return []


def _of_units(units: Iterable[Unit]) -> list[CardCount]:
    for unit in units:
        product = unit.given.get("node_product")
        count = unit.given.get("gpus")
        if product is not None:
            return [
                one.model_copy(update={"count": _whole(count.value if count else 1)})
                for one in _read(str(product.value).replace("-", " "), None)[:1]
            ]
        for key in ("gres", "gpus_per_node", "gpus"):
            found = (
                _GRES.search(f"gpu:{unit.given[key].value}".replace("gpu:gpu", "gpu")) if key in unit.given else None
            )
            if found and found[1]:
                return [one.model_copy(update={"count": int(found[2])}) for one in _read(found[1], None)[:1]]
    return []


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 1


def _read(name: str, memory: int | None) -> list[CardCount]:
    """Cards of a name; of one that comes in several sizes, the size that was seen."""
    sized = f"{name} {round(memory / 2**30)}GB" if memory else name
    for text in (sized, name):
        try:
            return list(read_cards(text))
        except AdvisorError:
            continue
    return []
