"""Several models in one question: run together on the same cards, or asked about one by one.

Together: "Qwen3-8B and whisper at the same time", "an LLM plus an embedding model", 「再放一个 SDXL」. One by one:
"7B in fp16 or 32B in int4", 「7B 和 13B 分别要多少」.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assistant.understand.formats import find_formats
from assistant.understand.model_mentions import NamedModel, sibling_of
from assistant.understand.parameters import every_size, is_active
from assistant.understand.posttrain import find_teacher
from assistant.understand.reading import TRAINING
from assistant.understand.text import Found, grammar
from assistant.understand.turn import Reading
from assistant.understanding import Asked, Role, Workload
from kb.catalog import models
from tools.need import Task

PARTS_MAX = 4
"""Models of one question that are looked at."""
_TOGETHER = grammar(
    r"同时|一起|一块儿?|共用|共存|并存|同一(?:张|块|台|个)|同卡|外加|再(?:加|放|塞|跑|部署|挂|起)(?:上)?一?个?|还(?:要|得|想)(?:放|跑|部署|挂|塞|留)|加上"
    r"|都(?:放|塞|装|部署|跑|挂)(?:在)?(?:同)?(?:一|这)"
    r"|(?<![a-z])(?:at the same time|at once|together|simultaneous(?:ly)?|alongside|along with|side by side"
    r"|concurrently|both loaded"
    r"|in parallel|(?:on|in|onto) the same|(?:hold|fit|run|serve|host|load|keep)s? both"
    r"|speculative|next to|on top of|all on (?:one|a|the|my)|sharing|share|plus"
    r"|draft(?:ing|er| model)?)(?![a-z])|\+|投机|草稿"
)
_DRAFTS = grammar(r"投机|草稿|(?<![a-z])(?:draft(?:s|ing|er)?|speculative|speculator)(?![a-z])")
"""Words of a small model that writes ahead for a large one, which is what is served, whichever is named first."""
_APART = grammar(
    r"还是|或者?|哪(?:个|一个|种|些)|分别|各(?:自|要|需|占)?|对比|(?<![a-z])(?:or|vs\.?|versus|which|either|respectively|each|compared)(?![a-z])"
)
_OR = grammar(r"还是|(?<![a-z])(?:or|vs)(?![a-z])")
_JOINS = grammar(
    r"(?:\s|,|、|/|\+|&|;|和|与|跟|及|或者?|还是|以及|对比|比|再|加上?|外加|同时|一个|一张|的|用|版本?|量化|模型|推理|参数|权重|,|\("
    r"|\)|@|(?<![a-z])(?:and|or|vs\.?|versus|plus|with|in|at|an?|the|one|another|model|version|quanti[sz]ed|weights?|to|of|is|against|either|both"
    r"|on|for|running|run|also|my|our|then|alongside|together|chat|instruct|it)(?![a-z]))*"
)
"""What stands between things of one list."""
_LIST_REACH = 40
"""Characters between two things of one list."""
_FAR = 60
"""The same where words say that they run together."""
_ALIKE = 0.12
"""How far a size may be from a model's count to be the same model."""
_AFTER, _BEFORE = 6, 3
"""Characters between a thing and a format after it ("7B in fp16"), and before it (「int4 的 70B」)."""
_OF_ALL = grammar(r"(?:(?<![a-z])(?:both|all)(?: (?:in|at))?|都(?:是|用)?|均(?:为|用)?)\s?$")
HALF = "fp16"
"""How small companions are run, though many are published in 32 bits."""
LANGUAGE = ("llm", "vlm")
RETRIEVAL = ("embedding", "reranker")
"""Kinds that find what a language model answers from: they run beside it, whatever is asked."""
SHOPPED = ("which_to_buy", "budget", "cloud_or_buy")
SMALL = ("embedding", "reranker", "speech", "vision")
"""Kinds of model that stand beside a language model: a knowledge base, a voice assistant."""
_KINDS: tuple[tuple[str, str, str], ...] = (
    (
        "BAAI/bge-m3",
        "embedding",
        (r"(?<![a-z])embedd(?:ing|er)s?(?: model)?(?![a-z])|向量(?:化)?模型|嵌入模型|(?<![a-z])embedding"),
    ),
    ("BAAI/bge-reranker-v2-m3", "reranker", r"(?<![a-z])re-?rank(?:er|ing)?s?(?: model)?(?![a-z])|重排序?(?:模型)?"),
    (
        "openai/whisper-large-v3",
        "speech",
        (
            r"(?<![a-z])(?:whisper|asr|stt|speech[- ]to[- ]text|speech recognition)(?: model)?(?![a-z])"
            r"|语音识别|语音转文字"
        ),
    ),
    ("hexgrad/Kokoro-82M", "speech", r"(?<![a-z])(?:tts|text[- ]to[- ]speech)(?: model)?(?![a-z])|语音合成"),
    (
        "stabilityai/stable-diffusion-xl-base-1.0",
        "diffusion",
        (
            r"(?<![a-z])(?:an? )?(?:image (?:gen(?:eration|erator)?|model)"
            r"|text[- ]to[- ]image|stable diffusion|sd|comfyui)"
            r"(?: model)?(?![a-z0-9.])|文生图(?:模型)?|画图模型|出图模型"
        ),
    ),
)
"""Kinds of companion that are spoken of without a name, and the model most people mean by them."""
_BY_WORD = tuple((model, kind, grammar(words)) for model, kind, words in _KINDS if model in models())
_NOT_BESIDE = grammar(r"(?:不|没有?|no|without|not|cpu)\s?(?:用|要|带|an? |the |any )?$")
_ON_CPU = grammar(r"[^,。;.]{0,16}(?:on|to) (?:the )?cpu|[^,。;.]{0,10}(?:放|跑)?(?:在)?\s?cpu")


@dataclass(frozen=True, slots=True)
class Parts:
    """The other models of a question."""

    beside: tuple[Workload, ...] = ()
    """Run at the same time on the same cards as the main one."""
    apart: tuple[Workload, ...] = ()
    """Asked about one by one, the main one first."""
    main: Workload | None = None
    """The language model that the others stand beside."""
    implied: tuple[Workload, ...] = ()
    """Run beside it though nobody spoke of them."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A model spoken of: by name, by size, or by its kind alone."""

    model: str | None
    params: int | None
    start: int
    end: int
    kind: str | None
    assumed: bool = False


def find_parts(reading: Reading, intent: str | None) -> Parts:
    """The models of a question about running several; nothing where there is but one, or where one is trained."""
    if _trained(reading) or reading.pasted.error_text is not None or intent in ("oom", "spec", "compare"):
        return Parts()
    found = _several(reading, shops=intent in SHOPPED)
    return Parts(implied=(_EMBEDDER,)) if found == Parts() and _unsaid(reading) else found


def _several(reading: Reading, *, shops: bool) -> Parts:
    """The models that were spoken of; those of somebody who shops only where they make one service."""
    things = _by_name(reading)
    companions = list(_spoken_of(reading, things))
    language = [one for one in things if one.kind in (*LANGUAGE, None)]
    few = not language or len(things) + len(companions) < 2
    if few or (shops and not answers_from_documents(reading)):
        return Parts()
    main = max(language, key=_size) if _DRAFTS.search(reading.text.plain) else language[0]
    if beside := _beside(reading, things, companions, main):
        works = tuple(as_workload(reading, one, things) for one in beside[:PARTS_MAX])
        return Parts(beside=works, main=as_workload(reading, main, things))
    apart = tuple(as_workload(reading, one, things, "also") for one in _listed(reading, things)[:PARTS_MAX])
    return Parts(apart=apart) if len(apart) > 1 else Parts()


def _size(one: Thing) -> int:
    record = models().get(one.model or "")
    return record.params if record else one.params or 0


def _trained(reading: Reading) -> bool:
    return reading.slots.get("task") in TRAINING or find_teacher(reading.text.plain)[0] is not None


def _unsaid(reading: Reading) -> bool:
    """Whether documents are to be answered from, and nothing is said of what finds them."""
    said = any(words.search(reading.entities.masked) for _, kind, words in _BY_WORD if kind in RETRIEVAL)
    return reading.slots.get("task") == "rag" and not said


def answers_from_documents(reading: Reading) -> bool:
    """Whether what finds documents is spoken of beside the language model that answers from them, nothing trained."""
    if _trained(reading):
        return False
    things = things_spoken_of(reading)
    finds = [one for one in things if one.kind in RETRIEVAL]
    speaks = [one for one in things if one.kind in (*LANGUAGE, None)]
    return bool(finds and speaks) and not any(_either(reading, speaks[0], one) for one in finds)


def things_spoken_of(reading: Reading) -> list[Thing]:
    """Every model of the turn, in order: named, of some size, of some kind."""
    things = _by_name(reading)
    return [*things, *_spoken_of(reading, things)]


def _by_name(reading: Reading) -> list[Thing]:
    return sorted([*_named(reading), *_sizes(reading)], key=lambda one: one.start)


def _named(reading: Reading) -> Iterator[Thing]:
    """Models named, each once."""
    seen: set[str] = set()
    for one in reading.entities.models:
        key = _settled(one)
        if key is None and one.params is None:
            continue
        if key in seen:
            continue
        seen.update({key} if key else ())
        record = models().get(key or "")
        yield Thing(key, one.params, one.start, one.end, record.kind if record else None)


def _settled(one: NamedModel) -> str | None:
    """The model; of those that bear a name, the first where they are of one kind other than language."""
    if one.model or not one.ids:
        return one.model
    kinds = {models()[key].kind for key in one.ids}
    return one.ids[0] if kinds <= {*SMALL, "diffusion", "video"} else None


def _may_speak(one: NamedModel) -> bool:
    """Whether a bare size may be that of the model: a size without a name is a language model's."""
    record = models().get(one.model or "")
    return record is None or record.kind in LANGUAGE


def _sizes(reading: Reading) -> Iterator[Thing]:
    """Bare sizes that are not those of a model named."""
    known = [one.params for one in reading.entities.models if one.params and _may_speak(one)]
    seen: list[int] = []
    for size in every_size(reading.entities.masked):
        alike = size.value in seen or any(abs(size.value - other) <= _ALIKE * other for other in known)
        if alike or is_active(reading.text.plain, size):
            continue
        seen.append(size.value)
        family = [one.model for one in reading.entities.models if one.model and one.end <= size.start]
        sibling = sibling_of(family[-1], size.value) if family else None
        yield Thing(sibling, size.value, size.start, size.end, models()[sibling].kind if sibling else None)


def _spoken_of(reading: Reading, things: list[Thing]) -> Iterator[Thing]:
    """Kinds of companion without a name, where no model of that kind is named."""
    doubted = (name for one in reading.ambiguities if one.kind == "model" for name in one.candidates)
    kinds = {one.kind for one in things} | {models()[name].kind for name in doubted if name in models()}
    hidden = reading.entities.masked
    for model, kind, words in _BY_WORD:
        found = words.search(hidden)
        if found is None or kind in kinds or _NOT_BESIDE.search(hidden[max(0, found.start() - 12) : found.start()]):
            continue
        if _ON_CPU.match(hidden, found.end()):
            continue
        yield Thing(model, models()[model].params, found.start(), found.end(), kind, assumed=True)


def _beside(reading: Reading, things: list[Thing], companions: list[Thing], main: Thing) -> list[Thing]:
    """What runs at the same time: small companions of a language model, and whatever the words put together."""
    others = [one for one in things if one is not main]
    finding = [one for one in (*others, *companions) if one.kind in RETRIEVAL and not _either(reading, main, one)]
    small = [one for one in (*others, *companions) if one.kind in SMALL and one not in finding]
    large = [one for one in (*others, *companions) if one.kind not in SMALL]
    joint = [one for one in large if _said_together(reading, main, one)]
    if _APART.search(reading.text.plain) and not joint and any(not one.assumed for one in small):
        small = [one for one in small if _said_together(reading, main, one)]
    return sorted([*finding, *small, *joint], key=lambda one: one.start)


def _either(reading: Reading, main: Thing, other: Thing) -> bool:
    """Whether one is held against the other."""
    first, second = sorted((main, other), key=lambda one: one.start)
    return _OR.search(reading.entities.masked, first.end, second.start) is not None


def _said_together(reading: Reading, main: Thing, other: Thing) -> bool:
    """Whether words say that both run at the same time, close to one of them and to no choice between them."""
    first, second = sorted((main, other), key=lambda one: one.start)
    between = reading.entities.masked[first.end : second.start]
    if len(between) > _FAR or _OR.search(between):
        return False
    around = reading.entities.masked[max(0, first.start - _LIST_REACH) : second.end + _FAR]
    return _TOGETHER.search(around) is not None


def _listed(reading: Reading, things: list[Thing]) -> list[Thing]:
    """The things of one list: nothing but formats and joining words between each and the next."""
    if not things:
        return []
    formats = [(found.start, found.end) for found in find_formats(reading.entities.masked)]
    hidden = list(reading.text.plain)
    for start, end in formats:
        hidden[start:end] = " " * (end - start)
    plain = "".join(hidden)
    best: list[Thing] = []
    run = [things[0]]
    for before, after in pairwise(things):
        between = plain[before.end : after.start]
        if len(between) <= _LIST_REACH and between.strip() and _JOINS.fullmatch(between):
            run.append(after)
            continue
        best, run = max(best, run, key=len), [after]
    return max(best, run, key=len)


def as_workload(reading: Reading, one: Thing, things: list[Thing], role: Role = "beside") -> Workload:
    """A model spoken of as work for the cards, with the format said of it."""
    task: Task = "diffusion" if one.kind in ("diffusion", "video") else "inference"
    return Workload(
        text=reading.text.plain[one.start : one.end],
        task=task,
        model=one.model,
        params=None if one.model else one.params,
        weight_format=_format_of(reading, one, things) or half_of(one.kind),
        role=role,
        assumed=one.assumed,
    )


_EMBEDDER = Workload(
    text="", task="inference", model=_BY_WORD[0][0], weight_format=HALF, role="implied", assumed=True,
)  # fmt: skip
"""What most people turn documents into vectors with."""


def half_of(kind: str | None) -> str | None:
    """The format of a small companion of which none was said."""
    return HALF if kind in SMALL else None


def _format_of(reading: Reading, one: Thing, things: list[Thing]) -> str | None:
    """The format said of the thing, or of all of them."""
    found = find_formats(reading.text.plain)
    own = next((form.value for form in found if _owner(form, things) is one), None)
    for_all = (form.value for form in found if _OF_ALL.search(reading.text.plain[max(0, form.start - 8) : form.start]))
    return own or next(for_all, None)


def _owner(form: Found[str], things: list[Thing]) -> Thing | None:
    """Whose format it is: of the thing it stands in or right after, else right before, else the last one before it."""
    inside = (one for one in things if one.start <= form.start < one.end)
    after = (one for one in things if 0 <= form.start - one.end <= _AFTER)
    before = (one for one in things if 0 <= one.start - form.end <= _BEFORE)
    earlier = (one for one in reversed(things) if one.end <= form.start)
    return next((one for group in (inside, after, before, earlier) for one in group), None)


def main_need(parts: Parts, need: Asked) -> Asked:
    """The need of the language model that others stand beside; served, not transcribed or drawn."""
    if parts.implied and not parts.beside:
        return need.model_copy(update={"frozen_params": small_params(parts.implied)})
    if not parts.beside or parts.main is None:
        return need
    known = models().get(parts.main.model or "")
    finds = any(models()[one.model].kind in RETRIEVAL for one in parts.beside if one.model)
    task: Task = "rag" if need.task == "rag" or finds else "inference"
    size = {"model": known.id if known else None, "params": known.params if known else parts.main.params}
    changes: dict[str, object] = {**size, "task": task, "frozen_params": small_params(parts.beside)}
    if need.model != size["model"]:
        changes |= {"model_text": None}
    return need.model_copy(update=changes | {"weight_format": parts.main.weight_format or _only_format(parts, need)})


def small_params(beside: Sequence[Workload]) -> int | None:
    """Parameters of the small companions together."""
    records = [models()[one.model] for one in beside if one.model]
    return sum(record.params for record in records if record.kind in SMALL) or None


def _only_format(parts: Parts, need: Asked) -> str | None:
    """The format said, unless it is that of a companion."""
    return None if need.weight_format in {one.weight_format for one in parts.beside} else need.weight_format
