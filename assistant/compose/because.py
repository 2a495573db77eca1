"""Why the last answer came out as it did, in one sentence: what does not go into the card, or what does."""

import re
from collections.abc import Sequence

from assistant.compose import contest, facts, names, numbers
from assistant.compose.arithmetic import ROWS, cite, column_name, total
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.leading import main_and_others
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import cards_of, chosen, cite_price, speed
from assistant.plan import requests
from kb.catalog import models
from tools.compare_gpus import Comparison

_SLOW = re.compile(r"慢|\bslow(?:er|ly)?\b", re.I)
_DEAR = re.compile(r"贵|价格|要价|expensive|pric(?:e|ey)|\bcosts?\b|much money|that much\b.{0,12}\$", re.I)
_ACTIVE = re.compile(r"激活|\bactive\b|\bactivated\b", re.I)
ITEMS_MAX = 4
"""Lines of a bill that are told."""
_DECODES = ("inference", "rag", None)
"""Work whose pace is that of writing tokens."""
_RACED = ("speed", "compare")
"""Questions whose answer is a pace, where what is asked about fits."""


def because(material: Material) -> str:
    """The reason for a verdict on cards; empty where the answer gave none."""
    if _SLOW.search(material.text) and (paced := _paced(material)):
        return paced
    if _DEAR.search(material.text) and (billed := bill(material)):
        return billed
    if _ACTIVE.search(material.text) and (experts := _experts(material)):
        return experts
    if material.intents[0] == "compare" and contest.settled(material):
        return _by_compute(material) or _by_bandwidth(material)
    told = of(material)
    if told is None:
        return ""
    if told.fits and material.intents[0] in _RACED and (pace := _by_bandwidth(material)):
        return pace
    return _reason(material, told) + cite(material, told)


def particular(text: str) -> bool:
    """Whether the reason for a pace, a price or a mixture's memory is asked, not that for a card."""
    return any(rule.search(text) for rule in (_SLOW, _DEAR, _ACTIVE))


def bill(material: Material) -> str:
    """What makes up the price of what was put forward, the dearest part first; empty where no bill was read."""
    best = next(iter(chosen(material.configurations)), None)
    lines = [one for one in (best.items if best else ()) if one.subtotal]
    if best is None or len(lines) < 2:
        return ""
    say, paid = material.say, best.price.asked_price or best.price
    ordered = sorted(lines, key=lambda one: -float(one.subtotal or 0))
    told = [say("because.item", what=f"{one.count}× {one.product}", price=numbers.usd(one.subtotal or 0))
            for one in ordered[:ITEMS_MAX]]  # fmt: skip
    text = say(
        "because.price", cards=cards_of(best), price=numbers.money(paid.amount or 0, paid.currency),
        items=say.listed(told),
    )  # fmt: skip
    return text + joined([cite_price(material, best)])


def _experts(material: Material) -> str:
    """That the inactive experts of a mixture take memory as well."""
    record = models().get(material.need.model or "")
    return material.say("caveat.experts", model=names.model_name(record.id)) if record and record.experts else ""


def of(material: Material) -> Estimate | None:
    """The memory of which the reason is told."""
    main, others = main_and_others(material)
    if main is None:
        return None
    return _narrowest(main, others) if material.need.weight_format is None and not main.fits else main


def _by_bandwidth(material: Material) -> str:
    """Why a card is as fast as it is for one user: its bandwidth, beside that of those it is held against."""
    alone = (material.need.concurrent_sequences or material.need.users or 1) == 1
    rows = facts.cards(material) or [row for one in material.results("compare_gpus") for row in Comparison(**one).gpus]
    bandwidth = BY_KEY["bandwidth"]
    if not alone or not rows or material.need.task not in _DECODES:
        return ""
    listed = [material.say("fact.card_value", card=names.gpu_name(row.id), value=bandwidth.value(row)) for row in rows]
    cites = joined(facts.cite_card(material, row, [bandwidth]) for row in rows)
    return material.say("because.bandwidth", cards=material.say.listed(listed)) + cites


def _by_compute(material: Material) -> str:
    """Why one card trains faster than another: its compute."""
    rows = facts.cards(material) or [row for one in material.results("compare_gpus") for row in Comparison(**one).gpus]
    if not requests.is_training(material.need) or len(rows) < 2:
        return ""
    compute = BY_KEY["bf16"]
    listed = [material.say("fact.card_value", card=names.gpu_name(row.id), value=compute.value(row)) for row in rows]
    cites = joined(facts.cite_card(material, row, [compute]) for row in rows)
    return material.say("because.compute", cards=material.say.listed(listed)) + cites


def _paced(material: Material) -> str:
    """Why a proposal is no faster: every token reads the weights that work on it once."""
    for one in material.configurations[:1]:
        if (pace := speed(material, one)) and material.need.task in _DECODES:
            mixed = (known := models().get(material.need.model or "")) is not None and known.active_params is not None
            return material.say("because.slow_mixed" if mixed else "because.slow", cards=cards_of(one), pace=pace)
    return ""


def _narrowest(main: Estimate, others: Sequence[Estimate]) -> Estimate:
    """Of several ways of running it that all fail on the card, the one that takes least: the others say less."""
    alike = [one for one in others if (one.task, one.gpu, one.gpus) == (main.task, main.gpu, main.gpus)]
    if any(one.fits for one in alike):
        return main
    return min((main, *alike), key=lambda one: one.result.per_gpu.total_bytes)


def _reason(material: Material, main: Estimate) -> str:
    weights, usable = main.part("weights"), main.placed.usable_bytes
    alone = main.placed.verdict == "no" and weights > usable
    parts = sorted(((main.part(*each), label) for label, each in ROWS if main.part(*each)), reverse=True)
    listed = [
        material.say("because.part", part=material.say(f"part.{label}"), size=numbers.gib(size, digits=1))
        for size, label in parts
    ]
    return material.say(
        "because.weights" if alone else f"because.{main.placed.verdict}",
        how=column_name(material, main),
        weights=numbers.gib(weights, digits=1),
        parts=material.say.listed(listed),
        total=total(main),
        cards=names.cards(main.placed.gpu, main.gpus),
        usable=numbers.gib(usable, digits=1),
    )
