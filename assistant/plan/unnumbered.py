"""A stated training on cards whose number nobody said ("on H100s", 「用 A100 80G」): on as many as hold it."""

import re

from assistant.plan import amounts, requests
from assistant.plan.method import still_open
from assistant.understanding import Understanding
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount, Need
from tools.training_time import estimate_training_time
from tools.training_time.request import TrainingTimeRequest

COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_WHOLE = ("full_finetune", "pretrain")
"""Trainings that are spread over cards; adapters are trained on one, and lightened where that is too small."""
_HEAD = (
    r"(?:nvidia|geforce|tesla|quadro|rtx|gtx|amd|instinct|radeon|ascend|昇腾|[ahlbvpt]\d{2,3}(?!\d|b\b)|gh?b?\d{3}"
    r"|mi\d{3}|[2-5]0[5-9]0|910[bc]|gpus?\b|cards?\b)"
)
_NUMBERED = re.compile(
    rf"(?<![\w.])(?:\d+|an?|one|two|three|four|six|eight|sixteen|single|my|our|this|that|both)\s?[x×*]?[ -]?{_HEAD}"
    r"|[x×*]\s?\d|\d\s?[x×*]\s?[a-z]|\d\s?(?:gpus?|cards?|nodes?|machines?|servers?|boxes)\b"
    r"|(?:\d|[一二两俩三四五六七八九十单双这那])\s?(?:张|块|卡|台|机|节点)|(?:有|手里|手头|手上)(?:的)?",
    re.I,
)
"""Words that tell how many cards there are, or that they are in hand."""
_SAID = re.compile(_HEAD, re.I)


def on_enough(understanding: Understanding, need: Need) -> Need:
    """The Need on as many cards as hold the training, from scratch as many as end it in a bearable time; the same Need
    where the number was said, or one card will do."""
    card = _unnumbered(understanding, need)
    if card is None:
        return need
    for count in COUNTS:
        several = GpuCount(gpu=card.gpu, count=count)
        if _holds(need, several) and _ends(need, several):
            found = {"gpus_owned": (), "gpus_asked": (card.gpu,), "gpus_proposed": (several,)}
            return need if count == 1 else need.model_copy(update=found)
    return need


def taken(understanding: Understanding, need: Need) -> GpuCount | None:
    """The cards, where their number is this one."""
    cards, said = requests.cards(need), requests.cards(understanding.need)
    if len(cards) != 1 or len(said) != 1 or cards[0].gpu != said[0].gpu:
        return None
    return cards[0] if (cards[0].count or 1) > (said[0].count or 1) else None


def within_s(need: Need) -> float | None:
    """What a training may take: until the deadline, from scratch without one a bearable time."""
    return need.deadline_s or (requests.PATIENCE_S if need.task == "pretrain" else None)


def _unnumbered(understanding: Understanding, need: Need) -> GpuCount | None:
    """The one kind of card that a stated training is asked about without their number."""
    cards, text = requests.cards(need), understanding.text
    stated = need.task in _WHOLE and need.dataset_tokens is not None and not still_open(understanding, need)
    asks = {need.intent, *understanding.asks}
    wanted = (asks & {"training_time", "budget"} or need.matter == "price") and "how_many_gpus" not in asks
    if not stated or not wanted or len(cards) != 1 or not requests.sized(need):
        return None
    if amounts.model_kind(need) not in (None, "llm", "vlm") or understanding.error_text:
        return None
    bare = (cards[0].count or 1) <= 2 and _SAID.search(text) and not _NUMBERED.search(text)
    return cards[0] if bare else None


def _holds(need: Need, card: GpuCount) -> bool:
    call = requests.memory(need, card)
    if call is None:
        return False
    fit = estimate_memory(MemoryRequest.model_validate(call.request)).fit
    return fit is not None and fit.verdict != "no"


def _ends(need: Need, card: GpuCount) -> bool:
    """Whether it ends within what it may take."""
    longest_s, call = within_s(need), requests.training_time(need, card)
    if longest_s is None or call is None:
        return True
    took = estimate_training_time(TrainingTimeRequest.model_validate(call.request)).time_s
    return took is None or took.value <= longest_s
