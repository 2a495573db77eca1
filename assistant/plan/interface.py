"""Questions about the advisor's own interfaces: how a program asks it, and in what form the answer comes."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import Need

ROUTES = {
    "ask": "/v1/ask", "memory": "/v1/tools/estimate_memory", "configure": "/v1/tools/configure", "openai": "/v1",
    "docs": "/docs", "mcp": "/mcp",
}  # fmt: skip
"""Where programs reach it."""
MODEL = "gpu-advisor"
"""The name it goes by where a client wants a model."""
_SELF = re.compile(
    r"(?:你们?|您|贵司|这个(?:顾问|助手|服务|系统|工具))(?:的|这边|有没有|有|支持|提供|能不能|可以|兼容)?[^,，。?？\n]{0,8}?"
    r"(?:api|接口|sdk|mcp|base_?url|json|openai)"
    r"|(?:调用|对接|接入|集成)(?:一下)?(?:你们?|您|这个(?:顾问|助手|服务))"
    r"|\b(?:your|this (?:advisor|service|tool|bot)(?:'s)?) (?:\w+ )?"
    r"(?:api|endpoint|rest|mcp|sdk|json|interface|base_?url)"
    r"|\b(?:call|query|post to|integrate(?: with)?|talk to|reach) (?:you|this (?:advisor|service|bot))\b"
    r"|\b(?:do|can|are) you (?:have|offer|support|expose|return|speak|openai)[^.?!\n]{0,24}"
    r"(?:api|json|mcp|endpoint|compatible)"
    r"|/v1/(?:ask|tools|chat)|(?:get|return|give me) (?:the |your |an? )?answers? (?:back )?as json"
    r"|\bfield (?:\w+ )?(?:of|in) (?:/v1|the (?:answer|response))|返回(?:的)?(?:json|字段|格式)",
    re.I,
)


def asked(understanding: Understanding) -> bool:
    """Whether it is the advisor's own interface, not a model's server, and no hardware is asked about besides."""
    need, text = understanding.need, understanding.text
    about_hardware = requests.sized(need) or requests.cards(need) or need.engine or understanding.error_text
    return not about_hardware and _SELF.search(text) is not None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Nothing is worked out."""
    return []
