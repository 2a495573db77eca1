"""How fast and how long: from the speed and time tools when they ran, honestly without a figure when they did not."""

import re
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import (
    clarify,
    facts,
    guidance,
    items_done,
    names,
    numbers,
    observed,
    pictures,
    ranges,
    whole_job,
)
from assistant.compose.arithmetic import arithmetic, cite, column_name, total, workload
from assistant.compose.aspects import BY_KEY
from assistant.compose.assume import assumed
from assistant.compose.by_then import by_then
from assistant.compose.caveats import caveats
from assistant.compose.citations import joined
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import orders
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import from_scratch, pictured_samples, requests
from assistant.plan.formats import bits
from assistant.understand import worded
from kb.units import DAY_S
from tools.training_time.request import SAMPLE_TOKENS

SPEED_ROWS = (
    "tokens_per_s_per_user",
    "tokens_per_s_total",
    "time_to_first_token_s",
    "time_per_output_token_s",
    "prefill_tokens_per_s",
)
SPEED_ROWS_ALONE = tuple(row for row in SPEED_ROWS if row != "tokens_per_s_total")
"""With one request at a time, the total is the one user's."""
TIME_ROWS = ("step_s", "tokens_per_s_per_gpu", "samples_per_s_per_gpu", "samples_per_s_total", "time_s", "gpu_hours")
ITEM_ROWS = (
    "images_per_s", "time_per_image_s", "time_per_clip_s", "audio_s_per_s", "realtime_factor", "documents_per_s",
    "prefill_tokens_per_s",
)  # fmt: skip
"""Figures of work that is not counted in answer tokens, the one asked for first."""
ITEM_TIMES = ("audio_s_per_s", "time_per_clip_s", "time_per_image_s")
"""Those of them that are told beside another question."""

_WARNINGS = (
    (re.compile("weights do not fit"), "no_room"),
    (re.compile("Part of the weights stays in host"), "host"),
    (re.compile(r"holds about (?P<count>[\d,]+) such"), "queue"),
    (re.compile("Tensor parallelism over PCIe"), "pcie"),
    (re.compile("shape was guessed"), "shape"),
    (re.compile("Offloading to host"), "offload"),
    (re.compile("Sharding over PCIe"), "sharding"),
    (re.compile("Published runs of this size"), "restarts"),
)
"""The tools' own warnings, and the phrase for each."""
_FIRST_TOKEN = re.compile(r"\bttft\b|(?:time to )?first[- ]token|首字|首 ?token|首个", re.I)
_OF_PROMPTS = re.compile(
    _FIRST_TOKEN.pattern + r"|prompt (?:processing|eval\w*|speed)|prefill|\bpp\d{3,5}\b|预填充|处理提示词|读提示词",
    re.I,
)
"""Words that ask how fast prompts are read, and how long one waits for it."""
FULL = "full_finetune"
"""The task of a request for a time that names none."""
_LEADING = ("no_room", "host")
"""Warnings without which the figure misleads: they come before it."""


def speed(material: Material) -> Section:
    """Tokens a second, and what bounds them."""
    record = _paced(material)
    if record is None:
        return _without(material, "pace.no_speed")
    result = record.result
    if result.get("documents_per_s") or not result.get("tokens_per_s_per_user"):
        return _items(material, record.tool, result)
    at_once, whole = record.request.get("concurrent_sequences") or 1, result["tokens_per_s_total"]
    headline = _alone(material, record)
    if at_once > 1 and whole:
        each = numbers.figure(result["tokens_per_s_per_user"]["value"])
        shown = ranges.figures(material, whole)
        headline = material.say("pace.speed_of_all", **shown, count=numbers.count(at_once), each=each)
    if result.get("bound") and "host" not in warned(material, result):
        headline += " " + material.say("pace.bound", bound=material.say(f"bound.{result['bound']}"))
    headline = _first(material, result) + _in_format(material, record) + headline
    gap = "" if material.say.language == "zh" else " "
    if result.get("time_s"):
        headline = ranges.told_of(material, "pace.time", "work_s", {"work_s": result["time_s"]}) + gap + headline
    if keys := [key for key in of_prompts(material.text) if result.get(key)]:
        told = [ranges.told_of(material, "pace.time", key, result) for key in keys]
        headline = gap.join([*(one[0].upper() + one[1:] for one in told), headline])
    headline = _of_model(material, headline)
    over = observed.spilled(material, result, instead=bool(_in_format(material, record)))
    verdict = observed.judged(material, result, over=over) or observed.complained(material, result, over=over)
    headline = verdict + gap + headline if verdict else headline
    rows = SPEED_ROWS if (record.request.get("concurrent_sequences") or 1) > 1 else SPEED_ROWS_ALONE
    section = _with(material, record.tool, result, headline, rows)
    return _unheld(material, result, section) if result.get("time_s") else section


def _alone(material: Material, record: ToolCallRecord) -> str:
    """The speed of one user with the cards and the format it is of, where nothing before it says them."""
    result = record.result
    values = ranges.figures(material, result["tokens_per_s_per_user"])
    if _in_format(material, record):
        return material.say("pace.speed_so", **values)
    cards, used = names.cards(result["gpu"], result["gpu_count"]), names.format_name(result["weight_format"])
    return material.say("pace.speed", cards=material.say("compare.in_format", card=cards, format=used), **values)


_SAID_WHICH = re.compile(r"\d")
"""A figure in a model's name, without which it is that of a maker or a family."""


def _of_model(material: Material, headline: str) -> str:
    """The figure with the model it is of, where an answer put that forward or only its family was named."""
    need = material.understanding.need
    taken = material.need.model
    loosely = any(taken in one.candidates for one in need.doubts) or not _SAID_WHICH.search(need.model_text or "1")
    if taken is not None and loosely and not need.on_model:
        return material.say("pace.read_as", model=names.model_name(taken), what=headline)
    if not need.on_model or need.model is None:
        return headline
    form = names.format_name(need.weight_format) if need.weight_format else ""
    return material.say(
        "pace.of_model",
        model=" ".join([names.model_name(need.model), form]).strip(),
        what=f"{headline[0].lower()}{headline[1:]}",
    )


def of_prompts(text: str) -> tuple[str, ...]:
    """The figures that words ask for which speak of how prompts are read, the one meant first; none else."""
    keys = ("prefill_tokens_per_s", "time_to_first_token_s") if _OF_PROMPTS.search(text) else ()
    return keys[::-1] if _FIRST_TOKEN.search(text) else keys


def _paced(material: Material) -> ToolCallRecord | None:
    """The speed to tell: in the first format that fits the cards, else of what was asked."""
    records = list(material.records("estimate_inference_speed"))
    fitting = [one for one in material.estimates if one.fits]
    exact = {(one.gpu, one.gpus, one.result.weight_format) for one in fitting if one.placed.host is None}
    same = (one for one in records if what_of(one) in exact)
    if (found := next(same, None)) is not None:
        return found
    for record in records:
        result = record.result
        alike = [one for one in fitting if (one.gpu, one.gpus) == (result["gpu"], result["gpu_count"])]
        if any(bits(one.result.weight_format) == bits(result["weight_format"]) for one in alike):
            return record
    return next(iter(records), None)


def what_of(record: ToolCallRecord) -> tuple[str, int, str]:
    """Cards, their number and the format that a speed is of."""
    return record.result["gpu"], record.result["gpu_count"], record.result["weight_format"]


def _in_format(material: Material, record: ToolCallRecord) -> str:
    """The format, where it is not the one that was tried first because that does not fit."""
    first = next(material.records("estimate_inference_speed"), None)
    if first is None or first is record:
        return ""
    formats = [names.format_name(one.result["weight_format"]) for one in (first, record)]
    if len(set(formats)) == 1:
        return ""
    cards = names.cards(record.result["gpu"], record.result["gpu_count"])
    return material.say("pace.instead", first=formats[0], instead=formats[1], cards=cards)


def _items(material: Material, tool: str, result: dict[str, Any]) -> Section:
    """Images, clips, audio or documents a second, and the time of all that was asked for."""
    shown = items_done.figures(material, result, ITEM_ROWS)
    gap = "" if material.say.language == "zh" else " "
    on = ["" if result.get("items_within") else names.cards(result["gpu"], result["gpu_count"]), ""]
    told = zip(list(shown)[:2], on, strict=False)
    headline = gap.join(ranges.told_of(material, "pace.time", key, shown, cards) for key, cards in told)
    if result.get("time_s") and worded.A_DAY.search(material.text):
        headline = _of_a_day(material, result["time_s"]) + gap + headline
    if verdict := observed.judged_item(material, result):
        headline = verdict + gap + headline
    request = next((one.request for one in material.records(tool) if one.result is result), {})
    count = items_done.within(material, result, request.get("within_s"))
    lines = (count, by_then(material, shown.get("work_s")) + headline, items_done.other_way(material, result))
    headline = gap.join(filter(None, lines))
    section = _with(material, tool, result | shown, headline, tuple(shown))
    section.assumptions += [] if result.get("windows") else whole_job.taken(material)
    section.assumptions += items_done.steps_taken(material, result)
    return _held(material, result, section)


def _of_a_day(material: Material, taken: dict[str, Any]) -> str:
    """Whether a day's load is done in a day."""
    likely, most = (float(taken[key] or taken["value"]) for key in ("value", "high"))
    return material.say("pace.day_yes" if most <= DAY_S else "pace.day_no" if likely > DAY_S else "pace.day_just")


def warned(material: Material, result: dict[str, Any]) -> dict[str, str]:
    """What the tool warns of, worded for the asker, by its key."""
    found = {}
    for warning in result.get("warnings") or ():
        for pattern, key in _WARNINGS:
            match = pattern.search(warning)
            if match and not (key == "no_room" and observed.placed(material, result)):
                found[key] = material.say(f"warned.{key}", **match.groupdict())
    return found


def _first(material: Material, result: dict[str, Any]) -> str:
    """The warning that has to stand before the figure, if there is one; with what host memory has to take."""
    lines = [line for key, line in warned(material, result).items() if key in _LEADING][:1]
    lines += [observed.left_to_host(material, result)] if "host" in warned(material, result) else []
    return "".join(line + ("" if material.say.language == "zh" else " ") for line in lines if line)


def lasting(material: Material, record: ToolCallRecord) -> str:
    """How long the training of this estimate takes, with its interval: "33 hours (25 hours – 43 hours)"."""
    return ranges.ranged(material, "time_s", record.result["time_s"])


def training_time(material: Material) -> Section:
    """Hours and GPU-hours of a training run."""
    record = next(material.records("estimate_training_time"), None)
    if record is None:
        return _without(material, "pace.no_time")
    lighter = _lighter(material, record)
    record, held = lighter or (record, None)
    result = record.result
    key = next(key for key in ("time_s", *TIME_ROWS) if result.get(key))
    named = bool(requests.cards(material.need))
    cards = names.cards(result["gpu"], result["gpu_count"]) if result["gpu"] else ""
    headline = _of_model(material, ranges.told_of(material, "pace.time", key, result, cards if named else ""))
    if cards and not named:
        headline = material.say("pace.on_cards", cards=cards) + headline
    rows = TIME_ROWS if result["gpu_count"] != 1 else tuple(row for row in TIME_ROWS if row != "samples_per_s_total")
    section = _with(material, record.tool, result, headline, rows, memory=False)
    section = _in_place_of(material, held, section) if held is not None else _held(material, result, section)
    section.assumptions += data_taken(material, result)
    return section


def data_taken(material: Material, result: dict[str, Any]) -> list[str]:
    """What was taken of the data where it was not said: the length of a sample, the number of epochs."""
    if not result.get("time_s"):
        return []
    say, need, found = material.say, material.need, []
    told = material.understanding.need.dataset_tokens is not None or from_scratch.taken(material.understanding, need)
    pictures = pictured_samples.tokens(material.understanding, need)
    if not told and pictures and need.dataset_tokens == pictures:
        found.append(say("assume.picture_tokens", value=numbers.count(pictured_samples.each(need) or 0)))
    elif not told and need.dataset_tokens:
        found.append(say("assume.sample_tokens", value=numbers.count(SAMPLE_TOKENS)))
    if need.epochs is None and need.task != "pretrain" and not result.get("step_s"):
        found.append(say("assume.one_epoch"))
    return found


def _lighter(material: Material, first: ToolCallRecord) -> tuple[ToolCallRecord, Estimate] | None:
    """The time of a lighter training on the same cards and its memory, where they hold that and not what was asked."""
    if any(one.fits and one.task == first.request.get("task", FULL) for one in material.estimates):
        return None
    for record in material.records("estimate_training_time"):
        same = all(record.result.get(key) == first.result.get(key) for key in ("gpu", "gpu_count"))
        held = (one for one in material.estimates if one.fits and one.task == record.request.get("task", FULL))
        if same and (found := next((one for one in held if one.gpu == record.result["gpu"]), None)):
            return record, found
    return None


def _in_place_of(material: Material, held: Estimate, section: Section) -> Section:
    """The time of the lighter training after why it is not that of what was asked."""
    main = material.estimates[0]
    told = material.say(
        "pace.lighter", what=workload(material, main), total=total(main), cards=names.cards(held.placed.gpu, held.gpus),
        usable=numbers.gib(held.placed.usable_bytes, digits=1), how=column_name(material, held), held=total(held),
        time=section.headline[:1].upper() + section.headline[1:],
    )  # fmt: skip
    section.body[-1] = arithmetic(material, [main, held])
    section.headline, section.verdict = told + cite(material, main) + cite(material, held), "fits_with_changes"
    return section


def _held(material: Material, result: dict[str, Any], section: Section) -> Section:
    """The pace, after the reason why it cannot be had where the cards do not hold the work."""
    main = next((one for one in material.estimates if one.gpu == result.get("gpu")), None)
    if main is None or main.fit is None or main.fit.verdict != "no":
        return section
    same = [one for one in material.estimates if (one.gpu, one.gpus, one.task) == (main.gpu, main.gpus, main.task)]
    held = next(iter(sorted((one for one in same if one.fits), key=pictures.streams)), None)
    if held is None:
        section.headline, section.verdict = _too_big(material, main, section.headline), "does_not_fit"
        return section
    card, how = names.cards(held.placed.gpu, held.gpus), column_name(material, held, same)
    section.headline += material.say("compare.instead", card=card, how=how, total=total(held)) + cite(material, held)
    return section


def _unheld(material: Material, result: dict[str, Any], section: Section) -> Section:
    """The time of stated work after the reason why it cannot be had: the cards hold the model in no format tried."""
    same = [one for one in material.estimates if one.gpu == result.get("gpu") and one.fit is not None]
    if not same or any(one.fits for one in same):
        return section
    least = min(same, key=lambda one: one.result.per_gpu.total_bytes)
    time = section.headline.replace(material.say("warned.no_room"), "").replace("  ", " ")
    section.headline, section.verdict = _too_big(material, least, time[0].lower() + time[1:]), "does_not_fit"
    return section


def _too_big(material: Material, main: Estimate, time: str) -> str:
    """A time that cannot be had on these cards is said after the reason why."""
    return material.say(
        "pace.too_big",
        what=workload(material, main),
        total=total(main),
        cards=names.cards(main.placed.gpu, main.gpus),
        usable=numbers.gib(main.placed.usable_bytes, digits=1),
        time=time,
    ) + cite(material, main)


def _with(
    material: Material, tool: str, result: dict[str, Any], headline: str, rows: tuple[str, ...], *, memory: bool = True
) -> Section:
    say = material.say
    marker = cite_pace(material, tool, result)
    lines = [[say(f"pace.{key}"), ranges.ranged(material, key, result[key])] for key in rows if result.get(key)]
    section = Section("estimate", headline + marker, [table([say("table.what"), say("table.value")], lines)])
    section.caveats = [line for key, line in warned(material, result).items() if key not in _LEADING]
    return _finish(material, section, memory=memory)


def cite_pace(material: Material, tool: str, result: dict[str, Any]) -> str:
    """The marker of a speed or a time: its steps with their values."""
    steps = result.get("derivation") or ()
    quote = "; ".join(f"{step['label']}: {step['formula']} = {step['value']} {step['unit']}".strip() for step in steps)
    locator = " · ".join(str(part) for part in (tool, result.get("gpu"), result.get("weight_format")) if part)
    return joined([material.cites.cite("calculation", material.say(f"pace.cite_{tool}"), locator, quote or tool)])


def _without(material: Material, phrase: str) -> Section:
    """No speed tool ran: say so, and give what speed rests on."""
    quotes = guidance.quoted(material, guidance.QUOTED_ALONE_MAX, guidance.ALONE)
    section = Section("estimate", material.say(phrase))
    if clarify.nothing_named(material):
        return Section("clarification", material.say("clarify.need_more"))
    if quotes:
        section = Section("fact", quotes[0].removeprefix("- "), ["\n".join(quotes[1:])], rests_on_documents=True)
        section.caveats.append(material.say(phrase))
    if rows := facts.cards(material):
        keys = ("bandwidth", "bf16", "fp16", "fp8", "link")
        section.body.append(facts.facts_table(material, rows, [BY_KEY[key] for key in keys]))
        section.body.append(material.say("pace.rule"))
    return _finish(material, section)


def _finish(material: Material, section: Section, *, memory: bool = True) -> Section:
    """With the memory as a table, or in one line where it was not asked for and there is room."""
    shown = ""
    if material.estimates:
        main = _holding(material)
        roomy = main.fit is not None and main.fit.verdict == "yes"
        shown = _room(material, main) if roomy and not memory else arithmetic(material, [main])
        section.caveats += caveats(material, main)
        section.assumptions = assumed(material, main)
    served = bool(requests.cards(material.need)) and any(one.fits for one in material.estimates)
    section.body += ["" if served else orders(material, material.configurations), shown]
    section.configurations = material.configurations
    return section


def _holding(material: Material) -> Estimate:
    """The first estimate, or the same work as it is spread over the same cards to fit where that one does not."""
    main = material.estimates[0]
    if main.fit is None or main.fits:
        return main
    spread = (one for one in material.estimates if (one.gpu, one.gpus, one.task) == (main.gpu, main.gpus, main.task))
    return next((one for one in spread if one.fits and not pictures.streams(one)), main)


def _room(material: Material, main: Estimate) -> str:
    usable = numbers.gib(main.placed.usable_bytes, digits=1)
    return material.say("pace.room", total=total(main), usable=usable) + cite(material, main)
