"""Turns that go back: "back to the former card", 「还是原来那个模型」, "which of them is faster"."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understand.workloads import SHOPPING
from assistant.understanding import Asked
from kb.naming.names import gpu_names
from tools.need import GpuCount

_BACK = grammar(
    r"(?<![a-z])(?:back to|return to|revert|as before|what we had|(?:former|previous|original|earlier|initial"
    r"|last|first) (?:\w{1,12} )?(?:cards?|gpus?|one|setup|config\w{0,8}|options?|machine|model|plan))(?![a-z])"
    r"|(?:换|用|改|退|回|切)回|还是(?:用)?(?:原来|之前|刚才|前面|上一|最初|一开始)|原来(?:的|那)|之前(?:的|那)"
    r"|刚才(?:的|那)"
    r"|前面(?:的|那)|一开始(?:的|那|说)|最初(?:的|那)|上一(?:个|张|种|款|套)"
    r"|还是[^,。?]{2,14}(?:吧|好了)"
)
_OLDEST = grammar(r"原来|最初|一开始|(?<![a-z])(?:original|initial|first)(?![a-z])")
"""Words for what was said at the start rather than just before."""
_MODEL = grammar(r"模型|(?<![a-z])(?:model|llm)s?(?![a-z])")
_FORMAT = grammar(r"精度|量化|格式|(?<![a-z])(?:precision|format|quant\w{0,8})(?![a-z])")
_AMONG = grammar(
    r"(?<![a-z])which (?:of (?:these|those|them|the (?:two|three|four|cards))|one|card|gpu"
    r"|is (?:the )?(?:faster|cheaper|better|best))(?![a-z])|(?<![a-z])(?:compare|between) (?:them|these|those"
    r"|the two|all|both)(?![a-z])"
    r"|(?:faster|cheaper|better) of the (?:two|three)|哪(?:个|张|种|款|一(?:个|张|款))"
    r"|谁(?:更|最|比较)?(?:快|便宜|划算|强|省)|(?:值得|划算)(?:吗|么|换|升级|不)"
    r"|(?:贵|便宜|差|省|快|慢)(?:了)?多少"
    r"|两(?:者|个|种|边|张(?!\s?卡?(?:能|行|够|呢|的话|会|要|跑|并)))"
    r"|(?<![a-z])(?:price|cost|speed) (?:difference"
    r"|gap)(?![a-z])"
    r"|(?<![a-z])worth (?:it|the (?:money|upgrade|switch))(?![a-z])"
    r"|(?:这|它们?|前后)(?:两|几|三)(?:张|种|个|款)|两(?:者|种|张|个)(?:卡)?(?:比|对比|相比)|(?:对比|比较)一下"
)
_CARDS = ("gpus_owned", "gpus_asked", "gpus_proposed", "gpu_count", "memory_bytes_per_gpu")
_MODELS = ("model", "model_text", "params")
_FAMILY = grammar(r"[a-z]+")
"""A family's name without a version."""
MOST = 3
"""Cards of earlier turns that are held against each other."""


def refers_back(text: str) -> bool:
    """Whether a turn may speak of what turns before the last one said."""
    folded = text.lower()
    return _BACK.search(folded) is not None or _AMONG.search(folded) is not None


def returned(reading: Reading, previous: Asked, earlier: Sequence[Asked]) -> dict[str, Any]:
    """What goes back to an earlier turn's: its cards, its model or its format; nothing where no turn held others."""
    plain = reading.text.plain
    if not _BACK.search(plain):
        return {}
    if model := next((one for one in reversed(earlier) if named_again(reading, one.model)), None):
        return dict(zip(_MODELS, _part(model, _MODELS), strict=True))
    named = [*(card.gpu for card in reading.cards.owned), *reading.cards.asked]
    if named:
        return _holding(reading, named, earlier)
    fields = _MODELS if _MODEL.search(plain) else ("weight_format",) if _FORMAT.search(plain) else _CARDS
    others = [one for one in earlier if _part(one, fields) != _part(previous, fields) and any(_part(one, fields))]
    if not others:
        return {}
    return dict(zip(fields, _part(others[0 if _OLDEST.search(plain) else -1], fields), strict=True))


def named_again(reading: Reading, model: str | None) -> bool:
    """Whether a turn says no more of the model than its family, "the llama", and this one is of it."""
    family = str(reading.slots.get("model_text") or "").lower()
    alone = not (reading.slots.get("model") or reading.slots.get("params")) and _FAMILY.fullmatch(family)
    return bool(alone and model and family in model.lower())


def _holding(reading: Reading, named: Sequence[str], earlier: Sequence[Asked]) -> dict[str, Any]:
    """The cards of the last turn that held those named, a plural "V100s" included; counts said now stand."""
    wanted = set(named) | set(_singular(reading))
    for one in reversed(earlier):
        if wanted & set(_keys(one)):
            found = dict(zip(_CARDS, _part(one, _CARDS), strict=True))
            for name in ("gpus_asked", "gpus_proposed"):  # of several cards those named now
                found[name] = tuple(card for card in found[name] if getattr(card, "gpu", card) in wanted)
            said = next((card.count for card in (*reading.cards.owned, *reading.cards.proposed) if card.count), None)
            plural = any(card.count == 2 for card in reading.cards.owned) and reading.text.plain.find("2") < 0
            if said and said > 1 and not plural and len(one.gpus_owned) == 1:
                found["gpus_owned"] = (one.gpus_owned[0].model_copy(update={"count": said}),)
            return found
    return {}


def _singular(reading: Reading) -> Iterator[str]:
    """Every card that a name less its plural s may mean."""
    for gpu in reading.entities.gpus:
        words = reading.text.plain[gpu.start : gpu.end]
        if words.endswith("s"):
            yield from (key for mention in gpu_names().scan(words[:-1]) for key in mention.ids)


def among(reading: Reading, previous: Asked, earlier: Sequence[Asked]) -> dict[str, Any]:
    """The cards spoken of one after the other, to be held against each other, where the turn chooses among them."""
    known = len(set(_keys(previous)))
    if not _AMONG.search(reading.text.plain) or reading.entities.gpus or not known:
        return {}
    if known > 1:  # "which one is cheaper to rent" asks for offers
        return {} if previous.intent in SHOPPING or reading.intent == "cloud_or_buy" else {"intent": "compare"}
    found: dict[str, GpuCount] = {}
    for one in (previous, *reversed(earlier)):
        for card in _counted(one):
            found.setdefault(card.gpu, card)
    if len(found) < 2:
        return {}
    cards = list(found.values())[:MOST][::-1]
    return {
        "gpus_owned": (), "gpus_asked": tuple(card.gpu for card in cards), "gpus_proposed": tuple(cards),
        "intent": "compare",
    }  # fmt: skip


def _counted(need: Asked) -> Iterable[GpuCount]:
    stated = {card.gpu: card for card in need.gpus_proposed}
    return (*need.gpus_owned, *(stated.get(key) or GpuCount(gpu=key, count=1) for key in need.gpus_asked))


def _keys(need: Asked) -> list[str]:
    return [card.gpu for card in _counted(need)]


def _part(need: Asked, fields: Sequence[str]) -> tuple[Any, ...]:
    return tuple(getattr(need, name) for name in fields)
