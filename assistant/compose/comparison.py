"""Cards against each other: first which of them holds the work, then who wins at what."""

import re
from collections.abc import Iterator, Sequence

from assistant.compose import contest, facts, makers, names, numbers, of_each, paces, take, value
from assistant.compose.arithmetic import arithmetic, cite, column_name, total, workload
from assistant.compose.aspects import BY_KEY, COMPARED, Aspect, asked_about
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.citations import joined
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import orders
from assistant.compose.section import Section
from assistant.plan import requests
from kb.units import GIB
from tools.compare_gpus import Attribute, Comparison
from tools.find_gpus import GpuRow

DECIDERS: tuple[tuple[str, str, str], ...] = (
    ("decode", "bandwidth_bytes_per_s", "bandwidth"),
    ("compute", "bf16_flops", "bf16"),
    ("room", "usable_bytes", "memory"),
    ("link", "nvlink_bytes_per_s", "link"),
    ("thrift", "usd_per_gib", "price"),
)
"""What one buys a card for, the attribute that decides it, and the aspect that shows it."""
MUCH_FASTER, MUCH_MORE, ALIKE = 1.5, 1.5, 1.03
"""From how many times the bandwidth a card beats others whose memory in all is not as many times larger; below which
ratio cards do not differ."""
CUDA_FIRST = ("image", "training", "lora")
"""Work whose software is written for CUDA first."""
NOT_FOR_PICTURES = ("decode", "link")
"""Purposes that say nothing to those who make pictures."""
SHOPPING = ("which_to_buy", "budget", "cloud_or_buy")
"""Intents of those who want something to order beside the comparison."""
_LANGUAGE = re.compile(
    r"大模型|语言模型|llm|推理|部署|ollama|llama\.?cpp|vllm|inference|serv(?:e|ing)|local models?|chat", re.I
)
"""Words of answering with language models."""
_COMPUTES = re.compile(r"训|微调|train|tun(?:e|ing)|lora|prefill|图|image|video|diffusion|comfy", re.I)
"""Words of work that computes first."""
_DECIDED = {"bandwidth_bytes_per_s": "bandwidth", "memory_bytes": "memory"}
"""Deciding attribute of a workload → the aspect that shows it; every other is compute."""


def comparison(material: Material) -> Section:
    """Which card for this work; without a work, which card for what."""
    compared = next((Comparison.model_validate(result) for result in material.results("compare_gpus")), None)
    per_card = contest.on_each(material)
    if compared is None:
        return facts.spec(material)
    shown = list(compared.gpus)
    wins = _wins(material, compared)
    headline = _headline(material, compared, per_card)
    asked = [of_each.least(material, shown), value.cheaper_work(material)]
    first, *rest = [*filter(None, asked), headline]
    section = Section("comparison", first)
    weighed = [(row.id, _counts(material).get(row.id, 1)) for row in shown]
    section.body = [
        *rest,
        "" if contest.choice(material) else take.at_like_prices(material, weighed),
        _unpooled(material, compared),
        "\n".join(wins),
        facts.facts_table(material, shown, _aspects(material)),
    ]
    if per_card:
        best = contest.best_formats(material, per_card)
        faster = contest.race(material)
        raced = section.settled = bool(faster) and faster in headline
        section.body.insert(len(rest), _held(material, per_card, best) if raced else faster)
        section.body.insert(len(rest) + 2, "" if paces.beside(material) else contest.prompts(material))
        placed = best if any(one.fits for one in best) else per_card
        section.body.append(paces.beside(material) or arithmetic(material, placed))
        forms = {one.result.weight_format for one in (*best, per_card[0])}
        section.assumptions = assumed(material, per_card[0], told=("format",) if len(forms) > 1 else ())
        for one in per_card:
            section.caveats += [line for line in caveats(material, one) if line not in section.caveats]
    section.levers += _in_one_piece(material, shown) if per_card else []
    section.caveats += [*makers.beside(material, shown), *facts.old_prices(material, shown)]
    if any(intent in SHOPPING for intent in material.intents) and not section.settled:
        section.body.append(orders(material, material.configurations))
    section.configurations = material.configurations
    return section


def _headline(material: Material, compared: Comparison, per_card: Sequence[Estimate]) -> str:
    say = material.say
    holding = [one for one in per_card if one.fits]
    failing = [one for one in per_card if not one.fits]
    if per_card and holding and failing:
        asked_so = material.understanding.need.weight_format or contest.otherwise_trained(material)
        lighter = "" if asked_so else _raced(material)
        return lighter or _by_memory(material, holding, failing)
    if numbered := contest.takes(material, per_card):
        return numbered + _raced(material)
    best = contest.best_formats(material, per_card)
    if per_card and not holding and len(per_card) > 1 and any(one.fits for one in best):
        return _raced(material) or contest.lighter(material, best)
    if per_card and not holding:
        return say(
            "compare.none_holds" if len(per_card) > 1 else "compare.one_fails",
            what=workload(material, per_card[0]),
            cards=_sizes(material, per_card),
        ) + _otherwise(material, failing)
    if counted := contest.items(material):
        return counted
    if faster := _raced(material):
        return faster
    if unequal := _unequal(material, compared):
        return unequal
    winner = compared.winner
    if winner and compared.decided_by and (safer := _safer(compared, winner)):
        values = _values(material, compared.gpus, BY_KEY["bf16"])
        return say("compare.on_paper", card=names.gpu_name(winner), safer=names.gpu_name(safer), values=values)
    if winner and compared.decided_by:
        values = _values(material, compared.gpus, BY_KEY[_DECIDED.get(compared.decided_by, "bf16")])
        if values:
            fits = say("compare.both_hold") if holding else ""
            return (
                say(
                    "compare.winner",
                    card=names.gpu_name(winner),
                    why=say(f"compare.by_{compared.workload}"),
                    values=values,
                )
                + fits
            )
    return _by_purpose(material, compared)


def _held(material: Material, per_card: Sequence[Estimate], best: Sequence[Estimate]) -> str:
    """In what each of the cards raced holds the work; nothing where their numbers were told for it."""
    if contest.takes(material, per_card):
        return ""
    if ways := contest.rooms(material):
        return material.say("compare.each_way", rooms=material.say.listed(ways)) if contest.settled(material) else ""
    if all(one.fits for one in per_card):
        if not contest.settled(material):
            return ""
        tight = all(one.placed.verdict == "tight" for one in per_card)
        return material.say("compare.all_tight" if tight else "compare.all_hold", what=workload(material, per_card[0]))
    failing = [one for one in per_card if not one.fits]
    if failing and len(failing) < len(per_card):
        return _by_memory(material, [one for one in per_card if one.fits], failing)
    return contest.lighter(material, best, takes=not _raced(material))


def _raced(material: Material) -> str:
    """Who is faster, and which to take for the money."""
    told = (contest.race(material), paces.ratio(material), contest.choice(material))
    return ("" if material.say.language == "zh" else " ").join(filter(None, told))


def _safer(compared: Comparison, winner: str) -> str | None:
    """The card with CUDA, where one without it has more arithmetic for what is written for CUDA first."""
    makers = {row.id: row.vendor for row in compared.gpus}
    if compared.workload not in CUDA_FIRST or makers.get(winner) == "NVIDIA":
        return None
    return next((row.id for row in compared.gpus if row.vendor == "NVIDIA"), None)


def _by_purpose(material: Material, compared: Comparison) -> str:
    """Without a workload: who wins at generating text, who at computing, and which of them for language models."""
    say = material.say
    names_of = ("bandwidth_bytes_per_s", "bf16_flops", "usable_bytes")
    decode, compute, room = (one.winner if (one := _attribute(compared, name)) else None for name in names_of)
    alike = compute is None and _equal(compared, "bf16_flops")
    one_each = len(set(_counts(material).values())) == 1
    if one_each and _seen_equal(compared, "bandwidth"):
        return _as_fast(material, compared)
    if not one_each or not decode or not (compute or room):
        return say("compare.depends", cards=say.listed([names.gpu_name(row.id) for row in compared.gpus]))
    faster, text = names.gpu_name(decode), _LANGUAGE.search(material.text) and not _COMPUTES.search(material.text)
    values = _values(material, compared.gpus, BY_KEY["bandwidth"])
    if decode == compute:
        return say("compare.both", card=faster, values=values)
    if alike and room in {decode, None}:
        return say("compare.alike_but_memory" if room else "compare.alike_but_bandwidth", card=faster, values=values)
    if room and room != decode and (text or not compute):
        return say("compare.fast_or_large", fast=faster, large=names.gpu_name(room))
    if compute is None:
        return say("compare.faster_and_larger", card=faster)
    if text and room == decode:
        return say("compare.for_text", card=faster, other=names.gpu_name(compute))
    return say("compare.split", decode=faster, compute=names.gpu_name(compute))


def _as_fast(material: Material, compared: Comparison) -> str:
    """Of cards that read their memory equally fast: what is left between them, compute or memory, if anything is."""
    say, rows = material.say, compared.gpus
    everyone = say.listed([names.gpu_name(row.id) for row in rows])
    sized, computes = _seen_equal(compared, "memory"), _seen_equal(compared, "bf16")
    if sized and computes:
        return say("compare.same", cards=everyone)
    key, name = ("bf16", "bf16_flops") if sized else ("memory", "usable_bytes")
    decided = _attribute(compared, name)
    told = sized or computes or not any(row.bf16_flops for row in rows)
    if not told or decided is None or decided.winner is None:
        return say("compare.depends", cards=everyone)
    values = _values(material, rows, BY_KEY[key])
    kind = "compute" if sized else "memory"
    return say(f"compare.alike_but_{kind}_alone", card=names.gpu_name(decided.winner), values=values)


def _seen_equal(compared: Comparison, key: str) -> bool:
    """Whether a reader sees one figure for all of the cards."""
    values = {BY_KEY[key].value(row) for row in compared.gpus}
    return len(values) == 1 and None not in values


def _equal(compared: Comparison, name: str) -> bool:
    """Whether every card has the same figure."""
    found = _attribute(compared, name)
    values = set(found.values.values()) if found else {None}
    return len(values) == 1 and None not in values


def _by_memory(material: Material, holding: Sequence[Estimate], failing: Sequence[Estimate]) -> str:
    say = material.say
    alike = {one.gpus for one in holding} == {one.gpus for one in failing}
    text = say(
        "compare.holds" if alike else "compare.holds_shared",
        what=workload(material, holding[0]),
        cards=say.listed([names.cards(one.gpu or "", one.gpus) for one in holding]),
        total=total(holding[0]),
        needed=total(failing[0]),
        failing=_sizes(material, failing),
    ) + joined([cite(material, one).strip() for one in (*holding, *failing)])
    return text + _otherwise(material, failing)


def _sizes(material: Material, failing: Sequence[Estimate]) -> str:
    return material.say.listed(
        [
            material.say(
                "compare.card_usable",
                card=names.cards(one.gpu or "", one.gpus),
                usable=numbers.gib(one.fit.usable_bytes, digits=1),
            )
            for one in failing
            if one.fit
        ]
    )


def _otherwise(material: Material, failing: Sequence[Estimate]) -> str:
    """What the cards that do not hold it could do instead."""
    said = []
    for miss in failing:
        fitting = (one for one in material.estimates if one.gpu == miss.gpu and one.gpus == miss.gpus and one.fits)
        one = next(fitting, None)
        if one is not None:
            card = names.cards(one.gpu or "", one.gpus)
            how = column_name(material, one)
            phrase = "compare.instead_tight" if one.placed.verdict == "tight" else "compare.instead"
            said.append(material.say(phrase, card=card, how=how, total=total(one)) + cite(material, one))
    return "".join(said)


def _attribute(compared: Comparison, name: str) -> Attribute | None:
    return next((one for one in compared.attributes if one.name == name), None)


def _unpooled(material: Material, compared: Comparison) -> str:
    """That several smaller cards are no large one to a picture model, where they are weighed against one."""
    counts = _counts(material)
    several = next((row for row in compared.gpus if counts.get(row.id, 1) > 1), None)
    if compared.workload != "image" or several is None or not several.memory_bytes:
        return ""
    size = BY_KEY["memory"].value(several) or ""
    return material.say("compare.unpooled", cards=names.cards(several.id, counts[several.id]), size=size)


def _in_one_piece(material: Material, shown: Sequence[GpuRow]) -> list[str]:
    """What would speak for one large card, where fewer cards with much more memory each are weighed against more."""
    counts = _counts(material)
    few, *_, many = sorted(shown, key=lambda row: counts.get(row.id, 1)) if len(shown) == 2 else (None, None)
    if few is None or many is None or counts.get(few.id, 1) >= counts.get(many.id, 1):
        return []
    if (few.memory_bytes or 0) < MUCH_MORE * (many.memory_bytes or 0):
        return []
    size = BY_KEY["memory"].value
    told = {"single": names.cards(few.id, counts.get(few.id, 1)), "several": names.cards(many.id, counts[many.id])}
    return [material.say("compare.lever_whole", **told, size=size(few) or "", each=size(many) or "")]


def _total(row: GpuRow, counts: dict[str, int]) -> int:
    return (row.memory_bytes or 0) * counts.get(row.id, 1)


def _unequal(material: Material, compared: Comparison) -> str:
    """Several cards against fewer of another for language models of no stated size: memory in all against speed."""
    counts = _counts(material)
    language = material.need.task in (None, "inference", "general", "rag") and not requests.sized(material.need)
    if not language or compared.workload == "image" or len(compared.gpus) != 2 or len(set(counts.values())) < 2:
        return ""
    room = sorted(compared.gpus, key=lambda row: -(row.memory_bytes or 0) * counts.get(row.id, 1))
    larger, other = room
    memory, speed = BY_KEY["memory"], BY_KEY["bandwidth"]
    values = {
        "larger": names.cards(larger.id, counts.get(larger.id, 1)),
        "other": names.cards(other.id, counts.get(other.id, 1)),
        "room": f"{counts.get(larger.id, 1)}×{(larger.memory_bytes or 0) // GIB} GB",
        "less": f"{counts.get(other.id, 1)}×{(other.memory_bytes or 0) // GIB} GB",
    }
    if room[0].memory_bytes and _total(room[0], counts) == _total(room[1], counts):
        fewer, more = sorted(room, key=lambda row: counts.get(row.id, 1))
        sides = {"fewer": fewer, "more": more}
        told = {side: names.cards(row.id, counts.get(row.id, 1)) for side, row in sides.items()}
        size = f"{counts.get(fewer.id, 1)} × {(fewer.memory_bytes or 0) // GIB} GB = {_total(fewer, counts) // GIB} GB"
        return material.say("compare.same_room", **told, size=size) + facts.cite_card(material, fewer, [memory])
    faster = (other.bandwidth_bytes_per_s or 0) / (larger.bandwidth_bytes_per_s or 1)
    totals = [(row.memory_bytes or 1) * counts.get(row.id, 1) for row in room]
    if faster > MUCH_FASTER and totals[0] < MUCH_MORE * totals[1]:
        speeds = {"own": speed.value(other), "against": speed.value(larger)}
        return material.say("compare.faster_first", **values, **speeds) + facts.cite_card(
            material, other, [memory, speed]
        )
    text = material.say("compare.more_room", **values) + facts.cite_card(material, larger, [memory, speed])
    if (other.bandwidth_bytes_per_s or 0) <= (larger.bandwidth_bytes_per_s or 0):
        return text
    return (
        text
        + material.say(
            "compare.faster_each", card=names.gpu_name(other.id), own=speed.value(other), against=speed.value(larger)
        )
        + facts.cite_card(material, other, [memory, speed])
    )


def _counts(material: Material) -> dict[str, int]:
    """How many of each card are weighed: as said, else as the work was reckoned on."""
    reckoned = {one.gpu: one.gpus for one in contest.on_each(material) if one.gpu}
    return {card.gpu: card.count or reckoned.get(card.gpu, 1) for card in requests.compared(material.need)}


def _wins(material: Material, compared: Comparison) -> list[str]:
    """One line for each purpose that one of the cards wins, with the figures that decide it.

    Where unlike numbers of cards are weighed, the memory in all is told and no speed of one card against one.
    """
    counts = _counts(material)
    if len(set(counts.values())) > 1:
        return [f"- {line}" for line in _together(material, compared, counts)]
    lines = []
    for purpose, name, key in DECIDERS:
        attribute = _attribute(compared, name)
        if attribute is None or attribute.winner is None or name == compared.decided_by:
            continue
        figures = [float(getattr(row, name) or 0) for row in compared.gpus]
        unseen = compared.workload == "image" and purpose in NOT_FOR_PICTURES
        if unseen or max(figures) < ALIKE * min(figures):
            continue
        values = _against(material, compared.gpus, attribute.winner, BY_KEY[key])
        card = names.gpu_name(attribute.winner)
        lines += ["- " + material.say(f"compare.wins_{purpose}", card=card, values=values)] if values else []
    return lines


def _together(material: Material, compared: Comparison, counts: dict[str, int]) -> Iterator[str]:
    """Memory and price of all the cards of each kind together."""
    for purpose, key in (("room", "memory"), ("thrift", "price")):
        aspect = BY_KEY[key]
        listed = [
            material.say("fact.card_value", card=names.cards(row.id, counts.get(row.id, 1)), value=each)
            for row in compared.gpus
            if (value := aspect.value(row)) and (each := _each(material, value, counts.get(row.id, 1)))
        ]
        if len(listed) > 1:
            yield material.say(f"compare.all_{purpose}", values=material.say.listed(listed))


def _each(material: Material, value: str, count: int) -> str:
    """A figure of one card, said to be of each where there are several."""
    return value if count == 1 else material.say("compare.each", value=value)


def _against(material: Material, rows: Sequence[GpuRow], winner: str, aspect: Aspect) -> str:
    """The winner's figure against the others'; nothing when a reader sees the same figure twice."""
    values = {row.id: value for row in rows if (value := aspect.value(row))}
    own = values.pop(winner, None)
    if own is None or not values or own in values.values():
        return ""
    if len(values) == 1:
        return material.say("compare.against", value=own, other=next(iter(values.values())))
    listed = [material.say("fact.card_value", card=names.gpu_name(key), value=value) for key, value in values.items()]
    return material.say("compare.against", value=own, other=material.say.listed(listed))


def _values(material: Material, rows: Sequence[GpuRow], aspect: Aspect) -> str:
    known = [(row, value) for row in rows if (value := aspect.value(row))]
    if len(known) < 2:
        return ""
    listed = [material.say("fact.card_value", card=names.gpu_name(row.id), value=value) for row, value in known]
    return material.say.listed(listed)


def _aspects(material: Material) -> list[Aspect]:
    return list(dict.fromkeys([*(BY_KEY[key] for key in COMPARED), *asked_about(material.text)]))
