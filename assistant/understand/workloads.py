"""Several kinds of work for one machine: "mostly detection, now and then a 7B LoRA", 「训 YOLO，再部署一个 32B」."""

import re
from collections.abc import Sequence

from assistant.understand.parts import answers_from_documents
from assistant.understand.reading import TRAINING, read
from assistant.understand.tasks import find_work
from assistant.understand.text import Text, grammar
from assistant.understand.turn import Reading
from assistant.understanding import Workload
from kb.catalog import models
from tools.need import Intent

SHOPPING = ("which_to_buy", "budget", "cloud_or_buy")
WORKLOADS_MAX = 3
USUAL_PARAMS = 8 * 10**9
"""Size of a language model of which only the family was named, beside other work."""
_SPECIAL = ("diffusion", "vision", "speech", "embedding")
_APART = re.compile(
    r"(?<!\d),|,(?!\d{3})|[，;；。、：()（）\n]|:(?![a-z0-9])|\.\s|(?:另外|此外|同时|一边|还要|还得|还想|还能|还会|以及|偶尔|有时|顺便|顺带|兼顾|平时|主要|其次|也要|也想"
    r"|再(?=部署|跑|训|微调)|[和加跟](?=\s?\S{0,8}(?:训|微调|推理|部署|识别|检测|分割|生成|量化|模型|lora|\d\s?b))"
    r"|(?<=[a-z0-9])\s?(?:的)?(?:推理|微调|训练)和)"
    r"|\b(?:and|also|plus|but|sometimes|occasionally|mostly|mainly|primarily|besides|now and then|as well as|while)\b",
    re.I,
)
_MAIN = re.compile(r"主要|主力|为主|平时|日常|大部分|\b(?:mostly|mainly|primarily|chiefly|day-to-day|usually)\b", re.I)
SELDOM = re.compile(
    r"偶尔|有时|顺便|顺带|时不时"
    r"|\b(?:sometimes|occasional\w*|now and then|once in a while|from time to time|on the side)\b",
    re.I,
)
_TURNS = grammar(
    r"白天|夜里|夜间|晚上|半夜|平时|闲时|空闲|周末|轮流|错峰|(?<![a-z])(?:at night|nights?|overnight|evenings?"
    r"|(?:by|during the|in the) day(?:time)?|day ?time|weekends?|off[- ]hours|idle|in turns?)(?![a-z])"
)
"""Words of work that takes turns on the same cards."""
AT_ONCE = grammar(
    r"同时|一边|一半|半数|怎么分|如何分|怎样分|分配|划分|分给|一台[^,。;]{1,16}[,;和]\s?(?:另)?一台"
    r"|(?<![a-z])one (?:to|for|runs?|serv\w+|does) [^.?!]{1,50}(?<![a-z])(?:the other|one) (?:to|for|train|fine)"
    r"|(?<![a-z])(?:at once|at the same time|simultaneously|concurrently|in parallel|side by side|while|half"
    r"|split(?:ting)?|divid\w+|allocat\w+|partition\w*)(?![a-z])"
)
"""Words of works that run at once, each on cards of its own."""
_RANGE = grammar(r"(?<![a-z0-9.])\d{1,4}(?:\.\d)?\s?b(?:\s?[/、~-]\s?\d{1,4}(?:\.\d)?\s?b)+(?![a-z0-9])")
_NUMBER = grammar(r"\d{1,4}(?:\.\d)?")
_TRAINS = grammar(r"训|微调|炼丹|(?<![a-z])(?:train\w{0,3}|fine-?tun\w{0,3}|lora)(?![a-z])")
_SIZE = grammar(r"(?<![a-z0-9.])\d{1,4}(?:\.\d)?\s?b(?![a-z0-9])")
_METHOD = grammar(r"lora|全参|全量|满参|full|预训练|从头|from scratch|pre-?train")
"""Words that say how a model is trained; without them it is the way that leaves room for other work."""
_JOINED = re.compile(r"\s?(?:[和加跟与、/+&]|以及|\band\b)\s?", re.I)
"""What joins two things under one verb."""
_SAYS_HOW = grammar(
    r"训|微调|炼|推理|部署|跑|用|生成|出图|识别|检测|对话|聊天|问答|助手|(?<![a-z])(?:train|fine-?tun|lora|infer|serv|deploy"
    r"|run|chat|assistant|answer|gguf|awq|gptq|int4|q[2-8]_|[48][- ]?bit)"
)
"""Words that say what is done with a model."""
_STAND_INS = (
    ("vision", grammar(r"分割|segment|u-?net|医学影像|medical imag"), "MIC-DKFZ/nnUNet"),
    ("vision", grammar(r"检测|detect|yolo"), "ultralytics/yolov8x"),
    ("vision", grammar(r""), "torchvision/resnet50"),
    ("diffusion", grammar(r""), "stabilityai/stable-diffusion-xl-base-1.0"),
    ("speech", grammar(r""), "openai/whisper-large-v3"),
    ("embedding", grammar(r""), "BAAI/bge-m3"),
)
"""Task, words and the model that stands in for one that was not named."""


def find_workloads(reading: Reading, original: str, intent: Intent | None = None) -> tuple[Workload, ...]:
    """The kinds of work spoken of, main one first; none where there is but one, or cards were named.

    `intent`: what the conversation asks, where the turn only adds to it.
    """
    shopping = {reading.intent, intent} & set(SHOPPING) or "budget" in reading.slots
    if not shopping or reading.entities.gpus or reading.slots.get("task") == "rag" or _signs(reading) < 2:
        return ()
    if answers_from_documents(reading):
        return ()  # they run beside each other, not in turn
    found: list[Workload] = []
    last = 0
    for start, end in _pieces(original):
        between = original[last:start]
        work, last = _workload(original[start:end], between) or _again(original[start:end], found), end
        if work and found and _JOINED.fullmatch(between):
            work = _trained_alike(work, found[-1], original[start:end])
        if work and _new(work, found):
            found.append(work)
    named = {models()[one.model].kind for one in found if one.model and not one.assumed}
    found = [one for one in found if not (one.assumed and one.model and models()[one.model].kind in named)]
    if len(found) < 2:
        return ()
    return tuple(sorted(found[:WORKLOADS_MAX], key=lambda work: ("main", "also", "seldom").index(work.role)))


def find_turns(reading: Reading, original: str, intent: Intent | None) -> tuple[Workload, ...]:
    """A model that is served and one that is trained on the same cards, by turns or at once; else none."""
    kinds, plain = {gpu.gpu for gpu in reading.entities.gpus}, reading.text.plain
    if intent in SHOPPING or len(kinds) != 1 or _signs(reading) < 2:
        return ()
    if not (_TURNS.search(plain) or AT_ONCE.search(plain)):
        return ()
    works = [work for start, end in _pieces(original) if (work := _workload(original[start:end], ""))]
    served = next((work for work in works if work.task in (None, "inference")), None)
    trained = next((work for work in works if work.task in TRAINING), None)
    if served is None or trained is None:
        return ()
    return (
        served.model_copy(update={"task": "inference", "role": "also"}),
        trained.model_copy(update={"role": "also"}),
    )


def _again(piece: str, found: list[Workload]) -> Workload | None:
    """The model before trained in another way as well, 「13B 全参和 LoRA 微调」; None where the piece says no way."""
    if not found or found[-1].task not in TRAINING or not _METHOD.search(Text.of(piece).plain):
        return None
    task = read(piece).slots.get("task")
    return found[-1].model_copy(update={"text": piece.strip(), "task": task}) if task in TRAINING else None


def _trained_alike(work: Workload, before: Workload, piece: str) -> Workload:
    """The work with the method of the one it is joined to, where it says none: "lora sdxl and 7b" trains both."""
    silent = work.task in (None, "inference", "qlora") and not _SAYS_HOW.search(piece)
    return work.model_copy(update={"task": before.task}) if silent and before.task in TRAINING else work


def _signs(reading: Reading) -> int:
    """Names, sizes and kinds of work in the whole turn: with fewer than two there are no two, and no piece is read."""
    plain = reading.text.plain
    kinds = {found.value for found in find_work(plain).named} & set(_SPECIAL)
    return len(reading.entities.models) + len(reading.ambiguities) + len(_SIZE.findall(plain)) + len(kinds)


def _pieces(text: str) -> list[tuple[int, int]]:
    bounds = [0, *(place for match in _APART.finditer(text) for place in match.span()), len(text)]
    return [(start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True) if end - start > 1]


def _workload(piece: str, before: str) -> Workload | None:
    """The work that one piece of the question speaks of, with a stand-in where its model was not named."""
    reading = read(piece)
    slots, task = reading.slots, reading.slots.get("task")
    doubt = next((one for one in reading.ambiguities if one.kind == "model" and not one.unknown), None)
    model = slots.get("model") or (_usual(doubt.candidates) if doubt else None)
    special = task in _SPECIAL and (reading.task_said or model)
    if not (model or slots.get("params") or special):
        return None
    assumed = None if model or slots.get("params") else _stand_in(str(task), reading.text.plain)
    if task in ("lora", "full_finetune") and not _METHOD.search(reading.text.plain):
        task = "qlora"
    if special:
        task = (
            "lora" if "lora" in reading.text.plain else "full_finetune" if _trained(str(task), reading) else "inference"
        )
    return Workload(
        text=piece.strip(), task=task, model=model or assumed, params=None if model else _largest(reading),
        weight_format=slots.get("weight_format"), assumed=assumed is not None,
        role="seldom" if SELDOM.search(before + piece) else "main" if _MAIN.search(before + piece) else "also",
    )  # fmt: skip


def _largest(reading: Reading) -> int | None:
    """Parameters of the largest of several sizes joined by nothing but a stroke: "7B/13B" is hardware for 13B."""
    said: int | None = reading.slots.get("params")
    sizes = [float(one) * 1e9 for match in _RANGE.finditer(reading.text.plain) for one in _NUMBER.findall(match[0])]
    return max([said, *map(int, sizes)]) if said is not None else None


def _usual(candidates: Sequence[str]) -> str:
    """Of several that bear a name, the first; of language models the one nearest to the size most people run."""
    known = [models()[one] for one in candidates if one in models()]
    speaking = [one for one in known if one.kind == "llm"] or [one for one in known if one.kind == "vlm"]
    if speaking:
        return min(speaking, key=lambda one: abs(one.params - USUAL_PARAMS)).id
    return candidates[0]


def _trained(task: str, reading: Reading) -> bool:
    """Whether it is trained: said so, or vision, for which hardware is bought to train unless inference is said."""
    return bool(_TRAINS.search(reading.text.plain)) or (task == "vision" and "推理" not in reading.text.plain)


def _stand_in(task: str, plain: str) -> str | None:
    return next((model for kind, words, model in _STAND_INS if kind == task and words.search(plain)), None)


def _new(work: Workload, found: list[Workload]) -> bool:
    return all((work.task, work.model, work.params) != (one.task, one.model, one.params) for one in found)
