"""Why memory ran out, and the ways out ordered by how mild they are, each with its new estimate."""

import re

from assistant.compose import error_reading, names, numbers, signs
from assistant.compose.arithmetic import ROWS, arithmetic, cite, column_name, interval, total, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.fit import card_line
from assistant.compose.leading import other_cards
from assistant.compose.levers import levers
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan.cheaper import SHARES
from kb.lexicon.cards.unified import is_unified
from kb.units import GIB
from tools.oom.result import OomDiagnosis

_HOST = re.compile(
    r"\bkilled\b|exit(?:ed with)? (?:code|status) (?:-9|137)|sigkill|signal 9|oom-?killer|被 ?kill", re.I
)
"""Signs that the operating system ended the process: host memory ran out, not the card's."""
_NORMAL = re.compile(
    r"(?:正常|合理|对劲)(?:的)?\s?(?:吗|么|嘛|不|\?|？|$)|是不是正常|是否正常|符合预期"
    r"|(?<![a-z])(?:is (?:that|this|it) (?:normal|expected|right|ok)|expected\?|normal\?)",
    re.I,
)
"""Questions whether it should have been like that."""
_ALLOCATION = re.compile(r"allocate\s{1,3}(\d{1,6}(?:\.\d{1,3})?)\s?gi?b", re.I)
_SETTINGS = {
    "micro_batch_size": "batch", "sequence_tokens": "length", "context_tokens": "context",
    "concurrent_sequences": "requests", "kv_format": "cache",
}  # fmt: skip
"""Settings that are told with their value, and how."""
_BYTES = re.compile(r"(?:allocate|requires)\s(\d{9,13}) bytes", re.I)
_CHANGES = ("task", "weight_format", "sharding", "gradient_checkpointing", "precision", "optimizer", *_SETTINGS)


def diagnosis(material: Material) -> Section:
    """The cause in one sentence, the fixes in one table, what the documents add."""
    fitted = [one for one in material.estimates if one.fit]
    read = error_reading.read(material)
    if read is not None and read.cause in error_reading.NOT_THE_CARD and read.cause != "host_memory":
        return error_reading.elsewhere(material, read)
    killed = _HOST.search(material.understanding.error_text or material.understanding.text) is not None
    one_memory = killed and bool(fitted) and is_unified(fitted[0].gpu or "")
    if killed and not one_memory:
        return _host(material, fitted)
    read = None if one_memory else read
    if not fitted:
        return signs.led(material, error_reading.added(material, _without_card(material), read), proven=_proven(read))
    main, others = fitted[0], [one for one in fitted[1:] if one.gpu == fitted[0].gpu]
    cause = _expected(material, main) + _cause(material, main) + _too_long(material, main, read)
    if one_memory:
        cause = material.say("oom.one_memory", card=names.gpu_name(main.gpu or "")) + cause
    section = Section("diagnosis", _absurd(material, main) or cause)
    section.body = [_fixes(material, main, others), arithmetic(material, [main])]
    if main.placed.verdict == "yes" and (read is None or read.cause == "settings_differ"):
        section.body.insert(0, material.say("oom.when_it_fits"))
    elsewhere = {one.gpu: one for one in reversed(other_cards(material, main))}
    section.body[:0] = [card_line(material, one) for one in reversed(elsewhere.values())]
    section = error_reading.added(material, section, read)
    section.levers = levers(material, main)
    section.caveats = caveats(material, main)
    section.assumptions = assumed(material, main)
    return signs.led(material, section, proven=_proven(read) or main.placed.verdict == "no")


def _proven(read: OomDiagnosis | None) -> bool:
    """Whether the text itself proves a cause, by its wording or by its figures."""
    return (
        read is not None and read.basis in {"stated", "measured"} and read.cause not in {"settings_differ", "unknown"}
    )


def _absurd(material: Material, main: Estimate) -> str:
    """One allocation larger than the card itself is a runaway input, whatever the model needs."""
    match = _ALLOCATION.search(material.understanding.error_text or "") or _ALLOCATION.search(material.text)
    if match is not None:
        amount, size = match[1], float(match[1]) * GIB
    elif (wanted := _BYTES.search(material.text)) is not None:
        size = float(wanted[1])
        amount = f"{size / GIB:.2f}"
    else:
        return ""
    if size <= main.placed.usable_bytes:
        return ""
    return material.say("oom.absurd", amount=amount) + " " + _cause(material, main)


def _cause(material: Material, main: Estimate) -> str:
    fit = main.placed
    return material.say(
        f"oom.{fit.verdict}",
        what=workload(material, main),
        cards=names.cards(fit.gpu, main.gpus),
        total=total(main),
        interval=interval(main),
        usable=numbers.gib(fit.usable_bytes, digits=1),
        largest=_largest(material, main),
    ) + cite(material, main)


def _too_long(material: Material, main: Estimate, read: OomDiagnosis | None) -> str:
    """That it is the stated length of the samples which does not fit, and what length would; empty where it is not."""
    say, stated = material.say, material.need.sequence_tokens or material.need.context_tokens
    if main.task == "inference" or main.placed.verdict != "no" or not stated or read is None:
        return ""
    shorter = next((fix for fix in read.fixes if fix.change == "sequence_tokens" and fix.value), None)
    if shorter is None or "yes" not in {shorter.verdict, shorter.together_verdict}:
        return ""
    if any(fix.verdict == "yes" for fix in read.fixes[: read.fixes.index(shorter)]):
        return ""  # a milder change is enough at the stated length
    alone = shorter.verdict == "yes"
    left = shorter.total_bytes if alone else shorter.together_bytes
    text = say(
        "oom.too_long" if alone else "oom.too_long_with", stated=numbers.count(stated),
        shorter=numbers.count(int(shorter.value or 0)), left=numbers.gib(left or 0, digits=1),
    )  # fmt: skip
    return ("" if say.language == "zh" else " ") + text


def _expected(material: Material, main: Estimate) -> str:
    """Whether it had to run out, where that is asked: what does not fit had to, what fits had not."""
    if not _NORMAL.search(material.text):
        return ""
    return material.say("oom.unexpected" if main.placed.verdict == "yes" else "oom.expected")


def _largest(material: Material, main: Estimate) -> str:
    """The biggest item on the card, with its size."""
    size, label = max((main.part(*parts), label) for label, parts in ROWS)
    return material.say("oom.part", part=material.say(f"part.{label}"), size=numbers.gib(size, digits=1))


def _host(material: Material, fitted: list[Estimate]) -> Section:
    """The process was killed: the host ran out of memory, whatever the card has."""
    say = material.say
    section = Section("diagnosis", say("oom.host"))
    if material.estimates:
        main = fitted[0] if fitted else material.estimates[0]
        text = say("oom.host_card", what=workload(material, main), total=total(main))
        section.body.append(text + cite(material, main))
        section.caveats = caveats(material, main)
        if host := material.need.host_memory_bytes:
            section.body.append(_checkpoint(material, main, host))
    section.body.append(say("oom.host_fixes"))
    return section


def _checkpoint(material: Material, main: Estimate, host_bytes: int) -> str:
    """The weights as published against the memory of the machine, which must take them once to convert or merge."""
    weights = main.part("weights") * (1 if main.request.get("sharding") in SHARES else main.gpus)
    values = {"weights": numbers.both_units(weights), "host": numbers.gib(host_bytes)}
    return material.say("oom.host_weights", **values) + cite(material, main)


def _without_card(material: Material) -> Section:
    say = material.say
    if not material.estimates:
        section = Section("diagnosis", say("oom.general"))
        section.body = [say("oom.usual_fixes")]
        return section
    main = material.estimates[0]
    headline = say(
        "oom.needs",
        what=workload(material, main),
        total=total(main),
        interval=interval(main),
        largest=_largest(material, main),
    ) + cite(material, main)
    section = Section("diagnosis", headline)
    fixes = _fixes(material, main, material.estimates[1:])
    section.body = [fixes, arithmetic(material, [main])]
    section.assumptions = assumed(material, main)
    return section


def _fixes(material: Material, main: Estimate, others: list[Estimate]) -> str:
    """What each change leaves on a GPU, mildest change first; changes that come to the same are said once."""
    say = material.say
    rows: dict[tuple[str, str], list[str]] = {}
    for one in others:
        if one.result.per_gpu.total_bytes >= main.result.per_gpu.total_bytes:
            continue
        change = _change(material, main, one)
        fits = say(f"mark.{one.fit.verdict}") if one.fit else "–"
        row = [change + cite(material, one), total(one), interval(one), fits]
        rows.setdefault((change, total(one)), row)
    if not rows:
        return ""
    gib = [say("table.gib", column=say(key)) for key in ("table.per_gpu", "table.interval")]
    return table([say("table.change"), *gib, say("table.fits")], list(rows.values()))


def _change(material: Material, main: Estimate, other: Estimate) -> str:
    """What was done differently, in words."""
    say, words = material.say, []
    if other.task != main.task:
        return column_name(material, other)
    for key in _CHANGES:
        value = other.request.get(key)
        if value is None or value == main.request.get(key):
            continue
        if key == "weight_format":
            words.append(names.format_name(str(value)))
        elif key == "sharding":
            words.append(say(f"sharding.{value}"))
        elif key == "gradient_checkpointing":
            words.append(say("oom.checkpointing"))
        elif key in {"precision", "optimizer"}:
            words.append(say.get(f"oom.{value}") or f"{key}={value}")
        else:
            words.append(say(f"oom.set_{_SETTINGS[key]}", value=value))
    if not words and other.gpu and other.gpus != main.gpus:
        return names.cards(other.gpu, other.gpus)
    return say.listed(words) if words else column_name(material, other)
