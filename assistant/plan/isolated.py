"""Questions for several who must not disturb each other: each gets an instance of a card (MIG), or one of its own."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import Need

_APART = re.compile(
    r"独立的?\s?(?:小|虚拟)?\s?(?:gpu|显卡|卡|切片|实例|环境)|(?:互相?|相互)(?:隔离|不影响|不干扰)|互不(?:影响|干扰)|硬隔离|隔离开"
    r"|切[成分出]|\bmig\b|(?<![a-z])isolat(?:ed|ion)|(?:separate|own|private|dedicated) (?:\w+ ){0,2}"
    r"(?:gpu|slice|instance|card)"
    r"|gpu slices?|slices? (?:of|each)|(?:must|should|may)(?:n't| not) (?:disturb|affect|interfere)",
    re.I,
)
_PARTS = re.compile(r"(\d{1,3})\s?(?:份|个?实例|个?切片|slices?|instances?|parts?)(?![a-z])", re.I)


def parts(understanding: Understanding) -> int | None:
    """How many are to be kept apart: as many as there are people, or as many parts as are named."""
    said = _PARTS.search(understanding.text)
    return int(said[1]) if said else understanding.need.users


def asked(understanding: Understanding) -> bool:
    """Whether a model is to run for several, each apart from the others."""
    need = understanding.need
    apart = _APART.search(understanding.text) is not None and not requests.is_training(need)
    return apart and requests.sized(need) and (parts(understanding) or 0) > 1 and not understanding.command


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Cards that give each a part of its own."""
    return [requests.configure(need, instances=parts(understanding), users=None)]
