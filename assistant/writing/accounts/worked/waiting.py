"""Which prompts are answered within a wait, alone and when others ask as well."""

from typing import Any

from assistant.writing.accounts.cards import Call
from assistant.writing.accounts.sentences import sentences, whole
from assistant.writing.ways import WayTold
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

PROMPTS = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
ANSWER = 256
"""Tokens that are written after a prompt."""


def within_wait(one: LookedUp, best: WayTold, call: Call, words: Words) -> list[str]:
    """Against the longest wait for a first token that was asked: the full prompt, and the longest that is in time."""
    wait = one.worked[-1].request.get("target_first_token_s") if one.worked else None
    if not wait:
        return []
    say, context = sentences(words), int(best.fields["context"].replace(",", "") or 0)
    many = best.fields["max_sequences"].replace(",", "")
    told: list[str] = []
    kept = {name: value for name, value in one.request.items()
            if name not in ("users", "objective", "context_tokens", "output_tokens")}  # fmt: skip
    kept |= {"weight_format": best.form, "engine": best.engine, "output_tokens": str(ANSWER)}
    full = max(context - ANSWER, ANSWER)
    alone = _first(call("find_ways_to_run", {**kept, "concurrent_sequences": "1", "input_tokens": str(full)}))
    if alone is not None:
        name = "wait_kept" if alone["value"] <= wait else "wait_broken"
        told.append(say.say(name, prompt=f"{full:,}", first=_seconds(alone), wait=_plain(wait)))
    longest = _longest(kept, full, wait, many, call)
    if longest is not None:
        told.append(say.say("wait_within", prompt=f"{longest[0]:,}", count=many, late=_seconds(longest[1]),
                            wait=_plain(wait)))  # fmt: skip
    elif many:
        told.append(say.say("wait_never", count=many, wait=_plain(wait)))
    told.append(say.say("wait_rate"))
    return told


def _longest(
    kept: dict[str, Any], full: int, wait: float, many: str, call: Call
) -> tuple[int, dict[str, float]] | None:
    """The longest prompt that nearly all get answered in time when so many are under way."""
    found = None
    for prompt in [one for one in PROMPTS if one <= full] if many else []:
        one = call("find_ways_to_run", {**kept, "concurrent_sequences": many, "input_tokens": str(prompt)})
        late = _first(one, "first_token_p95_s") or _first(one)
        if late is None or late["value"] > wait:
            break
        found = (prompt, late)
    return found


def _first(one: LookedUp, name: str = "first_token_s") -> dict[str, float] | None:
    rows = whole(one).get("ways", [])
    found = (rows[0].get("speed") or {}).get(name) if rows else None
    return found if isinstance(found, dict) else None


def _seconds(found: dict[str, float]) -> str:
    return f"{found['value']:.2g} s"


def _plain(seconds: float) -> str:
    return f"{seconds:g} s"
