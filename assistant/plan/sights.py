"""How many pictures or pages a card looks at with a language model: "200k photos a day", "how many pages per hour"."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.understand.numbers import DIGITS, SCALE, scaled
from assistant.understand.worded import lasts, period_s
from assistant.understanding import Understanding
from kb.catalog import gpu, model
from kb.constants.visual_tokens import visual_tokens
from kb.units import HOUR_S
from tools.need import GpuCount, Need

MOST_CARDS = 64
"""Cards beyond which nobody takes more for such a load without measuring first."""
AT_ONCE = 32
"""Requests in flight of a job that only has to be done: more than enough to keep a card busy."""
WIDE_BYTES, FILLED = 2, 0.85
"""Bytes of a weight as published, and the share of a card that weights may fill beside the requests."""
_PAGES = r"pages?|pdfs?|scans?|invoices?|receipts?|documents?|docs?|contracts?"
_PICTURES = r"images?|imgs?|pictures?|pics?|photos?|screenshots?|frames?|thumbnails?"
_EACH = r"(?:per|an?|each|every|/)\s?(?:s(?:ec(?:ond)?)?|min(?:ute)?|h(?:our|r)?|day|week|month)(?![a-z])"
_COUNTED = re.compile(
    rf"(?<![a-z0-9.$])(?P<n>{DIGITS})\s?(?P<s>{SCALE})?\s?(?:[a-z-]{{2,14}} ){{0,2}}"
    rf"(?:(?P<page>{_PAGES})|(?P<picture>{_PICTURES}))(?![a-z])"
    r"|(?P<n2>\d[\d,.]*|[一二两三四五六七八九十百]{1,4})\s?(?P<s2>[万千亿百]|k)?\s?(?:多)?\s?(?:(?P<page2>页|份)|(?P<picture2>张|幅))"
    r"(?!\s?(?:卡|显卡|gpu|[a-z]?\d{3,4}))",
    re.I,
)
_ASKS = re.compile(
    rf"how many (?:\w{{1,12}} ){{0,2}}(?:{_PAGES}|{_PICTURES})(?![a-z])|(?:{_PAGES}|{_PICTURES})\s?{_EACH}"
    r"|(?:每天|一天|每日|每小时|一小时|每分钟|每秒)[^。,?!]{0,10}多少\s?(?:张|页|幅|份)|多少(?:张|页|幅|份)(?:图|文档|pdf)?",
    re.I,
)
_OF_PAGES = re.compile(rf"(?<![a-z])(?:{_PAGES})(?![a-z])|页|文档|票据|发票|合同|扫描件|(?<![a-z])\w{{0,6}}ocr", re.I)
_WRITTEN = r"(?:answers?|captions?|outputs?|repl(?:y|ies)|descriptions?)"
_ANSWER = re.compile(
    rf"(?P<n>\d{{1,5}})\s?(?:output |out )?tok(?:en)?s?\s?(?:of )?(?:{_WRITTEN}|out(?![a-z])|each)"
    rf"|{_WRITTEN}\s?(?:of |with |is |are |about |around |~|:){{0,3}}(?P<n2>\d{{1,5}})\s?tok"
    r"|(?:输出|回答|描述|生成)\s?(?:约|大概|大约|控制在)?\s?(?P<n3>\d{1,5})\s?(?:个)?\s?(?:tokens?|字)",
    re.I,
)
"""How much is written of each."""


@dataclass(frozen=True, slots=True)
class Load:
    """What there is to look at."""

    pages: bool
    answer_tokens: int
    count: float | None
    """As many as are stated; null where that is what is asked."""
    every_s: float | None
    """Seconds after which as many come again; null where they come once."""

    @property
    def per_s(self) -> float | None:
        """As many a second as have to be kept up with."""
        return self.count / self.every_s if self.count and self.every_s else None


def asked(understanding: Understanding) -> bool:
    """Whether a load of pictures or pages, or how many there can be, is put to a language model on known cards."""
    need, text = understanding.need, understanding.text
    known = model_kind(need) == "vlm" and bool(requests.cards(need)) and not requests.is_training(need)
    if not known or understanding.error_text or understanding.command or need.intent in ("oom", "compare"):
        return False
    load = read(text)
    once = load.count is not None and (lasts(text) or need.deadline_s is not None)
    return _ASKS.search(text) is not None or once or (load.count is not None and load.every_s is not None)


def read(text: str) -> Load:
    """What the words say of it."""
    match, answer = _COUNTED.search(text), _ANSWER.search(text)
    said = (match["n"] or match["n2"], match["s"] or match["s2"]) if match else None
    count = scaled(said[0].strip(), said[1].lower() if said[1] else None) if said else None
    page = bool(match["page"] or match["page2"]) if match else _OF_PAGES.search(text) is not None
    usual = visual_tokens().page_answer_tokens if page else visual_tokens().picture_answer_tokens
    written = int(next(filter(None, answer.groups()))) if answer else usual
    every = period_s(text) or (
        HOUR_S if re.search(r"per hour|an hour|hourly|/ ?h(?:r|our)?\b|每小时|一小时", text, re.I) else None
    )
    return Load(page, max(written, 1), count if count and count > 1 else None, float(every) if every else None)


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The pace on each kind of card with many requests in flight, and the memory of that."""
    load = read(understanding.text)
    at_once = need.concurrent_sequences or AT_ONCE
    seen = need.model_copy(update={"concurrent_sequences": at_once, "context_tokens": None, "users": None,
                                   "images_per_sample": need.images_per_sample or 1})  # fmt: skip
    found: list[PlannedCall | None] = []
    whole = round(load.count * load.answer_tokens) if load.count and load.every_s is None else None
    for card in requests.cards(need)[:2]:
        form = need.weight_format or _form(need, card)
        prompt = visual_tokens().text_tokens if load.pages else visual_tokens().picture_answer_tokens
        found.append(requests.speed(
            seen, card, form, input_tokens=prompt, output_tokens=load.answer_tokens,
            images_per_sample=seen.images_per_sample, engine=need.engine or "vllm",
            tokens=whole,
        ))  # fmt: skip
        found.append(requests.memory(seen, card, weight_format=form))
    return found


def enough(load: Load, result: Mapping[str, Any]) -> int:
    """How many of the cards keep up with the load, each with work of its own."""
    each = float(result["requests_per_s"]["value"]) / int(result["gpu_count"])
    return math.ceil((load.per_s or 0) / each)


def more(understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall]:
    """The same pace on as many cards as keep up with the load, where those asked about do not."""
    paced = [one for one in results if one.tool == "estimate_inference_speed" and one.result.get("requests_per_s")]
    load = read(understanding.text)
    if not asked(understanding) or load.per_s is None or not paced:
        return []
    first, result = paced[0].request, paced[0].result
    count = enough(load, result)
    if not result["gpu_count"] < count <= MOST_CARDS:
        return []
    at_once = (first.get("concurrent_sequences") or 1) * count // result["gpu_count"]
    spread = {"gpu_count": count, "tensor_parallel": result["tensor_parallel"], "concurrent_sequences": at_once}
    return [PlannedCall(tool=paced[0].tool, request=first | spread)]


def _form(need: Need, card: GpuCount) -> str | None:
    """As published where that leaves room on the cards, else four bits."""
    if need.model is None:
        return None
    room = gpu(card.gpu).usable_bytes * (card.count or 1)
    return None if model(need.model).params * WIDE_BYTES <= FILLED * room else "awq"
