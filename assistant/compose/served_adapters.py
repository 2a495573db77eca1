"""What adapters take that a server holds beside a model: first, where only that is asked, else after the verdict."""

import re

from assistant.compose import numbers
from assistant.compose.arithmetic import cite
from assistant.compose.material import Material
from assistant.compose.section import Section
from kb.constants.memory_constants import constants
from kb.units import GIB, MIB

_MORE = re.compile(
    r"\b(?:extra|more|additional|overhead|how much (?:do|does|will|would)|take up|back of the envelope)\b"
    r"|多(?:占|留|用|出|要|吃)|额外|占(?:用)?多少|要(?:留|预留)?多少显存",
    re.I,
)
"""Words that ask for what they take beside the model."""


def lead(material: Material, main: Section) -> None:
    """Say how much the adapters take in all and each; nothing where none is served."""
    count = material.need.adapters
    one = next((each for each in material.estimates if each.task == "inference" and each.part("adapters")), None)
    if not count or one is None:
        return
    whole = one.part("adapters")
    values = {
        "count": numbers.count(count),
        "rank": one.request.get("lora_rank") or constants().defaults.lora_rank,
        "size": f"{whole / GIB:,.1f} GiB" if whole >= GIB / 2 else f"{whole / MIB:,.0f} MiB",
    }
    asked = _MORE.search(material.text) is not None
    key = "of_it" if not asked else "take" if one.gpus == 1 else "take_each"
    text = material.say(f"served_adapters.{key}", **values) + cite(material, one)
    main.body.insert(0, main.headline if asked else text)
    main.headline = text if asked else main.headline
    main.caveats.append(material.say("served_adapters.slots"))
