"""How much there is to do when the work is not counted in tokens: images, clips, audio, documents, data sets."""

import re

from assistant.understand.numbers import number
from assistant.understand.progress import find_progress
from assistant.understand.worded import (
    CAMERAS,
    COUNTED_OUT,
    DOCUMENTS,
    EACH,
    HOURLY,
    LIVE,
    OUTPUT,
    QUERIES,
    READ,
    SCALES,
    STEPS,
    heard,
    made,
    period_s,
)
from kb.catalog import models
from kb.constants.item_work import dataset_samples, item_work
from kb.units import HOUR_S
from tools.need import Intent, Need

SEEN = ("diffusion", "video", "vision")
USUAL_FPS = 16
"""Frames a second of generated clips where the model's own rate is not known: Wan's."""
COUNTED = (*SEEN, "speech", *READ)
"""Kinds of model whose pace is asked for in items."""
TIMED = ("vision", "diffusion", *READ)
"""Kinds whose training is timed in items; `UNTIMED`: those of which only the memory is known."""
UNTIMED = ("speech", "video")
TEXT_TOKENS = 512
"""Tokens of a text where none were stated: what embedding models are fed in pieces of."""
CAMERA_FPS = 25
"""Frames a second of a camera where none are said: the video rate of PAL countries."""
_UNIT_S = {"h": 3600, "小": 3600, "个": 3600, "m": 60, "分": 60, "天": 86400, "d": 86400}
_TRAINS = re.compile(r"训练|训(?!练好)|微调|炼|epochs?|轮|\btrain|fine[- ]?tun|pre-?train|from scratch", re.I)
_PACE = re.compile(
    r"(?:images?|imgs?|pics?|pictures?|it|iterations?|frames?|docs?|documents?|texts?|embeddings?|samples?|clips?)"
    r"\s?(?:/|per )\s?(?:s|sec|second|min|minute|hour|h|day)(?![a-z])|\bfps\b|seconds? per|s/(?:it|image)"
    r"|real.?time factor"
    r"|\brtf\b|how fast|how many (?:images?|pictures?|documents?|clips?|videos?|hours of)|throughput|how long"
    r"|多快|多久|多长时间|速度|吞吐|每秒|每分钟|每小时|每天|一天能|几秒|多少秒|实时率|几小时|几分钟|几天|多少张图"
    r"|how many (?:days|hours|minutes|weeks)|多少(?:个)?(?:小时|天|分钟)"
    r"|(?:出|生成|跑)多少张",
    re.I,
)
_SIZE = re.compile(r"(?<!\d)(\d{3,4})\s?[x×*]\s?(\d{3,4})(?!\d)")


_PEOPLE = re.compile(r"how many (?:people|users|colleagues|artists|designers)|(?:几|多少)个?(?:人|用户|设计师)", re.I)
"""Words that ask how many people something does for."""


def counts_output(text: str) -> bool:
    """Whether what comes out is asked to be counted, whatever else the words look like."""
    return OUTPUT.search(text) is not None


def span_s(need: Need, text: str) -> float | None:
    """Seconds in which what comes out is counted: "how many images overnight", 「一天能出多少张」; None = none."""
    if shared(need, text):
        return HOUR_S
    if not counts_output(text):
        return None
    return need.deadline_s or period_s(text) or (HOUR_S if HOURLY.search(text) else None)


def shared(need: Need, text: str) -> bool:
    """Whether it is asked how many people a maker of pictures or clips does for: they share what comes out of it."""
    return need.task == "diffusion" and _PEOPLE.search(text) is not None


def trains(text: str) -> bool:
    """Whether the words speak of training."""
    return _TRAINS.search(text) is not None


def model_kind(need: Need) -> str | None:
    """The kind of the catalog model asked about."""
    record = models().get(need.model or "")
    return record.kind if record else None


def clip_frames(model: str, seconds: float) -> int:
    """Frames of a generated clip: seconds at the model's own rate, and the one it starts with."""
    known = item_work().pictures.get(model)
    return round(seconds * ((known.fps if known else None) or USUAL_FPS)) + 1


def pace_asked(need: Need, text: str, *, trained: bool = False) -> Intent | None:
    """What a question for the pace of work without tokens asks for: the time of training, that of doing it, whether it
    fits where the training was never timed; None where no pace is asked. `trained`: whether it was said to train.
    """
    kind = model_kind(need)
    if shared(need, text):
        return "speed"
    if kind not in COUNTED or not (_PACE.search(text) or counts_output(text) or _daily_load(need, text)):
        return None
    trains = need.epochs is not None or trained or _TRAINS.search(text) is not None
    if not trains:
        return "speed"
    return "training_time" if kind in TIMED else "can_it_run" if kind in UNTIMED else None


def _daily_load(need: Need, text: str) -> bool:
    """Whether so much comes in a day: that asks for a pace, whatever else the words look like."""
    kind = model_kind(need) or ""
    enough = need.intent in ("can_it_run", "speed", "spec", "what_fits")
    if not enough or (period_s(text) is None and need.deadline_s is None):
        return False
    if kind == "speech":
        return heard(text) is not None
    if kind in ("diffusion", "video"):
        return COUNTED_OUT.search(text) is not None or made(kind, text) is not None
    return kind in READ and DOCUMENTS.search(text) is not None


def amounts(need: Need, text: str) -> dict[str, object]:
    """What the text says there is to do, as fields of a speed or time request."""
    kind = model_kind(need)
    found: dict[str, object] = {}
    if kind in COUNTED and (span := span_s(need, text)) is not None:
        found["within_s"] = span
    if kind in SEEN:
        if (match := made(kind, text)) is not None:
            found["images"] = found["dataset_samples"] = count_of(match)
            if (period := period_s(text) or need.deadline_s) is not None:
                found["images_per_s"] = count_of(match) / period
        if (known := dataset_samples(text)) is not None:
            found["dataset_samples"] = known
        if (size := _SIZE.search(text)) is not None:
            found |= {"width_px": int(size[1]), "height_px": int(size[2])}
            if size[1] == size[2]:
                found["image_px"] = int(size[1])
        if kind != "vision" and (steps := STEPS.search(text)) is not None:
            found["steps"] = int(steps[1])
        if kind == "vision" and need.concurrent_sequences and CAMERAS.search(text) is not None:
            found["images_per_s"] = float(need.concurrent_sequences * (need.frames_per_s or CAMERA_FPS))
    elif kind == "speech" and (match := heard(text)) is not None:
        found["audio_s"] = count_of(match) * _UNIT_S[match["u"][0].lower()]
        if (period := period_s(text) or need.deadline_s) is not None:
            found["audio_s_per_s"] = float(str(found["audio_s"])) / period
    elif kind == "speech" and need.concurrent_sequences and LIVE.search(text) is not None:
        found["audio_s_per_s"] = float(need.concurrent_sequences)
    elif kind in READ:
        if (match := DOCUMENTS.search(text)) is not None:
            found["documents"] = count_of(match)
        found |= texts(need, text)
    return found


def of_pictures(need: Need, text: str) -> dict[str, object]:
    """The run of training a generator of pictures: its steps; its few pictures are no run without passes over them."""
    if model_kind(need) != "diffusion":
        return {}
    run = find_progress(text)
    found: dict[str, object] = {"steps": run.all_steps or run.steps, "accumulation": run.accumulation}
    once = found["steps"] is not None or need.epochs is None
    return found | {"micro_batch_size": need.batch_size} | ({"dataset_samples": None} if once else {})


def rate(need: Need, text: str) -> bool:
    """Whether texts or speech come at a rate that cards have to keep up with."""
    kind = model_kind(need)
    if kind == "speech":
        return "audio_s_per_s" in amounts(need, text)
    if kind in ("diffusion", "vision"):
        return "images_per_s" in amounts(need, text)
    return kind in READ and "documents_per_s" in texts(need, text)


def texts(need: Need, text: str) -> dict[str, object]:
    """Texts a second to keep up with and the tokens of each: candidates times queries, or a day's load spread evenly.

    Candidates of a query that are ranked count one by one: 50 documents at 10 queries a second are 500 texts.
    """
    found: dict[str, object] = {}
    match, rate, period = DOCUMENTS.search(text), QUERIES.search(text), period_s(text)
    count = count_of(match) if match else 1
    if rate is not None:
        found["documents_per_s"] = count * float(rate["r"] or rate["q"])
    elif match is not None and period is not None:
        found["documents_per_s"] = count / period
    elif match is not None and need.deadline_s:
        found["documents_per_s"] = count / need.deadline_s
    if (length := EACH.search(text)) is not None:
        found["input_tokens"] = round(float(length["n"]) * (1000 if length["k"] else 1))
    return found


def count_of(match: re.Match[str]) -> int:
    """The number that stands before what is counted, with its scale."""
    scale = match["s"].lower() if match["s"] else None
    return round((number(match["n"].replace(",", "")) or 0) * SCALES[scale])
