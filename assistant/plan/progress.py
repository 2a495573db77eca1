"""A run under way, or counted in steps: "18 s/it, 12,000 steps to go", "50k samples at batch 32: how many steps"."""

import re

from assistant.plan import requests
from assistant.plan.amounts import SEEN, model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.understand.progress import Progress, find_progress, find_rate, find_utilisation
from assistant.understanding import Understanding
from tools.need import Need

FEW_STEPS = 200
"""Fewer steps than this, of what makes pictures, are those of one picture."""
_COUNTS_STEPS = re.compile(
    r"how many (?:\w{1,12} ){0,2}(?:steps|iterations)|多少(?:个)?\s?(?:步|steps?)|几步|总步数", re.I
)
_JUDGES = re.compile(
    r"正常|合理|偏低|太低|低(?:吗|么|不低|了)|太慢|慢(?:吗|不慢)|好不好|行不行|什么水平|怎么样|为什么|为啥|算(?:快|慢|高|低)"
    r"|有问题|这么慢|好慢|[这那]么久|太久|好久|是不是"
    r"|\b(?:normal|low|slow|expected|good|bad|ok(?:ay)?|reasonable|typical|right|decent|why|should i (?:expect|get|see)"
    r"|poor|fine|off|wrong|(?:so|too|that) long)\b",
    re.I,
)
"""Words that ask whether a speed is what it should be."""


def asked(understanding: Understanding) -> bool:
    """Whether the time, or the number, of a run's steps is asked for and can be counted."""
    need, text = understanding.need, understanding.text
    if understanding.error_text or need.intent == "oom":
        return False
    run = find_progress(text)
    if run.step_s is None:
        return bool(_COUNTS_STEPS.search(text)) and run.samples is not None and need.batch_size is not None
    if model_kind(need) in SEEN and not requests.is_training(need) and (run.steps or 0) < FEW_STEPS and not need.epochs:
        return False
    return run.steps is not None or (run.samples is not None and need.batch_size is not None)


def judges(text: str) -> bool:
    """Whether words ask if a speed is what it should be."""
    return _JUDGES.search(text) is not None


def judged(understanding: Understanding) -> bool:
    """Whether a training's rate or utilisation is stated to be judged, for a model on cards that are known."""
    need, text = understanding.need, understanding.text
    known = requests.sized(need) and bool(requests.cards(need)) and model_kind(need) in ("llm", "vlm", None)
    if not known or not _JUDGES.search(text) or understanding.error_text:
        return False
    return find_utilisation(text) is not None or (requests.is_training(need) and find_rate(text) is not None)


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The run at the pace it shows; beside it, where batch and length are said, what the cards should reach."""
    run, card = find_progress(understanding.text), next(iter(requests.cards(need)), None)
    count = (card.count or 1) if card else need.gpu_count
    values = _said(need, run) | {"gpu": card.gpu if card else None, "gpu_count": count}
    paced = planned("estimate_training_time", **(values | {"step_s": run.step_s or 1.0}))
    told = need.batch_size and (need.sequence_tokens or need.context_tokens)
    compared = run.step_s and (told or _JUDGES.search(understanding.text))
    return [paced, requests.training_time(need, card) if compared else None]


def _said(need: Need, run: Progress) -> dict[str, object]:
    """The run as a request: its steps where they are said, else its samples."""
    return need.model_dump(exclude={"intent", "dataset_tokens"}) | {
        "task": need.task if requests.is_training(need) else None,
        "sequence_tokens": need.sequence_tokens or need.context_tokens,
        "micro_batch_size": need.batch_size,
        "accumulation": run.accumulation,
        "steps": run.all_steps or run.steps,
        "steps_done": run.all_steps - run.steps if run.all_steps and run.steps else None,
        "dataset_samples": run.samples if run.steps is None else None,
    }
