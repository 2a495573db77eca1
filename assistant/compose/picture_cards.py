"""What several cards bring to pictures and clips: as many more in the same time, not one of them sooner."""

from typing import Any

from assistant.compose import names, numbers, ranges
from assistant.compose.arithmetic import arithmetic, cite, column_name, total
from assistant.compose.assume import assumed
from assistant.compose.clarify import ambiguous_names
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import picture_cards as planned
from assistant.plan import requests
from assistant.plan.amounts import model_kind


def picture_cards(material: Material) -> Section | None:
    """No, not sooner; twice as many, with the figures of one card and of all; None where nothing was worked out."""
    pair = planned.cards(material.need, material.understanding.text)
    estimate = next(iter(material.estimates), None)
    if pair is None or estimate is None:
        return None
    say, (one, every) = material.say, pair
    paced = {record.result["gpu_count"]: record for record in material.records("estimate_inference_speed")}
    alone, together = (paced.get(card.count or 1) for card in pair)
    need = planned.of(material.understanding.need)
    kind = "clip" if model_kind(need) == "video" else "picture"
    model = names.model_name(need.model or "")
    values = {
        "model": model, "how": column_name(material, estimate), "cards": names.cards(every.gpu, every.count or 1),
        "card": names.gpu_name(one.gpu), "count": numbers.count(every.count or 1), "total": total(estimate),
        "usable": numbers.gib(estimate.placed.usable_bytes, digits=1),
    }  # fmt: skip
    if not estimate.fits or alone is None or together is None:
        headline = say("picture_cards.no_room", **values) + cite(material, estimate)
        section = Section("does_not_fit", headline, settled=True)
    else:
        values |= _pace(material, alone.result, together.result, kind)
        lead = "pooled" if planned.pooled(material.text) else "quicker"
        headline = say(f"picture_cards.{lead}_{kind}", **values)
        headline += cite_pace(material, together.tool, together.result)
        section = Section("estimate", headline, settled=True)
    lines = ["each", "apart", "split"]
    section.body = [
        "\n".join(f"- {say(f'picture_cards.{line}', **values)}" for line in lines),
        arithmetic(material, [estimate]),
    ]
    section.levers = [say("picture_cards.sooner")]
    section.assumptions = assumed(material, estimate)
    if not requests.sized(material.understanding.need):
        section.assumptions.insert(0, say("assume.stand_in", model=model))
    section.assumptions += [line for line in ambiguous_names(material) if line not in section.assumptions]
    return section


def _pace(material: Material, alone: dict[str, Any], together: dict[str, Any], kind: str) -> dict[str, str]:
    """The time of one item, and what all cards make in an hour or a second."""
    key = "time_per_clip_s" if kind == "clip" else "time_per_image_s"
    found = {"time": ranges.ranged(material, key, alone[key])}
    if kind == "picture":
        rates = (alone["images_per_s"], together["images_per_s"])
        found |= {name: numbers.figure(rate["value"]) for name, rate in zip(("one", "all"), rates, strict=True)}
    return found
