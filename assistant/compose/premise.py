"""Amounts of memory that the question takes for granted, held against the estimate."""

import re
from collections.abc import Iterator

from assistant.compose import facts, names, numbers
from assistant.compose.arithmetic import cite, workload
from assistant.compose.aspects import BY_KEY, Aspect
from assistant.compose.citations import joined
from assistant.compose.claims import ENOUGH, NEEDS, claims
from assistant.compose.material import Estimate, Material
from assistant.compose.soldered import soldered
from assistant.plan import card_claims, requests, reserved
from assistant.plan.cheaper import SHARES
from kb.catalog import models
from kb.lexicon.cards.unified import is_unified
from kb.records.model import Model
from tools.find_gpus import GpuRow

SELDOM = 0.5
"""Share of language models below which a number of cards that divides their heads is the exception."""
FAR_ABOVE = 1.5
"""A claimed requirement this many times the estimate is worth correcting downwards."""


def card_memory(material: Material) -> str:
    """The memory of a card, where the question takes it for another; empty where it does not."""
    if told := soldered(material):
        return told
    rows = {row.id: row for row in facts.cards(material)}
    for card, stated in card_claims.misjudged(material.understanding, material.need):
        if card in rows:
            size = BY_KEY["memory"].value(rows[card]) or ""
            marker = facts.cite_card(material, rows[card], [BY_KEY["memory"]])
            key = "machine_memory" if is_unified(card) else "card_memory"
            return material.say(f"premise.{key}", card=names.gpu_name(card), size=size, stated=f"{stated} GB") + joined(
                [marker]
            )
    return ""


_SHARED = re.compile(
    r"平分|均分|平摊|分摊|每张(?:卡)?都(?:占|用)|都占|\beach (?:gpu|card|rank)[^.?!\n]{0,30}(?:same|full|whole|copy)"
    r"|\b(?:not|isn't|aren't|instead of) (?:being )?(?:split|shared|divided)",
    re.I,
)
_TENSOR = re.compile(
    r"(?:tensor[-_ ]?parallel(?:ism)?(?:[-_ ]?size)?|(?<![a-z])tp|张量并行(?:度|数)?)"
    r"\s?(?:[=:]|of|over|size|到|开|为|设为)?\s?(\d{1,2})(?![\d.])"
    r"|(?<![\d.])(\d{1,2})[- ]?(?:way|卡|路)\s?(?:tensor|张量)",
    re.I,
)
"""A number of cards stated for tensor parallelism."""
_INDIVISIBLE = re.compile(r"not (?:evenly )?divisible|must be divisible|can't be divided|整除|除不尽", re.I)
ALIKE = 0.05
"""Share by which two cards may differ in a figure and still be called the same in it."""
_TELLING = ("memory", "bandwidth", "fp8", "link")
"""What tells two cards of one generation apart."""


def card_identity(material: Material) -> str:
    """Whether a card is the other that the question takes it for, and in what they differ; empty where none is."""
    pair = card_claims.likened(material.understanding)
    rows = {row.id: row for row in facts.cards(material)}
    if pair is None or not set(pair) <= set(rows):
        return ""
    say, (one, other) = material.say, (rows[key] for key in pair)
    same = one.architecture == other.architecture
    aspects = [BY_KEY[key] for key in _TELLING]
    differing = [aspect for aspect in aspects if _differ(one, other, aspect)]
    values = {
        "card": names.gpu_name(one.id),
        "other": names.gpu_name(other.id),
        "architecture": one.architecture,
        "others": other.architecture,
        "lines": say("list.comma").join(_apart(material, one, other, aspect) for aspect in differing),
    }
    key = "alike" if same and not differing else "near" if same else "unlike"
    markers = joined([facts.cite_card(material, row, [BY_KEY["architecture"], *differing]) for row in (one, other)])
    return say(f"premise.card_{key}", **values) + markers


def _differ(one: GpuRow, other: GpuRow, aspect: Aspect) -> bool:
    first, second = (getattr(row, aspect.fields[0]) for row in (one, other))
    return (first or 0) != (second or 0) and abs((first or 0) - (second or 0)) > ALIKE * max(first or 0, second or 0)


def _apart(material: Material, one: GpuRow, other: GpuRow, aspect: Aspect) -> str:
    """One figure of both."""
    none = material.say("premise.nothing")
    first, second = (aspect.value(row) or none for row in (one, other))
    return material.say("premise.apart", what=material.say(f"aspect.{aspect.key}"), first=first, second=second)


def uneven(material: Material) -> str:
    """That the cards stated for tensor parallelism do not divide the model's attention heads; else nothing."""
    said, known = _TENSOR.search(material.text), models().get(material.need.model or "")
    count = int(said[1] or said[2]) if said else 0
    if count < 2 or material.need.engine == "llama.cpp" or requests.is_training(material.need):
        return ""
    if known is None:
        return material.say("premise.rarely", count=count) if _rarely(count) else ""
    if not known.heads or _divides(known, count):
        return ""
    return _indivisible(material, count, known)


def _divides(known: Model, count: int) -> bool:
    """Whether a layer can be shared by so many cards: its heads dealt out, those of the cache dealt out or repeated."""
    cached = known.kv_heads or known.heads or 1
    return (known.heads or 1) % count == 0 and (cached % count == 0 or count % cached == 0)


def _indivisible(material: Material, count: int, known: Model | None) -> str:
    """How to lie on so many cards all the same: as many as divide the heads share a layer, in groups."""
    shares = (ways for ways in range(count - 1, 1, -1) if known and count % ways == 0 and _divides(known, ways))
    widest = next(shares, 1)
    key = "indivisible_groups" if widest > 1 else "indivisible"
    return material.say(f"premise.{key}", count=count, shared=widest, groups=count // widest)


def _rarely(count: int) -> bool:
    """Whether the heads of few language models divide by so many cards."""
    counted = [one.heads for one in models().values() if one.kind == "llm" and one.heads]
    return sum(heads % count == 0 for heads in counted) < SELDOM * len(counted)


_ACTIVE = re.compile(
    r"激活|每个 ?token ?(?:只)?用|\bactiv(?:e|es|ated?|ates)\b|\bexperts? (?:per|a|for each|each) token"
    r"|\bonly uses? \w+ (?:of (?:its|the) )?experts?"
    r"|\b\w+ experts at a time|只(?:会)?用(?:到)?(?:其中)?[一二两三四五六八\d]\s?个专家",
    re.I,
)
_ONLY_THAT = re.compile(
    r"只(?:要|需|需要|占|算|按|用)[^。？?]{0,12}(?:显存|内存|\d\s?g|\d\s?b|放|装|加载|就)|是不是(?:只|就|可以|能)|(?:就|应该)(?:够|行|能|可以|放得下)"
    r"|\b(?:only|just) (?:need|have to|require|load|fit|hold|count)|\bdo(?:es)? (?:i|it|we|that) (?:only|just)"
    r"|\b(?:is|are|be|should be) (?:\w+ ){0,6}enough|\b(?:don't|do not|doesn't) need (?:all|the (?:full|whole))"
    r"|\bso (?:it|that|a|an|one) [^.?!]{0,40}(?:fits?|enough|suffic)",
    re.I,
)
"""Words that take the active share of a mixture for what has to be held."""


def experts(material: Material) -> str:
    """That all experts are held, where the question takes the active ones for all that has to be."""
    known = models().get(material.need.model or "")
    mixed = known is not None and known.active_params is not None and known.active_params < known.params
    taken = _ACTIVE.search(material.text) is not None and _ONLY_THAT.search(material.text) is not None
    return material.say("premise.experts") if mixed and taken and not material.need.host_memory_bytes else ""


def copies(material: Material) -> str:
    """That copies are not shares where it is asked why every card is as full, and heads do not divide by any number."""
    cards = sum(card.count or 1 for card in material.need.gpus_owned)
    if cards > 1 and cards & (cards - 1) and _INDIVISIBLE.search(material.text):
        known = models().get(material.need.model or "")
        return _indivisible(material, cards, known if known and known.heads else None)
    main = next((one for one in material.estimates if one.gpus > 1), None)
    if main is None or main.task == "inference" or not _SHARED.search(material.text):
        return ""
    return material.say("premise.copies") if main.request.get("sharding") in SHARES else ""


def believed(material: Material) -> str:
    """What is taken for granted of cards, layouts or experts and is otherwise; empty where nothing is."""
    told = (card_memory, card_identity, copies, uneven, experts)
    return next((said for correct in told if (said := correct(material))), "")


def premises(material: Material) -> list[str]:
    """One sentence for each amount in the question that the estimate contradicts or bears out."""
    if not material.estimates or material.need.card_memory_least_bytes:
        return []  # 「只要 24G 的卡」 says which cards, not what the work takes
    main = _least(material)
    return list(dict.fromkeys([*_enough(material, main), *_needed(material, main)]))


def _least(material: Material) -> Estimate:
    """What the claim is held against: the work as asked; of a copy on each card the way that takes least in all."""
    main = material.estimates[0]
    if main.gpus == 1 or main.request.get("sharding") not in SHARES:
        return main
    same = (one for one in material.estimates if one.task == main.task)
    return min(same, key=lambda one: one.result.per_gpu.total_bytes * one.gpus)


def _enough(material: Material, main: Estimate) -> Iterator[str]:
    """What is said to be enough: it is, just about, or it is not."""
    per_gpu = main.result.per_gpu
    if main.fit:
        return
    for claim in claims(material.understanding.text, ENOUGH):
        if claim.binary_bytes < per_gpu.low_bytes * main.gpus:
            yield _sentence(material, main, "premise.too_small", claim.text)
        elif claim.decimal_bytes < per_gpu.high_bytes * main.gpus:
            yield _sentence(material, main, "premise.just", claim.text)
        else:
            yield _sentence(material, main, "premise.enough", claim.text)


def _needed(material: Material, main: Estimate) -> Iterator[str]:
    """What is said to be needed: far too little, or far too much."""
    per_gpu = main.result.per_gpu
    for claim in claims(material.understanding.text, NEEDS):
        if claim.binary_bytes < per_gpu.low_bytes * main.gpus:
            if not reserved.asked(material.understanding):  # there it is the weights alone, set against what is shown
                yield _sentence(material, main, "premise.too_small", claim.text)
        elif claim.decimal_bytes > FAR_ABOVE * per_gpu.high_bytes * main.gpus:
            yield _sentence(material, main, "premise.too_large", claim.text)


def _sentence(material: Material, main: Estimate, key: str, claimed: str) -> str:
    total = main.result.per_gpu.total_bytes * main.gpus
    return material.say(
        key,
        claimed=claimed,
        what=workload(material, main).strip(),
        weights=numbers.both_units(main.part("weights") * main.gpus),
        total=numbers.both_units(total),
    ) + cite(material, main)
