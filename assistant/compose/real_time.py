"""A pace that nobody published: that a model fits says nothing of whether it keeps up with real time."""

import re

from assistant.compose import names
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan.amounts import model_kind

_ASKED = re.compile(r"real[- ]?time|\blive\b|实时|即时|不卡|流畅", re.I)
_VERDICTS = ("fits", "fits_with_changes")


def lead(material: Material, main: Section) -> None:
    """Before that it fits, that its pace is not known, where real time is asked of a model that was never timed."""
    untimed = model_kind(material.need) in ("speech", "vision", "video") and not any(
        material.records("estimate_inference_speed")
    )
    if main.verdict in _VERDICTS and untimed and material.estimates and _ASKED.search(material.text):
        model = names.model_name(material.need.model or "")
        main.body.insert(0, main.headline)
        main.headline, main.verdict = material.say("heard.unpaced", model=model), "estimate"
