"""What was true once: "the latest", "the next generation", the top of a range, launch prices, cards called retired."""

import re
from collections.abc import Iterator, Sequence

from ingest.claims.facts import cards, link_source, links, shared_name, show_rate, source_of
from ingest.claims.finding import Finding
from ingest.claims.reading import Clause
from kb.catalog import gpus, models, offers
from kb.market.offers import read_until
from kb.naming.names import Mention
from kb.records.gpu import Gpu
from kb.units import GB

_CURRENT = re.compile(r"当前|目前|现在|主流|最新|current|latest|today|state of the art", re.IGNORECASE)
_YEARS = re.compile(r"(?<!\d)(20[1-3]\d)\s*(?:[–\-—~至到/]\s*(20[1-3]\d))?(?!\d)")
_NEXT = re.compile(
    r"下一代|未来|即将|迁移路线|升级路径|将推出|尚未发布|next[- ]gen|upcoming|forthcoming|soon to be", re.IGNORECASE
)
_NEXT_FOLLOWS = re.compile(r"^\s*(?:[/、及和或]\s*\w+\s*)?(?:架构)?\s*(?:迁移路线|路线图|roadmap)", re.IGNORECASE)
_TOP = re.compile(
    r"顶尖|最强|最高性能|极致性能|旗舰|黄金标准|顶级|最新架构|超大模型\s*[→:：]"
    r"|gold standard|ultimate performance|flagship|fastest|most powerful|top[- ]end",
    re.IGNORECASE,
)
_RETIRED = re.compile(r"(?:已|逐步|被)+\s*(?:淘汰|退役)|phased out|being retired", re.IGNORECASE)
_LIST_PRICE = re.compile(r"建议零售价|官方定价|首发价|MSRP|list price|launch price", re.IGNORECASE)
_USD = re.compile(r"[$＄]\s*(\d{1,3}(?:,\d{3})+|\d{2,6})(?!\s*[/每])")
_LINK_VERSION = re.compile(
    r"(NVLink|PCIe)\s*(?:v|Gen(?:eration)?\s*)?([1-6])(?:\.0)?(?![\d.])"
    r"|(?:第([一二三四五六1-6])代|([1-6])(?:st|nd|rd|th)[- ]gen(?:eration)?)\s*(NVLink|PCIe)",
    re.IGNORECASE,
)
_ORDINALS = {sign: number for number, sign in enumerate("一二三四五六", 1)} | {
    str(number): number for number in range(1, 7)
}
_RATE = re.compile(r"(?<![\d.\-–~])(\d{1,4}(?:\.\d{1,3})?)\s*(GB|TB)\s*[/p]\s*s", re.IGNORECASE)
_BETWEEN = re.compile(r"[^卡和与及,，;；]{0,24}")
_MULTIPLIED = re.compile(r"(?:doubl|tripl|quadrupl)\w*\s*(?:the |that of )?$|翻倍\s*$", re.IGNORECASE)
"""What stands before a generation that only serves as the standard of another."""
_LATEST = re.compile(r"最新的?(?:版本|一代)?|latest|newest", re.IGNORECASE)
_PAST = re.compile(
    r"曾|当年|当时|那时|一度|发布时|\b(?:was|were|once|used to|at (?:its )?launch|back then|had been)\b", re.IGNORECASE
)
_ARCHITECTURES = {"blackwell": "Blackwell", "hopper": "Hopper", "rubin": "Rubin"}
NEAR = 32
"""Characters between a superlative and its card."""
TABLE_REACH = 20
"""Lines below a caption that its table may fill."""
RENTED_MIN = 3
"""Offers from which a card counts as still rented."""


def ageing_findings(clause: Clause) -> Iterator[Finding]:
    """Judge what the clause calls current, next, best, retired or priced."""
    yield from _years(clause)
    yield from _next(clause)
    yield from _top(clause)
    yield from _retired(clause)
    yield from _list_price(clause)
    yield from _link_versions(clause)


def _years(clause: Clause) -> Iterator[Finding]:
    """「当前(2023–2024)主流」: years that were over when the facts were read, called the present."""
    word, match = _CURRENT.search(clause.text), _YEARS.search(clause.text)
    if word is None or match is None or abs(match.start() - word.end()) > 6:
        return
    last = int(match[2] or match[1])
    newer = [card for card in gpus().values() if _is_flagship(card) and (card.year or 0) >= last]
    if last >= int(read_until()[:4]) or not newer:
        return
    names = ", ".join(sorted({f"{card.name} ({card.year})" for card in newer})[:5])
    yield clause.finding(
        subject="document",
        attribute="currency",
        claimed_value=match[0],
        verdict="outdated",
        correct_value=f"newer cards are on sale: {names}",
        source=source_of([newer[0].id], "year"),
    )


def _is_flagship(card: Gpu) -> bool:
    return (card.vendor, card.market, card.status) == ("NVIDIA", "data_center", "available")


def _next(clause: Clause) -> Iterator[Finding]:
    """A generation called future that is on sale."""
    word = _NEXT.search(clause.text)
    if word is None:
        return
    for mention in clause.gpus:
        near = 0 <= mention.start - word.end() <= 24
        follows = _NEXT_FOLLOWS.match(clause.text[mention.end :])
        out = [card for card in cards(mention.ids) if card.year and card.status != "announced"]
        if out and (near or follows):
            yield clause.finding(
                subject=shared_name(mention.ids, mention.text),
                attribute="generation",
                claimed_value=word[0],
                verdict="outdated",
                correct_value=f"{out[0].architecture} has been out since {out[0].year}",
                source=source_of([out[0].id], "year"),
            )


def _top(clause: Clause) -> Iterator[Finding]:
    """A card called the best of its kind that a newer one beats."""
    word = _TOP.search(clause.text)
    if word is None or _PAST.search(clause.text):
        return
    near = [one for one in clause.gpus if one.start - NEAR <= word.start() <= one.end + NEAR]
    if clause.gpus and not near:
        return
    named = near or list(clause.subject[:1])
    for mention in named[:1]:
        best = [better(card) for card in cards(mention.ids)]
        newer = best[0]
        if newer and all(best):
            yield clause.finding(
                subject=shared_name(mention.ids, mention.text),
                attribute="standing",
                claimed_value=word[0],
                verdict="outdated",
                correct_value=(
                    f"{newer.name} ({newer.year}) has {newer.memory_bytes / 2**30:g} GB and "
                    f"{show_rate(newer.bandwidth_bytes_per_s)}"
                ),
                source=source_of([newer.id], "bandwidth_bytes_per_s"),
            )


def better(card: Gpu) -> Gpu | None:
    """The strongest later card of the same maker and market with more memory and more bandwidth; null when none."""
    later = [
        one
        for one in gpus().values()
        if (one.vendor, one.market) == (card.vendor, card.market)
        and one.status == "available"
        and card.year
        and one.year
        and card.year < one.year
        and one.memory_bytes > card.memory_bytes
        and (one.bandwidth_bytes_per_s or 0) > (card.bandwidth_bytes_per_s or 0) > 0
    ]
    return max(later, key=lambda one: (one.bandwidth_bytes_per_s or 0, one.memory_bytes), default=None)


def _retired(clause: Clause) -> Iterator[Finding]:
    word = _RETIRED.search(clause.text)
    if word is None:
        return
    before = [one for one in clause.gpus if 0 <= word.start() - one.end <= 10]
    for mention in before[-1:]:
        rented = [offer for offer in offers() if offer.gpu in mention.ids]
        if len(rented) < RENTED_MIN:
            continue
        names = ", ".join(sorted({offer.provider for offer in rented})[:5])
        yield clause.finding(
            subject=shared_name(mention.ids, mention.text),
            attribute="availability",
            claimed_value=word[0],
            verdict="outdated",
            correct_value=f"no longer built, but still rented out by {names} and others",
            source="cloud offers of the catalog",
        )


def _list_price(clause: Clause) -> Iterator[Finding]:
    match = _USD.search(clause.text)
    if match is None or not _LIST_PRICE.search(clause.said):
        return
    mentions: list[Mention] = clause.gpus[:1] or list(clause.subject[:1])
    for mention in mentions:
        known = [card for card in cards(mention.ids) if card.msrp_usd]
        if len(known) != 1:
            continue
        card, price = known[0], float(match[1].replace(",", ""))
        right = abs(price - float(card.msrp_usd or 0)) <= 0.05 * float(card.msrp_usd or 0)
        gone = card.status == "discontinued"
        correct = f"launched at ${card.msrp_usd:,.0f}" + (
            "; no longer made, so sold at whatever the market asks" if gone else ""
        )
        yield clause.finding(
            subject=card.name,
            attribute="list price",
            claimed_value=match[0],
            verdict="wrong" if not right else "outdated" if gone else "holds",
            correct_value=correct,
            source=source_of([card.id], "msrp_usd"),
            number=price,
        )


def _link_versions(clause: Clause) -> Iterator[Finding]:
    """Bandwidth of a generation of NVLink or PCIe, and which one is the latest."""
    for match in _LINK_VERSION.finditer(clause.text):
        kind, version = (match[1] or match[5]).lower(), int(match[2] or _ORDINALS.get(match[3] or "") or match[4])
        table = links()[kind]
        rate = _RATE.search(clause.text, match.end())
        following = _LINK_VERSION.search(clause.text, match.end())
        row = table.get(version)
        if (
            row
            and rate
            and not _MULTIPLIED.search(clause.text[: match.start()])
            and _BETWEEN.fullmatch(clause.text[match.end() : rate.start()])
            and not (following and following.start() < rate.start())
        ):
            claimed = float(rate[1]) * (1000 if rate[2].lower() == "tb" else 1) * GB
            full = row["bandwidth_bytes_per_s"]
            # One direction is half of both; a document may mean either.
            holds = any(abs(claimed - one) <= 0.06 * one for one in (full, full / 2))
            yield clause.finding(
                subject=f"{match[1] or match[5]} {version}.0",
                attribute="bandwidth",
                claimed_value=rate[0],
                verdict="holds" if holds else "wrong",
                correct_value=f"{full / GB:g} GB/s both directions together"
                + (" on a x16 slot" if kind == "pcie" else " a GPU"),
                source=link_source(kind),
                number=claimed,
            )
        word = _LATEST.search(clause.text[: match.start()])
        latest = max(table)
        if word and kind == "nvlink" and match.start() - word.end() <= 10 and version < latest:
            yield clause.finding(
                subject=match[1] or match[5],
                attribute="latest version",
                claimed_value=match[0],
                verdict="outdated",
                correct_value=f"NVLink {latest} came with {table[latest]['architecture']} in {table[latest]['year']}",
                source=link_source(kind),
            )


def caption_findings(read: Sequence[Clause]) -> Iterator[Finding]:
    """A table of "the latest models" whose newest model was more than a year old when the facts were read."""
    year_before = f"{int(read_until()[:4]) - 1}{read_until()[4:7]}"
    for place, clause in enumerate(read):
        if clause.cells or not re.search(r"最新|latest|newest", clause.text, re.IGNORECASE):
            continue
        if not re.search(r"模型|model", clause.text, re.IGNORECASE):
            continue
        rows = [one for one in read[place + 1 : place + 200] if one.cells and one.line - clause.line <= TABLE_REACH]
        listed = [models()[mention.ids[0]] for one in rows if one.text == one.cells[0] for mention in one.models[:1]]
        dates = [one.released for one in listed if one.released]
        if len(dates) < 3:
            continue
        newest = max(dates)
        newer = [one for one in models().values() if (one.released or "") > newest and one.kind == "llm"]
        if newest[:7] < year_before and len(newer) >= 3:
            names = ", ".join(one.name for one in sorted(newer, key=lambda one: one.released or "")[-3:])
            yield clause.finding(
                subject="document",
                attribute="currency",
                claimed_value=re.findall(r"最新\S{0,12}|latest \w+|newest \w+", clause.text, re.IGNORECASE)[0],
                verdict="outdated",
                correct_value=f"its newest model is of {newest}; newer ones are out: {names}",
                source="catalog of models",
            )
