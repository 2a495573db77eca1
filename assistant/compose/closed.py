"""Models whose weights nobody can have: said at once, with what of the same maker is open."""

import re

from assistant.compose import names
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import requests
from kb.models import closed_models
from kb.naming.names import closed_names

_SERVICES = ("can_it_run", "how_many_gpus", "min_vram", "launch_files", "other", "guidance")
"""Intents that a model nobody can host leaves without an answer; to buy for one's own kind of it is another matter."""

_RUN = re.compile(
    r"(?:\b(?:run|host|self-host|deploy|serve|install|fine-?tune|train)(?:ning|ing|s)?|部署|跑|运行|微调|训练|搭建?)"
    r"(?: (?:the|a|our own|your own|open ?ai'?s?|full))*[一个的\s]*$", re.I,
)  # fmt: skip
"""What is done to the model itself, right before its name: then no hardware is its answer, whatever else is asked."""
_ALIKE = re.compile(
    r"[- ]?(?:like|class|level|style|quality)\b|\s?(?:级|水平|那样|一样|类似|这种|同等|的平替|平替)", re.I
)
"""Words behind the name that make it a measure of what is wanted."""


def closed(material: Material) -> Section | None:
    """That the model named runs only as its maker's service; None where another was named, or a purpose."""
    need = material.understanding.need
    if requests.sized(need) or need.purpose:
        return None
    text = material.understanding.text
    mention = next(iter(closed_names().scan(text)), None)
    if mention is None:
        return None
    run = _RUN.search(text[: mention.start]) is not None and not _ALIKE.match(text[mention.end :])
    if material.intents[0] not in _SERVICES and not run:
        return None
    row = closed_models()[mention.ids[0]]
    headline = material.say("closed.only_a_service", model=mention.text, maker=row.maker)
    if row.open:
        headline += material.say("closed.open_instead", model=names.model_name(row.open))
    return Section("fact", headline, rests_on_documents=True)
