"""Figures that a follow-up restates without their names: "down to 2048", "make that 300", "if I only have a week"."""

import math
import re
from typing import Any

from assistant.understand.budget import bare_amount
from assistant.understand.numbers import SCALE, number, scaled
from assistant.understand.reading import TRAINING
from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understanding import Asked
from kb.units import DAY_S, GIB, HOUR_S

_SPENT = grammar(
    r"(?:had|spend|raise it to|stretch to) (?:about |around )?(?P<n>\d{1,3}(?:\.\d)?)(?P<k>k)(?![a-z0-9])"
    r"(?! ?(?:tokens?|context|ctx|samples?|rows|users?|prompts?))"
)
"""Money of which only the figure is said, where a budget was spoken of before: "what if we had 40k"."""
_SCALED = grammar(
    r"(?P<twice>budget (?:is |was |gets |got )?doubled?|(?:double|twice) (?:the|my|our|that) budget"
    r"|预算(?:翻(?:一)?[倍番]|加倍))"
    r"|budget (?:is |was |gets |got )?halved|half (?:the|my|our|that) budget|halve (?:the|my|our) budget"
    r"|预算(?:减半|砍半|砍一半)"
)
"""A budget that is said as a multiple of the one before."""
_RAISED = grammar(
    r"(?:再|多)(?:加|添|涨|出|给|花|拿|掏)?(?:个|上|出来?)?\s?(?:[\d一两二三四五六七八九]|几)(?![^,。?]{0,6}(?:张|块卡|卡|台|人|用户))"
    r"|(?<![a-z])(?:another|add(?:ing)?|an? (?:extra|additional)|plus)\s(?:us)?[$€£¥]?\s?\d"
    r"|[$€£¥]\s?\d[\d,.]*\s?k? (?:more|extra|on top)"
)
"""Money that comes on top of what was spoken of: 「那再加两千呢」, "with another $500"."""
_COUNTED = {"context_tokens", "sequence_tokens", "users", "concurrent_sequences", "dataset_tokens", "samples"}
"""Slots that a turn's one figure with a scale stands for, where the turn says so: 「上下文到 128k 呢」 is no money."""
_TIMES = {"doubl": 2.0, "twice": 2.0, "tripl": 3.0, "quadrupl": 4.0, "halv": 0.5, "half": 0.5,
          "翻倍": 2.0, "加倍": 2.0, "翻一番": 2.0, "翻两倍": 2.0, "翻三倍": 3.0, "翻四倍": 4.0,
          "减半": 0.5, "砍半": 0.5}  # fmt: skip
_SCALES_EN = r"(?P<{0}>doubl|twice|tripl|quadrupl|halv|half)(?:e[sd]?|ing)?"
_SCALES_ZH = r"(?:再|要是|如果|也)?(?P<zh>翻倍|加倍|翻一番|翻两倍|翻三倍|翻四倍|减半|砍半)"


def _scaled(nouns: str, han: str) -> re.Pattern[str]:
    """A quantity that is said as a multiple of the one before, the word before or behind it."""
    return grammar(
        rf"(?<![a-z]){_SCALES_EN.format('before')} (?:the|as many|our|that many|as long|of)(?: (?:the|our|a))? ?"
        r"(?:number of )?"
        rf"(?:{nouns})|(?:{nouns})(?: (?:is|are|was|were|gets?|also|now|then))* {_SCALES_EN.format('after')}(?![a-z])"
        rf"|(?:{han})(?:数|量|长度|窗口)?{_SCALES_ZH}"
    )


_MORE = _scaled("users|people|load|requests|traffic|concurrency", "用户|人数|并发|请求|流量")
"""A load that is said as a multiple of the one before."""
_LONGER = _scaled("context(?: (?:length|window))?|prompts?|sequence(?: length)?", "上下文|序列|长度")
"""A length that is."""
_MOVED = grammar(
    r"(?:(?:降|减|缩|缩短|改|调|提|升|加|砍|压)(?:低|高|少|小)?(?:到|成|为|至)|换成|改成|只(?:要|用)"
    r"|(?<![a-z])(?:down|up|cut|reduced?|drop(?:ped)?|lower(?:ed)?|rais(?:e|ed)|shorten(?:ed)?|make|go|set)(?: it"
    r"| that| them)?"
    r"(?: down| up)?(?: to)?)\s?(?P<n>\d{1,7})(?P<k>k)?(?![a-z0-9.]|\s?(?:张|块|卡|台|元|万|gb?|b|users?|cards?"
    r"|gpus?|人|路|并发"
    r"|epochs?|轮|天|小时))"
)
"""Another figure for what was spoken of last, which says nothing else."""
_SHORTEST = 128
"""Tokens of the shortest sample or context anybody sets; smaller figures are batches."""
_ALONE = grammar(
    r"^\s*(?:(?:and|or|so|ok(?:ay)?|for|with|what about|how about|make it|say|那|如果是?|要是|换成|改成|是|到)[\s,]*)*"
    r"(?P<n>\d{1,6})\s?(?:呢|的话|instead|then|now)?\s?[?.!。]*\s*$"
)
"""A figure that says nothing else: "and 20?"."""
_TOKENS_ALONE = grammar(
    r"^\s*(?:(?:and|or|so|ok(?:ay)?|if|we|use|used|it|were|is|for|with|at|what|about|how|make|say|那|如果是?|要是|换成|改成"
    rf"|是|到|用|每个?月|一个?月)[\s,]*)*(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<s>{SCALE})\s?(?:tokens?)?\s?"
    r"(?:a month|per month|monthly|/ ?month|每月)?\s?(?:呢|的话|instead|then|now)?\s?[?.!。？]*\s*$"
)
"""An amount of tokens that says nothing else: "what about 20B tokens?", 「每月 100 亿呢」."""
_FORGET = (
    r"(?<![a-z])(?:forget|drop|ignore|scrap|never ?mind|disregard)(?: about)? (?:the |that |my |our )?(?:\w{1,12} )?"
)
_FORGET_ZH = r"(?:不管|别管|不用管|先不管|取消|去掉|忽略|不考虑|不限)(?:了)?(?:那个|这个)?"
_TAKEN_BACK = tuple(
    (grammar(rf"{_FORGET}(?:{words})(?![a-z])|{_FORGET_ZH}(?:{han})"), slots)
    for words, han, slots in (
        ("deadline|time limit|weeks?|days?", "工期|截止|时间|期限|deadline", ("deadline_s",)),
        ("context|context length|long context", "上下文|长度", ("context_tokens", "sequence_tokens")),
        ("users?|concurrency|people", "用户|人数|并发", ("users", "concurrent_sequences")),
        ("quanti[sz]ation|quant|format", "量化|精度", ("weight_format", "kv_format")),
    )
)
"""What is taken back without anything in its place: words of it, and the slots that are then open again."""
_TIME_LEFT = grammar(
    r"(?:have|got|given|need (?:it|this|that) (?:done |ready |finished )?(?:in|within))(?: only| just)? (?:about )?"
    r"(?P<n>an?|one|two|three|four|five|six|\d{1,3}) (?P<u>hour|day|week|month)s?(?![a-z])"
    r"|只(?:有|给|剩)(?:了)?|(?:内|之内|以内)(?:要|必须|得|能)?(?:训|跑|做|完|搞|出)"
)
"""Words that make a span of time the time there is for a job."""
_AMOUNTS = {"dataset_tokens", "params", "model", "model_text", "users", "tokens_per_month", "budget"}
"""Slots that such an amount could be taken for."""
_LOADS = ("concurrent_sequences", "users")
_CARDS = ("gpus_owned", "gpus_asked", "gpus_proposed", "gpu_count")
_UNIT_S = {"hour": HOUR_S, "day": DAY_S, "week": 7 * DAY_S, "month": 30 * DAY_S}


def restated(reading: Reading, previous: Asked, changes: dict[str, Any]) -> dict[str, Any]:
    """Changes with what bare figures mean after what was said before."""
    plain = reading.text.plain
    changes = changes | {slot: None for rule, slots in _TAKEN_BACK for slot in slots if rule.search(plain)}
    if tokens := _monthly(plain, previous):
        return {slot: value for slot, value in changes.items() if slot not in _AMOUNTS} | tokens
    if nearest := _nearest(plain, previous, changes):
        kept = {slot: value for slot, value in changes.items() if slot not in _CARDS}
        return kept | nearest
    return (
        changes | _load(plain, previous, changes) | _length(plain, previous, changes) | _time(plain, previous, changes)
    )


def money(reading: Reading, previous: Asked, changes: dict[str, Any]) -> dict[str, Any]:
    """Changes with an amount of money that is only a figure, where a budget was spoken of before."""
    plain = reading.text.plain
    if previous.budget is not None and _RAISED.search(plain):
        more = changes["budget"].amount if "budget" in changes else bare_amount(plain)
        same = "budget" not in changes or changes["budget"].currency == previous.budget.currency
        if more and same:
            return changes | {"budget": previous.budget.model_copy(update={"amount": previous.budget.amount + more})}
    if previous.budget is None or "budget" in changes:
        return changes
    if scaled := _SCALED.search(plain):
        times = 2 if scaled["twice"] else 0.5
        return changes | {"budget": previous.budget.model_copy(update={"amount": times * previous.budget.amount})}
    if not _COUNTED & set(reading.slots) and (amount := bare_amount(plain)):
        changes = changes | {"budget": previous.budget.model_copy(update={"amount": amount})}
    if spent := _SPENT.search(plain):
        amount = (number(spent["n"]) or 0) * 1000
        budget = previous.budget.model_copy(update={"amount": amount or previous.budget.amount})
        changes = {slot: value for slot, value in changes.items() if slot not in {"context_tokens", "sequence_tokens"}}
        changes |= {"budget": budget}
    return changes


def _monthly(plain: str, previous: Asked) -> dict[str, Any]:
    """Another amount of tokens a month, where one was spoken of: it is no data set and no size of a model then."""
    said = _TOKENS_ALONE.search(plain) if previous.tokens_per_month else None
    return {"tokens_per_month": scaled(said["n"].replace(",", ""), said["s"])} if said else {}


def _factor(said: re.Match[str]) -> float:
    """Times as much as before."""
    return _TIMES[said["before"] or said["after"] or said["zh"]]


def _load(plain: str, previous: Asked, changes: dict[str, Any]) -> dict[str, Any]:
    """Users said after requests at once are those requests; both said before are both kept."""
    if (more := _MORE.search(plain)) and not {"users", "concurrent_sequences"} & set(changes):
        said = {name: getattr(previous, name) for name in ("users", "concurrent_sequences")}
        return {name: max(1, round(_factor(more) * value)) for name, value in said.items() if value}
    if "users" in changes and "concurrent_sequences" not in changes and previous.concurrent_sequences:
        if previous.users is None:
            return {"users": None, "concurrent_sequences": changes["users"]}
        return {"concurrent_sequences": None}
    return {}


def _nearest(plain: str, previous: Asked, changes: dict[str, Any]) -> dict[str, Any]:
    """A figure alone is another one of what it is nearest to: the load, the cards, or the memory of a nameless one."""
    alone = _ALONE.match(plain)
    if alone is None or not (figure := int(alone["n"])) or previous.amount:
        return {}
    held = [*previous.gpus_owned, *previous.gpus_proposed]
    memory = previous.memory_bytes_per_gpu
    stood: list[tuple[float, str]] = [(value, name) for name in _LOADS if (value := getattr(previous, name))]
    stood += [(float(held[0].count or 1), "cards")] if len(held) == 1 else []
    stood += [(memory / GIB, "memory_bytes_per_gpu")] if memory and not held else []
    if not stood:
        return {}
    _, nearest = min((abs(math.log(figure / value)), name) for value, name in stood)
    if nearest == "cards":
        return {}
    found = {nearest: figure * GIB} if nearest == "memory_bytes_per_gpu" else {nearest: figure}
    return {} if found == {nearest: changes.get(nearest)} else found


def _length(plain: str, previous: Asked, changes: dict[str, Any]) -> dict[str, Any]:
    """A length, or a batch, of which only the new figure is said."""
    longer = _LONGER.search(plain)
    if longer and not {"context_tokens", "sequence_tokens"} & set(changes):
        said = {name: getattr(previous, name) for name in ("context_tokens", "sequence_tokens")}
        return {name: round(_factor(longer) * value) for name, value in said.items() if value}
    moved = _MOVED.search(plain)
    if moved is None or {"context_tokens", "sequence_tokens", "batch_size", "budget", "users"} & set(changes):
        return {}
    figure = int(moved["n"]) * (1024 if moved["k"] else 1)
    if figure >= _SHORTEST and previous.task in TRAINING and previous.sequence_tokens:
        return {"sequence_tokens": figure, "context_tokens": figure}
    if figure >= _SHORTEST and previous.context_tokens and previous.task not in TRAINING:
        return {"context_tokens": figure}
    return {"batch_size": figure} if figure < _SHORTEST and previous.batch_size else {}


def _time(plain: str, previous: Asked, changes: dict[str, Any]) -> dict[str, Any]:
    """A span of time that is all there is for a training is its deadline, not the term of a bill."""
    left = _TIME_LEFT.search(plain)
    if left is None or changes.get("task", previous.task) not in TRAINING:
        return {}
    said = {"a": 1, "an": 1}.get(left["n"], number(left["n"] or "0") or 0) * _UNIT_S.get(left["u"] or "", 0)
    span = said or changes.get("term_s")
    return {"deadline_s": span, "term_s": previous.term_s, "hours_per_month": previous.hours_per_month} if span else {}
