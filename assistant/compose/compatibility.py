"""Whether card, format, package, CUDA and driver go together: each finding, the deciding one first."""

import re
from collections.abc import Iterator

from assistant.compose import facts, guidance, names
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.plan.formats import WHICH_FORMAT
from assistant.plan.runnable import refused as refused_on
from kb.catalog import gpus
from kb.programs.software import features
from tools.check_compatibility import OVERVIEW, Compatibility, Finding

ORDER = ("does_not", "works_with", "works", "unknown")
ASIDE_ORDER = ("works", "works_with", "does_not")
"""Beside a size: what to use before what not to."""
SHOWN_MAX, ASIDE_MAX = 6, 7
_SUPPORTED = re.compile(
    r"支持|兼容|适配|能用(?!来)|可以用(?!来)|用得了|用不了|\bsupport(?:s|ed)?\b|\bcompatible\b"
    r"|\b(?:can|does|will) (?:it|i|we|that|this)\b[^.?!]{0,24}?"
    r"\b(?:use|run|work) (?:with|on|in|under|awq|gptq|gguf|vllm)\b",
    re.I,
)
"""Words that ask whether software goes with a card."""


def compatibility(material: Material) -> Section:
    """The worst finding as the verdict, the others below; the data sheet when nothing in particular was asked."""
    findings = sorted(_particular(material), key=lambda one: ORDER.index(one.verdict))
    known = [one for one in findings if one.verdict != "unknown"]
    if not known:
        return facts.spec(material)
    lines = [line(material, one) for one in known[:SHOWN_MAX]]
    refuses = known[0].verdict == "does_not" and known[0].gpu is not None
    section = Section("fact", lines[0], ["\n".join(f"- {line}" for line in lines[1:])], settled=refuses)
    rows = facts.cards(material)
    if rows:
        section.body.append(facts.facts_table(material, rows, facts.usual(material)))
    return section


def caused(material: Material) -> Section | None:
    """What the card cannot do of what it was told to, as the cause of a fault; what the documents add below."""
    if not material.understanding.fault or not any(
        one.verdict == "does_not" and one.gpu for one in _particular(material)
    ):
        return None
    section = compatibility(material)
    section.settled = False
    section.body = [section.body[0], "\n".join(guidance.quoted(material, guidance.QUOTED_ALONE_MAX, guidance.CAUSE))]
    return section


def asked(material: Material) -> bool:
    """Whether the question, without a model to size, is if some format, package or version works on the cards."""
    return bool(material.need.gpus_asked or material.need.gpus_owned) and any(
        one.verdict != "unknown" for one in _particular(material)
    )


def refused(material: Material) -> bool:
    """Whether a named card cannot do what was asked about, or only stores the cache format asked about."""
    stored = material.need.kv_format is not None and asked(material)
    return stored or any(one.verdict == "does_not" and one.gpu for one in _particular(material))


def refusal(material: Material) -> str:
    """That a card cannot run the engine or the format named, where the answer reckons with another; else nothing."""
    asked = material.understanding.need
    if (lacking := _without_bf16(material)) is not None:
        return line(material, lacking)
    found = refused_on(asked, asked.engine)
    if found is None or (material.need.engine, material.need.weight_format) == (asked.engine, asked.weight_format):
        return ""
    card, what = found
    titles = {features()[what].title}
    found_here = next(
        (one for one in findings(material) if (one.gpu, one.verdict) == (card.id, "does_not") and one.asked in titles),
        None,
    )
    return line(material, found_here) if found_here else ""


def _without_bf16(material: Material) -> Finding | None:
    """The finding that a card has no BF16, where that was asked for: what is reckoned with there is FP16."""
    need = material.understanding.need
    lacking = {name for name in requests.named_gpus(need) if name in gpus() and gpus()[name].half != "bf16"}
    if need.weight_format != "bf16" or not lacking:
        return None
    title = features()["bf16"].title
    told = (one for one in findings(material) if one.gpu in lacking and one.asked == title)
    return next((one for one in told if one.verdict == "does_not"), None)


def beside(material: Material) -> str:
    """Which of the engines and formats asked about besides the size go with the card; empty where none was."""
    if _SUPPORTED.search(material.text) is None and WHICH_FORMAT.search(material.text) is None:
        return ""
    told = (one for one in _particular(material) if one.gpu and one.verdict != "unknown")
    said = [line(material, one) for one in sorted(told, key=lambda one: ASIDE_ORDER.index(one.verdict))]
    return "\n".join(f"- {one}" for one in said[:ASIDE_MAX] if one != refusal(material))


def findings(material: Material) -> Iterator[Finding]:
    """Every finding, each once."""
    seen: set[tuple[str | None, str]] = set()
    for result in material.results("check_compatibility"):
        for one in Compatibility.model_validate(result).findings:
            if (one.gpu, one.asked) not in seen:
                seen.add((one.gpu, one.asked))
                yield one


def _particular(material: Material) -> list[Finding]:
    """Findings on what was asked; an overview of a card is the data sheet's business."""
    every = list(findings(material))
    overview = {features()[key].title for key in OVERVIEW}
    by_card = {gpu: {one.asked for one in every if one.gpu == gpu} for gpu in {one.gpu for one in every}}
    return [one for one in every if not (one.gpu and overview <= by_card[one.gpu])]


def line(material: Material, one: Finding) -> str:
    """One finding in words, with what to use instead and its source."""
    say = material.say
    if say.language == "en":
        text = one.reason
    else:
        card = _card(material, one) if one.gpu else ""
        why = say("compat.because", reason=one.reason_zh) if one.reason_zh else ""
        asked = one.asked_zh or one.asked
        text = (
            say(f"compat.{one.verdict}", what=asked, card=card, why=why)
            if card
            else say(f"compat.{one.verdict}_bare", what=asked, why=why)
        )
    instead = one.instead if say.language == "en" else one.instead_zh
    if instead:
        text += say("compat.instead", instead=instead.rstrip("."))
    return text + joined([_cite(material, one)])


def _card(material: Material, one: Finding) -> str:
    """The card's name; with its compute capability, which the reason turns on, where it refuses."""
    key = str(one.gpu)
    compute = gpus()[key].compute_capability
    if one.verdict != "does_not" or not compute or compute not in one.reason:
        return names.gpu_name(key)
    return material.say("compat.card_with", card=names.gpu_name(key), compute=compute)


def _cite(material: Material, one: Finding) -> str:
    source = next((material.sources[key] for key in one.sources if key in material.sources), None)
    title = " – ".join(filter(None, (one.asked, source.title if source else None)))
    locator = " · ".join(filter(None, ("check_compatibility", one.gpu, one.asked)))
    return material.cites.cite(
        "catalog", title, locator, one.reason, url=source.url if source else None, date=source.date if source else None
    )
