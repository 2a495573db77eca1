"""The person's own figures of memory, reckoned with: what is left of a card, and what the tokens of a pool take."""

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls
from assistant.writing.setups import Setup
from assistant.writing.trouble.layouts import card_count
from assistant.writing.trouble.taken import Taken
from assistant.writing.words import Words

BILLION = 1e9
STATES = "params * (2 + 2 + 12) / 1000000000"
"""GB of weights, gradients and states."""
SHARES = ("util", "mem_fraction")
"""How options are called that give a server its share of the card."""


def own_parts(situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """What is neither weights nor cache: share · card − weights − cache, where the person read both."""
    known = _known(situation)
    parts = {one.part: one.quote for one in known if one.slot == "memory" and one.part in ("weights", "cache")}
    card = next((one for one in reversed(known) if one.slot == "cards" and one.stance == "have"), None)
    if len(parts) < 2 or card is None:
        return
    spec = calls.call("look_up", {"kind": "spec", "names": [card.quote]})
    rows = [row for row in spec.shown.get("found", []) if isinstance(row, Mapping) and row.get("usable")]
    if spec.failed or not rows:
        return
    share = _share(known)
    values = {"total": f"{spec.key}.found[0].usable", "weights": _gib(parts["weights"]), "cache": _gib(parts["cache"])}
    asked = {"expression": "total * share - weights - cache" if share else "total - weights - cache", "unit": "GiB"}
    one = calls.call("work_out", {**asked, "values": values | ({"share": share} if share else {})})
    if not one.failed:
        yield words.say("own_parts", rest=one.shown["value"], usable=rows[0]["usable"], share=share or "1", **parts)


def own_pool(
    situation: Situation, asked: Mapping[str, Any], of: Taken | None, calls: Calls, words: Words
) -> Iterator[str]:
    """What the tokens that were seen of a pool take, and what the context that is wanted takes."""
    tokens = (asked.get("seen") or {}).get("cache_tokens")
    if not tokens or of is None or not of.each or not of.cache:
        return
    one = calls.call(
        "work_out", {"expression": "tokens * each", "unit": "GiB", "values": {"tokens": tokens, "each": of.each}}
    )
    context = asked.get("context_tokens")
    if not one.failed and context:
        yield words.say(
            "own_pool", tokens=f"{int(tokens):,}", each=of.each, size=one.shown["value"], cache=of.cache,
            context=f"{int(context):,}",
        )  # fmt: skip


def _known(situation: Situation) -> list[Known]:
    return [*(one for thing in situation.things for one in thing.known), *situation.known]


def _share(known: list[Known]) -> str:
    """The share of the card that the person gave a server."""
    for one in known:
        value = one.value if one.slot == "setting" and isinstance(one.value, Mapping) else {}
        if value.get("value") and any(word in str(value.get("name")) for word in SHARES):
            return str(value["value"])
    return ""


def _gib(said: str) -> str:
    """An amount as programs print it: what they call G is binary."""
    number = said.rstrip("iIbBgG ")
    return f"{number} GiB" if number.replace(".", "").isdigit() else said


def own_states(setup: Setup, asked: Mapping[str, Any], calls: Calls, words: Words) -> Iterator[str]:
    """What a full training holds for each parameter, dealt over the cards: 16 bytes with mixed AdamW."""
    count = card_count(setup)
    shared = str(asked.get("sharding") or "zero3").startswith(("zero3", "fsdp"))
    if asked.get("task") != "full" or asked.get("optimizer") or not asked.get("model") or not (count and shared):
        return
    model = calls.call("look_up", {"kind": "model", "names": [asked["model"]]})
    rows = [row for row in model.shown.get("models", []) if isinstance(row, Mapping) and row.get("params")]
    if model.failed or not rows:
        return
    params = f"{rows[0]['params'] / BILLION:.3g}B"
    values = {"params": f"{model.key}.models[0].params"}
    whole = calls.call("work_out", {"expression": "params * 16 / 1000000000", "unit": "none", "values": values})
    each = calls.call(
        "work_out",
        {"expression": "params * 16 / cards / 1000000000", "unit": "none", "values": values | {"cards": str(count)}},
    )
    if not whole.failed and not each.failed:
        name = "rule_host" if "offload" in str(asked.get("sharding")) else "rule"
        host = str(asked.get("host_memory") or "–")
        told = {"states": f"{whole.shown['value']} GB", "each": f"{each.shown['value']} GB"}
        yield words.say(name, host=host, params=params, cards=count, **told)
