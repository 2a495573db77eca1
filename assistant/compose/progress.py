"""How long a run takes at the pace it shows, how many steps it has, and whether its speed is what it should be."""

from typing import Any

from assistant.compose import names, numbers
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import progress as plan
from assistant.understand.progress import find_progress, find_rate, find_utilisation, find_whole
from kb.units import DAY_S, HOUR_S

EPOCHS_MOST = 5
"""A time this many times the most for one pass may well be that of several, where their number was not told."""
SLACK = 0.85
"""Share of the least to be expected from which a training is not called slow."""


def progress(material: Material) -> Section | None:
    """Time or number of the steps in one sentence; None where the run could not be counted."""
    record = next((one for one in material.records("estimate_training_time") if one.request.get("step_s")), None)
    if record is None or not record.result.get("steps"):
        return None
    run = find_progress(material.text)
    values = _values(material, record.request, record.result)
    key = "steps" if run.step_s is None else "left" if run.all_steps else "samples" if run.steps is None else "all"
    said = material.say(f"progress.{key}", **values, whole=numbers.count(run.all_steps or 0))
    section = Section("estimate", said + cite_pace(material, record.tool, record.result), settled=True)
    rate = (record.result.get("tokens_per_s_total") or {}).get("value")
    section.body = [judged_rate(material, rate, each=False) if rate else _to_judge(material)]
    if run.steps is None and not record.request.get("accumulation"):
        section.assumptions.append(material.say("progress.no_accumulation"))
    return section


def _to_judge(material: Material) -> str:
    """How to tell whether a pace is slow, where it is asked and the samples of a step were not told."""
    result = _expected(material) if plan.judges(material.text) else None
    if result is None:
        return ""
    expected, cards = result.get("tokens_per_s_total") or result["tokens_per_s_per_gpu"], result.get("gpu_count") or 1
    said = {end: numbers.figure(expected[end]) for end in ("value", "low", "high")}
    return material.say("progress.to_judge", cards=names.cards(result["gpu"], cards), **said) + cite_pace(
        material, "estimate_training_time", result
    )


def _values(material: Material, request: dict[str, Any], result: dict[str, Any]) -> dict[str, str]:
    say, taken = material.say, result["time_s"]["value"]
    each = (request.get("micro_batch_size") or 1) * (request.get("accumulation") or 1) * (request.get("gpu_count") or 1)
    return {
        "time": _long(material, taken), "steps": numbers.count(result["steps"]),
        "pace": _exact(material, request["step_s"]), "samples": numbers.count(request.get("dataset_samples") or 0),
        "epochs": f"{request.get('epochs') or 1:g}", "each": say("progress.batch", count=numbers.count(each)),
    }  # fmt: skip


def _exact(material: Material, seconds: float) -> str:
    """A pace as it was stated: "18 seconds", "0.43 seconds"."""
    return f"{seconds:.3g} {material.say('unit.second')}"


def _long(material: Material, seconds: float) -> str:
    """A time in hours, and in days beside it where it is more than two of them."""
    figure, unit = numbers.duration(seconds)
    text = f"{figure} {material.say(f'unit.{unit}')}"
    if seconds < 2 * DAY_S:
        return text
    return material.say(
        "progress.both", days=text, hours=f"{numbers.count(seconds / HOUR_S)} {material.say('unit.hour')}"
    )


def judged(material: Material) -> str:
    """Whether the rate or utilisation that was stated is what these cards should give; empty where none was."""
    ratio = find_utilisation(material.text)
    if ratio is not None:
        return _judged_ratio(material, ratio)
    rate = find_rate(material.text)
    return judged_rate(material, rate[0], each=rate[1]) if rate else ""


def _expected(material: Material) -> dict[str, Any] | None:
    """The estimate of the training on these cards; None where there is none."""
    found = (one.result for one in material.records("estimate_training_time") if not one.request.get("step_s"))
    return next((one for one in found if one.get("tokens_per_s_per_gpu")), None)


def judged_rate(material: Material, rate: float, *, each: bool) -> str:
    """A training's tokens a second beside what is to be expected, of all cards or of each."""
    result = _expected(material)
    if result is None:
        return ""
    whole = None if each else result.get("tokens_per_s_total")
    expected = whole or result["tokens_per_s_per_gpu"]
    key = "slow" if rate < SLACK * expected["low"] else "fast" if rate > expected["high"] else "normal"
    key = "below" if key == "normal" and rate < expected["low"] else key
    count = result.get("gpu_count") or 1
    return material.say(
        f"progress.rate_{key}", said=numbers.figure(rate), cards=names.cards(result["gpu"], 1 if each else count),
        value=numbers.figure(expected["value"]), low=numbers.figure(expected["low"]),
        high=numbers.figure(expected["high"]),
    ) + cite_pace(material, "estimate_training_time", result)  # fmt: skip


def judged_time(material: Material) -> str:
    """Whether the time that a whole training is stated to take is what it should; empty where neither is known."""
    said, result = find_whole(material.text), _expected(material)
    expected = result.get("time_s") if result else None
    if said is None or result is None or not expected or not plan.judges(material.text):
        return ""
    figure, unit, seconds = said
    late = seconds > expected["high"] / SLACK
    several = late and material.need.epochs is None and seconds <= EPOCHS_MOST * expected["high"]
    key = "epochs" if several else "slow" if late else "fast" if seconds < SLACK * expected["low"] else "normal"
    return material.say(
        f"progress.time_{key}", said=f"{figure} {material.say(f'unit.{unit}')}",
        cards=names.cards(result["gpu"], result.get("gpu_count") or 1),
        **{end: _plain(material, expected[end]) for end in ("value", "low", "high")},
    ) + cite_pace(material, "estimate_training_time", result)  # fmt: skip


def _plain(material: Material, seconds: float) -> str:
    figure, unit = numbers.duration(seconds)
    return f"{figure} {material.say(f'unit.{unit}')}"


def _judged_ratio(material: Material, ratio: float) -> str:
    result = _expected(material)
    usual = result.get("utilisation_ratio") if result else None
    if result is None or not usual:
        return ""
    key = "low" if ratio < SLACK * usual["low"] else "high" if ratio > usual["high"] else "normal"
    return material.say(
        f"progress.mfu_{key}", said=f"{ratio:.0%}", **{end: f"{usual[end]:.0%}" for end in ("value", "low", "high")},
        cards=names.cards(result["gpu"], result.get("gpu_count") or 1),
        tokens=numbers.figure(result["tokens_per_s_per_gpu"]["value"]),
    ) + cite_pace(material, "estimate_training_time", result)  # fmt: skip
