"""How long stated work takes: 「转写 1000 小时音频用什么卡，要多久」, "which GPU for 20M documents, how long"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2

from assistant.answer import ToolCallRecord
from assistant.plan import jobs, money, requests
from assistant.plan.amounts import COUNTED, TEXT_TOKENS, count_of, model_kind, trains
from assistant.plan.call import PlannedCall, planned
from assistant.plan.ways import only
from assistant.understand.lengths import find_parts
from assistant.understand.worded import DOCUMENTS, EACH, lasts, period_s
from assistant.understanding import Understanding
from tools.configuration import Configuration
from tools.cost.work import SEQUENCES
from tools.need import GpuCount, Need

WAYS_MAX = 6
"""Configurations of which the time is worked out: more than an answer shows."""
MOST_CARDS = 512
"""Cards beyond which nobody takes more to be in time."""
SENTENCE_TOKENS, SHORTER = 32, 4
"""Tokens of a sentence, and how many times shorter than a text what is written of it is, where nothing is said."""
_SENTENCES = re.compile(r"sentences?|句|tweets?|titles?|标题", re.I)
_TRANSLATES = re.compile(r"translat|rewrit|paraphras|翻译|译成|改写|润色", re.I)
LAID = ("tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "sharding")
"""How a training lies on the cards of a configuration."""


def work(need: Need, text: str) -> dict[str, object]:
    """The amount to get through once, as fields of a speed request; none where it was not stated or comes again.

    Tokens are written by as many sequences at once as hardware that is paid for to be busy serves.
    """
    if requests.is_training(need) or period_s(text) is not None or not lasts(text):
        return {}
    if model_kind(need) in COUNTED:
        return jobs.work(need, text)
    if model_kind(need) not in (None, "llm", "vlm"):
        return {}
    if need.dataset_tokens is None:
        each = texts(need, text)
        return each.work(need) if each is not None else {}
    return {"tokens": need.dataset_tokens, "concurrent_sequences": need.concurrent_sequences or SEQUENCES}


@dataclass(frozen=True, slots=True)
class Texts:
    """So many texts that a language model reads and answers one by one, with the tokens of each."""

    count: int
    read: int
    written: int

    def work(self, need: Need) -> dict[str, object]:
        """As fields of a speed request."""
        return {
            "tokens": self.count * self.written, "input_tokens": self.read, "output_tokens": self.written,
            "concurrent_sequences": need.concurrent_sequences or SEQUENCES,
        }  # fmt: skip


_WRITTEN = re.compile(
    r"(?:输出|生成|摘要|回答)\s?(?:约|大概|大约|长度)?\s?(\d{1,5})(?!\d|\s?[万千kK%条个张])|\b(?:output|answer|summar(?:y|ies)|completion)s?"
    r" (?:of |about |around ){0,2}(\d{1,5})\b(?! ?k)",
    re.I,
)
"""How long what is written of each text is, where that was told beside the length of what is read."""


def texts(need: Need, text: str) -> Texts | None:
    """The texts that a language model is to get through; a translation is about as long as what is translated."""
    match = DOCUMENTS.search(text)
    stated = need.dataset_tokens is not None or requests.is_training(need) or trains(text)
    if match is None or stated or model_kind(need) not in (None, "llm", "vlm"):
        return None
    count = count_of(match)
    parts = find_parts(text.lower())
    if count and parts is not None:
        return Texts(count, *parts.value)
    each = EACH.search(text)
    usual = SENTENCE_TOKENS if _SENTENCES.search(match[0]) else TEXT_TOKENS
    read = round(float(each["n"]) * (1000 if each["k"] else 1)) if each else usual
    said = _WRITTEN.search(text)
    shorter = read if _TRANSLATES.search(text) else max(1, read // SHORTER)
    return Texts(count, read, int(said[1] or said[2]) if said else shorter) if count else None


def to_write(need: Need, text: str) -> dict[str, object]:
    """The same where it is tokens; none where it is counted in items."""
    found = work(need, text)
    return found if "tokens" in found else {}


def asked(understanding: Understanding, need: Need) -> bool:
    """Whether the time of a stated amount of work is asked that is not training."""
    return not understanding.error_text and requests.sized(need) and bool(work(need, understanding.text))


def writes(understanding: Understanding) -> bool:
    """Whether the time of tokens to write is asked of a model that nobody speaks of training."""
    need, text = understanding.need, understanding.text
    return bool(to_write(need, text)) and need.trained is None and not trains(text)


def calls(
    understanding: Understanding, need: Need, configurations: Sequence[Configuration]
) -> list[PlannedCall | None]:
    """The time of the work on each configuration of like cards, best first."""
    if not asked(understanding, need):
        return []
    ways = {(one.gpu, one.gpu_count, one.weight_format): one for one in configurations if len(one.cards) < 2}
    return [_on(need, understanding.text, one) for one in list(ways.values())[:WAYS_MAX]]


def _on(need: Need, text: str, one: Configuration) -> PlannedCall | None:
    laid: dict[str, object] = {}
    if model_kind(need) not in COUNTED:
        laid = {"tensor_parallel": one.tensor_parallel, "pipeline_parallel": one.pipeline_parallel}
    card = GpuCount(gpu=one.gpu, count=one.gpu_count)
    return requests.speed(need, card, one.weight_format, text=text, **(laid | work(need, text)))


def of_a_run(understanding: Understanding, need: Need) -> PlannedCall | None:
    """The time of a stated training of pictures on the card that is to be rented for it; None where it is none."""
    card, text = next(iter(requests.cards(need)), None), understanding.text
    return requests.training_time(need, card, text=text) if run_to_rent(need, understanding) else None


def run_to_rent(need: Need, understanding: Understanding) -> bool:
    """Whether a card is to be rented for a stated training of pictures or of a network that sees."""
    trained = understanding.need.trained is not None or trains(understanding.text)
    stated = understanding.need.amount and only(understanding.text, need) == "rent"
    pictured = {model_kind(need), need.task} & {"diffusion", "vision"}
    return bool(trained and stated and pictured and requests.cards(need))


def rented_for(need: Need, results: Sequence[ToolCallRecord]) -> dict[str, object]:
    """The time that was worked out so, as the term of the rent."""
    timed = (one.result.get("time_s") for one in results if one.tool == "estimate_training_time")
    seconds = next((time["value"] for time in timed if time), None) if model_kind(need) in COUNTED else None
    return {"term_s": seconds, "acquisition": "rent"} if seconds else {}


def training_on(need: Need, text: str, one: Configuration) -> PlannedCall | None:
    """The time of a training on a configuration, laid out as it is proposed."""
    call = requests.training_time(need, GpuCount(gpu=one.gpu, count=one.gpu_count), text=text)
    if call is None or model_kind(need) in COUNTED:
        return call
    laid = {name: getattr(one, name) for name in LAID}
    return planned(call.tool, **(call.request | laid))


def in_time(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The same training on as many more of the cards as finish it by the deadline, where those asked about do not."""
    timed = [one for one in results if one.tool == "estimate_training_time" and one.result.get("time_s")]
    if need.deadline_s is None or len(timed) != 1 or len(requests.cards(need)) != 1:
        return []
    count, seconds = timed[0].result["gpu_count"], timed[0].result["time_s"]["value"]
    if seconds <= need.deadline_s:
        return []
    more = 2 ** ceil(log2(count * seconds / need.deadline_s))
    card = GpuCount(gpu=timed[0].result["gpu"], count=more)
    return [requests.training_time(need, card, text=understanding.text)] if more <= MOST_CARDS else []


def in_time_for(need: Need) -> bool:
    """Whether a training of stated data is to end by a deadline."""
    timed = need.deadline_s is not None and need.dataset_tokens is not None
    return timed and requests.is_training(need) and requests.sized(need)


def either(need: Need) -> tuple[GpuCount, ...]:
    """The two sets of cards that a training may run on, one or the other: "8xA100 or 8xH100"; none otherwise.

    Two that are asked about, whatever is in hand; cards of several kinds that are all in hand are one machine, unless
    they are to be rented.
    """
    if len(need.gpus_owned) > 1 and need.acquisition != "rent":
        return ()
    ways = requests.compared(need)
    asked = tuple(one for one in ways if one.gpu in need.gpus_asked)
    ways = asked if len(asked) > 1 else ways
    return ways if len({one.gpu for one in ways}) == len(ways) == 2 else ()


def on_each(need: Need, ways: Sequence[GpuCount], understanding: Understanding) -> list[PlannedCall | None]:
    """Time, price where that is asked too, and memory of the same training on each set of cards."""
    priced = money.prices_run(understanding.text, need)
    alone = [
        need.model_copy(update={"gpus_owned": (), "gpus_asked": (way.gpu,), "gpus_proposed": (way,)}) for way in ways
    ]
    return [
        *(requests.training_time(need, way, text=understanding.text) for way in ways),
        *(money.cost(one, understanding) for one in alone if priced),
        *(requests.memory(one, way) for one, way in zip(alone, ways, strict=True)),
    ]
