"""Names that nothing or several things bear, and the questions that an answer turns on."""

import re

from assistant.compose import acquisition, cache_alone, names, numbers, signs
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import good_at_all, isolated, progress, requests, ways
from assistant.plan.amounts import SEEN, model_kind
from assistant.plan.candidates import TIGHT_CASE
from assistant.plan.method import unsaid
from assistant.plan.particular import shape
from assistant.understanding import Ambiguity
from kb.catalog import gpus, models
from kb.naming.names import gpu_names
from kb.units import GIB

DECISIVE_RATIO = 1.25
"""Variants of a card whose memory differs less than this are one card to most questions."""
QUESTIONS_MAX = 2
"""More questions than this is an interrogation."""


def unknown_names(material: Material) -> list[str]:
    """One sentence for each name the catalog does not know, with the closest real ones."""
    say, need, found = material.say, material.need, []
    for doubt in material.understanding.ambiguities:
        if not doubt.unknown:
            continue
        close = say.listed([_shown(doubt.kind, candidate) for candidate in doubt.candidates], conjunction="or")
        key = "clarify.unknown_close" if close else "clarify.unknown"
        if doubt.kind == "model" and need.params and close:
            key = "clarify.unknown_sized"
        size = numbers.params(need.params or 0)
        found.append(say(key, kind=say(f"kind.{doubt.kind}"), text=doubt.text, close=close, size=size))
    return list(dict.fromkeys(found))


def _named(kind: str, candidate: str) -> str:
    """The candidate's name where it names only this one, else its catalog id."""
    name = _shown(kind, candidate)
    if kind != "gpu" or _bears(name):
        return name
    full = gpus()[candidate].name if candidate in gpus() else candidate
    return full if _bears(full) else candidate


def _bears(name: str) -> bool:
    """Whether this name is one card's alone."""
    return any(mention.exact and mention.text == name for mention in gpu_names().scan(name))


def _shown(kind: str, candidate: str) -> str:
    return {"gpu": names.gpu_name, "model": names.model_name}.get(kind, str)(candidate)


def turns_on_unknown(material: Material) -> bool:
    """Whether a name that nothing bears leaves the question without its model or without its card."""
    unknown = {doubt.kind for doubt in material.understanding.ambiguities if doubt.unknown}
    without_model = "model" in unknown and not requests.sized(material.need)
    return without_model or ("gpu" in unknown and not requests.cards(material.need))


def ambiguous_names(material: Material) -> list[str]:
    """One sentence for each name several things bear: the one taken, and the others."""
    say, found = material.say, []
    for doubt in _doubts(material):
        if doubt.unknown or len(doubt.candidates) < 2:
            continue
        taken = _taken(material, doubt)
        others = [_named(doubt.kind, candidate) for candidate in doubt.candidates if candidate != taken]
        chosen = _shown(doubt.kind, taken)
        found.append(
            say("clarify.ambiguous", text=doubt.text, chosen=chosen, others=say.listed(others, conjunction="or"))
        )
    return list(dict.fromkeys(found))


def _doubts(material: Material) -> list[Ambiguity]:
    """Names in doubt; which member of a family is none where the largest that fits is asked for, or each is shown."""
    asks_largest = material.intents[0] == "what_fits" and any(
        row["candidates"] or row.get("beyond") for row in material.results("what_fits")
    )
    settled = asks_largest or bool(material.understanding.workloads)
    found = material.understanding.ambiguities
    kept = [doubt for doubt in found if doubt.unknown or doubt.kind != "model" or not settled]
    return [doubt for doubt in kept if doubt.unknown or not _ruled_out(material.text, doubt.text)]


def _ruled_out(text: str, name: str) -> bool:
    """Whether the name is only said of what there is not: "any way without A100s"."""
    words = r"(?:without|no|not|instead of|rather than|don't have|没有|不用|不要)\s?(?:an? |any |the |using )?"
    negated = words + re.escape(name)
    return re.search(negated, text, re.I) is not None and len(re.findall(re.escape(name), text, re.I)) == 1


def _taken(material: Material, doubt: Ambiguity) -> str:
    """The candidate the answer was worked out with."""
    used = {*requests.named_gpus(material.need), material.need.model, material.need.provider}
    return next((candidate for candidate in doubt.candidates if candidate in used), doubt.candidates[0])


def nothing_named(material: Material) -> bool:
    """Whether something is asked of a card or a model that only the asker knows: "how fast will it be on my GPU?"."""
    need = material.understanding.need
    named = requests.sized(need) or requests.cards(need) or need.memory_bytes_per_gpu or need.engine
    return not (named or need.weight_format or need.model_text) and _POINTS.search(material.text) is not None


def only_clarify(material: Material) -> Section:
    """Nothing can be computed: say what is missing, and ask."""
    unknown = unknown_names(material)
    headline = unknown[0] if unknown else material.say("clarify.need_more")
    return Section("clarification", headline, unknown[1:])


def _decisive(material: Material, doubt: Ambiguity) -> bool:
    """Whether the answer turns on which of the candidates is meant."""
    if doubt.kind == "model" and doubt.unknown:
        return not material.need.params
    if doubt.kind != "gpu" or doubt.unknown:
        return True
    sizes = [gpus()[candidate].usable_bytes for candidate in doubt.candidates if candidate in gpus()]
    differ = bool(sizes) and max(sizes) >= DECISIVE_RATIO * min(sizes)
    return differ and any(
        min(sizes) < one.result.per_gpu.high_bytes and one.result.per_gpu.low_bytes <= max(sizes)
        for one in material.estimates
        if one.gpu in doubt.candidates
    )


_SETTLED = ("picture_cards", "aimed", "sights")
"""Shapes of question whose answer turns on nothing that was left unsaid."""


def _strange(doubt: Ambiguity) -> bool:
    return doubt.kind == "model" and doubt.unknown


def questions(material: Material, verdict: str = "") -> list[str]:
    """What the answer turns on and the asker did not say; at most two, most decisive first."""
    need, say, found = material.understanding.need, material.say, []
    intent = material.intents[0]
    if shape(material.understanding) in _SETTLED or good_at_all.asked(material.understanding):
        return []
    doubts = (doubt for doubt in _doubts(material) if _decisive(material, doubt))
    found += [say("ask.unknown_model" if _strange(doubt) else "ask.which", text=doubt.text) for doubt in doubts]
    if intent == "what_fits" and _use_unsaid(material):
        found.append(say("ask.fits_use"))
    shopping = intent in {"which_to_buy", "budget", "cloud_or_buy"}
    open_choice = (shopping or intent in _OPEN) and not requests.cards(need) and not requests.sized(need)
    unknown = not requests.sized(need) and need.model_text is None and need.task in (None, "inference", "general")
    untimed = (intent == "training_time" and not requests.sized(need)) or (
        intent == "can_it_run" and unknown and not requests.cards(need) and not need.memory_bytes_per_gpu
    )
    unpaced = intent == "speed" and unknown and not requests.cards(need) and signs.sign(material) is None
    if intent == "what_fits" or (verdict == "fact" and not open_choice and not untimed and not unpaced):
        return found[:QUESTIONS_MAX]
    priced = any(material.results("estimate_cost")) and not (intent == "cloud_or_buy" and requests.is_training(need))
    wants_workload = intent in _TURN_ON_WORKLOAD and not priced
    if wants_workload and not requests.sized(need) and not found and signs.sign(material) is None:
        asked = "scene" if need.task == "rendering" else "model" if need.task or need.engine else "workload"
        found.append(say(f"ask.{asked}"))
    if material.understanding.workloads:
        found.append(say("ask.share"))
    weighed = intent == "cloud_or_buy" and any(material.results("estimate_cost"))
    if (
        shopping
        and not weighed
        and need.budget is None
        and not ways.asks_the_least(material.text)
        and not requests.cards(need)
        and not acquisition.priced(material)
    ):
        found.append(say("ask.budget_alone" if acquisition.only_buys(material) else "ask.budget"))
    if (
        intent == "cloud_or_buy"
        and acquisition.buys(material)
        and need.deadline_s is None
        and need.hours_per_month is None
    ):
        found.append(say("ask.hours"))
    if intent in {"which_to_buy", "budget"} and TIGHT_CASE.search(material.text):
        found.append(say("ask.case"))
    told = need.concurrent_sequences or need.users or need.conversations_per_day
    if material.need.concurrent_sequences and not told:
        found.append(say("ask.users"))
    if shopping and _SERVICE.search(material.text) and requests.sized(need) and not (need.users or _crowd(material)):
        found.append(say("ask.users"))
    if (need.users or 1) > 1 and need.concurrent_sequences is None and not isolated.asked(material.understanding):
        found.append(say("ask.concurrent"))
    if intent in {"min_vram", "how_many_gpus"} and need.task is None and requests.sized(need):
        found.append(say("ask.task"))
    if unsaid(material.understanding, need) and material.estimates:
        found.append(say("ask.method"))
    found += _of_pictures(material, intent)
    if need.generations is None and re.search(r"\b(?:grpo|ppo|rlhf|rloo)\b", material.text, re.I):
        found.append(say("ask.rl"))
    several = intent == "min_vram" and _takes_several_cards(material)
    if need.weight_format is None and (several or _on_the_edge(material)) and not cache_alone.asked(material):
        found.append(say("ask.format"))
    if intent == "concurrency" and need.context_tokens is None and model_kind(material.need) != "speech":
        found.append(say("ask.context"))
    timed = next(material.records("estimate_training_time"), None)
    open_time = intent == "training_time" and need.dataset_tokens is None
    if open_time and not (timed and timed.result.get("time_s")) and not progress.judged(material.understanding):
        found.append(say("ask.dataset_images" if model_kind(need) in SEEN else "ask.dataset"))
    return list(dict.fromkeys(found))[:QUESTIONS_MAX]


def _crowd(material: Material) -> bool:
    """Whether how many are served at once was said, or how much they write."""
    need = material.understanding.need
    return bool(need.concurrent_sequences or need.tokens_per_month or need.target_tokens_per_s)


def _of_pictures(material: Material, intent: str) -> list[str]:
    """Size and number of the pictures, where the answer turns on them and they were not said; a model that stood in."""
    need, say = material.need, material.say
    record = models().get(need.model or "")
    sized = need.width_px or need.images_per_sample or need.video_s
    sees = record is not None and record.kind == "vlm" and _SEES.search(f"{record.id} {material.text}") is not None
    if sees and requests.is_training(need) and not sized and intent in _FITTING:
        return [say("ask.pictures")]
    learns = record is not None and record.kind == "vision" and requests.is_training(need)
    if learns and intent == "oom" and not (need.width_px and need.batch_size):
        return [say("ask.patch")]
    stood_in = record is not None and material.understanding.need.model is None and record.kind == "diffusion"
    if stood_in and intent in ("which_to_buy", "budget"):
        return [say("ask.image_model")]
    return [say("ask.budget")] if intent == "min_vram" and need.budget is None and _BUYS.search(material.text) else []


def _takes_several_cards(material: Material) -> bool:
    """Whether it is to run, and no single card holds it as published: only then does the format matter much."""
    first = next(iter(material.estimates), None)
    if first is None or first.task != "inference" or not requests.sized(material.understanding.need):
        return False
    common = [row for row in first.result.minimum_gpus if gpus()[row.gpu].memory_bytes <= COMMON_BYTES]
    return bool(common) and all(row.count > 1 for row in common)


def _on_the_edge(material: Material) -> bool:
    """Whether what is asked about runs, as published, only just: a quantised version would settle it."""
    first = next(iter(material.estimates), None)
    return first is not None and first.task == "inference" and first.fit is not None and first.fit.verdict == "tight"


def _use_unsaid(material: Material) -> bool:
    """Whether what cards can run is asked without a word of what for: for one person, agents or many users."""
    need = material.understanding.need
    told = need.users or need.concurrent_sequences or need.context_tokens or need.params or need.model
    return not told and not requests.is_training(need) and not _PURPOSE.search(material.text)


_POINTS = re.compile(r"\b(?:my|it|this) (?!.*\b(?:speed up|faster)\b)|我的|这[个台张卡]|它", re.I)
"""Words that point at what is known only to the asker."""
_SEES = re.compile(
    r"vl(?![a-z])|vision|llava|intern-?vl|minicpm-v|ovis|cog|pixtral|paligemma|molmo|idefics|smolvlm|moondream|omni"
    r"|图|视觉|多模态|ocr|image|picture|photo|video|visual|multi-?modal",
    re.I,
)
"""Names of models that are there for pictures, and words of pictures: others, that also see, are trained on text."""
_SERVICE = re.compile(
    r"客服|对外|上线|线上服务|给(?:客户|用户|员工|全公司|同事)|7 ?[x×*] ?24|24 ?[x×*/] ?7"
    r"|\b(?:customers?|customer[- ]facing|support bot|production|public api|saas|our (?:team|staff|users))\b",
    re.I,
)
"""Words of a service for many, whose size is what hardware is chosen by."""
_FITTING = ("can_it_run", "min_vram", "how_many_gpus", "oom")
_BUYS = re.compile(
    r"(?:准备|打算|想)(?:入手|买|购)|入手一[张块]|\b(?:looking to|want to|going to|planning to|about to) buy\b", re.I
)
"""Words of who is about to buy, though memory is what is asked."""
COMMON_BYTES = 80 * GIB
"""Memory of the largest card that most people can get at."""
_PURPOSE = re.compile(
    r"train|fine-?tun|lora|cod(?:e|ing)|agent|chat|rag|training|训|微调|代码|编程|绘|图|视频|语音|客服|知识库|翻译",
    re.I,
)
"""Words that say what a model is for."""
_OPEN = ("training_time", "concurrency", "how_many_gpus", "min_vram")
"""Intents that ask for a figure: without a model and a card the documents alone do not settle them."""
_TURN_ON_WORKLOAD = (
    "can_it_run",
    "how_many_gpus",
    "min_vram",
    "which_to_buy",
    "concurrency",
    "context_length",
    "budget",
    "cloud_or_buy",
    "speed",
    "training_time",
    "oom",
    "launch_files",
    "other",
    "guidance",
)
