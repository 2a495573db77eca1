"""What the cards in hand can do: the largest model for each way of using them."""

from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers, pace, ranges
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import requests
from tools.what_fits_result import Candidate, Example, FitRow, WhatFits

EXAMPLES_MAX = 2
HEADLINE_MAX = 3
CANDIDATES_MAX = 5
HALVES = ("bf16", "fp16")
"""Formats that adapters are usually trained beside: no word is lost on them."""
"""Ways named in the first sentence; the table has them all."""


def what_fits(material: Material) -> Section:
    """The largest model for each method, the training methods first when training was asked about."""
    results = [WhatFits.model_validate(result) for result in material.results("what_fits")]
    if not results:
        return Section("clarification", material.say("capacity.which_card"))
    result = results[0]
    rows = _in_order(material, result.rows)
    marker = _cite(material, result)
    family, _ = requests.family(material.understanding.text)
    if family and result.beyond and not result.candidates:
        least = _beyond(material, result, "none_of", family=family, cards=_cards(material, result))
        return Section("does_not_fit", least + marker)
    possible = [row for row in rows if row.max_params]
    ways = [_way(material, row) for row in _best(possible)]
    values = {"cards": _cards(material, result), "room": _room(material, result)}
    if not ways:
        return Section("does_not_fit", material.say("capacity.nothing", **values) + marker)
    headline = material.say("capacity.headline", ways=material.say.listed(ways), **values) + marker
    section = Section("recommendation", headline, [_table(material, rows)])
    used = family or any(row.task == "inference" for row in rows)
    section.body.append(_paces(material, result) if used else "")
    if result.candidates and used:
        section.headline, section.body = _for_purpose(material, result, marker), section.body[::-1]
        section.headline += _longest(material, result.candidates[0])
        if family and material.need.purpose is None:
            section.body = section.body[:1]  # other makers' models are none of the question
    section.assumptions += _taken(material, result, rows, family)
    if result.cards:
        section.caveats.append(material.say("capacity.unlike", cards=names.cards(result.gpu or "", result.count)))
    elif result.count > 1:
        section.caveats.append(material.say("capacity.several"))
    return section


def _taken(material: Material, result: WhatFits, rows: Sequence[FitRow], family: str) -> list[str]:
    """What the limits rest on: of training only where something is trained, of the context where it was not told."""
    if any(row.task != "inference" for row in rows):
        return [material.say("capacity.assumed_training")]
    stated = material.need.context_tokens and material.need.concurrent_sequences
    if result.candidates and family and material.need.purpose is None:
        return [] if stated else [material.say("capacity.assumed_family")]
    return [material.say("capacity.assumed")]


def _way(material: Material, row: FitRow) -> str:
    """The largest model for one way of using the cards, with one that most people know."""
    known = next((one.name for one in row.examples if one.verdict == "yes"), "")
    size = numbers.params(row.max_params or 0)
    if row.task != "inference":
        return material.say("capacity.way", how=_how(material, row), size=size)
    example = material.say("capacity.such_as", model=known) if known else ""
    return material.say("capacity.way_serve", format=names.format_name(row.weight_format), size=size, example=example)


def largest(material: Material) -> tuple[str | None, str | None]:
    """The largest model that was told to fit for sure, with its format; nothing where none was."""
    result = next((WhatFits.model_validate(one) for one in material.results("what_fits")), None)
    if result is None:
        return None, None
    if result.candidates:
        return result.candidates[0].model, result.candidates[0].weight_format
    rows = _best([row for row in _in_order(material, result.rows) if row.max_params])
    held = ((one.model, row.weight_format) for row in rows[:1] for one in row.examples if one.verdict == "yes")
    return next(held, (None, None))


def paced(material: Material) -> bool:
    """Whether each model that is told to fit is told with its speed."""
    found = next(iter(material.results("what_fits")), None)
    return (
        material.intents[0] == "what_fits"
        and bool(found and found["candidates"])
        and bool(requests.family(material.text)[0])
    )


def _for_purpose(material: Material, result: WhatFits, marker: str) -> str:
    """The models published for what is wanted, largest first, as far as they fit."""
    say = material.say
    ways = [_member(material, one) for one in result.candidates[:HEADLINE_MAX]]
    values = {"cards": _cards(material, result), "room": _room(material, result), "ways": say.listed(ways)}
    if material.need.purpose is None:
        family, _ = requests.family(material.understanding.text)
        if family:
            return _of_family(material, result, family, marker)
        if kept := _keeping_pace(material, result):
            return kept
        largest = max(result.rows, key=lambda row: (row.task == "inference", row.max_params or 0))
        most = {"size": numbers.params(largest.max_params or 0), "format": names.format_name(largest.weight_format)}
        return say("capacity.everyday", **most, **values) + marker
    return say("capacity.best_for", purpose=say(f"capacity.for_{material.need.purpose}"), **values) + marker


def _keeping_pace(material: Material, result: WhatFits) -> str:
    """The models that answer as fast as was set, largest first; empty where no pace was, or none was worked out."""
    least, say = material.need.target_tokens_per_s, material.say
    timed = [(one, rate) for one in result.candidates if (rate := _rate_of(material, one)) is not None]
    if least is None or not timed:
        return ""
    kept = [(one, rate) for one, rate in timed if float(rate.result["tokens_per_s_per_user"]["value"]) >= least]
    values = {"cards": _cards(material, result)}
    if not kept:
        fastest, rate = max(timed, key=lambda pair: float(pair[1].result["tokens_per_s_per_user"]["value"]))
        return say("capacity.none_at_pace", **values, model=_told(material, fastest, rate))
    largest = sorted(kept, key=lambda pair: -pair[0].params)[:HEADLINE_MAX]
    return say("capacity.at_pace", **values, ways=say.listed([_told(material, one, rate) for one, rate in largest]))


def _told(material: Material, one: Candidate, rate: ToolCallRecord) -> str:
    """A model in its format with its speed."""
    return (
        f"{_member(material, one)} ≈ {numbers.figure(rate.result['tokens_per_s_per_user']['value'])}"
        + pace.cite_pace(material, rate.tool, rate.result)
    )


def _rate_of(material: Material, one: Example) -> ToolCallRecord | None:
    """The speed that was worked out of a model."""
    paced = (each for each in material.records("estimate_inference_speed") if each.result.get("tokens_per_s_per_user"))
    return next((each for each in paced if each.request.get("model") == one.model), None)


def _of_family(material: Material, result: WhatFits, family: str, marker: str) -> str:
    """The member to take, what it takes and how fast it is; then the next larger, which does not fit."""
    say, one, more = material.say, result.candidates[0], result.candidates[1:HEADLINE_MAX]
    speed, paced = _dealt_out(material) if result.cards else _pace(material, one)
    shown = {
        "family": family, "cards": _cards(material, result), "model": one.name,
        "way": _taken_in(material, one), "total": numbers.gib(one.needed_bytes_per_gpu, digits=1),
        "usable": numbers.gib(result.together_usable_bytes if result.cards else result.usable_bytes_per_gpu, digits=1),
        "each": say("file.each") if result.count > 1 and not result.cards else "",
    }  # fmt: skip
    room = say("capacity.take_context", tokens=numbers.tokens(one.context_tokens)) if one.context_tokens else ""
    pace_told = say("capacity.take_speed", speed=speed) if speed else ""
    key = "capacity.take_together" if result.cards else f"capacity.take_{one.verdict}"
    told = [say(key, context=room, speed=pace_told, **shown) + marker + paced]
    if more:
        told.append(say("capacity.also", ways=say.listed([_member(material, each) for each in more])))
    return ("" if say.language == "zh" else " ").join(part for part in (*told, _beyond(material, result)) if part)


def _member(material: Material, one: Candidate) -> str:
    return material.say(
        f"capacity.candidate_{one.verdict}", model=one.name, format=names.format_name(one.weight_format)
    )


def _longest(material: Material, lead: Candidate) -> str:
    """The longest context that the model told first leaves room for, where that was asked."""
    held = (one for one in material.estimates if one.result.model == lead.model and one.fits)
    tokens = next((one.placed.max_context_tokens for one in held), None)
    if not tokens or "context_length" not in material.understanding.asks:
        return ""
    gap = "" if material.say.language == "zh" else " "
    return gap + material.say("capacity.longest", model=lead.name, tokens=numbers.tokens(tokens))


def _taken_in(material: Material, one: Candidate) -> str:
    """The file or format in which it is run, or the way in which it is trained."""
    if requests.is_training(material.need) and material.need.task is not None:
        return material.say("capacity.take_trained", method=names.task_name(material.need.task, material.say))
    return material.say("capacity.take_in", format=names.format_name(one.weight_format))


def _beyond(material: Material, result: WhatFits, phrase: str = "beyond", **also: str) -> str:
    """The next larger member, which takes more than there is."""
    one = result.beyond
    if one is None:
        return ""
    values = {"model": one.name, "format": names.format_name(one.weight_format)}
    each = material.say("file.each") if result.count > 1 and not result.cards else ""
    total = numbers.gib(one.needed_bytes_per_gpu, digits=1)
    return material.say(f"capacity.{phrase}", total=total, each=each, **values, **also)


def _paces(material: Material, result: WhatFits) -> str:
    """What each model proposed holds and how fast it answers, where that was worked out."""
    say = material.say
    proposed = result.candidates or [
        one for row in result.rows for one in row.examples if row.weight_format.startswith("gguf:")
    ]
    lines = []
    for one in proposed[:CANDIDATES_MAX]:
        speed, marker = _pace(material, one)
        if speed or result.candidates:
            form = names.format_name(one.weight_format) if isinstance(one, Candidate) else ""
            name = f"{one.name} {form}".strip()
            lines.append([name, numbers.gib(one.needed_bytes_per_gpu), (speed or "–") + marker])
    head = [say("capacity.model"), say("table.gib", column=say("table.per_gpu")), say("capacity.speed")]
    if all(line[-1] == "–" for line in lines):
        head, lines = head[:-1], [line[:-1] for line in lines]  # what is trained writes nothing
    return table(head, lines) if lines else ""


def _pace(material: Material, one: Example) -> tuple[str, str]:
    """Its tokens per second for one user with the interval, and the citation."""
    for record in material.records("estimate_inference_speed"):
        speed = record.result.get("tokens_per_s_per_user")
        if speed and record.request.get("model") == one.model:
            shown = ranges.figures(material, speed)
            return f"≈ {shown['value']}{shown['range']}", pace.cite_pace(material, record.tool, record.result)
    return "", ""


def _dealt_out(material: Material) -> tuple[str, str]:
    """The pace of unlike cards that share the model's layers, as the configurator has it."""
    for one in material.found:
        rate = (one.speed or {}).get("tokens_per_s_per_user")
        if one.cards and isinstance(rate, int | float) and rate > 0:
            return f"≈ {numbers.rough(rate)}", ""
    return "", ""


def of_series(material: Material) -> tuple[str, str]:
    """What the cards do run of the series of a model too large for them: a sentence, and the table with speeds."""
    tried = (one.result for one in material.records("what_fits") if one.request.get("models"))
    results = [WhatFits.model_validate(result) for result in tried]
    if not results or not results[0].candidates:
        return "", ""
    result, say = results[0], material.say
    ways = [_member(material, one) for one in result.candidates[:HEADLINE_MAX]]
    said = say("capacity.of_series", ways=say.listed(ways)) + _cite(material, result)
    return ("" if say.language == "zh" else " ") + said, _paces(material, result)


def _room(material: Material, result: WhatFits) -> str:
    """What is usable of each card, or of unlike ones together."""
    if result.cards:
        return material.say("capacity.room_together", usable=numbers.gib(result.together_usable_bytes, digits=1))
    return material.say("capacity.room_each", usable=numbers.gib(result.usable_bytes_per_gpu, digits=1))


def _cards(material: Material, result: WhatFits) -> str:
    if result.cards:
        return " + ".join(names.cards(kind.gpu, kind.count or 1) for kind in result.cards)
    if result.gpu:
        return names.cards(result.gpu, result.count)
    return material.say("capacity.nameless", count=result.count, card=result.gpu_name.removesuffix(" card"))


def _in_order(material: Material, rows: Sequence[FitRow]) -> list[FitRow]:
    training = requests.is_training(material.need) or (material.need.task is None and _tunes(material.text))
    trained = [row for row in rows if row.task != "inference"]
    rows = trained if training and any(row.max_params for row in trained) else rows
    first = {"qlora": 0, "lora": 1, "full_finetune": 2, "inference": 3} if training else {"inference": 0}
    return sorted(rows, key=lambda row: first.get(row.task, 1))


def _tunes(text: str) -> bool:
    return any(word in text for word in ("微调", "训练", "训", "tune", "tuning", "train"))


def _best(rows: Sequence[FitRow]) -> list[FitRow]:
    """The largest of each method, in the order shown."""
    best: dict[str, FitRow] = {}
    for row in rows:
        if row.task not in best or (row.max_params or 0) > (best[row.task].max_params or 0):
            best[row.task] = row
    return list(best.values())[:HEADLINE_MAX]


def _how(material: Material, row: FitRow) -> str:
    method = names.task_name(row.task, material.say)
    plain = row.task == "qlora" or (row.task == "lora" and row.weight_format in HALVES)
    words = [method] if plain else [method, names.format_name(row.weight_format)]
    if row.optimizer and "8bit" in row.optimizer and row.task == "full_finetune":
        words.append(material.say("capacity.eight_bit_adam"))
    return " ".join(words)


def _table(material: Material, rows: Sequence[FitRow]) -> str:
    say = material.say
    head = [
        say("capacity.method"),
        say("capacity.largest"),
        say("table.gib", column=say("table.per_gpu")),
        say("capacity.examples"),
    ]
    lines = [
        [
            _how(material, row),
            f"≈ {numbers.params(row.max_params)}" if row.max_params else "–",
            numbers.gib(row.needed_bytes_per_gpu) if row.needed_bytes_per_gpu else "–",
            ", ".join(example.name for example in row.examples[:EXAMPLES_MAX]) or "–",
        ]
        for row in rows
    ]
    return table(head, lines, numeric=False)


def _cite(material: Material, result: WhatFits) -> str:
    quote = "; ".join(f"{step.label}: {step.value} ({step.formula})" for step in result.derivation)
    title = material.say("capacity.cite", cards=_cards(material, result))
    return joined([material.cites.cite("calculation", title, "what_fits", quote or title)])
