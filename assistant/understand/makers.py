"""Follow-ups that name only a maker: "what about AMD" means its cards of the size of those spoken of."""

import math

from assistant.understand.text import grammar
from assistant.understanding import Asked
from kb.catalog import gpus
from kb.records.gpu import Gpu
from tools.need import Condition, GpuCount

_MAKERS = (
    (
        "AMD",
        grammar(
            r"(?<![a-z])(?:amd|radeon|instinct)(?![a-z])(?! ?(?:epyc|ryzen|cpu|threadripper))|农企|(?<![a-z])a ?[卡家]"
        ),
    ),
    ("Intel", grammar(r"(?<![a-z])intel(?: (?:arc|gpus?|cards?))?(?![a-z])(?! ?(?:xeon|cpu|core))")),
    ("NVIDIA", grammar(r"(?<![a-z])nvidia(?![a-z])|英伟达|老黄|n ?[卡家]")),
    ("Apple", grammar(r"(?<![a-z])(?:macs?|mac (?:studio|mini)|macbooks?(?: pro)?|apple(?: silicon)?)(?![a-z])|苹果")),
    ("Huawei", grammar(r"昇腾|华为|(?<![a-z])(?:ascend|huawei)(?![a-z])")),
)
_CONDITIONS: dict[str, Condition] = {"AMD": "amd", "Huawei": "chinese", "NVIDIA": "nvidia"}
_WHOLE = "Apple"
"""A maker of whole machines, one of which takes the place of all the cards."""
_MARKETS = ("consumer", "workstation", "data_center")
_DESK = ("consumer", "workstation")
"""Markets whose cards go into a tower."""
_RECENT_YEARS = 4
"""Years that a card's rival may be older than the newest of its maker."""
_RULED_OUT = grammar(
    r"(?:(?<![a-z])(?:no|(?<!why )not|non|without|except|instead of|other than|besides)"
    r"|(?<!什么)(?<!啥)(?<!嘛)(?<!怎么)不[要用]|除了|非)[ -]?$"
)
"""Words before a maker that is not wanted."""
_SHORT = 60
"""Characters of a turn that says no more than another maker."""


WHY_NOT = grammar(
    r"why (?:not|no|isn't it|don't (?:i|we|you) (?:use|take|recommend))(?![a-z])"
    r"|(?:为什么|为啥|干嘛|怎么|凭什么)(?:就)?不(?:用|选|买|推荐|考虑|上|是|能用)"
)
"""Words that ask what speaks against a choice; they rule nothing out."""


def wonders_why_not(plain: str) -> bool:
    """Whether it is asked why another maker's cards were not put forward."""
    return WHY_NOT.search(plain) is not None and maker(plain) is not None


def maker(plain: str) -> Condition | None:
    """The condition that hardware to choose meets, where the turn only names who makes it: "what about AMD"."""
    named = _named(plain)
    return _CONDITIONS.get(named) if named and len(plain) <= _SHORT else None


def _named(plain: str) -> str | None:
    said = (
        name for name, rule in _MAKERS for one in rule.finditer(plain) if not _RULED_OUT.search(plain[: one.start()])
    )
    return next(said, None)


def of_maker(plain: str, previous: Asked) -> tuple[GpuCount, ...]:
    """The maker's cards nearest in memory to those spoken of, in their number; none where no maker is named."""
    maker = _named(plain)
    if maker is None or len(plain) > _SHORT:
        return ()
    stated = {card.gpu: card for card in previous.gpus_proposed}
    asked = tuple(stated.get(key) or GpuCount(gpu=key) for key in previous.gpus_asked)
    offered = previous.shown.offered[:1] if previous.shown else ()
    spoken = previous.gpus_owned or asked or offered
    known = [(gpus()[card.gpu], card.count) for card in spoken if card.gpu in gpus()]
    if maker == _WHOLE:
        found = [(_rival(maker, card, card.memory_bytes * (count or 1)), 1) for card, count in known]
    else:
        found = [(_rival(maker, card, card.memory_bytes), count or 1) for card, count in known]
    return tuple({key: GpuCount(gpu=key, count=count) for key, count in found if key}.values())


def _rival(maker: str, card: Gpu, memory_bytes: int) -> str | None:
    """The card of the maker that people weigh against this one: as much memory, as new, for the same machine."""
    if card.vendor == maker:
        return None
    markets: tuple[str, ...] = _DESK if card.market in _DESK else _MARKETS
    markets = ("apu",) if maker == _WHOLE else markets
    rows = [one for one in gpus().values() if one.vendor == maker and one.market in markets and one.year]
    newest = max((one.year or 0 for one in rows), default=0)
    recent = [one for one in rows if (one.year or 0) >= newest - _RECENT_YEARS and one.market in markets]
    alike = sorted(
        recent,
        key=lambda one: (
            round(abs(math.log2(one.memory_bytes / memory_bytes)), 1),
            one.memory_bytes < memory_bytes,
            one.market != card.market,
            -(one.year or 0) if maker == _WHOLE else 0,
            -(one.bandwidth_bytes_per_s or 0),
        ),
    )
    return alike[0].id if alike else None
