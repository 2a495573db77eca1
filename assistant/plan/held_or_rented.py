"""Cards in hand against another card for the same work: "I own 4 V100s, should I rent an A100 for this?"."""

import re

from assistant.plan import money, requests
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import bits
from assistant.plan.provisional import provisional
from assistant.plan.ways import rents
from assistant.plan.widest import Way, fewest, formats, widest
from assistant.understanding import Understanding
from kb.catalog import gpus
from tools.need import GpuCount, Need

_JUDGED = (
    r"\bshould\b|\bworth\b|\bmakes? (?:more |any |much )?sense|\binstead\b|\brather\b|\bbetter\b|\bkeep\b|\bstick\b"
    r"|\bworthwhile\b|\bneed(?:ed)? to\b|\bjustif\w+"
    r"|要不要|该不该|是不是该|是否(?:该|要|应该|有必要|值得)|用不用|该租|有必要|值得|值不值|划算|还不如|不如|好不好|需不需要"
)
_DECIDES = re.compile(rf"{_JUDGED}|\bor\b|\bvs\.?(?!\w)|\bversus\b|还是|对比", re.I)
"""Words that ask for a decision between the two."""
_CHOOSES = re.compile(_JUDGED, re.I)
"""The same where no rent is spoken of: two cards joined by "or" are compared."""
_SWITCH = re.compile(
    r"\binstead\b|\brather than\b|\breplac\w+|\bswitch\w*|\bswap\w*|\bkeep\b|换成|换|改用|改买|还不如|不如", re.I
)
"""Words that put another card in the place of those in hand, rented or not."""
_MINE = re.compile(
    r"(?:\b(?:my|our|mine|i have|i've got|i own|we have|we own|we've got)\b"
    r"|(?:自己|手[里上头]|家里|公司|我们?|已)有|现有)"
    r"[^,.;，。；?？!！]{0,12}$",
    re.I,
)
"""What stands before the card that is in hand."""
BOARD = 8
"""Cards in hand from which the other is meant in as many, which is how such cards stand in a server."""
_OTHER = (
    "speed",
    "training_time",
    "oom",
    "spec",
    "launch_files",
    "compatibility",
    "interconnect",
    "power",
    "context_length",
)
"""Intents of what is asked about the cards themselves."""


def asked(understanding: Understanding) -> bool:
    """Whether one kind of card in hand is weighed against one other for work of known size."""
    need, text = need_of(understanding, provisional(understanding)), understanding.text
    if understanding.error_text or understanding.command or not requests.sized(need) or need.intent in _OTHER:
        return False
    own, other = in_hand(need), wanted(need)
    if own is None or other is None or not {own.gpu, other.gpu} <= set(gpus()) or need.budget is not None:
        return False
    if rents(text):
        return bool(_DECIDES.search(text) or money.asks_cost(text)) and not money.asks_spot(text)
    return bool(_SWITCH.search(text) and _CHOOSES.search(text))


def need_of(understanding: Understanding, need: Need) -> Need:
    """The need with the card in hand where it was taken for one asked about: "instead of my two A5000"."""
    spans = [span for span in understanding.spans if span.slot == "gpus_asked"]
    if need.gpus_owned or len(spans) != 2 or len(need.gpus_asked) != 2:
        return need
    held = [name for span, name in zip(sorted(spans, key=lambda one: one.start), need.gpus_asked, strict=True)
            if _MINE.search(understanding.text[: span.start])]  # fmt: skip
    if len(held) != 1:
        return need
    count = next((card.count for card in need.gpus_proposed if card.gpu == held[0]), None)
    return need.model_copy(
        update={
            "gpus_owned": (GpuCount(gpu=held[0], count=count or 1),),
            "gpus_asked": tuple(name for name in need.gpus_asked if name != held[0]),
            "gpus_proposed": tuple(card for card in need.gpus_proposed if card.gpu != held[0]),
        }
    )


def in_hand(need: Need) -> GpuCount | None:
    """The cards in hand, where they are of one kind."""
    owned = need.gpus_owned
    return owned[0].model_copy(update={"count": owned[0].count or 1}) if len(owned) == 1 else None


def wanted(need: Need) -> GpuCount | None:
    """The other card, with its number where one was said; None where it is none or several."""
    owned = {card.gpu for card in need.gpus_owned}
    others = [card for card in requests.compared(need) if card.gpu not in owned]
    if len(others) != 1:
        return None
    said = others[0] in need.gpus_proposed or (others[0].count or 1) >= BOARD
    return others[0] if said else GpuCount(gpu=others[0].gpu)


def own_way(need: Need) -> Way | None:
    """How the cards in hand do it best."""
    own = in_hand(need)
    return widest(need, own) if own else None


def other_way(need: Need) -> Way | None:
    """How the other card does the same, as many of it as that takes; where it cannot, how it does it best."""
    own, other = own_way(need), wanted(need)
    if other is None:
        return None
    best = fewest(need, other)
    if best is None or own is None or not own.fits or not best.fits or requests.is_training(need):
        return best
    alike = [form for form in formats(need, best.card) if bits(form) == bits(own.weight_format)]
    same = widest(need, best.card, alike) if alike else None
    return same if same is not None and same.fits else best


def wider_way(need: Need) -> Way | None:
    """How the other would hold it in more bits than those in hand do; None where it does not."""
    other = other_way(need)
    best = widest(need, other.card) if other and other.fits else None
    return best if other and best and best.fits and bits(best.weight_format) > bits(other.weight_format) else None


def is_rent(understanding: Understanding) -> bool:
    """Whether the other is to be rented; it is bought otherwise."""
    return rents(understanding.text)


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Memory and pace of both, what the other costs, and what would do where neither does."""
    need = need_of(understanding, need)
    ways = [way for way in (own_way(need), other_way(need)) if way]
    found: list[PlannedCall | None] = [way.call for way in ways]
    found += [way.call for way in (wider_way(need),) if way and all(one.fits for one in ways)]
    found += [paced(need, way, understanding) for way in ways if way.fits]
    found += [cost(need, way, understanding) for way in ways[1:] if way.fits]
    found.append(requests.gpu_facts(need, names=tuple(way.card.gpu for way in ways)))
    if not any(way.fits for way in ways):
        found.append(requests.configure(need))
    return found


def paced(need: Need, way: Way, understanding: Understanding) -> PlannedCall | None:
    """How fast the work is there."""
    if requests.is_training(need):
        return requests.training_time(need, way.card, text=understanding.text, task=way.task, sharding=way.sharding)
    return requests.speed(need, way.card, way.weight_format, text=understanding.text)


def cost(need: Need, way: Way, understanding: Understanding) -> PlannedCall | None:
    """What the other costs: its rent, with the run's where its data are known, or its price."""
    job = need.model_dump(exclude={"intent"}) if need.dataset_tokens and requests.is_training(need) else {}
    if job:
        job |= {"task": way.task}
    rented = is_rent(understanding)
    return planned(
        "estimate_cost",
        **(job | {"gpu": way.card.gpu, "gpu_count": way.card.count, "currency": need.currency or "USD",
                  "acquisition": "rent" if rented else "buy", "machine_price": None if rented else 0.0}),
    )  # fmt: skip
