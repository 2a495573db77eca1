"""What a known amount of work costs: "2000 hours of audio a month", 「十万张 SDXL 图」, "embed 300B tokens"."""

import math
import re
from collections.abc import Iterator

from assistant.plan import money, requests
from assistant.plan.amounts import COUNTED, TEXT_TOKENS, amounts, model_kind, trains
from assistant.plan.call import PlannedCall
from assistant.plan.market import ordinary
from assistant.understand.worded import A_DAY, PRICED, READ, lasts
from assistant.understanding import Understanding
from kb.base import AdvisorError
from kb.catalog import gpu, gpus
from tools.cost.work import JOBS, TEXTS_AT_ONCE
from tools.find_offers import OfferQuery, OfferRow, find_offers
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import Need
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest

SHOWN_MAX = 3
"""Cards priced for the job."""
DAYS_PER_MONTH, WEEKS_PER_MONTH = 365 / 12, 365 / 84
_WEEK = re.compile(r"每周|一周(?![之以]?内)|每星期|per week|(?<!in )(?<!within )a week|weekly|/week", re.I)


def asked(understanding: Understanding) -> bool:
    """Whether the price of a stated amount of speech, pictures or texts is asked, on no hardware of one's own."""
    need, text = understanding.need, understanding.text
    if understanding.command or understanding.error_text or requests.is_training(need):
        return False
    if need.trained is not None or trains(text) or need.acquisition == "buy":
        return False
    if need.gpus_owned and need.acquisition != "rent":
        return False
    still = need.matter == "price" and not (understanding.follow_up and lasts(text))
    priced = PRICED.search(text) is not None or still or need.budget is not None
    return model_kind(need) in COUNTED and priced and bool(work(need, text))


def monthly(text: str) -> bool:
    """Whether the work comes again and again, so that a month of it is priced."""
    return bool(A_DAY.search(text) or _WEEK.search(text)) or money.asks_monthly(text)


def work(need: Need, text: str) -> dict[str, object]:
    """The amount of work, of a month where it comes again and again, as fields of a cost request."""
    found = amounts(need, text)
    tokens = need.tokens_per_month or need.dataset_tokens
    stated = {name: found[name] for name in JOBS if name in found}
    if model_kind(need) in READ and tokens and "documents" not in stated:
        length = int(str(found.get("input_tokens") or TEXT_TOKENS))
        return {"documents": math.ceil(tokens / length), "input_tokens": length}
    if not stated:
        return {}
    times = DAYS_PER_MONTH if A_DAY.search(text) else WEEKS_PER_MONTH if _WEEK.search(text) else 1.0
    kept = {name: value for name, value in found.items() if name in ("steps", "width_px", "height_px", "input_tokens")}
    if "documents" in stated:
        kept.setdefault("input_tokens", TEXT_TOKENS)
    return kept | {name: math.ceil(float(str(value)) * times) for name, value in stated.items()}


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The job on each of the cards that do it for the least rent, or on those named."""
    text, bare = understanding.text, need.model_copy(update={"budget": None, "term_s": None, "dataset_tokens": None})
    named = requests.named_gpus(need)[:SHOWN_MAX]
    cards = named or tuple(_cheapest(need, work(need, text)))[:SHOWN_MAX]
    return [
        money.cost(
            bare.model_copy(update={"gpus_asked": (card,), "gpus_proposed": (), "gpu_count": 1, "params": None}),
            understanding, (), acquisition="rent", term_s=None, rent_per_hour=None, **work(need, text),
        )
        for card in cards
    ]  # fmt: skip


def _cheapest(need: Need, amount: dict[str, object]) -> Iterator[str]:
    """Cards of which one holds the work, those that do it for the least rent first."""
    call = requests.memory(need)
    if call is None:
        return
    needed = estimate_memory(MemoryRequest.model_validate(call.request)).per_gpu.total_bytes
    priced = []
    for card, row in _offers(need).items():
        if gpu(card).usable_bytes >= needed and ordinary(gpu(card)):
            seconds = _seconds(need, amount, card)
            if seconds is not None:
                priced.append((seconds * float(row.usd_per_gpu_hour), card))
    yield from (card for _, card in sorted(priced))


def _offers(need: Need) -> dict[str, OfferRow]:
    """The cheapest offer of each card by itself; dated ones only."""
    found: dict[str, OfferRow] = {}
    for row in find_offers(OfferQuery(provider=need.provider, max_gpus=1, limit=1000)).offers:
        if row.gpu is not None and row.gpu in gpus() and not row.undated and row.gpu_count == 1:
            found.setdefault(row.gpu, row)
    return found


def _seconds(need: Need, amount: dict[str, object], card: str) -> float | None:
    """What one card takes; None where its pace is not known."""
    at_once = {"concurrent_sequences": TEXTS_AT_ONCE} if "documents" in amount else {}
    try:
        found = estimate_inference_speed(
            InferenceSpeedRequest.model_validate({"model": need.model, "gpu": card, **amount, **at_once})
        )
    except AdvisorError:
        return None
    return found.time_s.value if found.time_s else None
