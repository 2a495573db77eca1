"""Whether a card does for work other than language: "is a P40 any good for stable diffusion?", 「3060 画图怎么样」."""

import re

from assistant.plan import requests
from assistant.understanding import Understanding

_GOOD = re.compile(
    r"\b(?:any good|good|great|decent|ok(?:ay)?|suitable|fine|enough|viable|usable|capable|bad|useless|works?)\b"
    r"|怎么样|如何|行不行|行吗|好不好|好用吗|合适|够(?:吗|不够|用)|能用|废",
    re.I,
)
_LOOSE = ("spec", "other", "guidance", None)
"""Intents that such words are read as where no model is named."""


def asked(understanding: Understanding) -> bool:
    """Whether one card is judged for work of which the usual model stands in."""
    need = understanding.need
    usual = need.usual_model is not None and need.trained is None and not requests.sized(need)
    alone = len(requests.named_gpus(need)) == 1 and need.intent in _LOOSE
    return usual and alone and _GOOD.search(understanding.text) is not None
