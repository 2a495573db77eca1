"""The speeds of several sets of cards at the same work: which of them can be held against each other."""

from dataclasses import dataclass, replace
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers, pace, pictures, trained
from assistant.compose.material import Estimate, Material
from assistant.plan.formats import bits

RACES = (("estimate_inference_speed", "tokens_per_s_per_user"), ("estimate_training_time", "tokens_per_s_per_gpu"))
"""The tools that say how fast, and the figure each is compared by."""
COUNTED = ("audio_s_per_s", "documents_per_s", "time_per_clip_s", "time_per_image_s", "images_per_s")
"""Figures of work that is not counted in answer tokens, what one waits for before what comes out."""
UNSEEN = 2
"""The first of them, which speak of no pictures."""
SAMPLES = "samples_per_s_per_gpu"
"""The same of a training that is counted in pictures."""
WAITED = ("time_per_clip_s", "time_per_image_s", "time_to_first_token_s")
"""Figures of which less is more."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast one set of cards does the work."""

    record: ToolCallRecord
    cards: str
    figure: str
    value: float
    held: Estimate
    """In what these cards hold the work, the roomiest of what was worked out."""
    waits: bool = False
    """Whether its figure is a time, of which less is more; `value` is then how often that goes into a second."""

    @property
    def snug(self) -> bool:
        """Whether they hold it only just in what is raced: what holds more bits only just holds fewer with room."""
        alike = bits(self.held.result.weight_format) == bits(self.record.result.get("weight_format"))
        return self.held.placed.verdict == "tight" and (alike or self.held.task != "inference")

    @property
    def trains(self) -> bool:
        """Whether it is the speed of a training."""
        return self.record.tool == RACES[1][0]

    @property
    def of_all(self) -> float:
        """Its speed, of a training that of all its cards."""
        return float(self.record.result["tokens_per_s_total"]["value"]) if self.trains else self.value


def raced(material: Material) -> list[Pace]:
    """Those held against each other at work that is counted in tokens."""
    return next((found for tool, key in RACES if len(found := held_against(material, tool, key)) > 1), [])


def racing(material: Material) -> list[Pace]:
    """All that are held against each other, the fastest first, whatever their work is counted in."""
    others = counted(material)
    ranked = [*others, *RACES] if pace.of_prompts(material.text) else [*RACES, *others]
    found = next((found for one in ranked if len(found := held_against(material, *one)) > 1), [])
    return sorted(found, key=lambda one: -one.value)


def ways(material: Material, card: str) -> list[Pace]:
    """Every way in which a card holds the work that was timed, the widest format first."""
    found = []
    for tool, _ in RACES:
        for record in material.records(tool):
            key = figure_of(record.result) if record.result["gpu"] == card else None
            held = _held(material, record) if key else None
            if key and held:
                found.append(_pace(material, record, key, held))
    return sorted(found, key=lambda one: -bits(one.record.result.get("weight_format")))


def figure_of(result: dict[str, Any]) -> str | None:
    """The figure that a speed is told by; None where it has none."""
    keys = (*COUNTED, "tokens_per_s_per_user", "tokens_per_s_per_gpu", SAMPLES)
    return next((key for key in keys if result.get(key)), None)


def _pace(material: Material, record: ToolCallRecord, key: str, held: Estimate) -> Pace:
    cards, value = names.cards(record.result["gpu"], record.result["gpu_count"]), float(record.result[key]["value"])
    if key not in WAITED:
        return Pace(record, cards, numbers.figure(value), value, held)
    figure, unit = numbers.duration(value)
    return Pace(record, cards, f"{figure} {material.say(f'unit.{unit}')}", 1 / value, held, waits=True)


def counted(material: Material) -> list[tuple[str, str]]:
    """Figures other than answer tokens that the work is counted in, or that are asked for, with their tools.

    Pictures and clips only where their speed is asked for: which card to take for them is more than that.
    """
    keys = COUNTED if "speed" in material.intents else COUNTED[:UNSEEN]
    served = [(RACES[0][0], key) for key in (*pace.of_prompts(material.text), *keys)]
    return [*served, (RACES[1][0], SAMPLES)]


def held_against(material: Material, tool: str, key: str) -> list[Pace]:
    """The speeds that can be held against each other: one format, every card once, and all of it in memory.

    Of formats that all hold, the widest that all hold with room, else the widest.

    Training is told for each GPU; of unequal numbers of cards for all of them together.
    """
    by_format: dict[int, dict[str, Pace]] = {}
    for record in material.records(tool):
        result = record.result
        other = key == RACES[0][1] and any(result.get(one) for one in COUNTED)
        held = _held(material, record) if result.get(key) and not other else None
        if held is None:
            continue
        one = _pace(material, record, key, held)
        by_format.setdefault(bits(result.get("weight_format")), {}).setdefault(one.cards, one)
    most = max((len(runners) for runners in by_format.values()), default=0)
    full = [list(by_format[size].values()) for size in sorted(by_format, reverse=True) if len(by_format[size]) == most]
    fullest = next((one for one in full if not any(each.snug for each in one)), next(iter(full), []))
    counts = {one.record.result["gpu_count"] for one in fullest}
    if tool == RACES[1][0] and len(counts) > 1:
        return [replace(one, figure=numbers.figure(one.of_all), value=one.of_all) for one in fullest]
    return fullest


def _held(material: Material, record: ToolCallRecord) -> Estimate | None:
    """This very workload on these cards where it fits, sooner with room: what holds more bits a weight holds fewer.

    Of as many bits a file of llama.cpp and weights in an engine that serves many take different amounts of memory.
    """
    result = record.result
    cards = (result["gpu"], result["gpu_count"])
    same = [one for one in material.estimates if (one.gpu, one.gpus) == cards and not pictures.streams(one)]
    if record.tool == "estimate_training_time":
        same = [one for one in same if trained.vouches(one, record)]
    else:
        same = [one for one in same if _vouches(one.result.weight_format, result["weight_format"])]
    fitting = sorted((one for one in same if one.fits), key=lambda one: one.placed.verdict != "yes")
    return next(iter(fitting), None)


def _vouches(held: str, raced: str) -> bool:
    """Whether cards that hold the work in one format hold it in the other as well."""
    return bits(held) > bits(raced) or (bits(held) == bits(raced) and is_file(held) == is_file(raced))


def is_file(weight_format: str | None) -> bool:
    """Whether it is a file of llama.cpp."""
    return (weight_format or "").startswith("gguf:")
