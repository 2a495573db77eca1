"""What was taken for granted, said in the asker's language: only what the asker did not state."""

import re
from collections.abc import Collection, Iterable

from assistant.compose import names, numbers, pictured, whole_job
from assistant.compose.by_then import stated
from assistant.compose.citations import joined
from assistant.compose.material import Estimate, Material
from assistant.plan import domestic, duration, from_scratch, nameless, unnumbered
from assistant.plan.formats import bits
from assistant.plan.provisional import CHINESE_CARDS, chinese_cards, packed, raced, repeated, stand_in
from assistant.plan.usual import stands_in
from assistant.understand.companions import all_beside
from assistant.understand.spoken_sums import vague
from assistant.understand.standing import other_than_language
from kb.base import AdvisorError
from kb.catalog import gpu, model
from kb.datasets import tokens_named
from kb.units import GIB

_TAKEN = re.compile(
    r"(context_tokens|concurrent_sequences|micro_batch_size|sequence_tokens|lora_rank|gradient_checkpointing)"
    r" not stated: ([\w,]+)"
)
"""The calculator's own sentence about a setting it chose."""


def assumed(material: Material, main: Estimate, *, told: Collection[str] = ()) -> list[str]:
    """The settings of the estimate that the asker left open.

    `told`: what the answer says of itself, in a column each or in its first sentence: "format", "sequences".
    """
    say, need = material.say, material.need
    found = []
    if "format" in told:
        pass
    elif packed(material.understanding) == main.result.weight_format:
        found.append(say("assume.packed", format=names.format_name(main.result.weight_format)))
    elif need.weight_format is None and main.task == "inference":
        unstated = all(one.request.get("weight_format") is None for one in (main, material.estimates[0]))
        same = unstated or main.result.weight_format.removeprefix("gguf:").lower() == published_in(main)
        wider = bits(main.result.weight_format) > bits(published_in(main))
        key = "assume.format" if same else "assume.widened" if wider else "assume.quantised"
        key = "assume.half" if in_other_half(material, main) else key
        used, published = names.format_name(main.result.weight_format), names.format_name(published_in(main) or "")
        found.append(say(key, format=used, published=published, gpu=names.gpu_name(main.gpu or "")))
    owned = need.gpus_owned
    if len(owned) > 1 and main.gpus == sum(card.count or 1 for card in owned):
        found.append(say("assume.mixed", cards=names.cards(main.gpu or "", main.gpus)))
    if need.budget is not None and (words := vague(material.understanding.text)):
        amount = numbers.money(need.budget.amount, need.budget.currency)
        found.append(say("assume.vague_sum", words=words, amount=amount))
    if raced(material.understanding):
        found.append(say("link.example_model", size=numbers.params(main.result.params)))
    if (stand_in(material.understanding) or stands_in(material.understanding)) and main.result.model:
        found.append(say("assume.stand_in", model=names.model_name(main.result.model)))
    if project := repeated(material.understanding):
        quoted = material.cites.cite("catalog", project.source.title, project.source.url, project.source.title)
        found.append(say("assume.project", model=names.model_name(project.model)) + joined([quoted]))
    if chinese_cards(material.understanding) and not domestic.asked(material.understanding):
        found.append(say("assume.chinese_cards", cards=say.listed([names.gpu_name(one) for one in CHINESE_CARDS])))
    if card := nameless.counted_as(material.understanding):
        found.append(say("assume.counted_as", size=f"{gpu(card).memory_bytes // GIB} GB", gpu=names.gpu_name(card)))
    if enough := unnumbered.taken(material.understanding, need):
        within_s = unnumbered.within_s(need)
        key = "assume.enough_in_time" if within_s else "assume.enough_cards"
        within = {"time": stated(material, within_s)} if within_s else {}
        found.append(say(key, cards=names.cards(enough.gpu, enough.count or 1), **within))
    if from_scratch.taken(material.understanding, need):
        project = from_scratch.recipe(material.understanding, need)
        source = project.source if project else from_scratch.SOURCE
        key = "assume.recipe_data" if project else "assume.usual_data"
        quoted = material.cites.cite("catalog", source.title, source.url or "", source.title)
        found.append(say(key, tokens=numbers.params(need.dataset_tokens or 0)) + joined([quoted]))
    if (data := tokens_named(material.text)) is not None and need.dataset_tokens == data.tokens:
        quoted = material.cites.cite("catalog", data.source.title, data.source.url, data.source.title)
        found.append(say("assume.named_data", tokens=numbers.params(data.tokens)) + joined([quoted]))
    if material.stand_in:
        found.append(say(f"assume.for_{need.purpose}", model=names.model_name(material.stand_in)))
    taken = filter(None, map(_TAKEN.match, main.result.assumptions))
    skipped = {"sequence_tokens"} if other_than_language(material.understanding.need) else set()
    if seen := pictured.premise(material, main):
        found.append(seen)
        skipped |= {"micro_batch_size"}
    skipped |= {"concurrent_sequences"} if whole_job.at_once(material) or "sequences" in told else set()
    found += [_taken(material, match[1], match[2].rstrip(",.")) for match in taken if match[1] not in skipped]
    sequences = main.request.get("concurrent_sequences")
    if need.users and need.users > 1 and need.concurrent_sequences is None and sequences:
        found.append(say("assume.active", users=numbers.count(need.users), sequences=sequences))
    if sequences and sequences == need.concurrent_sequences != material.understanding.need.concurrent_sequences:
        daily = material.understanding.need.conversations_per_day
        key = "assume.per_day" if daily and not need.users else "assume.crowd"
        found.append(say(key, sequences=sequences, count=numbers.count(daily or 0)))
    if main.request.get("frozen_params") and main.task == "inference":
        found += _beside(material)
    texts = duration.texts(need, material.text) if material.intents[0] == "speed" else None
    if texts and duration.to_write(need, material.text):
        values = {"tokens": texts.count * texts.written, "read": texts.read, "written": texts.written}
        found.append(say("assume.texts", **{name: numbers.count(value) for name, value in values.items()}))
    if need.engine is None and main.task == "inference":
        found.append(say("assume.engine", engine=names.engine_name(main.result.engine)))
    return found


def taken_of(material: Material, assumptions: Iterable[str]) -> list[str]:
    """What a tool took where nothing was said, in words."""
    found = filter(None, map(_TAKEN.match, assumptions))
    return [_taken(material, match[1], match[2].rstrip(",.")) for match in found]


def in_other_half(material: Material, main: Estimate) -> bool:
    """Whether the card holds in FP16, having no BF16, what would be in BF16: as asked, as published, as trained."""
    wanted = material.need.weight_format or (published_in(main) if main.task == "inference" else "bf16")
    if main.gpu is None or (main.result.weight_format, wanted) != ("fp16", "bf16"):
        return False
    try:
        return gpu(main.gpu).half == "fp16"
    except AdvisorError:
        return False


def _beside(material: Material) -> list[str]:
    """The models counted beside it, and whether anybody spoke of them."""
    held = all_beside(material.understanding.need)
    if not held:
        return []
    kind = "implied" if held[0].role == "implied" else "beside"
    models = [names.model_name(one.model) for one in held if one.model]
    return [material.say(f"assume.{kind}", models=material.say.listed(models))]


def published_in(main: Estimate) -> str | None:
    """The format the model is published in."""
    if main.result.model is None:
        return "bf16"
    try:
        return model(main.result.model).native_format
    except AdvisorError:
        return None


def _taken(material: Material, setting: str, value: str) -> str:
    say = material.say
    if setting == "gradient_checkpointing":
        value = say.get(f"assume.checkpointing_{value}") or value
    alone = say.get(f"assume.{setting}_one") if value == "1" else None
    return alone or say(f"assume.{setting}", value=value)
