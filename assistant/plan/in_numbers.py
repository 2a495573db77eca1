"""One card in several numbers: "one 3090 or two for 70B?", 「4 卡和 8 卡 A800 吞吐差多少」."""

import re
from dataclasses import dataclass

from assistant.plan import one_more, requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.call import planned as planned_call
from assistant.plan.one_more import FILES, SERVED, by_files, paced, served
from assistant.plan.provisional import provisional
from assistant.plan.ways import rents
from assistant.plan.widest import Way, widest
from assistant.understanding import Understanding
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount, Need

AT_ONCE = 64
"""Requests at once by which throughput is compared where no number was said, if the fewer cards hold as many."""
_THROUGHPUT = re.compile(r"吞吐|并发|\bthroughput\b|\bconcurren", re.I)
USUAL = (235_000_000_000, 70_000_000_000, 32_000_000_000, 14_000_000_000, 8_000_000_000)
"""Sizes of models that people run, by the largest of which the fewer cards are judged where none was named."""
_UNSAID = (None, "inference", "general")
_KINDS = ("llm", "vlm", "diffusion", "speech", "embedding", None)
_COMPARED = re.compile(r"\bvs\b|versus|\bor\b|faster|better|difference|compar|差|区别|对比|还是|强|快|提升|比", re.I)
_OTHER = (
    "power",
    "oom",
    "cloud_or_buy",
    "interconnect",
    "budget",
)
"""Intents that ask for something else than what the numbers do."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The fewer cards and the more, each in its widest way, and both alike: in the format that the fewer hold."""

    need: Need
    few: Way
    many: Way
    shared: bool
    """Whether engines that split each layer over the cards are told beside files run layer after layer."""


def asked(understanding: Understanding) -> bool:
    """Whether work of known size is weighed on two numbers of one card."""
    need = provisional(understanding)
    if understanding.error_text or understanding.command or numbers(need) is None:
        return False
    if need.intent in _OTHER or model_kind(need) not in _KINDS or rents(understanding.text):
        return False
    if requests.sized(need):
        return True
    loaded = need.users or need.concurrent_sequences  # how many a set serves turns on the model
    return not loaded and need.task in _UNSAID and bool(_COMPARED.search(understanding.text))


def numbers(need: Need) -> tuple[GpuCount, GpuCount] | None:
    """The fewer and the more; None where not one card is weighed in two numbers."""
    cards = sorted(need.gpus_proposed, key=lambda card: card.count or 1)
    if need.gpus_owned or len(cards) != 2 or cards[0].gpu != cards[1].gpu or cards[0].count == cards[1].count:
        return None
    return cards[0], cards[1]


def weighed(need: Need, text: str) -> Weighed | None:
    """How each number does the work; None where no way could be reckoned."""
    pair = numbers(need)
    if pair is None:
        return None
    need = _loaded(_usual(need, pair[0]), pair[0], text)
    apart = model_kind(need) not in ("llm", "vlm", None)
    forms = () if need.weight_format or apart or not by_files(need, pair[1]) else FILES
    few, many = (widest(need, card, forms) for card in pair)
    if few is None or many is None:
        return None
    files = (few.weight_format or "").startswith("gguf:")
    return Weighed(need, few, many, shared=files and not apart and need.engine is None and _shares(need, few, many))


def _usual(need: Need, card: GpuCount) -> Need:
    """The need with the largest usual model that the card holds in four bits, where none was named."""
    if requests.sized(need):
        return need
    tried = (need.model_copy(update={"task": "inference", "params": size}) for size in USUAL)
    held = (one for one in tried if (way := widest(one, card, (SERVED,))) is not None and way.verdict == "yes")
    return next(held, need.model_copy(update={"task": "inference", "params": USUAL[-1]}))


def _shares(need: Need, few: Way, many: Way) -> bool:
    """Whether both numbers hold it in four bits, and the more can split each layer."""
    if not few.fits or one_more.even(many.card.count or 1) or requests.is_training(need):
        return False
    return all((way := widest(need, one.card, (SERVED,))) is not None and way.fits for one in (few, many))


def _loaded(need: Need, card: GpuCount, text: str) -> Need:
    """The need with as many requests at once as throughput is told for, where it is asked for without a number."""
    if requests.is_training(need) or not _THROUGHPUT.search(text) or need.users or need.concurrent_sequences:
        return need
    way = widest(need, card)
    if way is None or not way.fits:
        return need
    fit = estimate_memory(MemoryRequest.model_validate(way.call.request)).fit
    most = min(AT_ONCE, (fit.max_concurrent_sequences or 1) if fit else 1)
    return need.model_copy(update={"concurrent_sequences": most}) if most > 1 else need


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Memory and pace of both, the pace of both alike, and where layers can be split that, too."""
    found = weighed(need, understanding.text)
    if found is None:
        return []
    need, few, many = found.need, found.few, found.many
    planned: list[PlannedCall | None] = [few.call, many.call]
    planned += [paced(need, way) for way in (few, many) if way.fits]
    if few.fits:
        planned.append(alike(found))
    if found.shared:
        planned += [served(need, way.card, SERVED) for way in (few, many)]
    if not many.fits and (further := one_more.beyond(need, many)) is not None:
        planned += [further.call, paced(need, further)]
    if need.params and not requests.sized(understanding.need):
        planned += [room(one.card) for one in (few, many)]
    return [*planned, requests.gpu_facts(need, names=(few.card.gpu,))]


def room(card: GpuCount) -> PlannedCall | None:
    """The largest models that so many of the card hold, told where none was named."""
    return planned_call("what_fits", gpus=[card.model_dump()], task="inference")


def alike(found: Weighed) -> PlannedCall | None:
    """The pace of the more cards at what the fewer hold."""
    need, few, many = found.need, found.few, found.many
    if requests.is_training(need):
        return requests.training_time(need, many.card, task=few.task, sharding=few.sharding)
    return served(need, many.card, few.weight_format)
