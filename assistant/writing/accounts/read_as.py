"""As what names were taken that are not listed, or that mean several."""

from collections.abc import Mapping

from assistant.writing.accounts.sentences import sentences
from assistant.writing.arguments import PAGE_TOKENS
from assistant.writing.setups import THOUGHT_OF, Setup
from assistant.writing.words import Words
from kb.models import models

BILLION = 1e9


def told_pages(setup: Setup, words: Words) -> list[str]:
    """For how many tokens pages were taken."""
    rows = [one for slot in ("prompt", "output", "context") for one in setup.every(slot, *THOUGHT_OF)]
    paged = next((one for one in rows if isinstance(one.value, Mapping) and one.value.get("pages")), None)
    if paged is None:
        return []
    tokens = f"{round(paged.value['pages'] * PAGE_TOKENS):,}"
    return [sentences(words).say("assumed_pages", pages=paged.quote, tokens=tokens)]


def told_names(setup: Setup, words: Words) -> list[str]:
    """Which model was taken where the words leave it open."""
    say, told = sentences(words), []
    for one in setup.every("model", *THOUGHT_OF):
        value = one.value if isinstance(one.value, Mapping) else {}
        if value.get("unlisted"):
            told.append(say.say("read_unlisted", name=one.quote, size=f"{value['params'] / BILLION:g}B"))
        elif value.get("among"):
            names = [models()[name].name if name in models() else str(name) for name in value["among"]]
            told.append(say.say("read_among", name=one.quote, model=names[0], others=say.listed(names[1:])))
    return list(dict.fromkeys(told))
