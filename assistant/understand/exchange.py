"""What a follow-up does to the cards: replaces, adds, recounts, resizes, rules out, or only compares."""

from typing import Any

from assistant.understand.reading import Reading
from assistant.understand.text import grammar
from kb.catalog import conventional, gpus
from tools.need import GpuCount, Need

_ADD = grammar(
    r"(?:再|多)?加(?:一?[张块个]|上|到)?|再(?:买|来|插|添)|凑|一起|(?<![a-z])(?:add(?:ing)?|plus"
    r"|another|one more|as well|additional)(?![a-z])"
)
_REPLACE = grammar(
    r"换(?:成|用|到)?|改(?:成|用|为)|用|如果是|要是|其实|(?<![a-z])(?:on|with|swap|replace|switch"
    r"|instead|actually|i (?:have|own|got)|my)(?![a-z])|我(?:是|有|的是|用)|手里|是"
)
_ONLY_ASKED = grammar(
    r"比|还是|租|买|怎么选|选|划算|价格|多少钱|(?<![a-z])(?:vs|versus|or|rent|buy|smarter|better|worth"
    r"|compare|price)(?![a-z])"
)
_EXCLUDED = grammar(
    r"(?:(?<![a-z])(?<!why )(?:not|isn't|don't (?:have|want|use)|no|without|instead of|rather than)"
    r"|不(?:是|要|用|考虑|想要|想用)|别(?:用|给我)?|除了|排除)\s?(?:the |an? |any |用|那个|那张)?\s?$"
)
_ONLY_VARIANT = grammar(
    r"(?:not|isn't|不是|不要)\s?(?:the |那个|那张)?\s?(\d{1,3})\s?gi?b?(?:\s?(?:one|version|variant|的|版|那))?"
)
_SEVERAL = 2
"""What a plural without a number is read as; in a follow-up it is as many as before."""
_SHORT = 30
"""Characters of a turn that says no more than another amount."""


def card_changes(reading: Reading, previous: Need, plain: str) -> dict[str, Any]:
    """Owned cards replaced, added to or recounted; cards compared against join those asked about."""
    changes: dict[str, Any] = {}
    excluded = _excluded(reading, plain)
    if excluded is not None:
        return _without(previous, excluded, reading)
    sized = _resized(reading, previous)
    if sized:
        return sized
    named = [*reading.cards.owned, *(GpuCount(gpu=key) for key in reading.cards.asked)]
    if named:
        return _named_cards(reading, previous, plain, named)
    if reading.cards.gpu_count and len(previous.gpus_owned) == 1:
        card = previous.gpus_owned[0]
        more = (card.count or 1) + reading.cards.gpu_count if _ADD.search(plain) else reading.cards.gpu_count
        return {"gpus_owned": (card.model_copy(update={"count": more}),), "gpu_count": None, "tensor_parallel": None}
    if reading.cards.gpu_count and len(previous.gpus_asked) == 1 and not previous.gpus_owned:
        card = GpuCount(gpu=previous.gpus_asked[0], count=reading.cards.gpu_count)
        return {"gpus_owned": (card,), "gpus_asked": (), "gpu_count": None}
    return changes


def _resized(reading: Reading, previous: Need) -> dict[str, Any]:
    """Another size of the card spoken of: 「80G 的呢」 after "A100 40G", 「24G 呢」 after "16 GB"."""
    sizes = [size.value_bytes for size in reading.entities.sizes if size.role in {"card", "unclear"}]
    if reading.entities.gpus or not sizes or len(reading.text.plain) > _SHORT:
        return {}
    count = reading.cards.gpu_count if reading.cards.gpu_count != 1 else None
    if previous.gpus_owned:
        cards = _variant(previous, sizes[0]) or previous.gpus_owned
        if count and len(cards) == 1:
            cards = (cards[0].model_copy(update={"count": count}),)
        return {"gpus_owned": cards, "memory_bytes_per_gpu": None, "gpu_count": None}
    return {"memory_bytes_per_gpu": sizes[0], "gpu_count": count or previous.gpu_count or 1}


def _named_cards(reading: Reading, previous: Need, plain: str, named: list[GpuCount]) -> dict[str, Any]:
    kept = previous.gpus_owned
    if kept and _ADD.search(plain) and not _ONLY_ASKED.search(plain):
        merged = {card.gpu: card for card in kept}
        for card in named:
            before = merged[card.gpu].count if card.gpu in merged else 0
            merged[card.gpu] = GpuCount(gpu=card.gpu, count=(before or 0) + (card.count or 1))
        return {"gpus_owned": tuple(merged.values()), "memory_bytes_per_gpu": None, "gpu_count": None}
    asked_only = _ONLY_ASKED.search(plain) is not None and (kept or not reading.cards.owned_names)
    if asked_only:
        asked = tuple(dict.fromkeys([*previous.gpus_asked, *(card.gpu for card in named)]))
        return {"gpus_asked": tuple(key for key in asked if key not in {card.gpu for card in kept})}
    if not kept and previous.gpus_asked and not any(card.count for card in named):
        asked = tuple(card.gpu for card in named)
        replaces = previous.intent != "compare" and not _ADD.search(plain)
        return {
            "gpus_asked": asked
            if replaces or _REPLACE.search(plain)
            else tuple(dict.fromkeys([*previous.gpus_asked, *asked]))
        }
    count = kept[0].count if len(kept) == 1 else previous.gpu_count
    said = {gpu.gpu: gpu.count for gpu in reading.entities.gpus}
    cards = tuple(card.model_copy(update={"count": _recounted(card, said.get(card.gpu), count)}) for card in named)
    return {"gpus_owned": cards, "gpus_asked": (), "memory_bytes_per_gpu": None, "gpu_count": None}


def _recounted(card: GpuCount, said: int | None, before: int | None) -> int:
    """As many as said, else as read from the rest of the turn where that is more than a plural, else as before."""
    read = card.count or 1
    return said or (read if read > _SEVERAL else before) or read


def _variant(previous: Need, memory_bytes: int) -> tuple[GpuCount, ...] | None:
    """The same card in another size: 「显存是 12G」 after "4070", 「80G 的」 after "A100"."""
    card = previous.gpus_owned[0]
    base = (
        card.gpu.split("-")[0] if not card.gpu.startswith(("rtx", "gtx", "rx")) else "-".join(card.gpu.split("-")[:2])
    )
    alike = [
        key
        for key, g in gpus().items()
        if key.split("-")[: base.count("-") + 1] == base.split("-")
        and abs(g.memory_bytes - memory_bytes) <= 0.06 * memory_bytes
    ]
    if not alike or card.gpu in alike:
        return None
    return (card.model_copy(update={"gpu": conventional(alike)}), *previous.gpus_owned[1:])


def _excluded(reading: Reading, plain: str) -> int | str | None:
    """A card or a size of card that is ruled out."""
    if match := _ONLY_VARIANT.search(plain):
        return int(match[1])
    for gpu in reading.entities.gpus:
        if _EXCLUDED.search(plain[max(0, gpu.start - 20) : gpu.start]) and len(reading.entities.gpus) == 1:
            return gpu.gpu
    return None


def _without(previous: Need, excluded: int | str, reading: Reading) -> dict[str, Any]:
    """Leave a card out, or take its other size."""
    if isinstance(excluded, str):
        return {
            "gpus_owned": tuple(card for card in previous.gpus_owned if card.gpu != excluded),
            "gpus_asked": tuple(key for key in previous.gpus_asked if key != excluded),
        }
    owned = tuple(card.model_copy(update={"gpu": _other_size(card.gpu, excluded)}) for card in previous.gpus_owned)
    return {
        "gpus_owned": owned,
        "gpus_asked": tuple(_other_size(key, excluded) for key in previous.gpus_asked),
        "memory_bytes_per_gpu": None,
    }


def _other_size(key: str, excluded_gib: int) -> str:
    if f"{excluded_gib}gb" not in key:
        return key
    stem = key.replace(f"-{excluded_gib}gb", "")
    others = [
        other
        for other in gpus()
        if other != key
        and (other == stem or other.startswith(f"{stem}-"))
        and gpus()[other].market == gpus()[key].market
    ]
    return others[0] if others else key
