"""Cards and engines that were hardly measured, with the few reports there are."""

from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, gpus, load_yaml
from kb.constants.measured_speed import measured_speeds
from kb.records.gpu import Gpu
from kb.records.source import Source


class Report(Frozen):
    """One report of a speed."""

    gpu: str
    gpu_count: int = 1
    engine: str
    model: str
    weight_format: str
    sequences: int = 1
    input_tokens: int
    output_tokens: int
    decode: float
    """Tokens a second of one user."""
    prefill: float | None = None
    """Prompt tokens a second."""
    source: str


class WeakStack(Frozen):
    """A class of cards, in some engines or in all; a card belongs to it by all that is stated."""

    id: str
    vendors: tuple[str, ...] = ()
    but_vendors: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    markets: tuple[str, ...] = ()
    memory: str | None = None
    """Word in the card's memory type."""
    engines: tuple[str, ...] = ()
    """Empty = all."""
    like_markets: tuple[str, ...] = ()
    """Markets whose measured cards of the same maker are comparable."""
    even_measured: bool = False
    """Whether cards that were measured in an engine belong to it all the same."""
    rows: tuple[Report, ...]

    def holds(self, gpu: Gpu, engine: str) -> bool:
        """Whether a card in an engine belongs to it."""
        return (
            (not self.vendors or gpu.vendor in self.vendors)
            and gpu.vendor not in self.but_vendors
            and (not self.architectures or gpu.architecture in self.architectures)
            and (not self.markets or gpu.market in self.markets)
            and (self.memory is None or self.memory in (gpu.memory_type or ""))
            and (not self.engines or engine in self.engines)
        )


class WeakStacks(Frozen):
    """Everything in `weak_stacks.yaml`."""

    stacks: tuple[WeakStack, ...]
    sources: dict[str, Source]


@lru_cache(maxsize=1)
def weak_stacks() -> WeakStacks:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "weak_stacks.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return WeakStacks.model_validate(rows)


def weak_stack(gpu: Gpu, engine: str) -> WeakStack | None:
    """The class of a card in an engine nobody measured there, or one way of several; null where it is kept well."""
    found = next((one for one in weak_stacks().stacks if one.holds(gpu, engine)), None)
    known = (gpu.id, engine) in _measured()
    return None if found is None or (known and not found.even_measured) else found


def comparable(stack: WeakStack, engine: str, kind: str) -> tuple[float, ...]:
    """Measured over estimated rates of the cards that are like those of a class, in an engine."""
    alike = {
        one.id for one in gpus().values() if one.market in stack.like_markets and one.vendor in stack.vendors
    }  # fmt: skip
    return tuple(
        row.value / row.estimate for row in measured_speeds()
        if row.gpu in alike and row.engine == engine and row.kind == kind and not row.doubt and "per_s" in row.measure
    )  # fmt: skip


@lru_cache(maxsize=1)
def _measured() -> frozenset[tuple[str, str]]:
    """Cards and engines of which the pace of answers was measured."""
    return frozenset((row.gpu, row.engine) for row in measured_speeds() if row.kind == "decode" and not row.doubt)
