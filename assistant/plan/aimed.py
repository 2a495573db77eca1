"""A card for a time that one picture or clip is to take: "20 s on my 2080 Ti, which card gets to 5 s?"."""

import re
from datetime import date
from functools import lru_cache

from assistant.plan import picture_cards, requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.market import ordinary, recent, sold_alone
from assistant.plan.ways import rents
from assistant.plan.widest import Way
from assistant.understand.aims import Aim, find_aim
from assistant.understanding import Understanding
from kb import clock
from kb.base import AdvisorError
from kb.catalog import gpus
from tools.find_gpus import GpuQuery, find_gpus
from tools.need import GpuCount, Need
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest

SHOWN_MAX = 3
"""Cards that reach the time, the cheapest first."""
QUICKER = 1.25
"""Times as fast as the one before it that a dearer card has to be to be named."""
_WHICH = re.compile(
    r"\b(?:which|what) (?:\w+ ){0,2}?(?:card|gpu|upgrade)|\bwhat (?:do|should|would|will) (?:i|we) (?:need|buy|get)\b"
    r"|upgrade|\bwhich one\b|\b(?:want|need|looking for) an? (?:\w+ )?(?:card|gpu)\b"
    r"|(?:什么|哪[张款块个种]?|啥)(?:显)?卡|换(?:什么|哪|啥|张)|买(?:什么|哪|啥)|升级",
    re.I,
)
"""Words that ask which card it takes."""
_PLACES = ("consumer", "workstation")


def asked(understanding: Understanding) -> bool:
    """Whether a card is sought that makes a picture or a clip in a time that was named."""
    need, text = understanding.need, understanding.text
    if understanding.error_text or understanding.command or requests.is_training(need) or need.trained or rents(text):
        return False
    if model_kind(picture_cards.of(need)) not in picture_cards.KINDS or len(requests.compared(need)) > 1:
        return False
    return _WHICH.search(text) is not None and find_aim(text) is not None


def aim(understanding: Understanding) -> Aim | None:
    """The time wished for and the one measured; the latter only of a card in hand."""
    found = find_aim(understanding.text)
    if found is None or own(understanding.need) is not None:
        return found
    return Aim(found.wanted_s, None)


def own(need: Need) -> GpuCount | None:
    """One of the card in hand."""
    card = next(iter(requests.compared(need)), None)
    return card.model_copy(update={"count": 1}) if card is not None and card.gpu in gpus() else None


def speed(need: Need, card: str, weight_format: str | None, found: Aim, owned: GpuCount | None) -> PlannedCall | None:
    """The pace of one card; by the time measured on the one in hand where that is known."""
    measured: dict[str, object] = {"measured_s": found.measured_s, "measured_gpu": owned.gpu} if owned else {}
    alone = need.model_copy(update={"gpus_owned": (), "gpus_asked": (card,), "gpus_proposed": ()})
    return requests.speed(alone, GpuCount(gpu=card, count=1), weight_format, text="", **measured)


def seconds(result: object) -> float | None:
    """Of one picture or clip, by what was measured where that is known."""
    for name in ("time_as_measured_s", "time_per_image_s", "time_per_clip_s"):
        if (time := getattr(result, name, None)) is not None:
            return float(time.value)
    return None


def chosen(understanding: Understanding, need: Need) -> tuple[tuple[Way, float], ...]:
    """Cards that reach the time, by price, each clearly faster than the one before; else the fastest there is."""
    return _chosen(understanding, need, clock.today())


@lru_cache(maxsize=32)
def _chosen(understanding: Understanding, need: Need, _: date) -> tuple[tuple[Way, float], ...]:
    found, owned, wanted = aim(understanding), own(need), picture_cards.of(need)
    if found is None:
        return ()
    bare = wanted.model_copy(update={"gpus_owned": (), "gpus_asked": (), "gpus_proposed": ()})
    tried: list[tuple[Way, float]] = []
    for row in find_gpus(GpuQuery(limit=500, sort="price")).gpus:
        plugged = row.market in _PLACES and sold_alone(row) and ordinary(row) and recent(row.price)
        if not plugged or (owned and row.id == owned.gpu):
            continue
        way = picture_cards.way(bare, GpuCount(gpu=row.id, count=1))
        time = _time(wanted, row.id, way, found, owned) if way is not None and way.fits else None
        if way is not None and time is not None:
            tried.append((way, time))
    reached = [one for one in tried if one[1] <= found.wanted_s]
    if not reached:
        return tuple(sorted(tried, key=lambda one: one[1])[:1])
    kept = reached[:1]
    for one in reached[1:]:
        if one[1] * QUICKER <= kept[-1][1] and len(kept) < SHOWN_MAX:
            kept.append(one)
    return tuple(kept)


def _time(need: Need, card: str, way: Way, found: Aim, owned: GpuCount | None) -> float | None:
    call = speed(need, card, way.weight_format, found, owned)
    if call is None:
        return None
    try:
        return seconds(estimate_inference_speed(InferenceSpeedRequest.model_validate(call.request)))
    except AdvisorError:
        return None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory and the pace of each card put forward, the usual pace of the one in hand, and their data sheets."""
    found, owned, wanted = aim(understanding), own(need), picture_cards.of(need)
    ways = chosen(understanding, need)
    if found is None or not ways:
        return []
    names = tuple(dict.fromkeys([*([owned.gpu] if owned else []), *(way.card.gpu for way, _ in ways)]))
    usual = requests.speed(wanted, owned, ways[0][0].weight_format) if owned else None
    return [
        *(way.call for way, _ in ways),
        *(speed(wanted, way.card.gpu, way.weight_format, found, owned) for way, _ in ways),
        usual,
        planned("find_gpus", names=names, limit=len(names) + 20),
    ]
