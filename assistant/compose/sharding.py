"""Which of two ways to shard a training: the one that exchanges less, where it fits."""

from assistant.compose import names, numbers
from assistant.compose.arithmetic import arithmetic, cite, total
from assistant.compose.assume import assumed
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section

_NAMES = {"ddp": "DDP", "zero1": "ZeRO-1", "zero2": "ZeRO-2", "zero3": "ZeRO-3", "fsdp": "FSDP"}


def sharding(material: Material) -> Section | None:
    """The choice in one sentence and the memory of both; None where either was not worked out."""
    if len(material.estimates) < 2:
        return None
    less, more = material.estimates[:2]
    say, best = material.say, next((one for one in (less, more) if one.placed.verdict == "yes"), None)
    best = best or next((one for one in (less, more) if one.fits), None)
    other = more if best is less else less
    values = {
        "best": _name(best or more), "other": _name(other), "cards": names.cards(less.placed.gpu, less.gpus),
        "total": total(best or more), "other_total": total(other),
        "usable": numbers.gib(less.placed.usable_bytes, digits=1),
    }  # fmt: skip
    key = "none" if best is None else "less" if best is less else "more"
    rates = [_rate(material, one) for one in (less, more)]
    faster = say("shard_choice.rates", first=rates[0], second=rates[1]) if key == "less" and all(rates) else ""
    headline = say(f"shard_choice.{key}", **values, rates=faster) + cite(material, less) + cite(material, more)
    section = Section("does_not_fit" if best is None else "recommendation", headline, settled=True)
    section.body = [arithmetic(material, [less, more])]
    section.levers = [say("shard_choice.lever")] if key == "less" else []
    section.assumptions = assumed(material, less)
    return section


def _name(one: Estimate) -> str:
    return _NAMES.get(str(one.request.get("sharding")), str(one.request.get("sharding")))


def _rate(material: Material, one: Estimate) -> str:
    for record in material.records("estimate_training_time"):
        if record.request.get("sharding") == one.request.get("sharding") and record.result.get("tokens_per_s_total"):
            return numbers.figure(record.result["tokens_per_s_total"]["value"])
    return ""
