"""Models whose weights nobody can have: said at once, with what of the same maker is open."""

from assistant.compose import names
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import requests
from kb.models import closed_models
from kb.names import closed_names

_SERVICES = ("can_it_run", "how_many_gpus", "min_vram", "launch_files", "other", "guidance")
"""Intents that a model nobody can host leaves without an answer; to buy for one's own kind of it is another matter."""


def closed(material: Material) -> Section | None:
    """That the model named runs only as its maker's service; None where another was named, or a purpose."""
    need = material.understanding.need
    if requests.sized(need) or need.purpose or material.intents[0] not in _SERVICES:
        return None
    mention = next(iter(closed_names().scan(material.understanding.text)), None)
    if mention is None:
        return None
    row = closed_models()[mention.ids[0]]
    headline = material.say("closed.only_a_service", model=mention.text, maker=row.maker)
    if row.open:
        headline += material.say("closed.open_instead", model=names.model_name(row.open))
    return Section("fact", headline, rests_on_documents=True)
