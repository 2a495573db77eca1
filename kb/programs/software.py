"""What software and number formats need of a GPU: rules as data, first match decides."""

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.gpu import Gpu, Market

Verdict = Literal["works", "works_with", "unknown", "does_not"]
Way = Literal["weights_only", "fork_only", "unlisted"]
"""How it goes beside the verdict: weights are held in the format and unpacked, nothing computes in it; a community's
fork does it, the released software does not; the makers list it nowhere, and the code takes it."""
Version = tuple[int, ...]


@lru_cache(maxsize=1024)
def version(text: str) -> Version:
    """ "525.60.13" → (525, 60, 13), which compares as versions do."""
    return tuple(int(part) for part in text.split("."))


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_several)]
Dotted = Annotated[Version, BeforeValidator(lambda value: version(value) if isinstance(value, str) else value)]


class Rule(Frozen):
    """One line of a feature: on which cards it holds, and what follows."""

    vendor: Names = ()
    at_least: Dotted | None = None
    """Least CUDA compute capability."""
    below: Dotted | None = None
    """CUDA compute capability from which the rule no longer holds."""
    architecture: Names = ()
    market: Annotated[tuple[Market, ...], BeforeValidator(_several)] = ()
    gpu: Names = ()
    """Catalog ids."""
    has: str | None = None
    """A catalog field that must hold a value."""
    lacks: str | None = None
    """A catalog field that must be empty."""
    engine: Names = ()
    """Engines with which alone the rule holds."""
    verdict: Verdict
    way: Way | None = None
    reason: str
    reason_zh: str = ""
    """The reason in Chinese."""
    instead: str = ""
    """What to install or use."""
    instead_zh: str = ""
    """The same in Chinese."""
    sources: tuple[str, ...] = ()

    def holds(self, card: Gpu, engine: str | None) -> bool:
        """Whether every condition is met; a CUDA condition is never met by a card without a compute capability."""
        compute = compute_capability(card)
        return (
            (not self.vendor or card.vendor in self.vendor)
            and (self.at_least is None or (compute is not None and compute >= self.at_least))
            and (self.below is None or (compute is not None and compute < self.below))
            and (not self.architecture or any(card.architecture.startswith(name) for name in self.architecture))
            and (not self.market or card.market in self.market)
            and (not self.gpu or card.id in self.gpu)
            and (self.has is None or bool(getattr(card, self.has)))
            and (self.lacks is None or not getattr(card, self.lacks))
            and (not self.engine or engine in self.engine)
        )


class Feature(Frozen):
    """A number format, a hardware feature, a package or an engine."""

    id: str
    title: str
    title_zh: str = ""
    """The title in Chinese, where it is not the same."""
    aliases: tuple[str, ...] = ()
    both: tuple[tuple[str, ...], ...] = ()
    """Groups of words in small letters: a text that holds one of each means this; empty = its names alone."""
    rules: tuple[Rule, ...]

    def meant(self, text: str) -> bool:
        """Whether a text holds a word of every group."""
        said = text.lower()
        return bool(self.both) and all(any(word in said for word in group) for group in self.both)

    def rule(self, card: Gpu, engine: str | None = None) -> Rule | None:
        """The first rule that holds for the card; null when none does."""
        return next((rule for rule in self.rules if rule.holds(card, engine)), None)


class Toolkit(Frozen):
    """A major CUDA toolkit and the oldest Linux driver it runs on."""

    major: int
    minimum_driver: str
    came_with: dict[str, str] = Field(default_factory=dict)
    """Minor release → the branch of the driver that came with it."""
    source: str


class Generation(Frozen):
    """Cards from one compute capability up, and the CUDA and drivers that know them."""

    at_least: Dotted
    name: str
    first_cuda: str
    first_driver: str
    last_cuda_major: int | None = None
    """Last toolkit that still knows them; null = current ones do."""
    last_driver: str | None = None
    """Last driver branch for them; null = current ones drive them."""
    kernel_modules: Literal["open", "proprietary"] | None = None
    """The only flavour of Linux kernel modules that drives them; null = either, or not told."""
    source: str


class Software(Frozen):
    """Everything known about software compatibility."""

    features: tuple[Feature, ...] = Field(min_length=1)
    toolkits: tuple[Toolkit, ...]
    """Newest first."""
    generations: tuple[Generation, ...]
    """Newest first."""


def compute_capability(card: Gpu) -> Version | None:
    """The CUDA compute capability of a card as a version; null for other makers'."""
    text = card.compute_capability
    return version(text) if card.vendor == "NVIDIA" and text else None


def generation(card: Gpu) -> Generation | None:
    """Which CUDA generation a card belongs to."""
    compute = compute_capability(card)
    return next((one for one in software().generations if compute and compute >= one.at_least), None)


@lru_cache(maxsize=1)
def software() -> Software:
    """The rules, loaded once."""
    return Software.model_validate(load_yaml(FACTS / "software.yaml"))


@lru_cache(maxsize=1)
def features() -> dict[str, Feature]:
    """Every feature by id."""
    return {one.id: one for one in software().features}
