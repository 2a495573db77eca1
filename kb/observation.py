"""Facts about what is observed of a set-up: causes, wordings of errors, symptoms, and what flags of programs set."""

import re
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field

from kb.base import Frozen, UnknownName
from kb.catalog import FACTS, load_yaml
from kb.naming.names import close_names
from kb.records.source import Source

Domain = Literal["serving", "training", "pictures", "other", "hardware"]
Scalar = str | int | float | bool
_FOLDER = FACTS / "observation"
SOLVE = "solve"
"""Stands in a cause for the value that would give exactly what was seen."""


FILLED = "filled"
"""Stands in evidence for the memory that was seen over what the card has for programs."""


class Evidence(Frozen):
    """What another observed figure says for or against a cause."""

    of: str
    """Field of `seen`, or `filled`."""
    below: float | None = None
    above: float | None = None
    times: float
    """How much likelier the cause is where the figure lies so."""


class CauseFact(Frozen):
    """One thing that goes wrong, or that people do not know of, and what is known about it."""

    id: str
    domains: tuple[Domain, ...] = ()
    """Kinds of work whose figures it changes; empty for causes that only a text or a symptom tells of."""
    work: tuple[Domain, ...] = ()
    """Kinds of work it is met in, of a cause that only a text or a symptom tells of; empty = any."""
    figures: tuple[str, ...] = ()
    """Figures it is a cause of; empty = every one that it moves."""
    engines: tuple[str, ...] = ()
    """Programs it happens with; empty = any."""
    not_engines: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    vendors: tuple[str, ...] = ()
    """Makers of the cards it is met on; empty = any, and any where the card is not known."""
    tasks: tuple[str, ...] = ()
    moments: tuple[str, ...] = ()
    """`memory_at` it goes with; empty = any."""
    cards_min: int = 1
    nodes_min: int = 1
    """Machines it takes: as told, or as many as the cards fill."""
    own_memory: bool = False
    """Whether it takes a card with memory of its own, apart from the host's."""
    capabilities: tuple[str, ...] = ()
    """CUDA compute capabilities of the cards it is met on; empty = any."""
    at_least: dict[str, float] = Field(default_factory=dict)
    """Fields of the request that must be stated and at least so large."""
    binds: tuple[str, ...] = ()
    """What must limit the figure for it to matter; empty = anything."""
    beyond_host: bool = False
    """Whether it takes weights that cards and host memory together do not hold."""
    most_held: float | None = None
    """Told only where the work needs at most so many times what the cards hold."""
    residual: bool = False
    """Whether it could explain any gap whatever: named only where another figure or a symptom speaks for it."""
    over_pcie_times: float = 1.0
    """How much likelier where the cards talk over PCIe, with no link of their own between all of them."""
    stated_times: dict[str, float] = Field(default_factory=dict)
    """Fields that make it so much likelier where they were stated."""
    stops: bool = False
    """Whether nothing runs with it: it explains no slowness."""
    needs: tuple[str, ...] = ()
    """Fields of the request it needs to be reckoned."""
    unless: dict[str, Scalar] = Field(default_factory=dict)
    """Fields and values with which it cannot be: it is what was told already."""
    unless_also: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """Further such values."""
    unless_stated: tuple[str, ...] = ()
    """Fields with which it cannot be, whatever was told."""
    experts: bool = False
    """Whether it takes a model that is known to be a mixture of experts."""
    transcribes: bool = False
    """Whether it takes a model that turns speech into text, not one that speaks."""
    model_kinds: tuple[str, ...] = ()
    """Kinds of model in the catalog it happens with; empty = any."""
    when: dict[str, tuple[Scalar, ...]] = Field(default_factory=dict)
    """Fields and the values of which it needs one."""
    change: dict[str, Scalar | None] = Field(default_factory=dict)
    """Fields of the request that are otherwise than told."""
    times: dict[str, float] = Field(default_factory=dict)
    """Fields of the request that are so many times as large."""
    machine: dict[str, float | str] = Field(default_factory=dict)
    """What the machine does otherwise, by field of `Machine`."""
    bounds: tuple[float, float] | None = None
    """Least and most of the value that is solved for."""
    observed: str | None = None
    """Field of `seen` that gives that value itself."""
    prior: float = 0.5
    """How often it is met among such set-ups, 0 to 1."""
    roomy_times: float = 1.0
    """How much likelier where the card is far from full by the estimate."""
    tight_times: float = 1.0
    """How much likelier where the work does not fit by the estimate."""
    evidence: tuple[Evidence, ...] = ()
    unproven_times: float = 1.0
    """How much rarer it is where neither a figure of its evidence nor a symptom speaks for or against it."""
    beyond: bool = False
    """Told where a figure is more than the hardware can give, without an estimate."""
    instead: bool = False
    """Not a fault but a choice: what the set-up would give with it changed. Told where what was seen is normal."""
    whole: bool = False
    """Whether it takes the cards to hold all the weights as it changes them: a run that loaded was none of it else."""
    belief: bool = False
    """Of those, what people take for the whole, and nothing one could set."""
    name: str
    name_zh: str
    what: str
    what_zh: str
    check: str
    """Command that tells."""
    checks: dict[str, str] = Field(default_factory=dict)
    """Program → the command that tells there, where it is another."""
    look_for: str
    look_for_zh: str
    fix: str
    fix_zh: str
    settings: dict[str, str] = Field(default_factory=dict)
    """Program → how the fix is written; `any` for the rest."""
    source: str


class Wording(Frozen):
    """A wording of an error, and what it tells. Named groups of the pattern become facts."""

    id: str
    software: str
    kind: Literal[
        "hang", "hardware", "version", "kernel", "link", "killed", "input", "disk", "permission", "process",
        "quota", "limit", "topology", "cache",
    ]  # fmt: skip
    pattern: str
    causes: tuple[str, ...]
    """Causes, the likeliest first."""
    source: str


class Reading(Frozen):
    """A fact of something pasted, and which figure of the request it is."""

    fact: str
    """Name in the vocabulary of artifacts."""
    over: str | None = None
    """Fact of the same line that it is divided by."""
    rest: bool = False
    """Whether one less the figure is meant."""
    seen: str | None = None
    """Field of what was seen."""
    field: str | None = None
    """Field of the set-up."""
    of: Literal["last", "largest"] = "last"
    family: str | None = None
    """Family of artifacts it is taken of; null = any."""
    zero: bool = False
    """Whether nought is a figure."""


class Symptom(Frozen):
    """What people see go wrong where no figure tells it."""

    id: str
    name: str
    name_zh: str
    words: str
    """How people say it, in English and Chinese."""
    causes: dict[str, float]
    """Cause → how much likelier it makes it."""
    still: bool = False
    """Whether it goes with nothing happening at all: not what a run shows whose pace was seen."""
    in_flags: bool = False
    """Whether a command line that holds the words tells it too."""


class Xid(Frozen):
    """A number that NVIDIA's driver reports of a card."""

    code: int
    means: str
    means_zh: str
    cause: str


class Flag(Frozen):
    """What an option of a command line sets."""

    names: tuple[str, ...]
    field: str
    """Field of the request."""
    values: dict[str, Scalar] = Field(default_factory=dict)
    """Written value → value of the field; empty = a number or text as it stands."""
    constant: Scalar | None = None
    """What it sets where it takes no value."""


class Program(Frozen):
    """A program with a command line."""

    id: str
    pattern: str
    """What its command line looks like."""
    fields: dict[str, Scalar] = Field(default_factory=dict)
    """What naming it sets."""
    flags: tuple[Flag, ...] = ()
    positional: str | None = None
    """Field that the word after the command sets."""


class TriedFacts(Frozen):
    """How people say that a remedy was tried, and remedies named in words: (words, causes they cure)."""

    vain: tuple[str, ...]
    cured: tuple[str, ...]
    remedies: tuple[tuple[str, tuple[str, ...]], ...]
    proves: frozenset[str]
    """Words of remedies that are one of several: success proves the cause, failure rules nothing out."""
    ruled: tuple[tuple[str, tuple[str, ...]], ...]
    """Checks that rule causes out by being told."""


class ObservationFacts(Frozen):
    """Everything in `facts/observation`."""

    causes: dict[str, CauseFact]
    wordings: tuple[Wording, ...]
    symptoms: dict[str, Symptom]
    xids: dict[int, Xid]
    programs: tuple[Program, ...]
    readings: tuple[Reading, ...]
    tried: TriedFacts
    oom_causes: dict[str, str]
    """Cause that `diagnose_oom` names → id of the cause here."""
    oom_beside: dict[str, dict[str, str]]
    """What goes with memory that ran out, by `methods` of training and by `signatures` of software."""
    settings: dict[str, Any]
    """Constants: reserved shares, defaults of programs, limits."""
    sources: dict[str, Source]


@lru_cache(maxsize=1)
def observation_facts() -> ObservationFacts:
    """The facts, loaded once."""
    causes = [row for path in sorted(_FOLDER.glob("causes_*.yaml")) for row in load_yaml(path)]
    errors, others = load_yaml(_FOLDER / "errors.yaml"), load_yaml(_FOLDER / "settings.yaml")
    particular = load_yaml(_FOLDER / "errors_setup.yaml")
    return ObservationFacts.model_validate(
        {
            "causes": {row["id"]: row for row in causes},
            "wordings": [*particular, *errors["wordings"]],
            "oom_causes": errors["oom_causes"],
            "oom_beside": errors["oom_beside"],
            "xids": {row["code"]: row for row in errors["xids"]},
            "symptoms": {row["id"]: row for row in load_yaml(_FOLDER / "symptoms.yaml")},
            "programs": load_yaml(_FOLDER / "flags.yaml"),
            "readings": load_yaml(_FOLDER / "logs.yaml"),
            "tried": _tried(load_yaml(_FOLDER / "tried.yaml")),
            "settings": others["settings"],
            "sources": {key: {"id": key, **row} for key, row in others["sources"].items()},
        }
    )


def _tried(given: dict[str, Any]) -> dict[str, Any]:
    pairs = {key: [(row["words"], row["causes"]) for row in given[key]] for key in ("remedies", "ruled")}
    proves = [row["words"] for row in given["remedies"] if row.get("proves")]
    return {"vain": given["vain"], "cured": given["cured"], "proves": proves, **pairs}


@lru_cache(maxsize=1)
def described() -> frozenset[str]:
    """Causes that people describe in words of their own, or whose size tells them: the others an error's text tells."""
    facts = observation_facts()
    words = {cause for one in facts.symptoms.values() for cause in one.causes}
    return frozenset(words | {one.id for one in facts.causes.values() if one.domains and (one.change or one.machine)})


@lru_cache(maxsize=1)
def circumstances() -> frozenset[str]:
    """Causes that a text states in passing: how cards hang together, what a cache was worth. They may be at fault."""
    kinds = ("cache", "topology")
    return frozenset(one.causes[0] for one in observation_facts().wordings if one.kind in kinds)


def symptom(name: str, *, ran: bool = False, flags: str = "") -> Symptom:
    """The symptom of that id, or the one that these words tell of.

    Raises:
        UnknownName: with the closest ids, or all of them.
    """
    known, key = observation_facts().symptoms, name.strip().lower().replace(" ", "_").replace("-", "_")
    if key not in known and (said := symptom_in(name, ran=ran, flags=flags)) is not None:
        return said
    if key not in known:
        raise UnknownName("symptom", name, close_names(key, list(known)) or list(known))
    more = symptom_in("", flags=flags) if flags else None
    return known[key].model_copy(update={"causes": (more.causes if more else {}) | known[key].causes})


def symptom_in(text: str, *, ran: bool = False, flags: str = "") -> Symptom | None:
    """The first symptom that the words tell of, with the causes of all they tell of; null where they tell none.

    `ran`: a pace was seen, so that nothing hangs. `flags`: a command line, which tells of some.
    """
    told = [
        one for one in observation_facts().symptoms.values()
        if not (ran and one.still)
        and (wording(one.words).search(text) or (one.in_flags and wording(one.words).search(flags)))
    ]  # fmt: skip
    if not told:
        return None
    weights: dict[str, float] = {}
    for one in told:
        for cause, times in one.causes.items():
            weights[cause] = max(times, weights.get(cause, 0.0))
    return told[0].model_copy(update={"causes": weights})


@lru_cache(maxsize=256)
def wording(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled once."""
    return re.compile(pattern, re.IGNORECASE)
