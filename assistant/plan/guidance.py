"""What the documents are searched for beside the tools."""

from collections.abc import Iterable

from assistant.plan.call import PlannedCall, planned
from assistant.plan.requests import QUERY_CHARACTERS_MAX, named_gpus
from assistant.understanding import Understanding

SHORT_QUESTION = 24
"""Characters below which the question's words alone find nothing: a follow-up leans on what was said before."""
PASSAGES = 8
"""Passages looked at; few are quoted."""


def guidance(understanding: Understanding) -> PlannedCall | None:
    """What the documents say: searched with the asker's own words and the terms understood."""
    need = understanding.need
    own = understanding.text.strip() or " ".join(span.text for span in understanding.spans)
    terms = [term for term in (need.model, *named_gpus(need), need.weight_format) if term]
    added = _new_terms(own, terms) if len(own) < SHORT_QUESTION else []
    query = " ".join([own[: QUERY_CHARACTERS_MAX // 2], *added])[:QUERY_CHARACTERS_MAX].strip()
    return planned("search_guidance", query=query, language=understanding.language, top=PASSAGES) if query else None


def _new_terms(own: str, terms: Iterable[str]) -> list[str]:
    return [term.replace("_", " ") for term in dict.fromkeys(terms) if term.lower() not in own.lower()]
