"""The Need an answer is worked out with while something is still in doubt: every settlement is said in the answer."""

import re
from functools import lru_cache

from assistant.plan import amounts, good_at_all, home, loaded, pictured_samples, purse, requests
from assistant.plan.formats import AS_PUBLISHED, WIDE, bits, native_format, packed_format
from assistant.plan.from_scratch import usual_data
from assistant.plan.method import still_open
from assistant.plan.nameless import counted
from assistant.plan.runnable import runnable
from assistant.plan.unnumbered import on_enough
from assistant.plan.ways import only
from assistant.understand import worded
from assistant.understand.formats import find_formats
from assistant.understand.likened import domestic_instead
from assistant.understand.progress import find_samples
from assistant.understand.standing import other_than_language
from assistant.understanding import Understanding
from kb.catalog import conventional, gpu, gpus, model, models
from kb.projects import Project, project_in
from tools.configure.market.suitable import MADE_IN_CHINA
from tools.cost.work import JOBS
from tools.need import SERVED, Need
from tools.training_time.request import SAMPLE_TOKENS

CHINESE_CARDS = ("ascend-910b3-64gb",)
"""What 「国产卡」 is worked out with: the most sold, with a price and software that are known.

The 910C is sold in supernodes of 384, which nobody means who asks for a few cards.
"""
PACKED_BYTES = 0.75
"""Bytes that a parameter takes in four bits with a short context's cache and the engine beside it."""
TOY_PARAMS, USUAL_PARAMS = 5 * 10**9, 8 * 10**9


_TOKENS = re.compile(r"\btok(?:en)?s?\b|\bt/s\b|\btps\b|llm|language model|llama\.?cpp|ollama|大模型|推理", re.I)
RACED_PARAMS = 8 * 10**9
"""Size of the model by which cards race where none was named: every card of today holds it in four bits."""
ROOMY_BYTES = 4
"""Bytes of memory to a parameter from which a model in sixteen bits leaves as much again free."""
_REPLACED = re.compile(r"\breplac|\bmigrat|\bmov(?:e|ing) (?:from|to|off)|\bswitch|\bswap|换掉|替换|替代|迁移", re.I)
"""Words that make the cards in hand those that others are to stand in for."""
_SERVERS = ("data_center", "cloud_only")
REMEMBERED = 64
"""Readings whose Need is kept, some 10 kB each; a turn has one, or one more for every part."""


@lru_cache(maxsize=REMEMBERED)
def provisional(understanding: Understanding) -> Need:
    """The Need of `_settled`, with the tokens of its data where the number of samples was said, or nothing of them, and
    with as many cards as a training takes where their number was not said.

    Remembered: planning and composing ask for it a dozen times a turn.
    """
    need = _with_data(understanding, requests.trained_in(home.settled(understanding, _settled(understanding))))
    return on_enough(understanding, need)


def _with_data(understanding: Understanding, need: Need) -> Need:
    """The Need with the tokens of its data, as far as they follow from what was said."""
    if data := usual_data(understanding, need):
        return need.model_copy(update={"dataset_tokens": data})
    reads = amounts.model_kind(need) in (None, "llm", "vlm", *worded.READ)
    if need.dataset_tokens is not None or not reads or not requests.sized(need) or not requests.is_training(need):
        return need
    samples = samples_said(understanding)
    data = samples * SAMPLE_TOKENS if samples else pictured_samples.tokens(understanding, need)
    return need.model_copy(update={"dataset_tokens": data}) if data else need


def samples_said(understanding: Understanding) -> int | None:
    """Samples of the training data that were stated, in this turn or before."""
    return find_samples(understanding.text) or understanding.need.samples


def _settled(understanding: Understanding) -> Need:
    """The Need with ambiguous names settled on the conventional candidate, so that an answer is possible at once.

    Unknown names are not settled: the closest name is a guess about a different thing. Work other than language
    without a model gets a common model of its kind, and is training when the words say so.
    """
    need: Need = understanding.need
    for doubt in understanding.ambiguities:
        if doubt.unknown or not doubt.candidates:
            continue
        if doubt.kind == "model" and need.model is None and need.params is None and need.intent != "what_fits":
            need = need.model_copy(update={"model": _member(need, doubt.candidates)})
        elif doubt.kind == "gpu" and not set(doubt.candidates) & set(requests.named_gpus(need)):
            need = need.model_copy(update={"gpus_asked": (*need.gpus_asked, conventional(doubt.candidates))})
    if need.intent == "how_many_gpus" and need.gpus_asked and _REPLACED.search(understanding.text):
        need = need.model_copy(update={"gpus_owned": ()})
    if need.acquisition is None and need.provider is None and only(understanding.text, need) == "buy":
        need = need.model_copy(update={"acquisition": "buy"})
    need = counted(understanding, need)
    if raced(understanding):
        example = loaded_example(understanding)
        own = not example and any(gpu(name).market not in _SERVERS for name in requests.named_gpus(need))
        need = need.model_copy(
            update={"params": example or RACED_PARAMS, "weight_format": packed_format(None) if own else None}
        )
    if chinese_cards(understanding):
        stood_for: dict[str, object] = {"gpus_asked": CHINESE_CARDS, "gpus_owned": (), "gpus_proposed": ()}
        need = need.model_copy(update=stood_for | {"country": need.country or "CN"})
    chosen = need.intent in _ORDERED and not requests.cards(need)
    weighed = need.intent == "compare" or (need.intent in _WEIGHED and len(requests.named_gpus(need)) > 1)
    if (chosen or weighed) and need.task == "full_finetune":
        need = need.model_copy(update={"task": "lora" if still_open(understanding, need) else need.task})
    if quantised := compared_formats(understanding):
        need = need.model_copy(update={"weight_format": quantised[0]})
    if usual := packed(understanding):
        need = need.model_copy(update={"weight_format": need.weight_format or usual})
    if chosen and need.task in SERVED and not need.weight_format and AS_PUBLISHED.search(understanding.text):
        need = need.model_copy(update={"weight_format": native_format(need.model)})
    crowd = purse.crowd(need, understanding)
    project = repeated(understanding)
    if project is not None:
        need = need.model_copy(update={"model": project.model, "params": model(project.model).params})
    if not other_than_language(need):
        return runnable(need.model_copy(update={"concurrent_sequences": crowd}) if crowd else need)
    if need.context_tokens is None and (length := amounts.texts(need, understanding.text).get("input_tokens")):
        need = need.model_copy(update={"context_tokens": length if amounts.model_kind(need) in worded.READ else None})
    # What was counted as work to do is no length of a request, and no time that something is hired for.
    amount = {float(str(one)) for name, one in amounts.amounts(need, understanding.text).items() if name in JOBS}
    need = need.model_copy(update={key: None for key in ("context_tokens", "term_s") if getattr(need, key) in amount})
    way = understanding.need.trained
    return need.model_copy(update={"task": way or need.task, "model": need.model or stand_in(understanding)})


def loaded_example(understanding: Understanding) -> int | None:
    """The size of the model that stands in where sets of cards are weighed for a load and none was named."""
    need = understanding.need
    weighs = {"compare", "which_to_buy"}.intersection((need.intent, *understanding.asks))
    return loaded.example_params(need, understanding.text) if weighs else None


def raced(understanding: Understanding) -> bool:
    """Whether the speeds of several cards at language models are asked for without a model: a common size stands in."""
    need = understanding.need
    if loaded_example(understanding):
        return True
    paced = "speed" in {need.intent, *understanding.asks} and need.intent in {"speed", "compare"}
    unsaid_work = need.task in {None, "inference"} and not requests.sized(need) and not need.model_text
    tokens = _TOKENS.search(understanding.text) is not None
    doubted = [one for one in understanding.ambiguities if one.kind == "gpu" and not one.unknown and one.candidates]
    kinds = {*requests.named_gpus(need), *(conventional(one.candidates) for one in doubted)}
    return paced and unsaid_work and tokens and len(kinds) > 1


def _member(need: Need, candidates: tuple[str, ...]) -> str:
    """Which of a family is reckoned with: on cards the largest that they hold in four bits, else the usual one.

    A family whose usual member is a toy is meant as the one that people begin with.
    """
    sizes = {name: models()[name].params for name in candidates if name in models()}
    cards = [(gpu(card.gpu), card.count or 1) for card in requests.cards(need) if card.gpu in gpus()]
    if not sizes:
        return candidates[0]
    if cards:
        room = max(card.usable_bytes * count for card, count in cards)
        held = [name for name in sizes if sizes[name] * PACKED_BYTES <= room]
        return max(held, key=lambda name: sizes[name]) if held else min(sizes, key=lambda name: sizes[name])
    if sizes.get(candidates[0], TOY_PARAMS) >= TOY_PARAMS:
        return candidates[0]
    return min(sizes, key=lambda name: abs(sizes[name] - USUAL_PARAMS))


def compared_formats(understanding: Understanding) -> tuple[str, ...]:
    """The quantised formats set against each other, widest first: then the published one is none of the question.

    Where the memory of each is asked for, all that are named.
    """
    need = understanding.need
    if requests.is_training(need) or not requests.sized(need):
        return ()
    named = list(dict.fromkeys(found.value for found in find_formats(understanding.text.lower())))
    listed = need.intent in ("min_vram", "how_many_gpus")
    wide = any(bits(name) >= WIDE for name in named) and not listed
    chosen = need.weight_format is not None and not listed
    return () if wide or chosen or len(named) < 2 else tuple(sorted(named, key=bits, reverse=True))


def packed(understanding: Understanding) -> str | None:
    """The format that llama.cpp and its front ends load where none is named: what they download is four bits a weight.

    Ollama's plain tags, LM Studio's first proposal and the usual GGUF file are all Q4_K_M.
    """
    need = understanding.need
    served = need.engine == "llama.cpp" and not requests.is_training(need) and requests.sized(need)
    if not served or need.weight_format is not None or other_than_language(need):
        return None
    return packed_format(need.model)


def chinese_cards(understanding: Understanding) -> bool:
    """Whether cards made in China are asked for, now or before, with none of them named, or in the place of another."""
    need, named = understanding.need, requests.named_gpus(understanding.need)
    if len(named) == 1 and requests.sized(need) and domestic_instead(understanding.text):
        return gpu(named[0]).vendor not in MADE_IN_CHINA
    return not named and "chinese" in need.conditions


def repeated(understanding: Understanding) -> Project | None:
    """The published project to be repeated, where it is named and a model is not."""
    need = understanding.need
    if requests.sized(need) or need.model_text or not requests.is_training(need):
        return None
    return project_in(understanding.text)


def stand_in(understanding: Understanding) -> str | None:
    """The common model that stands in for one that was not named, where the words pointed to it."""
    need = understanding.need
    if requests.sized(need) or need.usual_model is None:
        return None
    raced_alike = need.intent == "compare" and need.trained is None and _roomy(need, need.usual_model)
    judged = raced_alike or good_at_all.asked(understanding)
    return need.usual_model if need.intent in _SIZED_INTENTS or judged else None


def _roomy(need: Need, usual: str) -> bool:
    """Whether every card compared holds the stand-in twice over: then its pace tells them apart, not its memory."""
    cards = [gpu(name).usable_bytes for name in requests.named_gpus(need) if name in gpus()]
    return bool(cards) and ROOMY_BYTES * models()[usual].params <= min(cards)


_ORDERED = ("which_to_buy", "budget", "cloud_or_buy")
"""Intents that are answered with hardware to order: for fine-tuning of any kind, that which adapters take."""
_WEIGHED = (*_ORDERED, "interconnect")
"""Intents under which cards that are named may be held against each other."""
_SIZED_INTENTS = ("can_it_run", "how_many_gpus", "min_vram", "which_to_buy", "budget", "cloud_or_buy", "oom")
