"""Does this card run that format, package or engine, and do CUDA and driver go together?"""

import re
from functools import lru_cache

from pydantic import Field

from kb.base import BadInput, Frozen, UnknownName
from kb.naming.names import Names, close_names
from kb.programs.engines import program
from kb.programs.software import Feature, Rule, Verdict, Way, features, generation
from kb.records.gpu import Gpu
from tools.base import Step, ToolResult
from tools.cuda_versions import Finding, architecture, versions
from tools.mixed_cards import beside
from tools.named import cited, read_card, vouching
from tools.release_check import Named, named_in, read
from tools.release_check import findings as release_findings

__all__ = [
    "OVERVIEW", "OWN_CARDS", "Compatibility", "CompatibilityRequest", "Finding", "check_compatibility", "feature_names",
]  # fmt: skip

OVERVIEW = ("bf16", "fp8", "fp4", "nvlink", "mig", "flash_attention_2")
"""What is checked when only a card is named."""
OWN_CARDS = "Nothing is read of"
"""How it begins what is said of a program that stands on another engine."""
ON_TORCH = "pytorch"
"""What programs that train stand on."""
MIXED = "mixed_cards"
"""The feature that is about all cards at once."""
_SEVERITY: tuple[Verdict, ...] = ("works", "works_with", "unknown", "does_not")
_SAID: dict[Verdict, str] = {
    "works": "works", "works_with": "works with a condition", "unknown": "is unknown", "does_not": "does not work",
}  # fmt: skip
_SAID_OF_WAY: dict[Way, str] = {
    "weights_only": "has no units there, but weights may be held in the format",
    "fork_only": "does not work with released software, only with a community's",
    "unlisted": "is not listed as supported, but taken by the code",
}
_VERSION = re.compile(r"(?:cuda|cu|v|r)?[ -]?(\d{1,3}(?:\.\d{1,3}){0,3})(?:\.x)?", re.IGNORECASE)
_ENGINE_RELEASE = re.compile(r"[\s=~<>v-]+\d+(?:\.\d+)*(?:\.?(?:post|rc)\d+)?(?:\+\w+)?$", re.IGNORECASE)
_WHEEL = re.compile(r"cu(\d{2})(\d)", re.IGNORECASE)
_CUDA_SAID = re.compile(
    r"\bcu(\d{2})(\d)\b|cuda[ -]?(?:[>=≥]{1,2} ?)?v?(\d{1,2}(?:\.\d{1,2})?)", re.IGNORECASE | re.ASCII
)
_ARCHITECTURE = re.compile(r"\b(?:sm|compute)[_ ]?(\d{2,3})[af]?\b", re.IGNORECASE)
_DRIVER_SAID = re.compile(r"(?:driver|驱动)\D{0,12}?(\d{3}(?:\.\d{1,3}){0,2})", re.IGNORECASE)


class CompatibilityRequest(Frozen):
    """A card, and what should run on it; or a CUDA version and a driver."""

    gpu: str | None = Field(default=None, max_length=200)
    """Id, vendor name or alias; an ambiguous name gets its usual meaning, which is said."""
    gpus: tuple[str, ...] = Field(default=(), max_length=8)
    """More cards to check alike."""
    precision: str | None = Field(default=None, max_length=60)
    """Number or weight format: bf16 fp16 tf32 fp8 int8 fp4 awq gptq nf4 gguf …"""
    feature: str | None = Field(default=None, max_length=100)
    """nvlink p2p mig ecc flash_attention_2 flash_attention_3 bitsandbytes marlin xformers rocm cuda …"""
    engine: str | None = Field(default=None, max_length=100)
    """vllm sglang tensorrt-llm llama.cpp ollama pytorch unsloth …"""
    framework: str | None = Field(default=None, max_length=60)
    """Release of a framework: pytorch 2.4, torch==2.1.0+cu118, tensorflow 2.15 …; engine takes a release too."""
    cuda: str | None = Field(default=None, max_length=40)
    """CUDA toolkit or wheel: 12.4, cu121, 13."""
    driver: str | None = Field(default=None, max_length=40)
    """NVIDIA driver, e.g. 470 or 570.133.20."""
    model: str | None = Field(default=None, max_length=200)
    """Model it is for; does not change the verdict."""
    question: str | None = Field(default=None, max_length=4000)
    """The asker's words: features, CUDA and driver versions named there are checked too."""


class Compatibility(ToolResult):
    """Whether it all goes together."""

    verdict: Verdict
    """The worst of the findings."""
    way: Way | None = None
    """What the verdict leaves out of the deciding finding: weights_only, fork_only, unlisted."""
    reason: str
    """One English sentence for the deciding finding."""
    instead: str
    """What to install or use instead; empty when nothing is needed."""
    findings: tuple[Finding, ...]


def check_compatibility(request: CompatibilityRequest) -> Compatibility:
    """Check whether a GPU supports a number format, feature, package or engine, and whether CUDA and driver match.

    Covers BF16, FP8, FP4, NVLink, MIG, FlashAttention 2 and 3, quantisation kernels (AWQ, GPTQ, Marlin,
    bitsandbytes), memory pooling, different cards in one machine,
    engines (vLLM, SGLang, TensorRT-LLM, llama.cpp, Ollama, PyTorch) and CUDA toolkits against drivers
    and cards. Answers works, works_with (a certain build or setting), does_not or unknown, each with the reason, a
    remedy and sources. With only a card named it gives an overview.
    """
    cards, assumed = _cards(request)
    wanted = _releases(request)
    engine, own, said = _engine(request.engine)
    cudas, driver = _cudas(request), _driver(request)
    asked = _asked(request, None if own else engine, checks_versions=bool(cudas or driver or wanted))
    foreign = any(card.vendor != "NVIDIA" for card in cards)
    packages = {named.package for named in wanted}
    asked = [one for one in asked if foreign or one.id not in packages]
    asked += [features()[key] for key in sorted(packages) if foreign and features()[key] not in asked]
    overview = not asked and not cudas and not driver and not wanted and not _architectures(request)
    if overview and cards:
        asked = [features()[key] for key in OVERVIEW]
    findings = [one for named in wanted for one in release_findings(named, cards, next(iter(cudas), None), driver)]
    mixed = overview or any(one.id == MIXED for one in asked)
    together = list(beside(cards)) if mixed and len(cards) > 1 else []
    asked = [one for one in asked if one.id != MIXED or not together]
    findings += [*together]
    findings += [_judge(card, one, engine) for card in cards for one in asked if not _released(card, one, packages)]
    findings += [one for cuda in cudas or (None,) for one in versions(cards, cuda, driver)]
    findings += [one for code in _architectures(request) for one in architecture(code, cards, next(iter(cudas), None))]
    if not cards and asked:
        findings += [_needs_a_card(one) for one in asked]
    if not findings:
        raise BadInput("gpu", "nothing to check.", "Name a card, or a CUDA version and a driver.")
    worst = max(findings, key=lambda one: (_SEVERITY.index(one.verdict), one.way is None))
    if together and (overview or worst.verdict == together[0].verdict):
        worst = together[0]
    elif overview and worst.verdict != "works":
        worst = worst.model_copy(update={"verdict": "works_with", "reason": _summary(findings), "instead": ""})
    return Compatibility(
        verdict=worst.verdict,
        way=worst.way,
        reason=worst.reason,
        instead=worst.instead,
        findings=tuple(findings),
        derivation=tuple(_step(one) for one in findings),
        assumptions=(*assumed, *said),
        warnings=_warnings(findings),
        sources=cited(
            [key for one in findings for key in one.sources]
            + [key for card in cards for key in vouching(card, ("compute_capability", "nvlink_bytes_per_s"))]
        ),
    )


def _engine(name: str | None) -> tuple[str | None, bool, tuple[str, ...]]:
    """The engine by whose rules formats are judged, whether it is one with kernels of its own whose cards are not read,
    and what to say of a program that stands on another.

    Raises:
        UnknownName: nobody knows it.
    """
    if not name:
        return None, False, ()
    plain = _unversioned(name)
    try:
        return _feature(plain, "engine").id, False, ()
    except UnknownName:
        found = program(plain)
        if found is None:
            raise
    stands_on = found.runs or (ON_TORCH if found.trains else None)
    if found.own_workings or not stands_on:
        return found.id.lower(), True, (f"{OWN_CARDS} {found.id}'s own cards: {found.differs}.",)
    known = _feature(stands_on, "engine").id
    return known, False, (f"{OWN_CARDS} {found.id}'s own cards: judged as {known}. {found.differs}.",)


def _cards(request: CompatibilityRequest) -> tuple[list[Gpu], tuple[str, ...]]:
    read = [read_card(name) for name in dict.fromkeys((*((request.gpu,) if request.gpu else ()), *request.gpus))]
    cards = {card.id: card for card, _ in read}
    return list(cards.values()), tuple(said for _, assumed in read for said in assumed)


@lru_cache(maxsize=1)
def feature_names() -> Names:
    """Names of every feature, to resolve one or to find them in running text."""
    return Names("feature", {one.id: (one.title, *one.aliases) for one in features().values()})


def names_something(text: str) -> bool:
    """Whether words name a feature, a release, or a version of CUDA or the driver."""
    if any(one.exact for one in feature_names().scan(text)) or any(one.meant(text) for one in features().values()):
        return True
    said = (_CUDA_SAID, _DRIVER_SAID, _ARCHITECTURE)
    return bool(named_in(text)) or any(one.search(text) for one in said)


def _feature(name: str, field: str) -> Feature:
    plain = name.strip().split(":")[0].replace("_", " ")
    try:
        return features()[feature_names().resolve(plain)]
    except UnknownName:
        raise UnknownName(field, name, close_names(plain, list(features())) or sorted(features())) from None


def _named(text: str, field: str) -> tuple[str, ...]:
    """The feature of that name, or those that the words hold: "NCCL P2P", "NVLink 900GB/s", 「MIG可切7份」.

    Raises:
        UnknownName: they hold none.
    """
    try:
        return (_feature(text, field).id,)
    except UnknownName:
        meant = tuple(one.id for one in features().values() if one.meant(text))
        if meant:
            return meant
        held = dict.fromkeys(one.ids[0] for one in feature_names().scan(text) if one.exact)
        if not held:
            raise
        return tuple(held)


def _asked(request: CompatibilityRequest, engine: str | None, *, checks_versions: bool) -> list[Feature]:
    """Features named in the fields or in the question, each once."""
    feature = _ARCHITECTURE.sub("", request.feature or "").strip()
    named = (("precision", request.precision), ("feature", feature))
    ids = dict.fromkeys(one for field, name in named if name for one in _named(name, field))
    if engine:
        ids[engine] = None
    for mention in feature_names().scan(request.question or ""):
        if mention.exact:
            ids.setdefault(mention.ids[0])
    ids |= dict.fromkeys(one.id for one in features().values() if one.meant(request.question or ""))
    if checks_versions:
        ids.pop("cuda", None)
    return [features()[key] for key in ids]


def _summary(findings: list[Finding]) -> str:
    """An overview in one sentence: what works, what does not."""
    groups = {
        said: ", ".join(dict.fromkeys(one.asked for one in findings if one.verdict == verdict))
        for verdict, said in _SAID.items()
    }
    said = "; ".join(f"{said}: {names}" for said, names in groups.items() if names)
    return f"{said[:1].upper()}{said[1:]}."


def _judge(card: Gpu, feature: Feature, engine: str | None) -> Finding:
    rule = feature.rule(card, engine)
    compute = f" (compute capability {card.compute_capability})" if card.vendor == "NVIDIA" else ""
    if rule is None:
        return Finding(
            gpu=card.id, asked=feature.title, asked_zh=feature.title_zh, verdict="unknown", instead="", sources=(),
            reason=f"No source read says whether {card.name}{compute} goes with {feature.title}.",
        )  # fmt: skip
    rule = _of_generation(rule, card)
    return Finding(
        gpu=card.id, asked=feature.title, asked_zh=feature.title_zh, verdict=rule.verdict, sources=rule.sources,
        instead=rule.instead, instead_zh=rule.instead_zh, reason_zh=rule.reason_zh, way=rule.way,
        reason=f"{feature.title} on {card.name}{compute} {_said(rule)}: {rule.reason}.",
    )  # fmt: skip


def _of_generation(rule: Rule, card: Gpu) -> Rule:
    """A rule with what its words leave to the card's generation: {generation}, {first_cuda}, {first_driver}."""
    born = generation(card)
    if born is None:
        return rule
    known = {"{generation}": born.name, "{first_cuda}": born.first_cuda, "{first_driver}": born.first_driver}

    def filled(text: str) -> str:
        for name, value in known.items():
            text = text.replace(name, value)
        return text

    names = ("reason", "reason_zh", "instead", "instead_zh")
    return rule.model_copy(update={name: filled(getattr(rule, name)) for name in names})


def _said(rule: Rule) -> str:
    """The verdict of a rule in words; of a refusal that is not the whole truth, what is."""
    return _SAID_OF_WAY[rule.way] if rule.way and rule.verdict == "does_not" else _SAID[rule.verdict]


def _needs_a_card(feature: Feature) -> Finding:
    return Finding(
        gpu=None, asked=feature.title, asked_zh=feature.title_zh, verdict="unknown", instead="", sources=(),
        reason_zh="要看是哪张卡", reason=f"Whether {feature.title} works depends on the card: name one.",
    )  # fmt: skip


def _releases(request: CompatibilityRequest) -> list[Named]:
    """Releases named in the fields or in the question, each once."""
    named = [read(request.framework)] if request.framework else []
    return list(dict.fromkeys((*named, *named_in(request.engine or ""), *named_in(request.question or ""))))


def _released(card: Gpu, feature: Feature, packages: set[str]) -> bool:
    """Whether the release named says more of the card than the rule of its package."""
    return card.vendor == "NVIDIA" and feature.id in packages


def _unversioned(engine: str) -> str:
    """The engine without its release: `vllm 0.8.5` → `vllm`."""
    return _ENGINE_RELEASE.sub("", engine).strip() or engine


def _architectures(request: CompatibilityRequest) -> tuple[str, ...]:
    """Targets of compilers that are named: "sm_121a"."""
    said = f"{request.feature or ''} {request.question or ''}"
    return tuple(dict.fromkeys(match[0].lower() for match in _ARCHITECTURE.finditer(said)))


def _cudas(request: CompatibilityRequest) -> tuple[str, ...]:
    if request.cuda:
        return (_read_version("cuda", request.cuda),)
    said = _CUDA_SAID.findall(request.question or "")
    return tuple(dict.fromkeys(dotted or f"{major}.{minor}" for major, minor, dotted in said))


def _driver(request: CompatibilityRequest) -> str | None:
    if request.driver:
        return _read_version("driver", request.driver)
    said = _DRIVER_SAID.search(request.question or "")
    return said[1] if said else None


def _read_version(field: str, text: str) -> str:
    wheel = _WHEEL.fullmatch(text.strip())
    if field == "cuda" and wheel:
        return f"{wheel[1]}.{wheel[2]}"
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        raise BadInput(field, f"“{text[:40]}” is not a version.", "Write it like 12.4 or 570.133.20.")
    return match[1]


def _step(one: Finding) -> Step:
    return Step(
        label=f"{one.asked}: {one.gpu}" if one.gpu else one.asked,
        formula="first rule that holds for the card",
        value=one.verdict,
        source=one.sources[0] if one.sources else None,
    )


def _warnings(findings: list[Finding]) -> tuple[str, ...]:
    bare = [f"{one.asked} on {one.gpu}" for one in findings if one.verdict != "unknown" and one.gpu and not one.sources]
    said = ["Software support changes with every release; the sources are dated."]
    if bare:
        said.append(f"Read from the catalog or general knowledge, without a source of its own: {', '.join(bare)}.")
    return tuple(said)
