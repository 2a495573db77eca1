"""Further models in a follow-up: 「再加个 whisper 呢」, "could it share the card with an 8B?", "no reranker"."""

from dataclasses import dataclass
from typing import Any

from assistant.understand.model_mentions import sibling_of
from assistant.understand.parts import LANGUAGE, SMALL, Thing, as_workload, half_of, things_spoken_of
from assistant.understand.reading import TRAINING
from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understand.workloads import SELDOM
from assistant.understanding import Asked, Role, Workload
from kb.catalog import models

_ADDED = grammar(
    r"再(?:加|放|跑|部署|挂|起|塞|上)(?!一?[张块台])|还(?:要|得|想|能|可以)(?:再|同时|顺便)?(?:跑|放|部署|加|挂"
    r"|塞|装|带)"
    r"|加上|外加|同时|一起|一块儿?|共用|顺便(?!\s?(?:再)?(?:问|请教|咨询|打听|了解|说))"
    r"|(?<![a-z])(?:alongside|on top|shar(?:e|es|ing)|together"
    r"|at the same time|next to"
    r"|in addition|add(?:ing)?|plus|side by side|also (?:run|serve|host|want|need|have|put|load|keep))(?![a-z])"
)
"""Words that put a model beside the one spoken of."""
_REMOVED = grammar(
    r"(?:不(?:要|用|跑|加|带|放|部署)|去掉|拿掉|别(?:加|带|跑)|without|drop(?:ping)?|remov\w{1,3}|leave out|skip|no)"
    r"\s?(?:the |that |那个|这个)?\s?$"
)
_REACH = 16
"""Characters before a name in which a word that takes it away stands."""
_TRAINED = grammar(r"训|微调|(?<![a-z])(?:train\w{0,3}|fine-?tun\w{0,3}|q?lora)(?![a-z])")
_SERVED = grammar(r"推理|部署|服务|(?<![a-z])(?:serv\w{1,3}|inference|infer\w{0,4}|deploy\w{0,4}|host\w{0,3})(?![a-z])")
"""Words that say which of several works is spoken of."""
_IN_TURN = ("also", "seldom")


@dataclass(frozen=True, slots=True)
class Companions:
    """What a follow-up makes of the further models."""

    others: tuple[Workload, ...]
    main: dict[str, Any] | None
    """Fields of a new main model, where the one spoken of moved to its side; None leaves that to the rest."""
    added: bool
    """Whether what was named is a companion and does not replace the main model."""


def companions(reading: Reading, previous: Asked) -> Companions:
    """The further models after this turn."""
    if (others := _of_that_work(reading, previous)) is not None:
        return Companions(others, None, added=True)
    kept = list(previous.others)
    unchanged = Companions(tuple(kept), None, added=False)
    things = things_spoken_of(reading)
    if not things or not (previous.model or previous.params):
        return unchanged
    plain = reading.text.plain
    removed = [one for one in things if _REMOVED.search(plain[max(0, one.start - _REACH) : one.start])]
    if removed:
        gone = {one.model for one in removed} | {one.kind for one in removed if one.assumed}
        left = [one for one in kept if not ({one.model, _kind(one.model)} & gone)]
        return Companions(tuple(left), None, added=len(left) < len(kept))
    main_kind = _kind(previous.model)
    cards = reading.entities.gpus or reading.cards.gpu_count
    joins = _ADDED.search(plain) is not None and not cards
    seldom = SELDOM.search(plain) is not None and not previous.gpus_owned
    added = False
    for one in things:
        if one.model is not None and one.model == previous.model:
            continue
        if joins and main_kind not in LANGUAGE and _speaks(one):
            return Companions((_of_main(previous), *kept), _main_fields(reading, one, things), added=True)
        if not (joins or seldom or _belongs(one, main_kind, previous)):
            continue
        role: Role = "beside" if not seldom or previous.task not in TRAINING else "seldom"
        work = as_workload(reading, one, things, role)
        kept = [other for other in kept if not (other.model == one.model or (not joins and _same_duty(other, one)))]
        kept.append(work)
        added = True
    return Companions(tuple(kept), None, added=added)


def _of_that_work(reading: Reading, previous: Asked) -> tuple[Workload, ...] | None:
    """The further works where the turn says something of one of them by its kind: "and with 4-bit serving?"; else None.

    What the main work does too, or what no single one of the others does, is said of the main one.
    """
    slots, plain = reading.slots, reading.text.plain
    trains, serves = _TRAINED.search(plain) is not None, _SERVED.search(plain) is not None
    if trains == serves or not in_turn(previous.others) or _ADDED.search(plain):
        return None
    meant = [one for one in previous.others if (one.task in TRAINING) == trains]
    if ((previous.trained or previous.task) in TRAINING) == trains or len(meant) != 1:
        return None
    one, known = meant[0], models().get(slots.get("model", ""))
    sibling = sibling_of(one.model, slots["params"]) if one.model in models() and "params" in slots else None
    changes: dict[str, Any] = {"task": slots["task"]} if trains and slots.get("task") in TRAINING else {}
    changes |= {"weight_format": slots["weight_format"]} if "weight_format" in slots else {}
    if known or sibling:
        changes |= {"model": known.id if known else sibling, "params": None, "assumed": False}
    elif slots.get("params"):
        changes |= {"model": None, "params": slots["params"], "assumed": False}
    return tuple(other.model_copy(update=changes) if other is one else other for other in previous.others)


def in_turn(others: tuple[Workload, ...]) -> bool:
    """Whether the machine does its works one after the other."""
    return any(one.role in _IN_TURN for one in others)


def as_beside(need: Asked) -> tuple[Workload, ...]:
    """The models that run at the same time."""
    return tuple(one for one in need.others if one.role == "beside")


def all_beside(need: Asked) -> tuple[Workload, ...]:
    """The same with those that nobody spoke of."""
    return tuple(one for one in need.others if one.role in ("beside", "implied"))


def as_works(need: Asked) -> tuple[Workload, ...]:
    """All works of a machine that does them in turn, the main one first; none where it does one."""
    if not in_turn(need.others):
        return ()
    main = Workload(
        text=need.model_text or "", task=need.trained or need.task, model=need.model,
        params=None if need.model else need.params, weight_format=need.weight_format, role="main",
    )  # fmt: skip
    return (main, *need.others)


def _belongs(one: Thing, main_kind: str, previous: Asked) -> bool:
    """Whether a small model goes beside a language model without a word for it: a knowledge base has an embedder."""
    return (
        one.kind in SMALL
        and main_kind in LANGUAGE
        and (previous.task == "rag" or any(_same_duty(other, one) for other in previous.others))
    )


def _same_duty(other: Workload, one: Thing) -> bool:
    """Whether a model takes the place of another: of the same kind, where that is no language model."""
    return other.model == one.model or (one.kind in SMALL and _kind(other.model) == one.kind)


def _speaks(one: Thing) -> bool:
    return one.kind is None or one.kind in LANGUAGE


def _of_main(previous: Asked) -> Workload:
    """The model spoken of so far, as a companion."""
    kind = _kind(previous.model)
    return Workload(
        text=previous.model_text or "", task="diffusion" if kind in ("diffusion", "video") else "inference",
        model=previous.model, params=None if previous.model else previous.params,
        weight_format=previous.weight_format or half_of(kind), role="beside",
    )  # fmt: skip


def _main_fields(reading: Reading, one: Thing, things: list[Thing]) -> dict[str, Any]:
    work = as_workload(reading, one, things)
    record = models().get(one.model or "")
    return {
        "model": one.model, "model_text": work.text, "params": record.params if record else one.params,
        "task": "inference", "weight_format": work.weight_format,
    }  # fmt: skip


def _kind(model: str | None) -> str:
    record = models().get(model or "")
    return record.kind if record else "llm"
