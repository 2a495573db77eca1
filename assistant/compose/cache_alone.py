"""How much the cache of a context takes by itself, where only that is asked for."""

import re

from assistant.compose import names, numbers
from assistant.compose.arithmetic import arithmetic, cite, subject
from assistant.compose.assume import assumed
from assistant.compose.material import Material
from assistant.compose.section import Section

_ALONE = re.compile(
    r"(?:how (?:much|big|large|many)|size|what)[^.?!\n]{0,40}\bkv[- ]?cache\b"
    r"|\bkv[- ]?cache\b[^.?!\n]{0,30}(?:size|how (?:much|big))"
    r"|how much (?:more |extra )?(?:v?ram|memory)[^.?!\n]{0,24}\b(?:per|each|every) (?:\w+ )?"
    r"(?:user|request|sequence|session|stream)\b"
    r"|(?:on top of|besides?|in addition to|apart from|excluding|without) (?:the )?(?:model )?weights"
    r"|kv ?(?:缓存|cache)\s?(?:要|占|吃|是|大概|需要|得)?\s?(?:多少|多大|几个?g)|(?:除了?|不算|不含)权重",
    re.I,
)


def asked(material: Material) -> bool:
    """Whether the cache is asked for and no card is to hold it."""
    return not material.need.gpus_owned and _ALONE.search(material.text) is not None


def cache(material: Material) -> Section | None:
    """The cache first, then what lies beside it; None where more than the cache is asked for, or no context is said."""
    one = next((each for each in material.estimates if each.task == "inference"), None)
    context = material.need.context_tokens
    if one is None or context is None or not asked(material):
        return None
    sequences = int(one.request.get("concurrent_sequences") or 1)
    stated = material.need.kv_format
    text = material.say(
        "cache.alone" if sequences == 1 else "cache.alone_each",
        what=subject(material, one),
        size=numbers.both_units(one.part("kv_cache") * one.gpus),
        context=numbers.tokens(context),
        count=sequences,
        format=names.format_name(stated) if stated else material.say("cache.wide"),
    )
    section = Section("estimate", text + cite(material, one), [arithmetic(material, [one])], settled=True)
    section.assumptions = assumed(material, one)
    return section
