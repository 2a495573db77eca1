"""What a follow-up changes of the Need: the slots it states, held against what was said before."""

from typing import Any

from assistant.understand.command import weighs_either
from assistant.understand.conditions import joined
from assistant.understand.copies import bare_copies
from assistant.understand.exchange import card_changes
from assistant.understand.former import named_again
from assistant.understand.intents import STRONG
from assistant.understand.model_mentions import sibling_of
from assistant.understand.parts import LANGUAGE
from assistant.understand.reading import TRAINING
from assistant.understand.restated import money, restated
from assistant.understand.served_adapters import bare_adapters
from assistant.understand.text import grammar
from assistant.understand.training import find_offload
from assistant.understand.turn import Reading
from assistant.understand.variant import variant_of
from assistant.understanding import Asked, Command
from kb.catalog import models
from tools.need import GpuCount

TOPIC = ("model", "model_text", "params")
"""Slots that say which model."""
_UNLIMITED = grammar(
    r"(?:forget|ignor\w{1,3}|drop|never mind|regardless of|without|no longer) (?:about )?(?:the |my |our |any )?"
    r"(?:budget|money|price limit)|(?:budget|money|price|cost) (?:is |does)?(?:no|not an?|n't an?|n't)"
    r" (?:issue|object|problem|matter|limit)|no budget(?: limit)?|抛开(?:预算|价格)"
    r"|不(?:限|考虑|管|看|设|计|差)(?:预算|钱|价格|成本)|预算(?:不限|不是问题|无所谓|不用(?:考虑|管)|随意"
    r"|没(?:有)?上限)"
    r"|(?:先)?别管(?:预算|钱|价格)"
)
"""Words that lift a limit on money that was stated before."""
_SPECIAL = {"diffusion", "speech", "vision", "embedding", "rendering"}
_LANGUAGE_MODELS = grammar(r"(?<![a-z])(?:llms?|language models?)(?![a-z])|大(?:语言)?模型")
_METHOD = grammar(
    r"全参|全量|满参|全部参数|完整(?:微调|训练)|(?<![a-z])(?:full|fully|all (?:the )?(?:weights|parameters)|sft)"
    r"(?![a-z])|(?<![a-z])whole model|lora"
)
"""Words that say how a model is trained."""
_OF_MODEL = (*TOPIC, "task", "weight_format", "frozen_params")
"""Slots that say which model, and how it is run."""
_NO_VERSION = grammar(r"[a-z]+")
"""A family's name alone, which after one of its models is that one's generation: 「Qwen 换成 14B」."""


def changes_of(reading: Reading, previous: Asked, *, companion: bool, command: Command | None) -> dict[str, Any]:
    """What the turn states, held against what was said; of a `companion` that joins, its own slots change nothing."""
    plain = reading.text.plain
    left = {"gpus_owned", "gpus_asked", "gpus_proposed", *(_OF_MODEL if companion else ())}
    changes = {slot: value for slot, value in reading.slots.items() if slot not in left}
    if "task" in changes and not _task_changes(reading, previous):
        del changes["task"]
    if any(slot in changes for slot in TOPIC):
        changes |= _model_change(reading, previous)
    elif (
        previous.model in models() and not (companion or command) and (other := variant_of(str(previous.model), plain))
    ):
        changes |= {"model": other, "model_text": models()[other].name, "params": models()[other].params}
    elif reading.intent == "what_fits" and previous.gpus_owned and not (companion or command):
        changes = dict.fromkeys((*TOPIC, "weight_format", "frozen_params")) | changes  # of all models, not of that one
    elif previous.task in _SPECIAL and _LANGUAGE_MODELS.search(plain):
        changes |= {"task": "inference", "model": None, "model_text": None, "params": None}
    if previous.copies and (number := bare_copies(plain)):
        changes["copies"] = number
    changes |= card_changes(reading, previous, plain)
    if previous.adapters and (number := bare_adapters(plain)):
        changes |= {"adapters": number, "gpu_count": previous.gpu_count}
    if "gpus_asked" in changes:
        numbered = {name.gpu for name in reading.cards.owned_names if name.count}
        owned = (card for card in reading.cards.owned if card.gpu in numbered or len(previous.gpus_owned) != 1)
        unnamed = () if reading.entities.gpus else changes.get("gpus_proposed", ())
        told = (*previous.gpus_proposed, *unnamed, *reading.cards.proposed, *owned)
        stated = {card.gpu: card for card in told}
        changes["gpus_proposed"] = tuple(card for key, card in stated.items() if key in changes["gpus_asked"])
        changes["gpus_proposed"] = _in_place(reading, previous, changes) or changes["gpus_proposed"]
    changes |= _money_changes(reading, previous, changes)
    task = changes.get("task", previous.task)
    if task in TRAINING and (spared := find_offload(reading.entities.masked)):
        changes["offload"] = spared.value
    if changes.get("weight_format") in {"int4", "nf4"} and task == "lora":
        changes["task"] = "qlora"
    if "context_tokens" in changes and task in TRAINING:
        changes["sequence_tokens"] = changes["context_tokens"]
    changes = money(reading, previous, restated(reading, previous, changes))
    turned = previous.acquisition is not None and changes.get("acquisition") not in (None, previous.acquisition)
    if weighs_either(plain) and ("acquisition" not in changes or turned):
        changes["acquisition"] = None  # the other way is held against the one spoken of
    if "conditions" in changes:
        made_there = "chinese" in changes["conditions"] and "chinese" not in previous.conditions
        changes["conditions"] = joined(previous.conditions, changes["conditions"])
        if made_there and not reading.entities.gpus:  # the cards spoken of are of other makers
            changes |= {"gpus_owned": (), "gpus_asked": (), "gpus_proposed": (), "gpu_count": None}
    if command == "cheaper" and not reading.entities.gpus and "rent" not in (previous.acquisition, previous.intent):
        changes |= {"gpus_asked": (), "gpus_proposed": ()}  # another card may be the cheaper one
    if command == "used":
        changes["conditions"] = tuple(one for one in previous.conditions if one != "new")
    if _UNLIMITED.search(plain):
        changes["budget"] = None
    budget = changes.get("budget", previous.budget)
    if budget and "acquisition" in changes:
        changes["budget"] = budget.model_copy(update={"mode": changes["acquisition"]})
    if changes.get("budget") and previous.budget and "$" not in plain:
        changes["budget"] = changes["budget"].model_copy(
            update={"period": changes["budget"].period or previous.budget.period}
        )
    return changes


def _in_place(reading: Reading, previous: Asked, changes: dict[str, Any]) -> tuple[GpuCount, ...]:
    """The one card that takes the place of another, in its number; nothing where the number is said or was not."""
    now, before = changes["gpus_asked"], previous.gpus_proposed
    said = {gpu.gpu for gpu in reading.entities.gpus if gpu.count}
    replaced = len(now) == len(previous.gpus_asked) == len(before) == 1 and now != previous.gpus_asked
    if not replaced or previous.on_offered or now[0] in said or not reading.entities.gpus:
        return ()
    return (GpuCount(gpu=now[0], count=before[0].count),)


_BARE_COUNT = grammar(
    r"^\s*(?:and |ok |what about |how about |with |if |那|换成?|用|要是)*\s?(?P<n>[1-9]\d{0,3})\s?(?:of them|cards?"
    r"|gpus?|张|块|卡)?"
    r"\s?(?:呢|的话|instead)?\s?[?.。]*\s*$"
)
"""Another number of the cards spoken of, and nothing else."""
_OF_MONEY = {"budget", "cloud_or_buy", "which_to_buy", "power", "spec", "training_time"}
"""Intents beside which a price that was asked for stays asked for."""


def _money_changes(reading: Reading, previous: Asked, changes: dict[str, Any]) -> dict[str, Any]:
    """A price asked for before is dropped by another question; cards that are priced stay those asked about."""
    strong = {intent for intent, (weight, _) in reading.weights.items() if weight >= STRONG}
    matter = changes.get("matter") or (previous.matter if not strong or strong & _OF_MONEY else None)
    priced: dict[str, Any] = {"matter": matter}
    cards = changes.get("gpus_owned")
    if matter and cards and not previous.gpus_owned and not reading.cards.owned:
        priced |= {"gpus_owned": (), "gpus_asked": tuple(card.gpu for card in cards), "gpus_proposed": cards}
    before, asked = previous.gpus_proposed, changes.get("gpus_asked") or previous.gpus_asked
    bare = _BARE_COUNT.match(reading.text.plain)
    settled = cards or changes.get("gpus_proposed")
    if matter and len(before) == 1 and len(asked) == 1 and not previous.gpus_owned and not settled:
        stated = next((card.count for card in reading.cards.proposed if card.gpu == asked[0]), None)
        count = int(bare["n"]) if bare else stated or before[0].count
        priced["gpus_proposed"] = (GpuCount(gpu=asked[0], count=count),)
    return priced


def _task_changes(reading: Reading, previous: Asked) -> bool:
    """A task said in words replaces, as does that of another model; one that is merely implied does not."""
    other = reading.slots.get("model") if reading.slots.get("model") != previous.model else None
    if other and previous.task == "rag" and models()[other].kind in LANGUAGE:
        return reading.task_said
    if other and reading.slots["task"] != "general":
        return True
    if previous.task in {None, "general"}:
        return bool(reading.slots["task"] != "general")
    if reading.slots["task"] == "general":
        return False
    tuned = reading.slots["task"] in {"lora", "qlora", "full_finetune"} and previous.task in {"lora", "qlora"}
    if tuned and not _METHOD.search(reading.text.plain):
        return False  # to train says nothing of how
    if reading.task_said:
        return not (previous.task in _SPECIAL and reading.slots["task"] in {"lora", "full_finetune", "inference"})
    serving = any(word in reading.text.plain for word in ("推理", "部署", "inference", "serve", "serving"))
    return serving and previous.task not in _SPECIAL


def _model_change(reading: Reading, previous: Asked) -> dict[str, Any]:
    """A new name replaces the model; a bare size picks the sibling of that size, if there is one."""
    slots = reading.slots
    sibling = sibling_of(previous.model, slots["params"]) if previous.model in models() and "params" in slots else None
    family = str(slots.get("model_text") or "").lower()
    if sibling and _NO_VERSION.fullmatch(family) and family in str(previous.model).lower():
        return {"model": sibling, "model_text": previous.model_text, "params": models()[sibling].params}
    if named_again(reading, previous.model):
        return {slot: getattr(previous, slot) for slot in TOPIC}
    if slots.get("model") or slots.get("model_text"):
        return {slot: slots.get(slot) for slot in TOPIC}
    if sibling:
        return {"model": sibling, "model_text": previous.model_text, "params": models()[sibling].params}
    return {"model": None, "model_text": None, "params": slots["params"]}
