"""What the training of a network that sees takes, told with the picture size and the batch it rests on."""

import re
from collections.abc import Sequence

from assistant.compose.arithmetic import batch_of, cite, in_all, subject
from assistant.compose.material import Estimate, Material
from assistant.plan.amounts import model_kind
from assistant.plan.pictured import turns_on_pictures

_LOOK = re.compile(r"(\d+ × \d+(?: × \d+)?) (?:pixels|voxels), (\d+) a batch on each GPU")
"""The calculator's own sentence about what a GPU sees at once."""
_CLIP = re.compile(r"(\d+ × \d+) pixels, (\d+) frame\(s\)")
"""The same about a clip."""


def size_of(one: Estimate) -> str | None:
    """Size of the pictures (or volumes) that an estimate rests on, as the calculator states it."""
    said = next(filter(None, map(_LOOK.match, one.result.assumptions)), None)
    return said[1] if said else None


def headline(material: Material, estimates: Sequence[Estimate]) -> str:
    """Each figure with its batch, at the size they share; empty where size and batch were both stated."""
    first = estimates[0]
    size = size_of(first)
    if size is None or not turns_on_pictures(material.need):
        return ""
    say, several = material.say, len({one.result.model for one in estimates}) > 1
    ways = [
        say(
            "pictured.way", model=f"{subject(material, one)} " if several else "", batch=batch_of(one), size=in_all(one)
        )
        + cite(material, one)
        for one in estimates
    ]
    named = material.understanding.need.model_text if several else None
    key = "pictured.variants" if several else "pictured.needs"
    return say(key, what=named or subject(material, first), look=size, ways=say.listed(ways))


def premise(material: Material, one: Estimate) -> str:
    """The size and the batch that were taken, of a clip its length; empty where both were stated, or nothing sees."""
    if model_kind(material.need) == "video" and one.task == "inference":
        clip = next(filter(None, map(_CLIP.match, one.result.assumptions)), None)
        return material.say("assume.clip", look=clip[1], frames=clip[2]) if clip else ""
    size = size_of(one)
    if size is None or one.task == "inference" or not turns_on_pictures(material.need):
        return ""
    return material.say("assume.pictured", look=size, batch=batch_of(one))
