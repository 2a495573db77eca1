"""Questions for several who must not disturb each other: each gets an instance of a card (MIG), or one of its own."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understand.numbers import number
from assistant.understanding import Understanding
from tools.need import Need

_APART = re.compile(
    r"独立的?\s?(?:小|虚拟)?\s?(?:gpu|显卡|卡|切片|实例|环境)|(?:互相?|相互)(?:隔离|不影响|不干扰)|互不(?:影响|干扰)|硬隔离|隔离开"
    r"|切[成分出]|\bmig\b|(?<![a-z])isolat(?:ed|ion)|(?:separate|own|private|dedicated) (?:\w+ ){0,2}"
    r"(?:gpu|slice|instance|card)"
    r"|gpu slices?|slices? (?:of|each)|(?:must|should|may)(?:n't| not) (?:disturb|affect|interfere)",
    re.I,
)
_SHARED = re.compile(
    r"(?:shar(?:e|ed|ing)|split|divid\w{1,3}|partition\w{0,3}|carve)(?: up)? (?:\S+ ){0,6}?"
    r"(?:between|among|across|for|by|into|with) (?P<n>\d{1,2}|two|three|four|five|six|seven) (?:\w+ )?"
    r"(?:teams?|groups?|tenants?|departments?|projects?|apps?|services|people|users|models|workloads|customers|pods)"
    r"|(?:分给|共享给|分成给)\s?(?P<h>\d{1,2}|[两三四五六七])\s?个?(?:团队|小组|部门|项目|租户)",
    re.I,
)
"""One card shared out among several groups: each with a part of its own."""
_PARTS = re.compile(r"(\d{1,3})\s?(?:份|个?实例|个?切片|slices?|instances?|parts?)(?![a-z])", re.I)


def parts(understanding: Understanding) -> int | None:
    """How many are to be kept apart: as many as there are people, or as many parts as are named."""
    said, shared = _PARTS.search(understanding.text), _SHARED.search(understanding.text)
    if said is None and shared is not None:
        return int(number((shared["n"] or shared["h"]).lower()) or 0)
    return int(said[1]) if said else understanding.need.users


def asked(understanding: Understanding) -> bool:
    """Whether a model is to run for several, each apart from the others."""
    need = understanding.need
    said = _APART.search(understanding.text) or _SHARED.search(understanding.text)
    apart = said is not None and not requests.is_training(need)
    return apart and requests.sized(need) and (parts(understanding) or 0) > 1 and not understanding.command


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Cards that give each a part of its own."""
    return [requests.configure(need, instances=parts(understanding), users=None)]
