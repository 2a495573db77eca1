"""Engines and formats that the cards in question cannot run, and what is reckoned with in their place."""

from assistant.plan import requests
from assistant.plan.formats import packed_format
from kb.base import AdvisorError
from kb.catalog import gpu
from kb.programs.software import features
from kb.records.gpu import Gpu
from tools.need import Need

_VLLM, _LLAMA = "vllm", "llama.cpp"
_ONE_ENGINE = ("awq",)
"""Formats that serving engines read and llama.cpp does not, with a rule of their own for old cards."""


def refused(need: Need, engine: str | None) -> tuple[Gpu, str] | None:
    """The first card in question that cannot run the engine, or else the format, named; with what it refuses."""
    for card in _cards(need):
        if engine is not None and _refuses(card, engine):
            return card, engine
        if need.weight_format in _ONE_ENGINE and engine in (None, _VLLM) and _refuses(card, str(need.weight_format)):
            return card, str(need.weight_format)
    return None


def runnable(need: Need) -> Need:
    """The need with an engine that the cards do run: vLLM where that goes, else llama.cpp with its own format."""
    if requests.is_training(need) or need.intent in ("launch_files", "compatibility") or not requests.sized(need):
        return need
    found = refused(need, need.engine)
    if found is None:
        return need
    card, what = found
    if what not in _ONE_ENGINE and need.engine != _VLLM and not _refuses(card, _VLLM):
        return need.model_copy(update={"engine": _VLLM})
    kept = need.weight_format if (need.weight_format or "").startswith("gguf:") else packed_format(need.model)
    return need.model_copy(update={"engine": _LLAMA, "weight_format": kept, "kv_format": None, "tensor_parallel": None})


def _cards(need: Need) -> list[Gpu]:
    found = []
    for card in requests.cards(need):
        try:
            found.append(gpu(card.gpu))
        except AdvisorError:
            continue
    return found


def _refuses(card: Gpu, feature: str) -> bool:
    known = features().get(feature)
    rule = known.rule(card, _VLLM if feature in _ONE_ENGINE else feature) if known else None
    return rule is not None and rule.verdict == "does_not"
