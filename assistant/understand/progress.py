"""What a run tells of itself: seconds a step, steps done and to come, samples of a step, the rate and MFU reached."""

import re
from dataclasses import dataclass

from assistant.understand.numbers import DIGITS, HAN, SCALE, scaled

_STEP = r"(?:it(?:er(?:ation)?)?s?|steps?|batch(?:es)?|步|迭代)(?![a-z])"
_UNIT = r"(?P<u{0}>ms|毫秒|s(?:ec(?:ond)?s?)?|秒钟?|min(?:ute)?s?|分钟?|h(?:(?:ou)?rs?)?|个?小时)(?![a-z])"
_N = r"(?<![\d.])(?P<n{0}>\d{{1,5}}(?:\.\d{{1,3}})?)\s?"
_PACES = (
    re.compile(_N.format(0) + _UNIT.format(0) + r"\s?(?:/|per |a |an |each |every |每|一)\s?(?:个 ?)?" + _STEP, re.I),
    re.compile(r"(?:一|每|单|per |each |every |a |one )\s?(?:个 ?)?(?:training |optimi[sz]er )?" + _STEP
               + r"\s?(?:(?:takes?|is|要|需要?|用时?|花费?|耗时|大概|大约|约|about|around|now|=|:|~) ?){0,3}"
               + _N.format(0) + _UNIT.format(0), re.I),
    re.compile(_STEP + r"\s?(?:time|takes?|耗时|用时|要)\D{0,12}" + _N.format(0) + _UNIT.format(0), re.I),
)  # fmt: skip
_COUNT_BEFORE = re.compile(rf"(?<![\w.])(?P<n>{DIGITS})\s?(?P<s>{SCALE})?\s?(?:training |optimi[sz]er )?$", re.I)
_RATE = re.compile(
    _N.format("") + r"(?:it|iter|step|batch)(?:e?s|ations?)?\s?(?:/|per |a )\s?s(?:ec(?:ond)?)?(?![a-z])"
    r"|每秒\s?(?:钟)?\s?(?P<n2>\d{1,4}(?:\.\d{1,3})?)\s?(?:个\s?)?(?:step|it(?![a-z])|步)",
    re.I,
)
_BAR = re.compile(r"(?<![\d/])(?P<done>\d{1,9})\s?/\s?(?P<all>\d{1,9})\s?\[")
_STEPS = re.compile(
    rf"(?P<n>{DIGITS})\s?(?P<s>{SCALE})?\s?(?:more |total |training |optimi[sz]er |remaining |个)?\s?"
    r"(?:steps?|iters?|iterations?|its|步)(?![a-z/]|\s?(?:/|per|a) ?s|\s?(?:saved|预热|warm))"
    r"|(?:total[-_ ]?(?:optimi[sz]ation )?|max[-_ ]?|总共?|一共|共|剩余|还剩)\s?(?:steps?|步数?|迭代)\s?[=:是为有]?\s?"
    rf"(?P<n2>{DIGITS})\s?(?P<s2>{SCALE})?(?![.\d])",
    re.I,
)
_LEFT = re.compile(r"to go|left|remain\w*|more(?! than)|还剩|还有|剩下|剩余|还差|still", re.I)
_DONE = re.compile(
    rf"(?:at step|(?:已经?|目前|现在)?(?:跑了?|训了?|到了?|完成了?)(?:第)?|done|finished|completed|after)\s?"
    rf"(?P<n>{DIGITS})\s?(?P<s>{SCALE})?\s?(?:steps?|步|iterations?|it(?![a-z/]))?",
    re.I,
)
_ACCUMULATION = re.compile(
    r"(?:gradient|grad)[-_ ]?acc\w*(?:[-_ ]steps?)?['\"]?\s*(?:[:=x×是为到]|of|at)?\s*(?P<n>\d{1,5})(?![\d.])"
    r"|(?<![a-z])(?:accum\w*|ga)\s?(?:[:=x×]|of)?\s?(?P<n2>\d{1,4})(?![\d.])|梯度累[积计加](?:步数)?\s?[:=是为]?\s?(?P<n3>\d{1,4})"
    r"|(?P<n4>\d{1,4})\s?(?:步|次)?\s?(?:梯度累[积计加]|grad(?:ient)?[-_ ]?accum\w*)",
    re.I,
)
_SAMPLES = re.compile(
    rf"(?<![a-z0-9.])(?P<n>{DIGITS}|{HAN})\s?(?P<s>{SCALE})?\s?(?:条|个|对)?\s?(?:的)?\s?"
    r"(?:(?:training |chat |sft |alpaca |sharegpt |dolly |code |text |labell?ed |synthetic "
    r"|preference |dpo |instruction |问答|对话|指令|训练)*"
    r"(?:samples?|examples?|rows|records|conversations|dialog(?:ue)?s|pairs|instructions?|prompts|样本|对话|问答|数据"
    r"|指令|句对?)|(?<=[万千k\d ])\s?(?:条|对))(?![a-z])",
    re.I,
)
_BILLIONS = re.compile(r"条|个|[a-z]{4}", re.I)
"""What makes thousands of millions a number of samples."""
_MFU = re.compile(
    r"(?<![a-z])mfu(?![a-z])\D{0,16}?(?P<n>\d{1,2}(?:\.\d{1,2})?)\s?(?P<p>%)?|(?P<n2>\d{1,2}(?:\.\d{1,2})?)\s?(?P<p2>%)\s?"
    r"(?:的)?\s?(?:mfu|model flops? util\w+)",
    re.I,
)
_TOKENS = re.compile(
    r"(?<![\d.])(?P<n>\d{1,6}(?:\.\d{1,2})?)\s?(?P<s>[kKmM](?![a-z]))?\s?(?:个\s?)?(?:tok(?:en)?s?)\s?"
    r"(?:/|每|per |a )\s?(?P<each>(?:gpu|card|卡)\s?/?\s?(?:per )?)?(?:s(?:ec(?:ond)?)?(?![a-z])|秒)"
    r"|每秒\s?(?:只有|才|大概|约)?\s?(?P<n2>\d{1,6}(?:\.\d{1,2})?)\s?(?P<s2>[kK万])?\s?(?:个)?\s?tok",
    re.I,
)
_WHOLE = re.compile(
    r"(?:(?:要|得|需要?|预计|预估|估计?|显示|剩余?|跑了?|训(?:练)?了?|花了?|耗时|用时|用了|eta|takes?|took|taking|says?|shows?|showing"
    r"|estimat\w{1,3}(?: time)?|needs?|needed|running for|will be|is)"
    r"(?:是|为|要|了|大?约|大概|差不多|about|around|roughly|still|another|of|at|to be|it|[:=~≈ ]){0,4})\s?"
    rf"(?P<n>{DIGITS})\s?(?P<u>个?小时|h(?:(?:ou)?rs?)?|天|days?|d|周|星期|weeks?|分钟|min(?:ute)?s?)(?![a-z])(?!\s?[/一每前])",
    re.I,
)
"""The time that a whole run is said to take: "shows 25 days", 「要 17 小时」."""
_EACH_CARD = re.compile(r"per[- ](?:gpu|card|device)|/ ?(?:gpu|card)|(?:每|单)(?:张)?卡|each (?:gpu|card)", re.I)
_SECONDS = {"ms": 1e-3, "毫": 1e-3, "s": 1.0, "秒": 1.0, "m": 60.0, "分": 60.0, "h": 3600.0, "个": 3600.0, "小": 3600.0}
_LONG_UNITS = (
    (("个", "小", "h"), "hour"), (("天", "d"), "day"), (("周", "星", "w"), "week"), (("分", "m"), "minute"),
)  # fmt: skip
_UNIT_S = {"minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
PERCENT = 100
NEAR = 16
"""Characters around a number of steps in which words say that they are still to come."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A run as its progress bar and its settings describe it; null = not said."""

    step_s: float | None = None
    steps: int | None = None
    """Steps still to come."""
    all_steps: int | None = None
    """Steps of the whole run, where some of them are done."""
    samples: int | None = None
    """Samples of one pass over the data."""
    accumulation: int | None = None
    """Micro-batches a step adds up."""


def find_progress(text: str) -> Progress:
    """What is said of a run's steps and samples."""
    step_s, steps, done = _step_s(text), _steps(text), _done(text)
    bar = _BAR.search(text)
    if bar is not None and int(bar["all"]) > int(bar["done"]):
        steps, done = int(bar["all"]), int(bar["done"])
    left = steps - done if steps is not None and done is not None and done < steps else steps
    match = _ACCUMULATION.search(text)
    accumulation = int(next(filter(None, match.groups()))) if match else None
    whole = steps if left != steps else None
    return Progress(step_s, left, whole, find_samples(text), accumulation or None)


def find_whole(text: str) -> tuple[str, str, float] | None:
    """The time a whole run is stated to take: the figure as written, the unit (minute, hour, day, week), seconds."""
    match = _WHOLE.search(text)
    value = scaled(match["n"], None) if match else None
    if match is None or not value or find_progress(text).step_s is not None:
        return None
    unit = next(name for letters, name in _LONG_UNITS if match["u"].lower().startswith(letters))
    return match["n"], unit, value * _UNIT_S[unit]


def find_samples(text: str) -> int | None:
    """Samples of the data: "50k examples", 「5 万条」."""
    for match in _SAMPLES.finditer(text):
        if (match["s"] or "").lower() == "b" and not _BILLIONS.search(match[0]):
            continue  # 「Qwen3-32B 问答」 is a model and what it does
        value = scaled(match["n"].strip(), match["s"].lower() if match["s"] else None)
        if value and value >= PERCENT and value == int(value):
            return int(value)
    return None


def find_utilisation(text: str) -> float | None:
    """The model FLOPs utilisation that was reached, as a ratio."""
    match = _MFU.search(text)
    if match is None:
        return None
    value, percent = float(match["n"] or match["n2"]), match["p"] or match["p2"]
    ratio = value / PERCENT if percent or value >= 1 else value
    return ratio if 0 < ratio < 1 else None


def find_rate(text: str) -> tuple[float, bool] | None:
    """Tokens a second that a training reaches, and whether of each card."""
    match = _TOKENS.search(text)
    if match is None:
        return None
    scale = (match["s"] or match["s2"] or "").lower() or None
    value = scaled(match["n"] or match["n2"], scale)
    return (value, bool(match["each"] or _EACH_CARD.search(text))) if value else None


def _step_s(text: str) -> float | None:
    for rule in _PACES:
        if match := rule.search(text):
            unit = match["u0"].lower()
            stated = float(match["n0"]) * (1e-3 if unit == "ms" else _SECONDS[unit[0]])
            return stated / _counted(text[: match.start()]) or None
    match = _RATE.search(text)
    rate = float(match["n"] or match["n2"]) if match else 0.0
    return 1 / rate if rate else None


def _counted(before: str) -> float:
    """How many steps the time is of: "5000 steps take 14 h" is no pace of one."""
    match = _COUNT_BEFORE.search(before)
    value = scaled(match["n"], (match["s"] or "").lower() or None) if match else None
    return value if value and value > 1 else 1.0


def _steps(text: str) -> int | None:
    """The steps still to come where they are told apart, else the most that are named."""
    found = []
    for match in _STEPS.finditer(text):
        value = scaled((match["n"] or match["n2"]).strip(), (match["s"] or match["s2"] or "").lower() or None)
        if not value or value != int(value):
            continue
        around = text[max(0, match.start() - NEAR) : match.end() + NEAR]
        found.append((_LEFT.search(around) is not None, int(value)))
    return max(found)[1] if found else None


def _done(text: str) -> int | None:
    match = _DONE.search(text)
    value = scaled(match["n"].strip(), (match["s"] or "").lower() or None) if match else None
    if match is None or not value or _LEFT.search(text[match.end() : match.end() + NEAR]):
        return None
    return int(value)
