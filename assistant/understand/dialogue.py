"""How a turn changes what the conversation already said: follow-ups, corrections, changes of topic."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from assistant.understand.acquiring import acquisition
from assistant.understand.asking import weighs_power, weighs_prices
from assistant.understand.besides import told_besides
from assistant.understand.changes import changes_of
from assistant.understand.command import command_of, weighs_either
from assistant.understand.companions import all_beside, as_beside, as_works, companions
from assistant.understand.compared import as_many, held_against, uncompared
from assistant.understand.doubts import doubts
from assistant.understand.engines import engines_compared
from assistant.understand.exchange import ROOMFUL, in_their_place
from assistant.understand.former import among, returned
from assistant.understand.intent_rules import RELIABILITY
from assistant.understand.intents import FAULT, STRONG
from assistant.understand.language import speaks
from assistant.understand.parts import Parts, find_parts, main_need, small_params
from assistant.understand.pointing import machines, pointed
from assistant.understand.reading import TRAINING, Earlier, read
from assistant.understand.replies import replied
from assistant.understand.scope import asks_something_else, dictated
from assistant.understand.standing import standing
from assistant.understand.supposed import supposed
from assistant.understand.text import grammar
from assistant.understand.topic import CHOOSES_ANEW, new_topic
from assistant.understand.turn import Reading
from assistant.understand.worded import Said, with_before, with_what_was_said
from assistant.understand.workloads import SHOPPING, find_turns, find_workloads
from assistant.understanding import Asked, Command, Understanding, Workload, changed
from kb.catalog import models

_AGAINST = grammar(
    r"(?<![a-z])(?:compared?(?: (?:it|that|this))? (?:with|to|against)|vs\.?|versus)(?![a-z])"
    r"|(?:和|跟|与|同)[^,。?]{1,24}(?:比|对比|相比|比较)|^\s*(?:那)?(?:比|相比|对比)(?:起)?[^,。?]{2,24}"
    r"|(?:快|慢|强|贵|便宜|省)(?:多少|几倍|多大|不少)"
    r"|(?<![a-z])(?:would|will|is|are)(?: (?:an?|the|some|one|two|\d))? \S{2,16}(?: \S{1,8}){0,2}? (?:be )?(?:any )?"
    r"(?:better|faster|cheaper)(?![a-z])"
    r"|提升(?:多少|多大|大)|how much (?:faster|slower|cheaper|better|more)|(?:faster|slower|better|cheaper) than"
)
"""Words that hold the cards named against those spoken of."""
_EXPENSIVE = grammar(
    r"^[\s,.]*(?:那|很|会不会|是不是)*(?:贵不贵|贵吗|贵么|很贵)[\s?.!]*$"
    r"|^(?:and )?(?:is|are) (?:it|they|that|those) (?:too |very )?(?:expensive|pricey)[\s?.!]*$"
)
"""The price of the cards just spoken of, and nothing else."""
_AGAINST_OFFER = grammar(r"(?<![a-z])(?:better|faster|slower|cheaper)(?![a-z])|(?<!性价)比|更|强|快|慢")
"""Words that hold another maker's cards against those put forward."""
_TARIFF = grammar(r"\d{1,3}(?:\.\d{1,4})?[^\d?？]{0,12}(?:per|/|a|每|一)\s?(?:kwh|kilowatt|度)(?![^?？]*[?？])")
"""A price of electricity that is stated, not asked for."""
_STATED = {"power", "interconnect", "compatibility", "spec", "can_it_run", "min_vram"}
"""Intents whose words also state circumstances: "the case has a 650 W power supply"."""
_OF_WORK = {
    "speed", "training_time", "oom", "min_vram", "how_many_gpus", "which_to_buy", "budget", "cloud_or_buy", "compare",
}  # fmt: skip
"""What may be asked of a model that is named after cards alone."""
_QUESTION = grammar(
    r"[?吗呢么嘛]|多少|多大|几|(?<!就)够(?!了)|能|怎|哪|什么|啥|是不是|行不"
    r"|(?<![a-z])(?:how|what|which|why|enough)(?![a-z])|(?:^|[,.;] )(?:and |but |so )?"
    r"(?:can|could|does|do|is|are|will|would|should)(?![a-z])"
)
_CHOOSE = grammar(
    r"(?:which|what)(?: one)?(?: of (?:them|these|those))? (?:would|do|should|'d) (?:you|i|we)(?: personally)? (?:buy"
    r"|get|pick|choose|take|recommend|go (?:with|for)|order)"
    r"|(?:what's|what is) your (?:pick|recommendation|choice|advice)"
    r"|what (?:should|shall|would) (?:i|we|you) do|just tell me what to (?:buy|get|order)"
    r"|(?:你|换你)(?:会|觉得)?(?:买|选)哪"
    r"|(?:到底|最后|最终|直接说?|那)(?:就)?(?:该|应该)?(?:买|选)(?:哪|什么|啥)"
    r"|给(?:我)?(?:个|一个)(?:结论|建议|方案)|你(?:推荐|建议)哪|bottom line|pick one"
)
"""Words that want one choice of all that was told."""
_HOW_FAST = grammar(
    r"^[\s,.]*(?:and |what about |how about )?(?:the |its |what )?(?:speed|tokens? (?:per|a) second|tok/s|t/s|tps"
    r"|(?:出字)?速度|多快|(?:会不会|是不是)(?:很|太)?慢|慢不慢|快不快)"
    r"(?:呢|怎么样|如何|多少|多快|吗)?[\s?.!]*$"
    r"|^[\s,.]*(?:and |but )?(?:is|will|would) (?:it|that|this) (?:be )?(?:fast|slow)(?: enough)?[\s?.!]*$"
)
"""The pace of what was just spoken of, and nothing else."""
_IN_HAND = grammar(
    r"(?<![a-z])(?:i|we)(?:'ve)? (?:already )?(?:have|got|own)(?! to)(?![a-z])|already (?:have|own|got)|lying around"
    r"|我(?:们)?(?:已经)?有|手(?:里|上)有|现成"
)
"""Words for cards that stand there already, told after hardware was put forward: do they do?"""
_HOW_HUNGRY = grammar(
    r"^[\s,.]*(?:ok(?:ay)?,? |and |but |so ){0,2}(?:what about |how about )?(?:the |its |their )?"
    r"(?:power(?: (?:draw|consumption|use|bill))?|electricity|heat|watts|psu|功耗|用电|电费|耗电"
    r"|how (?:much power|many watts) (?:does|do|will|would) (?:it|that|they|both|each) (?:draw|use|need|take))"
    r"(?: (?:for|of) (?:it|that|this|them|those|both))?(?:呢|多少|怎么样)?[\s?.!]*$"
)
"""The power of what was just spoken of, and nothing else."""
_TOO_SLOW = grammar(r"太慢|慢了|嫌慢|快(?:点|一点|些)|too slow|faster|speed (?:it|that) up")
_HOLDS_OUT = grammar(RELIABILITY)
_PACED = ("speed", "training_time", "what_fits")
"""What is not asked again by who only puts a model beside the one spoken of."""
_OF_PURCHASES = ("used", "rest")
"""What can only be asked of a proposal to buy."""
_BUYS = ("cheaper", "used", "rest")
"""What is asked of hardware to order: beside the cards that are there, not beside those supposed."""
_OF_HARDWARE = ("can_it_run", "speed", "concurrency", "context_length", "training_time", "oom")
"""What can only be asked of particular cards."""
_OF_A_MODEL = ("speed", "training_time", "context_length", "concurrency", "launch_files")
"""What can only be asked of a particular model."""
_PICTURED = ("diffusion", "speech", "vision", "embedding")
"""Work of which "how long" asks for the pace, unless it is trained."""
_WEIGHED = ("compare", "power", "spec")
"""Of several cards, questions that hold one against the other."""
_ADVICE = ("guidance", "other")
"""Questions that the documents answer, until a model or a card is named."""
_FRAGMENT = 18
"""Characters of a turn that only names what it asks for: "and power draw"."""
KNOWN = 384
"""Readings remembered; in a conversation most questions come after many different ones."""
_HOW_LONG = grammar(r"how long|how many (?:days|hours)|多久|几天|多长时间|几个小时")


def fold(original: str, previous: Asked | None, earlier: Sequence[Asked] = ()) -> Understanding:
    """The Understanding of the turn, within the conversation.

    Args:
        original: what was said.
        previous: the Need of the turn before.
        earlier: those before that, oldest first, for a turn that goes back to one of them.
    """
    reading = _read(original, previous)
    reply = replied(reading, previous) if previous is not None else {}
    command = command_of(reading) if previous is not None and not reply else None
    if command == "cheaper" and previous is not None and previous.intent in _WEIGHED:
        command = None if weighs_prices(reading.text.plain) else command  # "the cheaper one?" of those compared
    if command in _OF_PURCHASES and previous is not None and not _purchase(previous):
        command = None
    if previous is None or (command is None and not reply and new_topic(reading, previous)):
        fresh = _first(original)
        return fresh if previous is None else _aside(fresh, previous)
    beside = companions(reading, previous)
    back = returned(reading, previous, earlier) or among(reading, previous, earlier)
    changes = changes_of(reading, previous, companion=beside.added, command=command) | (beside.main or {}) | back
    # Why that card was put forward is asked of the choice, not of the card as one that is there.
    changes |= reply | ({} if command == "why" else _of_cards(reading, previous)) | in_their_place(reading, previous)
    changes |= {"intent": back.get("intent") or _intent(reading, previous, command), "others": beside.others}
    silent = command is not None or not any(weight >= STRONG for weight, _ in reading.weights.values())
    changes |= {"asks": previous.asks if silent and "intent" not in back else reading.asks}
    held = len(changes.get("gpus_asked", ())) > 1 and not previous.gpus_asked and not reading.entities.gpus
    if held and _AGAINST_OFFER.search(reading.text.plain):
        changes["intent"] = "compare"
    if beside.added and changes["intent"] in _PACED and (reading.intent != changes["intent"] or silent):
        changes["intent"] = "can_it_run"  # whether the further model has room
    elif beside.added and changes["intent"] == "interconnect":
        changes["intent"] = previous.intent if previous.intent in SHOPPING else "can_it_run"  # "next to it"
    changes["intent"] = uncompared(changes, previous)
    changes |= supposed(previous, changes, reading.text.plain, anew=command in _BUYS)
    need = standing(reading.text.simplified, previous.model_copy(update=changes), previous)
    need = held_against(as_many(need, previous, changes["intent"]), previous, reading)
    freed = command == "cheaper" and changes.get("gpus_asked") == ()
    need = need.model_copy(update={"doubts": doubts(reading, need, previous, freed=freed)})
    need = _on_told(_on_offered(need, previous, need.intent or "other"), previous, need.intent or "other")
    need = with_what_was_said(need, Said.of(reading), previous, silent=silent)
    told = _follow_up(reading, need, command, sized_before=_sized(previous))
    differ = changed(previous, told.need)
    outside = told.out_of_scope and (not differ or _hostile(reading))
    told = told.model_copy(update={"changed": differ if told.follow_up else (), "out_of_scope": outside})
    return _aside(told, previous)


def _aside(told: Understanding, previous: Asked) -> Understanding:
    """What is not the advisor's business leaves the conversation as it was: the next turn goes on from there."""
    if not told.out_of_scope or not (_sized(previous) or previous.budget):
        return told
    kept = previous.model_copy(update={"language": told.language})
    return told.model_copy(update={"need": kept, "follow_up": True, "changed": (), "ambiguities": previous.doubts})


def _on_offered(need: Asked, previous: Asked, intent: str) -> Asked:
    """What is asked of hardware that nobody named is asked of what was put forward; a new choice lets go of it."""
    if need.on_offered and intent in CHOOSES_ANEW:
        return need.model_copy(update={"gpus_asked": (), "gpus_proposed": (), "on_offered": False})
    if intent not in _OF_HARDWARE or need.gpus_owned or need.gpus_asked or need.memory_bytes_per_gpu:
        kept = need.on_offered and need.gpus_asked == previous.gpus_asked
        return need.model_copy(update={"on_offered": kept})
    same_work = need.task == previous.task or previous.task in (None, "general")
    if not previous.shown or not previous.shown.offered or previous.intent not in SHOPPING or not same_work:
        return need
    card = previous.shown.offered[0]
    return need.model_copy(update={"gpus_asked": (card.gpu,), "gpus_proposed": (card,), "on_offered": True})


def _on_told(need: Asked, previous: Asked, intent: str) -> Asked:
    """What only a model has is asked, after what fits was, of the largest that was told to."""
    told = previous.shown.model if previous.shown else None
    if need.model or need.params:
        return need.model_copy(update={"on_model": need.on_model and need.model == previous.model})
    if told is None or intent not in _OF_A_MODEL or told not in models():
        return need
    form = need.weight_format or (previous.shown.weight_format if previous.shown else None)
    trained = need.task in TRAINING
    known = {"model": told, "params": models()[told].params, "weight_format": need.weight_format if trained else form}
    return need.model_copy(update=known | {"on_model": True})


def _purchase(need: Asked) -> bool:
    """Whether hardware was proposed to buy."""
    return need.intent in SHOPPING and bool(need.shown and need.shown.offered) and need.acquisition != "rent"


def _of_cards(reading: Reading, previous: Asked) -> dict[str, Any]:
    """Cards pointed at, or as many machines of them as are said now."""
    return pointed(reading, previous) or machines(reading, previous)


def _sized(need: Asked) -> bool:
    """Whether there is work or a card that a later turn may change."""
    counted = need.usual_model is not None and need.amount is not None
    return bool(need.model or need.params or need.gpus_owned or need.gpus_asked or counted)


@lru_cache(maxsize=KNOWN)
def _first(original: str) -> Understanding:
    """A question that begins a topic."""
    reading = _read(original, None)
    need = Asked(**{**reading.slots, "intent": reading.intent, "asks": reading.asks, "doubts": reading.ambiguities})
    need = with_what_was_said(standing(reading.text.simplified, need), Said.of(reading), None, silent=False)
    return _understanding(reading, *_works_in(reading, need), command_of(reading))


def _works_in(reading: Reading, need: Asked) -> tuple[Asked, Parts, tuple[Workload, ...]]:
    """The Need of the main one of several works that the turn speaks of, and the others."""
    works = find_workloads(reading, reading.text.simplified, need.intent)
    turns = () if works else find_turns(reading, reading.text.simplified, need.intent)
    each = works or turns
    need = _of_the_main(each[0], need, shops=bool(works)) if each else need
    parts = Parts(apart=turns) if each else find_parts(reading, need.intent)
    others = each[1:] or (*parts.beside, *parts.implied)
    return main_need(parts, need).model_copy(update={"others": others}), parts, works


def _follow_up(reading: Reading, need: Asked, command: Command | None, *, sized_before: bool) -> Understanding:
    """A turn that changes what was said; without work or card so far it may state all of it, and begins then."""
    if not sized_before:
        again = not _sized(need) and (need.shown is not None or not reading.out_of_scope)
        return _understanding(reading, *_works_in(reading, need), command, follow_up=again)
    works, beside, every = as_works(need), as_beside(need), all_beside(need)
    if works and need.intent not in SHOPPING:
        need = need.model_copy(update={"intent": "which_to_buy"})
    if every or (need.frozen_params and need.task not in TRAINING):
        need = need.model_copy(update={"frozen_params": small_params(every)})
    return _understanding(reading, need, Parts(beside), works, command, follow_up=True)


def _read(original: str, previous: Asked | None) -> Reading:
    reading = _known(original, Earlier.of(previous)).copy()
    if previous is not None and previous.amount and reading.slots.get("gpu_count", 0) > ROOMFUL:
        del reading.slots["gpu_count"]  # 「300 张呢」 after pictures to make
        reading.cards = replace(reading.cards, gpu_count=None)
    return reading


@lru_cache(maxsize=KNOWN)
def _known(original: str, previous: Earlier) -> Reading:
    """Read once wherever the turns before are alike; not to be changed."""
    reading = read(original, previous)
    if way := acquisition(reading):
        reading.slots["acquisition"] = way
    reading.slots |= told_besides(reading)
    budget = reading.slots.get("budget")
    if budget is not None and budget.amount == reading.slots.get("tariff_per_kwh"):
        del reading.slots["budget"]  # the price of a kilowatt-hour is nothing to spend
    return reading


def _understanding(
    reading: Reading,
    need: Asked,
    parts: Parts,
    works: tuple[Workload, ...],
    command: Command | None,
    *,
    follow_up: bool = False,
) -> Understanding:
    outside = reading.out_of_scope and not (
        follow_up and (command or reading.slots or len(reading.text.plain) < 40) and not _hostile(reading)
    )
    silent = follow_up and not speaks(reading.entities.masked)
    language = need.language if silent and need.language else reading.language
    return Understanding(
        language=language,
        workloads=works,
        beside=parts.beside,
        apart=parts.apart,
        need=Asked.model_validate(need.model_dump() | ({} if follow_up else {"shown": None}) | {"language": language}),
        text=with_before(need, reading.text.simplified) if follow_up else reading.text.simplified,
        spans=tuple(reading.spans),
        ambiguities=need.doubts,
        follow_up=follow_up,
        asks=need.asks,
        command=command,
        out_of_scope=outside,
        error_text=reading.pasted.error_text,
        fault=need.intent == "guidance" and reading.weights.get("guidance", (0.0, 0))[0] >= FAULT,
        dictated=dictated(reading.entities.masked),
    )


def _of_the_main(work: Workload, need: Asked, *, shops: bool) -> Asked:
    """The need of the main work, to be met with hardware for all."""
    known = models().get(work.model or "")
    task = work.task if known is None or known.kind in {"llm", "vlm"} else need.task
    size = {"model": known.id if known else None, "params": known.params if known else work.params}
    changes: dict[str, Any] = size | {"weight_format": work.weight_format}
    intent = need.intent if need.intent in SHOPPING or not shops else "budget"
    return need.model_copy(update=changes | {"task": task, "model_text": None, "intent": intent})


def _hostile(reading: Reading) -> bool:
    return asks_something_else(reading.entities.masked)


def _intent(reading: Reading, previous: Asked, command: Command | None) -> Any:
    """What the turn asks; a turn that only changes slots asks the same again."""
    weighed = previous.intent in _WEIGHED and len({*previous.gpus_asked, *(c.gpu for c in previous.gpus_owned)}) > 1
    priced = previous.intent == "compare" and reading.slots.get("matter") == "price" and command is None
    if command is None and _EXPENSIVE.search(reading.text.plain) and previous.intent not in SHOPPING:
        return "spec" if previous.gpus_owned or previous.gpus_asked else previous.intent
    if priced and len({gpu.gpu for gpu in reading.entities.gpus}) == 1:
        return "spec"  # the price of one of those compared
    if command in {"why", "arithmetic", "sources", "thanks"}:
        return previous.intent
    if engines_compared(reading.text.plain) or _HOLDS_OUT.search(reading.text.plain):
        return "guidance"
    if _CHOOSE.search(reading.text.plain):
        return "compare" if previous.intent == "compare" else "which_to_buy"
    if _HOW_FAST.search(reading.text.plain) and previous.task not in TRAINING:
        return "speed"
    if _HOW_HUNGRY.search(reading.text.plain) or (weighed and weighs_power(reading.text.plain)):
        return "power"
    if weighed and weighs_prices(reading.text.plain) and reading.slots.get("acquisition") != "rent":
        return "compare"
    slow = _TOO_SLOW.search(reading.text.plain) and reading.intent not in SHOPPING
    if previous.intent in {"speed", "training_time"} and slow:
        return previous.intent
    if command in {"used", "rest"}:
        return previous.intent if previous.intent in SHOPPING else "which_to_buy"
    if command == "cheaper":
        weighed = previous.intent == "cloud_or_buy" and previous.hours_per_month is not None
        return previous.intent if previous.intent in {"which_to_buy", "budget"} or weighed else "which_to_buy"
    if reading.slots.get("acquisition") == "rent" or weighs_either(reading.text.plain):
        return "cloud_or_buy"
    if (_AGAINST.search(reading.text.plain) and reading.entities.gpus) or in_their_place(reading, previous):
        return "compare"
    tariff = "tariff_per_kwh" in reading.slots or _TARIFF.search(reading.text.plain)
    if previous.intent == "cloud_or_buy" and tariff:
        return previous.intent
    if reading.slots.get("matter") == "energy":
        return "power"
    if reading.slots.get("acquisition") == "buy" and previous.acquisition == "rent":
        return "which_to_buy"
    if reading.intent == "context_length" and "context_tokens" in reading.slots and previous.intent:
        return previous.intent
    if reading.intent == "concurrency" and {"users", "concurrent_sequences"} & set(reading.slots) and previous.intent:
        return previous.intent
    shopping = previous.intent in SHOPPING and previous.budget is None and not previous.gpus_owned
    if (
        shopping
        and (reading.cards.owned or reading.cards.asked)
        and _IN_HAND.search(reading.text.plain)
        and not previous.gpus_asked
    ):
        return "can_it_run"
    if previous.intent == "min_vram" and "gpus_owned" in reading.slots and not previous.gpus_owned:
        return "can_it_run" if reading.intent in {*_STATED, "what_fits", "other", "guidance"} else reading.intent
    if previous.intent == "cloud_or_buy" and "hours_per_month" in reading.slots:
        return previous.intent
    sized = {"model", "params", "gpus_owned", "gpus_asked"} & set(reading.slots) or previous.model or previous.params
    if previous.intent in _ADVICE and sized and reading.intent not in _ADVICE:
        return reading.intent
    if previous.task in TRAINING and _HOW_LONG.search(reading.text.plain):
        return "training_time"
    shopped = previous.intent in SHOPPING and previous.budget and not (previous.gpus_owned or previous.gpus_asked)
    other_way = reading.slots.get("task") not in {None, previous.task} or "weight_format" in reading.slots
    if shopped and other_way and reading.intent in {"can_it_run", "min_vram", "how_many_gpus"}:
        return previous.intent  # within the budget still
    if "dataset_tokens" in reading.slots and previous.intent == "can_it_run" and previous.task in TRAINING:
        return "training_time"  # who tells the data wants to know the days
    asks = "matter" in reading.slots or _QUESTION.search(reading.text.plain)
    if previous.intent in {"what_fits", "spec"} and {"model", "params"} & set(reading.slots):
        return reading.intent if reading.intent in _OF_WORK else "can_it_run"
    bare = len(reading.text.plain) <= _FRAGMENT and not reading.slots
    if reading.intent in _STATED and previous.intent and not asks and not bare:
        return previous.intent
    if reading.intent == "training_time" and previous.task in _PICTURED and previous.trained is None:
        return "speed"
    if reading.intent == "speed" and (reading.slots.get("task") or previous.task) in TRAINING:
        return "training_time"
    strong = [intent for intent, (weight, _) in reading.weights.items() if weight >= STRONG]
    if reading.intent in strong and reading.intent not in {"guidance", "other"}:
        return reading.intent
    return previous.intent or reading.intent
