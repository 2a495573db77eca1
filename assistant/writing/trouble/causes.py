"""Causes as `explain` ranks them, told with what happens, the check, the fix and the setting."""

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.writing.words import Words
from kb.observation import observation_facts
from tools.agent_tools.ledger import LookedUp

EMPTY = ("oom_unknown", "oom_settings")
"""Causes that say no more than that memory ran out."""
TELLING_RATIO = 0.25
"""Share of a gap below which a cause is not worth telling beside others."""


def result_of(one: LookedUp) -> Mapping[str, Any]:
    """The solver's own result behind an explanation."""
    good = [each.result for each in one.worked if each.tool == "explain_observation" and "error" not in each.result]
    return good[-1] if good else {}


def causes_of(one: LookedUp, most: int) -> list[Mapping[str, Any]]:
    """The likeliest causes that say something."""
    rows = [row for row in result_of(one).get("causes", []) if isinstance(row, Mapping)]
    told = [row for row in rows if row.get("id") not in EMPTY and not str(row.get("id", "")).endswith("_unknown")]
    told = [row for row in told if not is_choice(row)]
    sized = [row for row in told if row.get("share_ratio") is None or row["share_ratio"] >= TELLING_RATIO]
    return (sized or told)[:most]


def is_choice(row: Mapping[str, Any]) -> bool:
    """Whether it is another choice that would give more, and nothing that went wrong."""
    fact = observation_facts().causes.get(str(row.get("id")))
    return fact is not None and fact.instead


def in_words(said: Any, words: Words) -> str:
    """A text of both languages in the one that is spoken."""
    return str(said[words.language]) if isinstance(said, Mapping) else str(said)


def told_causes(causes: list[Mapping[str, Any]], words: Words, *, checks: bool = True) -> Iterator[str]:
    """Each cause in one block, numbered where there are several."""
    for number, cause in enumerate(causes, 1):
        head = f"{number}. " if len(causes) > 1 else ""
        what = in_words(cause["what"], words)
        parts = [f"{head}**{in_words(cause['name'], words)}**{words.say('cause_stop')}{what}"]
        check = cause.get("check") or {}
        if checks and check.get("command"):
            look = check.get("look_for_zh") if words.language == "zh" else check.get("look_for")
            parts.append(words.say("cause_check", command=check["command"], look=look or check.get("look_for", "")))
        setting = f" `{cause['setting']}`" if cause.get("setting") else ""
        parts.append(words.say("cause_fix", fix=in_words(cause["fix"], words).rstrip(".。")) + setting)
        yield " ".join(parts)
