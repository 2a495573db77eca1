"""What a follow-up's answer says first: what its change did to the figure that the answer before told."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from assistant.compose import names, numbers
from assistant.compose.arithmetic import column_name, in_all, interval, total, workload
from assistant.compose.follow_up import mark
from assistant.compose.leading import main_and_others
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import cards_of, price
from assistant.compose.section import Section
from assistant.understand.makers import wonders_why_not
from assistant.understanding import Asked, Shown
from kb.units import GIB
from tools.configuration import Configuration
from tools.need import Need

_SENTENCE = re.compile(r".*?(?:[。？！]|[.?!](?= |$))", re.S)
_PLACED = ("fits", "does_not_fit")
"""Verdicts whose sentence says no more than whether it fits."""
_HELD = (*_PLACED, "fits_with_changes", "diagnosis")
"""Verdicts whose headline tells what the cards have to hold."""
_CARDS = ("gpus_owned", "gpus_asked", "gpus_proposed")
"""Fields whose change a comparison tells by itself."""
_OF_A_CHOICE = ("budget", "acquisition", "conditions", "card_memory_least_bytes")
"""Fields that change which hardware is chosen, and no other figure."""
_ASIDE = re.compile(r"\s?[（(].*|\s?\[\d+\]", re.S)
"""What follows a price: its date, another currency, its marker."""
_FIGURES = {
    "estimate_inference_speed": (
        "tokens_per_s_per_user", "time_s", "time_per_image_s", "images_per_s", "time_per_clip_s", "audio_s_per_s",
    ),
    "estimate_training_time": ("time_s",),
}  # fmt: skip
"""Rates and times that a headline tells, by the tool they come from."""
_LOWERED = re.compile(r"^(?:About|For|The|It|Cheapest|Largest|At|In|With|A|An|Yes,|No,|Yes:|No:|Not|Just)(?= )")
"""Openings that lose their capital behind other words; names keep it."""


def compare(material: Material, main: Section) -> Shown:
    """Put what became of the former figure first; returns the figure of this answer for the next one."""
    now, figure = _measured(material, main)
    now = now.model_copy(update={"language": material.say.language, "told": (mark(main.headline),)})
    understanding, before = material.understanding, material.before
    if not understanding.follow_up or understanding.command:
        return now
    if before.told(mark(main.headline)) and not _named(material, now):
        main.headline = material.say("changed.as_before") + _lowered(main.headline)
        return now
    alike = before.measures(now.measure or "") or not before.changed(("intent",))
    if before and alike and (how := _how(material, now)):
        said = before.field("said") if before.field("language") == now.language else None
        former = Shown(measure=now.measure, said=said, fits=before.field("fits"))
        _say(material, main, now, former, figure, how)
    if now.measure == "order" and before.changed(("conditions",)) and wonders_why_not(material.text.lower()):
        reason = material.say.get(f"changed.why_not_{understanding.need.conditions[-1]}")
        main.headline = (reason or "") + main.headline
    return now


def _say(material: Material, main: Section, now: Shown, before: Shown, estimate: Estimate | None, how: str) -> None:
    """The first sentence with what changed, `how`, and what it was before."""
    say, said = material.say, before.said
    if estimate is not None and (rest := _less_verdict(material, main, estimate)) is not None:
        same = now.said == said and now.fits == before.fits
        main.headline = _fitting(material, how, estimate, None if same else before) + rest
        return
    first = _SENTENCE.match(main.headline)
    sentence = first[0] if first else main.headline
    rest = main.headline[len(sentence) :]
    if said and now.said == said and now.fits == before.fits:
        if not material.before.changed_beside(_CARDS) and all(words in sentence for words in _named(material, now)):
            return  # the cards asked about are told of, and why they do not come first
        key = "changed.stays" if now.measure == "order" else "changed.nothing"
        main.headline = say(key, how=how) + _lowered(sentence) + rest
        return
    how = "" if all(words in sentence for words in _named(material, now)) else how
    core, was = sentence.rstrip("。."), say("changed.was", was=said) if said else ""
    end = sentence[len(core) :]
    told = say("changed.led", how=how, what=_lowered(core), was=was) if how else core + was
    main.headline = told + end + rest


def _less_verdict(material: Material, main: Section, one: Estimate) -> str | None:
    """What the headline says after whether it fits; None where it says that otherwise."""
    fit = one.placed
    plain = material.say(
        f"fit.{fit.verdict}",
        what=workload(material, one),
        cards=names.cards(fit.gpu, one.gpus),
        total=total(one),
        interval=interval(one),
        usable=numbers.gib(fit.usable_bytes, digits=1),
    )
    if main.verdict not in _PLACED or not main.headline.startswith(plain):
        return None
    return main.headline[len(plain) :]


def _fitting(material: Material, how: str, one: Estimate, before: Shown | None) -> str:
    """Whether it fits now, against whether it did; without `before` nothing is other than it was."""
    fit = one.placed
    turned = "same" if before is None else "still" if before.fits == one.fits else "now"
    return material.say(
        f"changed.{fit.verdict}_{turned}",
        how=how,
        what=workload(material, one),
        total=total(one),
        interval=interval(one),
        usable=numbers.gib(fit.usable_bytes, digits=1),
        cards=names.cards(fit.gpu, one.gpus),
        was="" if before is None or before.said is None else material.say("changed.was", was=before.said),
    )


def _lowered(sentence: str) -> str:
    return _LOWERED.sub(lambda found: found[0].lower(), sentence)


def _measured(material: Material, main: Section) -> tuple[Shown, Estimate | None]:
    """The figure that the headline tells, as a follow-up will name it."""
    estimate = _told(material, main, main_and_others(material)[0])
    if estimate is not None and main.verdict in _HELD and total(estimate) in main.headline:
        said = material.say(
            "changed.per_gpu", total=total(estimate), cards=names.cards(estimate.placed.gpu, estimate.gpus)
        )
        if (way := _way_that_fits(material, main, estimate)) is not None:
            estimate, said = way, material.say(
                "changed.per_gpu_in", total=total(way), cards=names.cards(way.placed.gpu, way.gpus),
                how=column_name(material, way),
            )  # fmt: skip
        room = _room(material, main, estimate)
        return room or Shown(measure="fit", said=said, fits=estimate.fits), estimate
    if estimate is not None and (room := _room(material, main, estimate)):
        return room, None
    asks_memory = material.intents[0] == "min_vram" and material.estimates and main.verdict == "estimate"
    if asks_memory and in_all(material.estimates[0]) in main.headline:
        return Shown(measure="memory", said=in_all(material.estimates[0])), None
    for find in (_paced, _ordered):
        if (found := find(material, main)) is not None:
            return found, None
    if asks_memory:
        return Shown(measure="memory", said=in_all(material.estimates[0])), None
    return Shown(measure=f"intent {material.intents[0]}"), None


def _told(material: Material, main: Section, estimate: Estimate | None) -> Estimate | None:
    """The estimate that the headline speaks of: as asked, else the file on the same cards that a no rests on."""
    if estimate is None or total(estimate) in main.headline:
        return estimate
    same = [one for one in material.estimates if one.fit and (one.gpu, one.gpus) == (estimate.gpu, estimate.gpus)]
    told = (one for one in same if total(one) in main.headline and column_name(material, one) in main.headline)
    return next(told, estimate)


def _way_that_fits(material: Material, main: Section, estimate: Estimate) -> Estimate | None:
    """The way of doing it that the headline leads with, where what was asked does not fit as it is."""
    if main.verdict != "fits_with_changes" or estimate.fits:
        return None
    led = [one for one in material.estimates if one.fits and (one.gpu, one.gpus) == (estimate.gpu, estimate.gpus)]
    names_of = [(column_name(material, one), one) for one in led if total(one) in main.headline]
    told = [(main.headline.find(name), -len(name), one) for name, one in names_of if name in main.headline]
    return min(told, key=lambda row: row[:2], default=(0, 0, None))[2]


def _room(material: Material, main: Section, estimate: Estimate) -> Shown | None:
    """Requests at once, or the longest context, where the headline tells them."""
    fit = estimate.placed
    for measure, value in (("sequences", fit.max_concurrent_sequences), ("context", fit.max_context_tokens)):
        asked = {"sequences": "concurrency", "context": "context_length"}[measure]
        if value and material.intents[0] == asked and numbers.tokens(value) in main.headline:
            return Shown(measure=measure, said=numbers.tokens(value))
    return None


def _paced(material: Material, main: Section) -> Shown | None:
    """A rate or a time."""
    for tool, keys in _FIGURES.items():
        for record in material.records(tool):
            for key in keys:
                text = _figure(material, key, record.result.get(key))
                if text and text in main.headline:
                    return Shown(measure=f"{tool}.{key}", said=_on_cards(material, text, record.result))
    return None


def _on_cards(material: Material, figure: str, result: dict[str, Any]) -> str:
    """A figure with the cards and the format it is of: the next answer may be of others."""
    if not result.get("gpu"):
        return figure
    cards, form = names.cards(result["gpu"], result["gpu_count"]), result.get("weight_format")
    card = material.say("compare.in_format", card=cards, format=names.format_name(form)) if form else cards
    return material.say("changed.figure_on", figure=figure, cards=card)


def _figure(material: Material, key: str, measured: Any) -> str:
    """A measured figure in the unit that the headline tells it in."""
    if not isinstance(measured, dict) or measured.get("value") is None:
        return ""
    if key.endswith("_s") and not key.endswith("per_s"):
        figure, unit = numbers.duration(measured["value"])
        return f"{figure} {material.say(f'unit.{unit}')}"
    return numbers.figure(measured["value"]) + (" tokens/s" if key.startswith("tokens") else "")


def _ordered(material: Material, main: Section) -> Shown | None:
    """The configuration that leads."""
    named = [(main.headline.find(cards_of(one)), index, one) for index, one in enumerate(main.configurations)]
    found = sorted(row for row in named if row[0] >= 0)
    if main.verdict != "recommendation" or not found or material.lighter_task:
        return None
    return Shown(measure="order", said=_bought(material, found[0][2]))


def _bought(material: Material, one: Configuration) -> str:
    """Its cards and its price, without its date."""
    return f"{cards_of(one)}{material.say('order.clause', text='')}{_ASIDE.sub('', price(material, one)).strip()}"


def _how(material: Material, now: Shown) -> str:
    """The change in words: "With INT4 and 100 users"; empty where nothing that has a name changed."""
    told, say = _named(material, now), material.say
    what = say.listed(told)
    if say.language == "zh":  # names in Latin script stand apart from the words around them
        what = (" " if what[:1].isascii() else "") + what + (" " if what[-1:].isascii() else "")
    return say("changed.how", what=what) if told else ""


def _named(material: Material, now: Shown) -> list[str]:
    """Each field that changed, in words; money only where hardware is chosen."""
    need, left = material.understanding.need, () if now.measure == "order" else _OF_A_CHOICE
    left = (*left, *_CARDS) if now.measure == "intent compare" else left
    named = [name for name in _TOLD if name not in left and getattr(need, name) not in (None, (), "")]
    told = (_words(material, need, name) for name in material.before.changed(named))
    return list(dict.fromkeys(words for words in told if words))


def _words(material: Material, need: Asked, name: str) -> str:
    """A changed field as it stands in a sentence; empty for one that says nothing by itself."""
    return _TOLD[name](material, need)


def _counted(name: str, key: str) -> Callable[[Material, Need], str]:
    def words(material: Material, need: Need) -> str:
        return material.say(f"changed.{key}", value=numbers.count(getattr(need, name)))

    return words


def _cards(material: Material, need: Need) -> str:
    told = [names.cards(card.gpu, card.count) if card.count else names.gpu_name(card.gpu) for card in _spoken(need)]
    return material.say.listed(told)


def _spoken(need: Need) -> Iterator[Any]:
    yield from need.gpus_owned or need.gpus_proposed


def _asked(material: Material, need: Asked) -> list[str]:
    """The cards asked about that were not on the table before, and are not told in their number."""
    before = {card.gpu for card in material.before.field("offered") or ()}
    if material.before.changed(("gpus_proposed",)):
        before |= {card.gpu for card in _spoken(need)}
    return [names.gpu_name(one) for one in need.gpus_asked if one not in before]


def _size(material: Material, need: Need) -> str:
    if need.model:
        return names.model_name(need.model)
    return material.say("model.of_size", size=numbers.params(need.params)) if need.params else ""


_TOLD: dict[str, Callable[[Material, Any], str]] = {
    "task": lambda material, need: names.task_name(need.task, material.say),
    "model": _size,
    "params": _size,
    "weight_format": lambda _, need: names.format_name(need.weight_format),
    "kv_format": lambda material, need: material.say("changed.cache", value=names.format_name(need.kv_format)),
    "context_tokens": lambda material, need: ""
    if need.sequence_tokens
    else material.say("changed.context", value=numbers.tokens(need.context_tokens)),
    "sequence_tokens": _counted("sequence_tokens", "sequence"),
    "concurrent_sequences": _counted("concurrent_sequences", "at_once"),
    "users": lambda material, need: (
        material.say("changed.one_user") if need.users == 1 else _counted("users", "users")(material, need)
    ),
    "batch_size": _counted("batch_size", "batch"),
    "optimizer": lambda material, need: material.say.get(f"oom.{need.optimizer}") or need.optimizer,
    "gradient_checkpointing": lambda material, need: (
        material.say.get(f"changed.checkpointing_{need.gradient_checkpointing}") or ""
    ),
    "sharding": lambda material, need: material.say(f"sharding.{need.sharding}") if need.sharding != "none" else "",
    "engine": lambda _, need: names.engine_name(need.engine),
    "gpus_owned": _cards,
    "gpus_proposed": _cards,
    "gpus_asked": lambda material, need: material.say.listed(_asked(material, need)),
    "budget": lambda material, need: material.say(
        "changed.budget", value=numbers.money(need.budget.amount, need.budget.currency)
    ),
    "acquisition": lambda material, need: material.say(f"changed.{need.acquisition}"),
    "conditions": lambda material, need: material.say(f"changed.condition_{need.conditions[-1]}"),
    "card_memory_least_bytes": lambda material, need: material.say(
        "changed.card_memory", size=f"{need.card_memory_least_bytes / GIB:g}"
    ),
    "dataset_tokens": _counted("dataset_tokens", "dataset"),
    "epochs": lambda material, need: material.say("changed.epochs", value=f"{need.epochs:g}"),
}  # fmt: skip
"""How each field that can change is said."""
