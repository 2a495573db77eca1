"""Figures of cards: memory, bandwidth, rates, power, cores, year; each value goes to the name that stands nearest."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.claims.facts import cards, listed, shared_name, show_bytes, show_flops, show_rate, source_of
from ingest.claims.finding import Finding, Verdict
from ingest.claims.reading import SPARSE, Clause, count_before, is_standard, rigs_in
from ingest.claims.traits import TRAITS
from kb.catalog import gpus
from kb.names import Mention
from kb.records.gpu import Gpu
from kb.units import GB, GIB, TB

NEAR = 48
"""Characters between a name and its value."""
TOLERANCE = 0.03
ROUGH_TOLERANCE = 0.06
_ROUGH = re.compile(r"[~≈约大]\s*$|(?:about|around|roughly|approximately|nearly)\s*$", re.IGNORECASE)
_TIED = re.compile(r"\s*(?:'s|’s|的|[(（:：]|has|is|at|with)?\s*(?:~|≈|约)?\s*", re.IGNORECASE)
"""What may stand between the name of a comparison's standard and a figure of its own."""
_TOGETHER = re.compile(r"总|合计|合共|聚合|\b(?:total|aggregate|combined)\b", re.IGNORECASE)
_PRECISION = re.compile(
    r"(?<![A-Za-z])(FP64|FP32|TF32|FP16|BF16|FP8|INT8|FP4|NVFP4)(?![0-9])(?!\s*(?:累加|accumul))", re.IGNORECASE
)
_SIZE_IN_ID = re.compile(r"-\d+gb$")
_PRECISION_AFTER = re.compile(rf"\s*(?:in|at|of|[(（])?\s*{_PRECISION.pattern}", re.IGNORECASE)
_NEED = re.compile(r"需|至少|最低|不足|need|require|at least|minimum", re.IGNORECASE)
_LINK = re.compile(r"nvlink|nvswitch|互联|互连|interconnect", re.IGNORECASE)
_RATES = (("fp32_flops", "FP32"), ("int8_ops", "INT8"), ("fp16_flops", "FP16"), ("tf32_flops", "TF32"))
_PRINTED = re.compile(
    r"\b(?:print\w*|lists?|listed|repeat|sources?|sheets?|some|also|tables?|shows?|or)\b", re.IGNORECASE
)
"""Words of a note on figures that differ between sources."""
_LAUNCH = re.compile(
    r"年\s*(?:发布|推出|上市|问世|发售)|(?:came out|introduced|debuted|unveiled|appeared) in", re.IGNORECASE
)
_PART = re.compile(
    r"\bMIG\b|vGPU|切片|切分|分区|\bslices?\b|partition|laptop|notebook|mobile|笔记本|移动版", re.IGNORECASE
)
_NUMBER = (
    r"(?<![A-Za-z\d.,])(?<![A-Za-z\d][\-–~])(?<!\d [\-–~])(?<!\d [\-–~] )(\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d{1,4})?)"
)
"""A number that is neither the tail of another, of a name, nor the end of a range."""
_UP_TO = re.compile(
    r"\s*(?:-|–|—|~|to|至|到)\s*(\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d{1,4})?)\s*([A-Za-z]{1,3}(?:/s)?|瓦)", re.IGNORECASE
)
"""What makes a number the beginning of a range."""


@dataclass(frozen=True)
class Attribute:
    """A kind of figure: how it is written, where the catalog keeps it, how it is shown."""

    name: str
    pattern: re.Pattern[str]
    """Group 1 is the number, group 2 the unit."""
    scale: dict[str, float]
    value: Callable[[Gpu], float | None]
    field: str
    show: Callable[[float | None], str]
    label: re.Pattern[str] | None = None
    """What must stand in the clause or its label; null = the unit says it all."""
    unless: re.Pattern[str] | None = None
    tolerance: float = TOLERANCE


@dataclass(frozen=True)
class Claimed:
    """A figure, or a range of figures, as a document states it."""

    text: str
    low: float
    high: float
    tolerance: float
    last_digit: float = 0.0
    """What one more in the last written digit would add, where the figure has decimals."""

    def covers(self, value: float) -> bool:
        """Whether a true value is what is meant, as far as the figure was written out."""
        slack = max(self.tolerance * value, self.last_digit / 2) + 1e-9
        return self.low - slack <= value <= self.high + slack


def _watts(value: float | None) -> str:
    return "not stated" if value is None else f"{value:g} W"


def _plain(value: float | None) -> str:
    return "not stated" if value is None else f"{value:g}"


ATTRIBUTES = (
    Attribute(
        name="memory",
        pattern=re.compile(rf"{_NUMBER}\s*(GB|GiB|G)(?![A-Za-z/])(?!\s*[/每]\s*s)", re.IGNORECASE),
        scale={"gb": GIB, "gib": GIB, "g": GIB},
        value=lambda card: card.memory_bytes,
        field="memory_bytes",
        show=show_bytes,
        unless=re.compile(r"内存[:：]|host memory|RAM[:：]|DDR[345]|磁盘|存储[:：]|硬盘|价格|batch", re.IGNORECASE),
        tolerance=0.02,
    ),
    Attribute(
        name="memory bandwidth",
        pattern=re.compile(rf"{_NUMBER}\s*(TB|GB)\s*[/p]\s*s", re.IGNORECASE),
        scale={"tb": TB, "gb": GB},
        value=lambda card: card.bandwidth_bytes_per_s,
        field="bandwidth_bytes_per_s",
        show=show_rate,
        label=re.compile(r"带宽|bandwidth|\bBW\b|HBM|GDDR", re.IGNORECASE),
        unless=re.compile(r"nvlink|nvswitch|pcie|互联|互连|双向|网络|infiniband|interconnect", re.IGNORECASE),
    ),
    Attribute(
        name="NVLink bandwidth",
        pattern=re.compile(rf"{_NUMBER}\s*(TB|GB)\s*[/p]\s*s", re.IGNORECASE),
        scale={"tb": TB, "gb": GB},
        value=lambda card: card.nvlink_bytes_per_s,
        field="nvlink_bytes_per_s",
        show=show_rate,
        label=_LINK,
        unless=re.compile(r"pcie|infiniband", re.IGNORECASE),
    ),
    Attribute(
        name="TDP",
        pattern=re.compile(rf"{_NUMBER}\s*(W|瓦)(?![A-Za-z])"),
        scale={"w": 1, "瓦": 1},
        value=lambda card: card.tdp_w,
        field="tdp_w",
        show=_watts,
        unless=re.compile(
            r"电源|PSU|整机|机柜|待机|idle|限制|限到|降到|压到|设为|功耗墙|limit(?:ed|ing)?\b|\bcap(?:ped)?\b"
            r"|建议|推荐|recommend|suggest|cooling",
            re.IGNORECASE,
        ),
    ),
    Attribute(
        name="CUDA cores",
        pattern=re.compile(rf"{_NUMBER}\s*(个|)", re.IGNORECASE),
        scale={"个": 1, "": 1},
        value=lambda card: card.shader_cores,
        field="shader_cores",
        show=_plain,
        label=re.compile(r"CUDA\s*(?:核心|core)", re.IGNORECASE),
        tolerance=0.001,
    ),
    Attribute(
        name="release year",
        pattern=re.compile(r"(?<!\d)(20[012]\d)(年|)"),
        scale={"年": 1, "": 1},
        value=lambda card: card.year,
        field="year",
        show=_plain,
        label=re.compile(
            rf"发布年|发布时间|release year|released in|launched in|发布于|{_LAUNCH.pattern}", re.IGNORECASE
        ),
        tolerance=0.0001,
    ),
)


def spec_findings(clause: Clause) -> Iterator[Finding]:
    """Judge every figure of a card in the clause."""
    for attribute in ATTRIBUTES:
        if attribute.label and not attribute.label.search(f"{clause.label} {clause.text}"):
            continue
        about = clause.label if attribute.name == "memory" else clause.said if clause.cells else clause.text
        if attribute.unless and attribute.unless.search(about):
            continue
        matches = list(attribute.pattern.finditer(clause.text))
        for match, mentions in _paired(clause, matches, attribute):
            yield from _judge(clause, attribute, match, mentions)
    yield from _rates(clause)


def _rates(clause: Clause) -> Iterator[Finding]:
    """Peak rates, which need a precision beside them."""
    pattern = re.compile(rf"{_NUMBER}\s*(T|P)(?:FLOPS|OPS|FLOP/s)", re.IGNORECASE)
    for match in pattern.finditer(clause.text):
        precision = _precision(clause, match)
        mentions = _nearest(clause, match)
        if precision is None or not mentions:
            continue
        sparse = bool(SPARSE.search(f"{clause.said} {' '.join(clause.headers)}"))
        yield from _judge(clause, _rate(precision, sparse=sparse), match, mentions)


def _rate(precision: str, *, sparse: bool) -> Attribute:
    field = "int8_ops" if precision == "int8" else f"{precision.removeprefix('nv')}_flops"
    return Attribute(
        name=f"{precision.upper()} rate" + (" with sparsity" if sparse else ""),
        pattern=re.compile(""),
        scale={"t": TB, "p": 1000 * TB},
        value=lambda card: (getattr(card, field, None) or 0.0) * (card.sparsity_ratio if sparse else 1) or None,
        field=field,
        show=show_flops,
    )


def _precision(clause: Clause, value: re.Match[str]) -> str | None:
    """The precision between the name and the value, else right after the value, else that of the label."""
    beside = _PRECISION_AFTER.match(clause.text, value.end())
    if beside:
        return beside[1].lower()
    start = max((one.end for one in clause.gpus if one.end <= value.start()), default=0)
    between = [match[1].lower() for match in _PRECISION.finditer(clause.text, start, value.start())]
    if between:
        return between[-1]
    after = _PRECISION.search(clause.text, value.end(), value.end() + 16)
    if after:
        return after[1].lower()
    labelled = {match[1].lower() for match in _PRECISION.finditer(clause.label)}
    return labelled.pop() if len(labelled) == 1 else None


def _paired(
    clause: Clause, matches: Sequence[re.Match[str]], attribute: Attribute
) -> Iterator[tuple[re.Match[str], list[Mention]]]:
    """Values with the names they belong to; "A10 or A40 … (150 W / 300 W)" goes by order."""
    names = _distinct(clause.gpus) or _distinct(list(clause.subject))
    if len(matches) > 1 and len(matches) == len(names) and _in_a_row(clause.text, matches):
        yield from ((match, [name]) for match, name in zip(matches, names, strict=True))
        return
    if len(matches) > 1 and _in_a_row(clause.text, matches):
        return
    taken: set[int] = set()
    for match in matches:
        mentions = _nearest(clause, match)
        if attribute.name == "NVLink bandwidth" and not _is_link(clause, match):
            continue
        # A name takes the first value of a kind; the next one says something else.
        if mentions and mentions[-1].start in taken:
            continue
        if attribute.name == "memory" and not _is_capacity(clause, match, mentions):
            continue
        if attribute.name == "CUDA cores" and not _is_core_count(clause, match):
            continue
        if mentions:
            taken.add(mentions[-1].start)
            yield match, mentions


def _is_core_count(clause: Clause, value: re.Match[str]) -> bool:
    """Whether a bare number counts cores: the word stands right beside it, or in the label of its cell."""
    if clause.cells and clause.text.strip() == value[0].strip():
        return True
    after = re.match(r"\s*(?:个|NVIDIA)?\s*(?:CUDA|cores?\b|流处理器)", clause.text[value.end() :], re.IGNORECASE)
    before = re.search(
        r"(?:CUDA\s*(?:cores?|核心)(?:数量?)?)\s*(?:[:：]|为|是|有|达到?|of|count)?\s*$",
        clause.text[max(0, value.start() - 24) : value.start()],
        re.IGNORECASE,
    )
    return bool(after or before)


def _is_link(clause: Clause, value: re.Match[str]) -> bool:
    """Whether a rate is that of the link: the word stands right beside it or in the label."""
    if _LINK.search(clause.label):
        return True
    before, after = clause.text[max(0, value.start() - 20) : value.start()], clause.text[value.end() : value.end() + 20]
    return bool(
        re.search(r"(?:nvlink|nvswitch|互联|互连)[^\d,，;；、和与]*$", before, re.IGNORECASE)
        or re.match(r"\s*(?:的|of|in)?\s*(?:双向|bidirectional|total)?\s*(?:nvlink|nvswitch)", after, re.IGNORECASE)
    )


def _distinct(mentions: Sequence[Mention]) -> list[Mention]:
    return list({mention.ids: mention for mention in mentions}.values())


def _in_a_row(text: str, matches: Sequence[re.Match[str]]) -> bool:
    """Whether the values form one list, like 150W / 300W."""
    gaps = (text[left.end() : right.start()] for left, right in pairwise(matches))
    return all(re.fullmatch(r"\s*[/、,，|和]\s*", gap) for gap in gaps)


def _nearest(clause: Clause, value: re.Match[str]) -> list[Mention]:
    """The name before the value, with those it is listed with; else the clause's inherited subject."""
    owner = [one for one in clause.gpus if re.fullmatch(r"\s*的\s*", clause.text[value.end() : one.start])]
    if owner:
        return owner[:1]
    if any(mention.start <= value.start() < mention.end for mention in clause.gpus):
        return []  # the number is part of a name
    before = [mention for mention in clause.gpus if mention.end <= value.start()]
    while (
        before
        and is_standard(clause.text, before[-1])
        and not _TIED.fullmatch(clause.text[before[-1].end : value.start()])
    ):
        before.pop()
    if before:
        last = before[-1]
        if value.start() - last.end > NEAR:
            return []
        group = [last]
        for mention in reversed(before[:-1]):
            if not re.fullmatch(
                r"\s*[/、,，和与及&]\s*|\s+(?:and|or)\s+|\s*或\s*", clause.text[mention.end : group[0].start]
            ):
                break
            group.insert(0, mention)
        return group
    return [] if clause.gpus else list(clause.subject[:1])


def _is_capacity(clause: Clause, value: re.Match[str], mentions: Sequence[Mention]) -> bool:
    """Whether a number of GB is what the card holds, rather than what a model needs or a file takes."""
    if not mentions or _PART.search(clause.text) or (clause.cells and _TOGETHER.search(clause.label)):
        return False
    if clause.gpus:
        between = clause.text[mentions[-1].end : value.start()]
        after, after_all = clause.text[value.end() : value.end() + 12], clause.text[value.end() :]
        told = re.search(r"显存|VRAM|memory|搭载|配备|with|has|carries|offers|提供", between, re.IGNORECASE)
        tight = re.fullmatch(r"[\s(（:：,，\-]*(?:各|单卡)?", between)
        total = re.search(r"共|总|聚合|total|aggregate|合计", clause.text[max(0, value.start() - 8) : value.end() + 8])
        total = total or re.match(r"[^,，;；.。]{0,24}\b(?:in total|together|combined|altogether|in all)\b", after_all)
        if re.search(r"(?:多|少|高|增加|减少|差)(?:了|出)?\s*(?:约)?\s*$", between) or re.match(
            r"\s*(?:more|less|extra)\b", after, re.IGNORECASE
        ):
            return False  # a difference
        if re.match(r"\s*(?:L?P?DDR\d|内存|RAM|SSD|NVMe|硬盘|存储)", after, re.IGNORECASE):
            return False
        kind = re.match(r"\s*(?:GDDR|HBM|显存|VRAM|of (?:GDDR|HBM|VRAM|memory))", after, re.IGNORECASE)
        apiece = re.match(r"\s*(?:each|apiece|per|每)", after, re.IGNORECASE)
        return bool((told or tight or kind) and not apiece and not total and not _NEED.search(between))
    if re.search(r"(?:显存|VRAM)\W{0,3}$", clause.text[: value.start()]) and not _NEED.search(clause.text):
        return True
    labelled = re.search(r"显存|VRAM|GPU memory|memory size", clause.label, re.IGNORECASE) or (
        clause.cells
        and re.match(r"(?:HBM|memory)\b(?!\s*bandwidth)", clause.label, re.IGNORECASE)
        and not _of_machines(clause)
    )
    return bool(labelled and not _NEED.search(clause.said))


def _of_machines(clause: Clause) -> bool:
    """Whether a table also lists processors or host memory, so that "memory" may be the host's."""
    return bool(re.search(r"cpu|core|ram\b|内存|instance|实例|server|服务器", " ".join(clause.headers), re.IGNORECASE))


def _judge(
    clause: Clause, attribute: Attribute, match: re.Match[str], mentions: Sequence[Mention]
) -> Iterator[Finding]:
    unit = (match[2] or "").lower()
    number = float(match[1].replace(",", "")) * attribute.scale[unit]
    if attribute.name == "TDP" and not 15 <= number <= 3000:
        return
    claim = _claim(clause, attribute, match, number)
    found = [_finding(clause, attribute, claim, mention) for mention in mentions]
    judged = [one for one in found if one]
    # "A and B are alike, but it draws 230 W": of several names the value need only be that of one.
    meant = any(one.verdict == "holds" for one in judged) and not re.search(r"[/、]", clause.text[: match.start()])
    yield from (one if not (meant and one.disputed) else one.as_unsupported() for one in judged)


def _claim(clause: Clause, attribute: Attribute, match: re.Match[str], number: float) -> Claimed:
    """The figure with the slack its words give it: "about 300 W", "350 W to 700 W"."""
    rough = _ROUGH.search(clause.text[max(0, match.start() - 14) : match.start()])
    tolerance = max(attribute.tolerance, ROUGH_TOLERANCE if rough and attribute.tolerance > 0.001 else 0)
    end = _UP_TO.match(clause.text, match.end())
    if end is None or end[2].lower().split("/")[0] not in attribute.scale:
        decimals = len(match[1].partition(".")[2])
        last_digit = attribute.scale[(match[2] or "").lower()] / 10**decimals if decimals else 0.0
        return Claimed(match[0].strip(), number, number, tolerance, last_digit)
    high = float(end[1].replace(",", "")) * attribute.scale[end[2].lower().split("/")[0]]
    return Claimed(clause.text[match.start() : end.end()].strip(), number, max(number, high), tolerance)


def _finding(clause: Clause, attribute: Attribute, claim: Claimed, mention: Mention) -> Finding | None:
    """What the facts say of a figure of one card; null for what several cards have together, which follows no rule."""
    known = [(card, attribute.value(card)) for card in cards(mention.ids)]
    figures = [value for _, value in known if value]
    right = [*figures, *_also_right(clause, attribute, mention)]
    verdict: Verdict = "unsupported"
    claimed, number = claim.text, claim.low
    if any(claim.covers(value) for value in right):
        verdict = "holds"
    elif not figures and _lacks(attribute, [card for card, _ in known]):
        verdict = "wrong"
    elif figures and (len(figures) == len(known) or attribute.name.startswith("NVLink")):
        verdict = "wrong"
        if _count(clause, mention) > 1:
            return None
        if any(_is_noted(claimed, card) for card, _ in known) and not _says_dense(clause, attribute):
            verdict = "unsupported"
        if attribute.name == "release year" and any(abs(number - value) <= 1 for value in figures):
            verdict = "unsupported"  # announced in one year, sold in the next
    return clause.finding(
        subject=shared_name(mention.ids, mention.text),
        attribute=attribute.name,
        claimed_value=claimed,
        verdict=verdict,
        correct_value=_correct(attribute, mention.ids, number) if figures else _lacking(attribute, verdict),
        source=source_of(mention.ids, attribute.field),
        number=number,
    )


def _lacks(attribute: Attribute, known: Sequence[Gpu]) -> bool:
    """Whether a rate is claimed in a format that none of these cards computes in."""
    format_name = attribute.name.partition(" ")[0]
    trait = next((one for one in TRAITS if one.name == format_name), None)
    return trait is not None and bool(known) and all(trait.has(card) is False for card in known)


def _lacking(attribute: Attribute, verdict: Verdict) -> str | None:
    return f"no {attribute.name.partition(' ')[0]} in hardware" if verdict == "wrong" else None


def _says_dense(clause: Clause, attribute: Attribute) -> bool:
    """Whether a rate is expressly the one without sparsity, so that the sparse one is no excuse."""
    return attribute.show is show_flops and bool(re.search(r"稠密|\bdense\b", clause.text, re.IGNORECASE))


def _is_noted(claimed: str, card: Gpu) -> bool:
    """Whether the catalog notes that other sources print this figure, so that it need not be an error."""
    number = re.match(r"[\d.,]+", claimed)
    printed = " ".join(part for part in re.split(r"(?<=[.;])\s", card.notes) if _PRINTED.search(part))
    figures = {float(one) for one in re.findall(r"(?<![\d.x])\d+(?:\.\d+)?", printed)}
    return bool(number and float(number[0].replace(",", "")) in figures)


def _count(clause: Clause, mention: Mention) -> int:
    """How many of the card the clause, or the first cell of its row, speaks of."""
    if mention in clause.gpus:
        return count_before(clause.text, mention)
    head = clause.cells[0] if clause.cells else ""
    counted = [rig.count for rig in rigs_in(head, clause.line) if rig.gpus == mention.ids]
    return counted[0] if counted else 2 if re.search(r"\d\s*[x×]|[x×]\s*\d", head) else 1


def _also_right(clause: Clause, attribute: Attribute, mention: Mention) -> list[float]:
    """Other readings that make a figure true: one way of a link, the other kind of rate, a variant with more memory."""
    if attribute.field == "nvlink_bytes_per_s" and re.search(r"单向|each way|per direction|one way", clause.text):
        return [rate / 2 for card in cards(mention.ids) if (rate := card.nvlink_bytes_per_s)]
    if clause.sparse_noted and attribute.show is show_flops:
        rates = [(card.sparsity_ratio, getattr(card, attribute.field)) for card in cards(mention.ids)]
        return [ratio * rate for ratio, rate in rates if rate]
    if attribute.name.endswith("with sparsity"):
        return [rate for card in cards(mention.ids) if (rate := getattr(card, attribute.field))]
    if attribute.name == "memory":
        stem = re.escape(_SIZE_IN_ID.sub("", mention.ids[0]))
        return [card.memory_bytes for card in gpus().values() if re.fullmatch(rf"{stem}-\d+gb", card.id)]
    return []


def _correct(attribute: Attribute, ids: Sequence[str], number: float) -> str:
    """The right figure, and what the claimed one may have been mistaken for."""
    right = listed(ids, lambda card: attribute.show(attribute.value(card)))
    if attribute.show is not show_flops:
        return right
    hints: list[str] = []
    for card in cards(ids)[:1]:
        own = getattr(card, attribute.field, None)
        if own and card.sparsity_ratio > 1 and abs(own * card.sparsity_ratio - number) <= 0.02 * number:
            hints.append(f"{attribute.show(number)} only with structured sparsity")
        for field, name in _RATES:
            value = getattr(card, field)
            if own and abs(own - number) <= TOLERANCE * own:
                break  # nothing was mistaken
            if value and field != attribute.field and abs(value - number) <= 0.02 * value:
                hints.append(f"{attribute.show(value)} is its {name} rate")
    dense = "" if attribute.name.endswith("sparsity") else " dense"
    return f"{right}{dense}" + (f"; {hints[0]}" if hints else "")
