"""What is asked, main question first: parameters are no questions, and one section answers a family of them."""

import re
from functools import lru_cache

from assistant.plan import duration, feeding, good_at_all, link, money, needless, ordered, progress, requests, served
from assistant.plan.amounts import COUNTED, counts_output, model_kind, pace_asked, rate, shared, trains
from assistant.plan.apart import rented_and_bought
from assistant.plan.method import both
from assistant.plan.provisional import raced
from assistant.plan.ways import asks_for_cheapest
from assistant.understand.worded import READ
from assistant.understanding import Asked, Understanding
from tools.need import Intent, Need

INTENTS_MAX = 2
"""Parts of a question answered at length; more would bury the first."""
FAMILIES: dict[Intent, str] = {
    "can_it_run": "fit", "how_many_gpus": "fit", "min_vram": "fit", "context_length": "fit", "concurrency": "fit",
    "what_fits": "fit", "launch_files": "fit", "oom": "fit",
    "which_to_buy": "shop", "budget": "shop", "cloud_or_buy": "shop",
    "compare": "facts", "spec": "facts", "interconnect": "facts", "compatibility": "facts", "power": "facts",
    "speed": "speed", "training_time": "training_time", "guidance": "docs", "other": "docs",
}  # fmt: skip
"""Intents that one section answers together."""
CONTAINED: dict[str, tuple[str, ...]] = {
    "fit": ("shop", "docs"), "shop": ("fit", "docs"), "facts": ("docs",), "speed": ("docs",),
    "training_time": ("docs",),
}  # fmt: skip
"""Families that the section of another already speaks to."""
ASIDES = ("interconnect", "spec", "compatibility")
"""Properties of a card: beside a question whether a model runs on it they are details."""
HARDWARE = (
    "which_to_buy", "how_many_gpus", "budget", "cloud_or_buy", "min_vram", "can_it_run", "oom", "compare",
)  # fmt: skip
"""Questions that a length or a number of users is a parameter of."""
_PACED = ("speed", "training_time", "can_it_run", "min_vram", "other", "guidance", "concurrency", "spec", "what_fits")
"""What a question for the pace of images, speech or documents may be read as."""
_SIZED = ("min_vram", "how_many_gpus", "can_it_run", "other", "guidance")
"""What a question for the cheapest hardware may be read as, and is not."""
_TIMED = (*_PACED, "how_many_gpus")
"""Intents that ask for cards to be put forward where the time of stated work is asked too and none were named."""
_MATTERS = re.compile(
    r"必须|非要|要不要|有必要|需不需要|够不够|够吗|影响|加速|差多少|慢|瓶颈|提升|有意义|值得|浪费|\b(?:need|required?|necessary|matters?|worth|slow\w*"
    r"|bottleneck|hurts?|penalty|degrad\w*|pointless|help|enough|faster|speed ?up)\b",
    re.I,
)
"""Words that ask what a link is worth rather than mention it."""
_HAS = re.compile(
    r"(?:has|have|with) how (?:much|many)|how (?:much|many) (?:gb of )?(?:v?ram|memory|video memory|gb)"
    r" (?:does|do|has|have|is (?:on|in)|comes?)|有多少(?:g|显存)|显存(?:是|有)?(?:多大|多少g?)[?？]?$"
    r"|(?:是|有)多大(?:的)?显存",
    re.I,
)
"""Words that ask what a card has rather than what work takes."""
_SUPPORTS = re.compile(r"支持(?:吗|么|嘛|不支持|不$|不?[?？])|(?<!不)支持[^，。,?？]{0,4}$|\bsupport(?:s|ed)?\b", re.I)
_MEMORY = re.compile(r"显存|(?<!主)内存|\bv?ram\b|\bmemory\b|\bgi?b\b", re.I)
"""Words of memory: without them "the least for this model, and its price" asks for money."""
_FEATURE = re.compile(
    r"flash|attention|bf16|fp16|fp8|fp4|int8|int4|awq|gptq|nvlink|mig|cuda|rocm|driver|驱动|量化|训练|vllm|sglang|ollama"
    r"|llama|pytorch|xformers|bitsandbytes|deepspeed|tensorrt|unsloth|p2p|ecc|nccl",
    re.I,
)
"""Things a card supports or not, whatever the model."""
_STILL_RUNS = re.compile(
    r"useless|pointless|out of luck|(?:still|any way to|instead|otherwise|anyway)[^.?!\n]{0,30}?(?:run|use|serve"
    r"|load|work)"
    r"|(?:run|serve|load)[^.?!\n]{0,40}?(?:anyway|instead|at all|nonetheless)|enough for|fit|还能(?:跑|用)|废了|没法跑",
    re.I,
)
"""Words that ask what the card does for the model all the same, beside what it does not support."""
_MODELS = re.compile(r"(?:which|what) (?:\w{1,12} ){0,2}(?:models?|llms?)\b|(?:哪些|什么|哪个)(?:大)?模型", re.I)
"""Words that ask what cards could run, before how fast."""
_PACE = re.compile(r"\bspeeds?\b|\bhow fast\b|tok(?:en)?s? ?/ ?s|\btps\b|\bthroughput\b|多快|速度|吞吐", re.I)
_CARD_TIME = re.compile(
    r"how many (?:[a-z0-9]{1,8} ?[- ]){0,2}(?:days|hours|hrs)|多少(?:个)?(?:卡|gpu)\s?(?:时|天|小时)", re.I
)
"""Words that ask for the time of cards rather than for their number."""
_EACH = re.compile(r"(?:一|每)(?:张|块)|\beach\b|apiece|per (?:card|gpu)", re.I)
_THAT_CARD = re.compile(r"(?:那|这)(?:张|块|款)卡?|\b(?:that|this|the (?:first|second|third)) (?:card|gpu|one)\b", re.I)
"""Words that point at one card of those spoken of."""
_EITHER_SET = re.compile(r"\b(?:or|vs\.?|versus)\b|还是|或者?|对比", re.I)
"""Words that leave a choice between two sets of cards."""
_THAN = re.compile(r"\bthan\b|(?<!性价)比(?!例|如|较)", re.I)
_WRITTEN = re.compile(
    r"写|给我|生成|来一?[份个]|模板|文件|命令|脚本|\byaml\b|manifest|\bfiles?\b|template|script|command|write|generate"
    r"|give me",
    re.I,
)
"""Words for a file to be made; without them, and without a model, Docker or Kubernetes is only where something runs."""
_GOOD_FOR_MODELS = re.compile(
    r"\b(?:ok(?:ay)?|good|great|decent|suitable|fine|enough|viable|usable|capable)\b(?: enough)?(?: of| for| to| with)?"
    r"(?: (?:run(?:ning)?|use|local(?:ly)?|doing|any|some|small|home|inference|of|with|on|serving|hosting))*"
    r" (?:llms?|language models?|ai|local ai|models|inference|ollama|llama\.cpp|lm studio)\b"
    r"|(?:适合|能不能|能否|可以|能|好不好)(?:用来|拿来|用于)?(?:本地)?(?:跑|玩|部署|做|搞)(?:本地)?(?:大(?:语言)?模型|llm|ai|推理)"
    r"|(?:跑|玩|做|部署)(?:本地)?(?:大(?:语言)?模型|llm|ai)\s?(?:行不行|行吗|怎么样|好用吗|合适吗|够吗|够不够|可以吗)",
    re.I,
)
"""Whether a card does for language models at all: answered by what it holds and how fast."""
_SIZED_OR_SHOP = ("min_vram", "how_many_gpus", "other", "guidance", "which_to_buy", "spec", "compare", "compatibility")
_LOOSE = ("spec", "other", "guidance", "how_many_gpus", "can_it_run", "what_fits", "which_to_buy", "interconnect")
"""Intents that words about outlets, kilowatts and total cost override, where cards are named."""


def _of_money(text: str) -> Intent | None:
    """Power where an outlet or kilowatts are spoken of, the bill or the total cost where that is."""
    if money.asks_power(text) or money.asks_energy(text):
        return "power"
    return "cloud_or_buy" if money.asks_cost(text) else None


def intents(understanding: Understanding) -> list[Intent]:
    """One intent of each family, main question first, at most two."""
    return list(_intents(understanding))


def shares_with_host(understanding: Understanding) -> bool:
    """Whether a file of llama.cpp's kind ran out of memory on cards beside which the machine's own was told."""
    need = understanding.need
    files = need.engine == "llama.cpp" or (need.weight_format or "").startswith("gguf:")
    pasted = "\n" in (understanding.error_text or "")
    told = need.host_memory_bytes is not None and not pasted and not requests.is_training(need)
    return bool(files and told and requests.cards(need) and requests.sized(need))


@lru_cache(maxsize=64)
def _intents(understanding: Understanding) -> list[Intent]:
    text = understanding.text
    main: Intent = understanding.need.intent or _likely(understanding)
    if main == "oom" and shares_with_host(understanding):
        main = (
            "can_it_run"  # what the cards do not hold is to lie in the machine's memory: whether both hold it is asked
        )
    if _by_a_deadline(understanding, main) or served.asked(understanding):
        return ["how_many_gpus"]
    priced = money.prices_run(text, understanding.need) and not money.weighs(text)
    if priced and main not in ("compare", "oom"):
        return ["training_time"]
    counted = understanding.need.dataset_tokens is not None and _CARD_TIME.search(text) is not None
    if (
        progress.judged(understanding)
        or (counted and _trained(understanding.need))
        or (main == "speed" and _trained(understanding.need))
        or (main == "can_it_run" and _due_on_cards(understanding.need))
    ):
        return ["training_time"]
    if main == "launch_files" and not requests.sized(understanding.need) and not _WRITTEN.search(text):
        main = "guidance"
    if main == "oom" and not understanding.error_text and both(understanding):
        main = "min_vram"
    sized, named = requests.sized(understanding.need), requests.cards(understanding.need)
    if main == "min_vram" and understanding.need.matter == "price" and sized and not named and not _MEMORY.search(text):
        main = "budget"
    if main in _PACED or counts_output(text) or shared(understanding.need, text):
        main = pace_asked(understanding.need, text, trained=understanding.need.trained is not None) or main
    if main == "training_time" and model_kind(understanding.need) in COUNTED and not _trains(understanding.need, text):
        main = "speed"
    if main in (*_LOOSE, "power", "min_vram") and requests.sized(understanding.need) and money.prices_tokens(text):
        main = "cloud_or_buy"
    bare = bool(requests.cards(understanding.need)) and not requests.sized(understanding.need)
    parted = rented_and_bought(text) is not None
    if main != "power" and bare and (money.asks_spot(text) or money.weighs(text) or parted):
        main = "cloud_or_buy"
    if main == "budget" and bare and money.asks_energy(text):
        main = "power"
    fed = bare and feeding.asks_count(text) and feeding.named(text)
    if fed or money.asks_running(text, understanding.need):
        return ["power"]
    each = not understanding.follow_up or _EACH.search(text) is not None
    priced_alone = main in ("budget", "which_to_buy", "other", "spec") and each
    pointed = understanding.follow_up and _THAT_CARD.search(text) and money.asks_price(text, understanding.need)
    if pointed and len(requests.named_gpus(understanding.need)) == 1:
        return ["spec"]
    if priced_alone and money.asks_card_price(text, understanding.need):
        main = "spec"
    if main in _SIZED and asks_for_cheapest(understanding.text) and not understanding.need.gpus_owned:
        main = "which_to_buy"
    unnamed = main in ("speed", "guidance", "what_fits") and not requests.cards(understanding.need)
    if (unnamed or main in ("which_to_buy", "other", "min_vram")) and _at_a_rate(understanding):
        main = "how_many_gpus"
    if main == "what_fits" and "can_it_run" in understanding.asks and requests.sized(understanding.need):
        main = "can_it_run"
    hardware_too = (
        main == "can_it_run" and not requests.cards(understanding.need) and "which_to_buy" in understanding.asks
    )
    if ordered.hardware(understanding, main) or hardware_too:
        main = "which_to_buy"
    if main in ("can_it_run", "other", "guidance") and sized and named and duration.writes(understanding):
        main = "speed"
    if main == "training_time" and named and not requests.is_training(understanding.need):
        main = "speed" if duration.writes(understanding) else main
    if main in _TIMED and not named and duration.asked(understanding, understanding.need):
        main = "which_to_buy"
    if main == "training_time" and not named and _to_order(understanding):
        main = "which_to_buy"
    if main == "power" and sized and not named and {"which_to_buy", "budget"} & {*understanding.asks}:
        main = "which_to_buy"  # the circuit is a condition of what is bought
    if main == "power" and money.weighs_energy(understanding.text):
        main = "cloud_or_buy"
    if main in ("budget", "which_to_buy", "how_many_gpus") and bare and feeding.racked(text):
        main = "power"
    if (
        main == "power"
        and requests.cards(understanding.need)
        and money.asks_ownership(text)
        and not money.asks_power(text)
    ):
        main = "cloud_or_buy"
    if main in _LOOSE and requests.cards(understanding.need):
        main = _of_money(understanding.text) or main
    if main == "concurrency" and asks_for_cheapest(text) and understanding.need.concurrent_sequences:
        main = "which_to_buy"
    budget = understanding.need.budget
    if main == "speed" and budget and budget.mode != "rent" and not requests.cards(understanding.need):
        main = "which_to_buy"
    if main in ("spec", "compare", "other") and bare and _numbers_for_a_crowd(understanding.need):
        main = "concurrency"  # which number of the cards serves so many turns on the model
    if main == "min_vram" and bare and _HAS.search(text):
        main = "spec"
    if main == "spec" and len(requests.named_gpus(understanding.need)) == 2 and _THAN.search(text):
        main = "compare"
    if main == "interconnect" and len(requests.named_gpus(understanding.need)) == 2 and link.weighs(text) and not bare:
        main = "compare"
    if link.WAYS.search(text) and link.exemplary(understanding.need, understanding):
        return ["interconnect"]
    if main in ("concurrency", "min_vram") and _serves_many(
        understanding.need, paced="min_vram" in (main, *understanding.asks)
    ):
        main = "which_to_buy"
    if main == "spec" and sized and requests.cards(understanding.need) and _PACE.search(text):
        main = "speed"  # the format is that of the model, not a property of the card that is asked about
    if main == "budget" and duration.run_to_rent(understanding.need, understanding):
        main = "cloud_or_buy"  # what the run comes to, not what money is there
    if main == "speed" and bare and _MODELS.search(text):
        main = "what_fits"
    if main == "speed" and raced(understanding):
        main = "compare"
    held_against = "compare" in understanding.asks or _EITHER_SET.search(text) is not None
    two_sets = sized and _two_sets(understanding.need)
    if main == "interconnect" and held_against and two_sets:
        main = "compare"  # the bridge is of one set of cards that is held against another
    if main == "which_to_buy" and two_sets:
        main = "compare"  # what to order was said: one of the two sets
    if main in _SIZED_OR_SHOP and needless.asked(understanding):
        main = "can_it_run"
    alone = bare and len(requests.named_gpus(understanding.need)) == 1
    if good_at_all.asked(understanding):
        return ["can_it_run"]
    if main in ("spec", "other", "guidance", "can_it_run") and alone and _GOOD_FOR_MODELS.search(text):
        return ["what_fits"]
    asks = [intent for intent in understanding.asks if intent in FAMILIES and intent != main]
    if main == "speed" and model_kind(understanding.need) in COUNTED and not _trains(understanding.need, text):
        asks = [intent for intent in asks if intent != "training_time"]  # "how long" asks for the time of the work
    if main == "compatibility" and requests.sized(understanding.need) and _STILL_RUNS.search(text) and not bare:
        asks.append("can_it_run")
    if main == "compatibility" and _supports_model(understanding):
        main, asks = "can_it_run", [one for one in asks if one != "can_it_run"]
    if main == "training_time" and "can_it_run" in asks:
        asks = [one for one in asks if one != "can_it_run"] if understanding.need.deadline_s else asks
        if not _timed(understanding.need) or ("can_it_run" in asks and _trained_on_one_kind(understanding.need)):
            main, asks = "can_it_run", [one for one in asks if one != "can_it_run"]
    if FAMILIES[main] == "shop" and not sized:
        asks = [intent for intent in asks if intent != "training_time"]  # of no model, there is none to tell
    if main == "compare":
        told = ("fit", "shop") if two_sets else ("fit",)
        asks = [intent for intent in asks if FAMILIES[intent] not in told]
    if FAMILIES[main] == "shop" and not requests.cards(understanding.need):
        asks = [intent for intent in asks if intent != "speed"]
    if main == "speed":
        stated = {"how_many_gpus"} | ({"concurrency"} if understanding.need.concurrent_sequences else set())
        stated |= {"context_length"} if understanding.need.context_tokens else set()
        asks = [intent for intent in asks if intent not in stated]
    if main == "power" and money.asks_energy(understanding.text):
        asks = [intent for intent in asks if FAMILIES[intent] != "shop"]
    return _one_of_each(_without_parameters([main, *asks], understanding.need, understanding.text))


def _numbers_for_a_crowd(need: Need) -> bool:
    """Whether one card is spoken of in two numbers that are to serve many."""
    kinds = {card.gpu for card in need.gpus_proposed}
    return bool(need.users or need.concurrent_sequences) and len(kinds) == 1 < len(need.gpus_proposed)


_TO_PAY = re.compile(r"how much (?:to|for|does|would|will|is)|多少钱|花费|费用|成本|预算|\bcosts?\b", re.I)


def _to_order(understanding: Understanding) -> bool:
    """Whether what ends a training in time is to be put forward: the hardware for it, or what it comes to, is asked."""
    wanted = {"which_to_buy", "how_many_gpus", "budget"}.intersection(understanding.asks)
    asked = bool(wanted) or _TO_PAY.search(understanding.text) is not None
    return asked and duration.in_time_for(understanding.need)


def _by_a_deadline(understanding: Understanding, main: Intent) -> bool:
    """Whether as many of a card are wanted as finish a training in time: its price follows from their number."""
    need = understanding.need
    cards = requests.cards(need)
    wanted = "how_many_gpus" in (main, *understanding.asks) and len(cards) == 1 and cards[0].count is None
    return bool(wanted and need.deadline_s and need.dataset_tokens and _trained(need))


def _due_on_cards(need: Asked) -> bool:
    """Whether a training of stated data is to be done on known cards by a time that was set."""
    stated = need.dataset_tokens is not None or need.samples is not None
    return stated and need.deadline_s is not None and _trained(need) and bool(requests.cards(need))


def _trained_on_one_kind(need: Need) -> bool:
    """Whether a language model trains on cards of one kind: whether they hold it comes before how long they take."""
    language = model_kind(need) in ("llm", "vlm", None) and requests.sized(need)
    return language and requests.is_training(need) and len({card.gpu for card in requests.cards(need)}) == 1


def _two_sets(need: Need) -> bool:
    """Whether two kinds of cards, each in its number, are weighed."""
    ways = requests.compared(need)
    return len({one.gpu for one in ways}) > 1 and all(one.count for one in ways)


def _supports_model(understanding: Understanding) -> bool:
    """Whether a card is asked to support a model, and no format, engine or feature is named: whether it runs there."""
    need, text = understanding.need, understanding.text
    named = need.weight_format or need.engine or _FEATURE.search(text) or understanding.error_text
    return requests.sized(need) and bool(requests.cards(need)) and not named and _SUPPORTS.search(text) is not None


def _trains(need: Asked, text: str) -> bool:
    """Whether work that is counted in items is a training."""
    return need.trained is not None or need.epochs is not None or trains(text) or requests.is_training(need)


def _timed(need: Need) -> bool:
    """Whether there is enough to time a training by: named cards, or its data."""
    return bool(requests.cards(need)) or need.dataset_tokens is not None


def _at_a_rate(understanding: Understanding) -> bool:
    """Whether recordings, pictures or texts come at a stated rate, and no money is: cards that keep up are wanted."""
    need = understanding.need
    kinds, priced = ("speech", "diffusion", "vision", *READ), need.budget is not None or need.matter == "price"
    return model_kind(need) in kinds and not priced and not need.gpus_owned and rate(need, understanding.text)


def _serves_many(need: Need, *, paced: bool) -> bool:
    """Whether a model is to serve a stated load on hardware that is neither in hand nor named: that is to be found.

    Who asks for memory wants hardware only where a pace is stated too (`paced`).
    """
    load = (need.concurrent_sequences or need.users or 1) > 1 and not requests.is_training(need)
    cards = requests.cards(need) or need.memory_bytes_per_gpu or need.gpu_count
    stated = need.target_tokens_per_s is not None or not paced
    return load and stated and requests.sized(need) and not cards


def _trained(need: Need) -> bool:
    """Whether a model that works on tokens is trained on cards that are known: its speed is that of training."""
    language = model_kind(need) in ("llm", "vlm", None)
    return language and requests.is_training(need) and requests.sized(need) and bool(requests.cards(need))


def _without_parameters(asked: list[Intent], need: Need, text: str) -> list[Intent]:
    """Less what is stated rather than asked, and with a card's property after the question about the model."""
    stated: dict[Intent, object] = {
        "context_length": need.context_tokens or need.sequence_tokens,
        "concurrency": need.concurrent_sequences or need.users,
    }
    kept = [intent for intent in asked if not stated.get(intent)]
    if any(intent in HARDWARE for intent in kept):
        asked = kept
    linked = asked[0] == "interconnect" and _MATTERS.search(text) is not None
    if asked[0] in ASIDES and not linked and requests.sized(need) and "can_it_run" in asked:
        asked = ["can_it_run", *(intent for intent in asked if intent != "can_it_run")]
    return asked


def _one_of_each(asked: list[Intent]) -> list[Intent]:
    families: dict[str, Intent] = {}
    for intent in asked:
        contained = CONTAINED.get(FAMILIES[next(iter(families.values()))], ()) if families else ()
        if FAMILIES[intent] not in families and FAMILIES[intent] not in contained:
            families[FAMILIES[intent]] = intent
    return list(families.values())[:INTENTS_MAX]


def _likely(understanding: Understanding) -> Intent:
    """The question when its words did not say: what the rest of the reading makes likely."""
    need = understanding.need
    if understanding.error_text:
        return "oom"
    if requests.sized(need):
        return "can_it_run" if requests.cards(need) else "min_vram"
    return "what_fits" if need.gpus_owned else "guidance"
