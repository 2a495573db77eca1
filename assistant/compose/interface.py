"""How a program asks the advisor: the routes, what they take and what comes back."""

import re

from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan.interface import MODEL, ROUTES
from kb.settings import settings

_LEADS = (
    ("openai", re.compile(r"openai|base_?url|chat completions|兼容|compatible", re.I)),
    ("more", re.compile(r"\bmcp\b|字段|\bfields?\b|schema|文档", re.I)),
    (
        "one",
        re.compile(r"\b(?:just|only) (?:want |need )?(?:the|a|one)\b|\b(?:number|figure)s?\b|只要|只想要|单个", re.I),
    ),
)
"""What is told first, and the words that ask for it."""


def interface(material: Material) -> Section:
    """The route that was asked about first, the others after it."""
    say = material.say
    base = (settings().public_url or f"http://127.0.0.1:{settings().port}").rstrip("/")
    values = {name: base + path for name, path in ROUTES.items()}
    lines = {
        "ask": say("interface.ask", **values),
        "one": say("interface.one", **values),
        "openai": say("interface.openai", model=MODEL, **values),
        "more": say("interface.more", **values),
    }
    lead = next((name for name, words in _LEADS if words.search(material.text)), "ask")
    headline = lines.pop(lead)
    quote = "; ".join(values.values())
    material.cites.cite("catalog", say("interface.title"), "REST API", quote)
    body = "\n".join(f"- {line}" for line in lines.values())
    return Section("fact", headline, [body], settled=True, rests_on_documents=True)
