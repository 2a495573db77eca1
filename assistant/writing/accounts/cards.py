"""What the cards themselves bar: formats without units, programs that left them, links they have not."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assistant.writing.accounts.sentences import billions, cards_used, sentences, whole
from assistant.writing.words import Words
from kb.models import models
from kb.records.gpu import Gpu
from tools.agent_tools.ledger import LookedUp

Call = Callable[[str, dict[str, object]], LookedUp]
BARRED = ("works_with", "does_not", "weights_only")
OPEN_STACKS = frozenset({"NVIDIA"})
"""Makers whose cards most programs run on."""


def told_cards(one: LookedUp, call: Call, words: Words) -> list[str]:
    """16 bit without BF16, programs that do not run there, and a stack of software that was hardly measured."""
    found: list[str] = []
    for gpu in cards_used(one)[:2]:
        if gpu.half == "fp16":
            found += judged(gpu, {"feature": "bf16"}, call, words)
        barred = [row for row in whole(one).get("rejected") or () if row.get("kind") == "engine"]
        if any(row["way"].startswith("vLLM on") for row in barred):
            found += judged(gpu, {"engine": "vllm"}, call, words)
        found += _of_maker(gpu, call, words)
        if gpu.vendor not in OPEN_STACKS and "never measured" in " ".join(whole(one).get("warnings") or ()).lower():
            found.append(sentences(words).say("hardly_measured", card=gpu.name))
    return list(dict.fromkeys(found))


def told_stack(one: LookedUp, call: Call, words: Words) -> list[str]:
    """Whether the maker's own software still takes the card, for a training."""
    return [said for gpu in cards_used(one)[:1] for said in _of_maker(gpu, call, words)]


def _of_maker(gpu: Gpu, call: Call, words: Words) -> list[str]:
    return judged(gpu, {"feature": "rocm"}, call, words) if gpu.vendor == "AMD" else []


def judged(gpu: Gpu, matter: Mapping[str, str], call: Call, words: Words) -> list[str]:
    """What is not so of a card, with the way out; nothing where it is."""
    one = call("look_up", {"kind": "compatibility", "names": [gpu.name], **matter})
    rows = whole(one).get("findings", [])
    return [said for row in rows if row.get("verdict") in BARRED for said in _said(row, gpu, words)]


def _said(row: Mapping[str, Any], gpu: Gpu, words: Words) -> Iterator[str]:
    if words.language == "en":
        yield " ".join(_stopped(str(part)) for part in (row.get("reason"), row.get("instead")) if part)
        return
    asked = row.get("asked_zh") or row.get("asked", "")
    name = "bars_partly" if row["verdict"] == "works_with" else f"bars_{row['verdict']}"
    said = sentences(words).say(name, card=gpu.name, asked=asked)
    reason = str(row.get("reason_zh") or "")
    rest = "".join(_stopped(part, "。") for part in (reason, str(row.get("instead_zh") or "")) if part)
    yield said + rest


def _stopped(said: str, stop: str = ".") -> str:
    return said if not said or said[-1] in ".。!" else said + stop


def told_mixture(one: LookedUp, call: Call, words: Words) -> list[str]:
    """Of a mixture of experts, that all are held and few work."""
    result = whole(one)
    name = (result.get("answer") or {}).get("model") or result.get("model") or one.shown.get("model")
    known = models().get(str(name))
    if known is None or not known.experts or not known.active_params:
        return []
    call("look_up", {"kind": "model", "names": [known.id]})
    return [
        sentences(words).say(
            "mixture", model=known.name, params=billions(known.params),
            active=billions(known.active_params),
        )
    ]  # fmt: skip


def told_pool(one: LookedUp, words: Words) -> list[str]:
    """That several cards are no larger one, and what shares a model over them."""
    found = cards_used(one)
    rows = [row for way in whole(one).get("ways", [])[:1] for row in _rows(way)]
    count = sum(row.get("count") or 0 for row in rows)
    if not found or count < 2:
        return []
    say = sentences(words)
    said = [say.say("no_pool", card=found[0].name)]
    return [*said, say.say("no_bridge", card=found[0].name)] if found[0].nvlink_bytes_per_s is None else said


def _rows(way: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    cards = way.get("cards") or ()
    return [cards] if isinstance(cards, Mapping) else [row for row in cards if isinstance(row, Mapping)]
