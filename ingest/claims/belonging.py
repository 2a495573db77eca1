"""Whose figure it is: the name that stands nearest, unless the words between say otherwise."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ingest.claims.figures import LINK, Attribute
from ingest.claims.reading import Clause, is_standard
from kb.naming.names import Mention

NEAR = 48
"""Characters between a name and its value."""
_TIED = re.compile(r"\s*(?:'s|’s|的|[(（:：]|has|is|at|with)?\s*(?:~|≈|约)?\s*", re.IGNORECASE)
"""What may stand between the name of a comparison's standard and a figure of its own."""
_TOGETHER = re.compile(r"总|合计|合共|聚合|\b(?:total|aggregate|combined)\b", re.IGNORECASE)
_SIBLING = re.compile(
    r"\b(?:siblings?|brother|variants?|versions?|counterpart|successor|predecessor)\b|版本|版的?[^本]|前代|后继|继任",
    re.IGNORECASE,
)
"""Words of a sentence without a name that is about another card than the one before."""
_NEED = re.compile(r"需|至少|最低|不足|need|require|at least|minimum", re.IGNORECASE)
_PART = re.compile(
    r"\bMIG\b|vGPU|切片|切分|分区|\bslices?\b|partition|laptop|notebook|mobile|笔记本|移动版", re.IGNORECASE
)


def paired(
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
        mentions = nearest(clause, match)
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
    if LINK.search(clause.label):
        return True
    before, after = clause.text[: value.start()], clause.text[value.end() : value.end() + 20]
    for mention in reversed([one for one in clause.gpus if one.end <= value.start()]):
        before = f"{before[: mention.start]} {before[mention.end :]}"
    before = before[-24:]
    return bool(
        re.search(r"(?:nvlink|nvswitch|互联|互连)[^\d,，;；、和与]*$", before, re.IGNORECASE)
        or re.match(r"\s*(?:的|of|in)?\s*(?:双向|bidirectional|total)?\s*(?:nvlink|nvswitch)", after, re.IGNORECASE)
    )


def _distinct(mentions: Sequence[Mention]) -> list[Mention]:
    return list({mention.ids: mention for mention in mentions}.values())


def _in_a_row(text: str, matches: Sequence[re.Match[str]]) -> bool:
    """Whether the values form one list, like 150W / 300W."""
    gaps = (text[left.end() : right.start()] for left, right in pairwise(matches))
    return all(re.fullmatch(r"\s*(?:[/、,，|和与或]|\bor\b|\band\b)\s*", gap) for gap in gaps)


def nearest(clause: Clause, value: re.Match[str]) -> list[Mention]:
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
    return [] if clause.gpus or _SIBLING.search(clause.text) else list(clause.subject[:1])


def _is_capacity(clause: Clause, value: re.Match[str], mentions: Sequence[Mention]) -> bool:
    """Whether a number of GB is what the card holds, rather than what a model needs or a file takes."""
    if (
        not mentions
        or (_PART.search(clause.text) and not all("-laptop-" in key for key in mentions[-1].ids))
        or _in_machine(clause, mentions)
        or (clause.cells and _TOGETHER.search(clause.label))
    ):
        return False
    if clause.gpus:
        between = clause.text[mentions[-1].end : value.start()]
        after, after_all = clause.text[value.end() : value.end() + 12], clause.text[value.end() :]
        told = re.search(r"显存|VRAM|memory|搭载|配备|with|has|carries|offers|提供", between, re.IGNORECASE)
        tight = re.fullmatch(r"[\s(（:：,，\-]*(?:各|单卡|只有?|仅有?|only\s|just\s)?", between)
        total = re.search(
            r"共|总|聚合|整机|整柜|全机|total|aggregate|合计", clause.text[max(0, value.start() - 8) : value.end() + 8]
        )
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
    if re.search(r"(?:显存(?:大|高达|达|容量)?|VRAM)\W{0,3}$", clause.text[: value.start()]) and not _NEED.search(
        clause.text
    ):
        return True
    labelled = re.search(r"显存|VRAM|GPU memory|memory size", clause.label, re.IGNORECASE) or (
        clause.cells
        and re.match(r"(?:HBM|memory)\b(?!\s*bandwidth)", clause.label, re.IGNORECASE)
        and not _of_machines(clause)
    )
    return bool(labelled and not _NEED.search(clause.said))


def _in_machine(clause: Clause, mentions: Sequence[Mention]) -> bool:
    """Whether the name is part of a machine's: a DGX H200 holds more than an H200."""
    return any(
        one in clause.gpus and re.search(r"\b[DHM]GX\s*$", clause.text[: one.start], re.IGNORECASE) for one in mentions
    )


def _of_machines(clause: Clause) -> bool:
    """Whether a table also lists processors or host memory, so that "memory" may be the host's."""
    return bool(re.search(r"cpu|core|ram\b|内存|instance|实例|server|服务器", " ".join(clause.headers), re.IGNORECASE))
