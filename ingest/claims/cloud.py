"""Cloud claims: which GPU an instance has, what cards cost by the hour, what a commitment saves."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ingest.claims.facts import cards, shared_name
from ingest.claims.finding import Finding, Verdict
from ingest.claims.reading import Clause, rigs_in, stated_count
from kb.catalog import gpus, offers, providers, sources
from kb.market.offers import read_until
from kb.naming.names import Mention, Names, normalise
from kb.records.offer import Offer
from kb.units import GIB
from tools.prices import age_days, latest_day

NEAR = 32
PRICE_SLACK = 1.15
"""How far a price may lie outside what the catalog lists before it counts as outdated."""
PRICE_REACH_LINES = 4
SAVING_SLACK = 0.15
MEMORY_SLACK = 0.1
"""Providers list what a card's driver leaves, or the gigabytes on its box."""
RECENT_DAYS = 365
"""Offers read so long before the newest do not say what is asked at its time."""
ALIBABA_TYPES = "Alibaba Cloud, InstanceTypeFamily and InstanceType, https://help.aliyun.com/zh/emr/emr-on-ecs/developer-reference/api-emr-2021-03-20-struct-instancetype"
_CLOUD = re.compile(r"aws|amazon|azure|google|gcp|阿里云|腾讯云|华为云|云|实例|instance|ecs|vm\b", re.IGNORECASE)
_FAMILY = re.compile(
    r"(?<![A-Za-z0-9.])(?:Standard_)?([A-Za-z]{1,5}\d[a-z]{0,4}|"
    r"N[CDV](?:[ _]?[A-Z][A-Z0-9]{1,5})?[ _]?v\d)(?![A-Za-z0-9])"
)
_EXACT = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*(?:[-._][A-Za-z0-9]+)+(?![A-Za-z0-9])")
_HOURLY = re.compile(
    r"[$＄]\s*(\d{1,5}(?:\.\d{1,4})?)\s*(?:美元)?\s*(?:[/每]|an?\s|per\s)\s*(?:小时|hour|hr|h)\b"
    r"|每(?:个)?小时\s*(?:约|为|要)?\s*[$＄]\s*(\d{1,5}(?:\.\d{1,4})?)",
    re.IGNORECASE,
)
_SAVING = re.compile(r"(\d{2})\s*%?\s*[-–~至到]\s*(\d{2})\s*%")
_BELONGS = re.compile(
    r"\s*(?:实例|机型|系列|规格|instances?|family|series|sizes?|machines?|VMs?)?\s*(?:[(（:：=]"
    r"|(?:配备|配有|提供|内置|装有|包含|搭载|采用|使用|用的?是|用|配|带|有|是|为|共)"
    r"|\s(?:comes with|comes equipped with|has|with|uses|carries|holds|offers|provides|includes|features|gives you"
    r"|is)\b|→)"
    r"[^,，;；。()（）]{0,24}",
    re.IGNORECASE,
)
"""What stands between an instance and the GPU it is said to have."""
_MACHINES = re.compile(r"\d\s*(?:台|个|[x×*])\s*$|\b(?:two|three|four|both|several)\s*$|[两多几]台?\s*$", re.IGNORECASE)
_MACHINES_AFTER = re.compile(r"^\s*(?:实例|instances?)?\s*[x×*]\s*\d", re.IGNORECASE)
_GPU_MEMORY = re.compile(
    r"(?<![\d.])(\d{2,4})\s*Gi?B\s*(?:of\s)?(?:total\s)?(?:GPU memory|VRAM|显存)"
    r"|显存\s*(?:共|合计|为|是|[:：])?\s*(\d{2,4})\s*Gi?B",
    re.IGNORECASE,
)
_COUNT_COLUMN = re.compile(
    r"\s*(?:count|number|gpus|gpu count|# ?gpus?|number of gpus|数量|卡数|gpu ?数量?|显卡数量?|张数)\s*", re.IGNORECASE
)
_TOGETHER = re.compile(r"总|合计|\b(?:total|together|altogether|in all)\b", re.IGNORECASE)
"""What says that a number of cards is that of several machines."""
_AWS_SIZE = re.compile(r"([a-z]+\d[a-z0-9-]*)\.\d*xlarge", re.IGNORECASE)
_ALIBABA = re.compile(r"ecs\.\S*", re.IGNORECASE)
_ALIBABA_GRAMMAR = re.compile(r"ecs\.[a-z0-9]+(?:-[a-z0-9]+)*\.\d*(?:x?large|small|medium)", re.IGNORECASE)
"""An instance type is its family's name with a size after a point."""
_COMMITTED = re.compile(r"预留|reserved|savings plan|committed|承诺|包年", re.IGNORECASE)


def cloud_findings(clause: Clause) -> Iterator[Finding]:
    """Judge instances, hourly prices and discounts."""
    yield from _instances(clause, families=bool(_CLOUD.search(f"{clause.row} {clause.heading} {clause.headers}")))
    yield from _prices(clause)
    yield from _savings(clause)


def _instances(clause: Clause, *, families: bool) -> Iterator[Finding]:
    """An instance type says what it is; a bare family like A2 or G2 only where clouds are spoken of."""
    cards_named = [(gpu.start, gpu.end) for gpu in clause.gpus]
    named = sorted(_named(clause.text, cards_named, families=families), key=lambda one: one.end)
    named = [replace(one, held=_of_provider(clause, one)) for one in named]
    for one, following in zip(named, [*named[1:], None], strict=False):
        until = following.start if following else len(clause.text)
        claimed = [gpu for gpu in clause.gpus if one.end <= gpu.start < until and gpu.start - one.end <= NEAR]
        claimed = [gpu for gpu in claimed if _BELONGS.fullmatch(clause.text[one.end : gpu.start])]
        claimed += [gpu for gpu in _listed_after(clause, claimed) if gpu.start < until]
        yield from _instance_memory(clause, one, until)
        if not any(offer.gpu for offer in one.held):
            continue
        for mention in claimed:
            found = _instance(clause, one.name, one.held, mention)
            yield found
            if len(claimed) == 1 and not found.disputed:
                yield from _instance_count(clause, one, mention)
        if claimed:
            continue
        column = _gpu_column(clause)
        for mention in column:
            found = _instance(clause, one.name, one.held, mention)
            yield found
            if len(column) == 1 and not found.disputed:
                yield from _column_count(clause, one, mention)
    yield from _unknown_types(clause)


def _instance_count(clause: Clause, named: "_Named", mention: Mention) -> Iterator[Finding]:
    """How many of the card the instance is said to have, where the offers list that very type."""
    before, after = clause.text[max(0, named.start - 12) : named.start], clause.text[named.end :]
    if not (_MACHINES.search(before) or _MACHINES_AFTER.match(after) or _TOGETHER.search(clause.text)):
        yield from _counted(clause, named, mention, stated_count(clause.text, mention))


def _instance_memory(clause: Clause, named: "_Named", until: int) -> Iterator[Finding]:
    """Memory of the cards of a type, of one or of all of them."""
    said = _GPU_MEMORY.search(clause.text, named.end, until)
    held = {(gpus()[one.gpu].memory_bytes, float(one.gpu_count)) for one in named.held if one.gpu}
    if said is None or not named.exact or not held or said.start() - named.end > NEAR:
        return
    claimed = float(next(filter(None, said.groups()))) * GIB
    right = [size for each, count in held for size in (each, each * count)]
    yield clause.finding(
        subject=f"{named.held[0].provider} {named.name}",
        attribute="GPU memory of the instance",
        claimed_value=said[0].strip(),
        verdict="holds" if any(abs(claimed - one) <= MEMORY_SLACK * one for one in right) else "wrong",
        correct_value=" or ".join(f"{count:g} × {each / GIB:g} GB" for each, count in sorted(held)),
        source=_source(named.held[0]),
        number=claimed,
    )


def _column_count(clause: Clause, named: "_Named", mention: Mention) -> Iterator[Finding]:
    """The number in the row's column of counts, when the table has one."""
    for header, cell in zip(clause.headers, clause.cells, strict=False):
        if _COUNT_COLUMN.fullmatch(header) and (number := re.fullmatch(r"\s*[x×]?\s*(\d{1,2})\s*[张块x×]?\s*", cell)):
            yield from _counted(clause, named, mention, int(number[1]))


def _counted(clause: Clause, named: "_Named", mention: Mention, count: int | None) -> Iterator[Finding]:
    has = sorted({int(one.gpu_count) for one in named.held if one.gpu in mention.ids and one.gpu_count >= 1})
    if count is None or not has or not named.exact:
        return
    yield clause.finding(
        subject=f"{named.held[0].provider} {named.name}",
        attribute="GPUs of the instance",
        claimed_value=f"{count} × {mention.text}",
        verdict="holds" if count in has else "wrong",
        correct_value=" or ".join(f"{one} × {mention.text}" for one in has),
        source=_source(named.held[0]),
        number=float(count),
    )


def _unknown_types(clause: Clause) -> Iterator[Finding]:
    """A size that a wholly listed family has not, and a type that is not built as its provider builds them."""
    for match in _EXACT.finditer(clause.text):
        token = normalise(match[0])
        sized = _AWS_SIZE.fullmatch(token)
        family = [one for one in _by_family().get(sized[1], ()) if one.provider == "AWS"] if sized else []
        if family and token not in _by_instance() and all(one.on_demand_usd_per_hour for one in family):
            known = sorted({one.instance for one in family}, key=len)
            yield _no_such_type(clause, f"AWS {match[0]}", match[0], ", ".join(known), _source(family[0]))
        elif _ALIBABA.fullmatch(token) and token.count(".") > 1 and not _ALIBABA_GRAMMAR.fullmatch(token):
            form = "ecs.<family>.<size>, like ecs.gn7i-c8g1.2xlarge"
            yield _no_such_type(clause, f"Alibaba Cloud {match[0]}", match[0], form, ALIBABA_TYPES)


def _no_such_type(clause: Clause, subject: str, claimed: str, correct: str, source: str) -> Finding:
    return clause.finding(
        subject=subject, attribute="instance type", claimed_value=claimed, verdict="wrong",
        correct_value=f"no such type is listed; there are {correct}", source=source,
    )  # fmt: skip


def _listed_after(clause: Clause, claimed: list[Mention]) -> list[Mention]:
    """The names that a slash joins to the last: 「A2 (H100/A100)」 says that there are both."""
    found: list[Mention] = []
    for mention in clause.gpus:
        last = [*claimed, *found][-1:]
        if (
            last
            and mention.start >= last[0].end
            and re.fullmatch(r"\s*[/、]\s*", clause.text[last[0].end : mention.start])
        ):
            found.append(mention)
    return found


def _gpu_column(clause: Clause) -> list[Mention]:
    """GPUs of the row's GPU column, when the table has one."""
    from ingest.claims.reading import gpus_in

    for header, cell in zip(clause.headers, clause.cells, strict=False):
        if re.fullmatch(r"\s*(?:GPU|显卡|加速卡|accelerator)\S{0,6}\s*", header, re.IGNORECASE) and cell != clause.text:
            return gpus_in(cell)
    return []


def _instance(clause: Clause, name: str, held: tuple[Offer, ...], mention: Mention) -> Finding:
    has = sorted({offer.gpu for offer in held if offer.gpu})
    verdict: Verdict = "holds" if set(mention.ids) & set(has) else "wrong"
    listed = ", ".join(gpus()[key].name for key in has)
    return clause.finding(
        subject=f"{held[0].provider} {name}",
        attribute="GPU of the instance",
        claimed_value=mention.text,
        verdict=verdict,
        correct_value=listed,
        source=_source(held[0]),
    )


@dataclass(frozen=True)
class _Named:
    """An instance or an instance family in a text."""

    name: str
    start: int
    end: int
    held: tuple[Offer, ...]
    """The offers it stands for."""
    exact: bool
    """Whether it is a type, not a family."""


def _named(text: str, cards_named: Sequence[tuple[int, int]], *, families: bool) -> Iterator[_Named]:
    """Those outside the names of cards: some rent an L4 under that name."""
    taken: list[tuple[int, int]] = []
    for pattern in (_EXACT, _FAMILY) if families else (_EXACT,):
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            if any(start <= match.start() and match.end() <= end for start, end in cards_named):
                continue
            exact = _by_instance().get(_full(normalise(match[0])), ())
            held = exact or _by_family().get(_family(normalise(match[0])), ())
            if held:
                taken.append(match.span())
                yield _Named(match[0], match.start(), match.end(), held, bool(exact))


@lru_cache(maxsize=1)
def _providers() -> Names:
    return Names("provider", {row.name: (row.name, *row.aliases) for row in providers().values()})


def _of_provider(clause: Clause, named: _Named) -> tuple[Offer, ...]:
    """The offers of the provider named last before the instance: two clouds may call a family alike."""
    if len({one.provider for one in named.held}) == 1:
        return named.held
    said = [one for one in _providers().scan(clause.text[: named.start]) if one.exact]
    said = said or [one for one in _providers().scan(clause.row) if one.exact]
    return tuple(one for one in named.held if said and one.provider in said[-1].ids) or named.held


def _full(token: str) -> str:
    """The type as its provider lists it: Azure's are written with and without `Standard_`."""
    listed = _by_instance()
    return next((one for one in (token, f"standard_{token}", f"standard {token}") if one in listed), token)


def _family(token: str) -> str:
    """`g5.xlarge` → g5, `ecs.gn7i-c8g1.4xlarge` → gn7i, `a2-highgpu-1g` → a2, `NC_T4_v3` → nct4v3."""
    token = token.removeprefix("ecs.").removeprefix("standard_")
    if re.fullmatch(r"n[cdv].*v\d", token):
        return re.sub(r"[ _-]", "", re.sub(r"^(n[cdv])\d+[a-z]*", r"\1", token))
    return re.split(r"[.\-]", token)[0]


@lru_cache(maxsize=1)
def _by_instance() -> dict[str, tuple[Offer, ...]]:
    found: dict[str, tuple[Offer, ...]] = {}
    for offer in offers():
        key = normalise(offer.instance)
        found[key] = (*found.get(key, ()), offer)
    return found


@lru_cache(maxsize=1)
def _by_family() -> dict[str, tuple[Offer, ...]]:
    found: dict[str, tuple[Offer, ...]] = {}
    for offer in offers():
        if not re.search(r"\d", offer.instance) or " " in offer.instance or not offer.gpu:
            continue
        key = _family(normalise(offer.instance))
        keys = {key, re.sub(r"^(n[cdv]).+(v\d)$", r"\1\2", key)} if re.fullmatch(r"n[cdv].*v\d", key) else {key}
        for one in keys:
            if re.search(r"\d", one):
                found[one] = (*found.get(one, ()), offer)
    return found


def _prices(clause: Clause) -> Iterator[Finding]:
    """An hourly price for the cards named on the line or just above."""
    match = _HOURLY.search(clause.text)
    if match is None:
        return
    here = rigs_in(clause.text, clause.line)
    rig = here[0] if here else clause.rig
    # A card or instance named beside the price is what costs it; a machine named lines above is not.
    if (
        rig is None
        or clause.line - rig.line > PRICE_REACH_LINES
        or (not here and (clause.gpus or rig.line == clause.line))
    ):
        return
    each = sorted(_hourly(rig.gpus), key=lambda one: one[0])
    if len(each) < 3:
        return
    claimed = float(match[1] or match[2])
    low, high = each[0][0] * rig.count, each[-1][0] * rig.count
    usual = each[len(each) // 2][0] * rig.count
    fits = low / PRICE_SLACK <= claimed <= high * PRICE_SLACK and claimed <= 2 * usual
    yield clause.finding(
        subject=f"{rig.count} × {shared_name(rig.gpus, cards(rig.gpus)[0].name)}",
        attribute="price per hour",
        claimed_value=match[0],
        verdict="holds" if fits else "outdated",
        correct_value=f"half of the on-demand offers lie below ${usual:.2f} an hour (from ${low:.2f} to ${high:.2f})",
        source=_source(each[-1][1]),
        number=claimed,
    )


def _hourly(ids: tuple[str, ...]) -> Iterator[tuple[float, Offer]]:
    """What these cards cost an hour, by the offers with a recent date."""
    present = latest_day(read_until())
    for offer in offers():
        age = age_days(offer.as_of, present)
        recent = age is not None and age <= RECENT_DAYS
        if recent and offer.gpu in ids and offer.on_demand_usd_per_hour and offer.gpu_count >= 1:
            yield float(offer.on_demand_usd_per_hour / offer.gpu_count), offer


def _savings(clause: Clause) -> Iterator[Finding]:
    """What a commitment saves, against what the offers list."""
    match = _SAVING.search(clause.text)
    if match is None or not _COMMITTED.search(clause.text[: match.end()]):
        return
    listed = [
        (float(1 - offer.reserved_1y_usd_per_hour / offer.on_demand_usd_per_hour), offer)
        for offer in offers()
        if offer.reserved_1y_usd_per_hour and offer.on_demand_usd_per_hour
    ]
    if not listed:
        return
    shares = [share for share, _ in listed]
    least, most = min(shares), max(shares)
    wrong = int(match[1]) / 100 > most + SAVING_SLACK
    yield clause.finding(
        subject="reserved instances",
        attribute="saving",
        claimed_value=match[0],
        verdict="wrong" if wrong else "holds",
        correct_value=f"a one-year commitment saves {least:.0%} to {most:.0%} on the GPU offers listed",
        source=_source(listed[0][1]),
    )


def _source(offer: Offer) -> str:
    source = sources().get(offer.source)
    title = source.title if source else offer.source
    return f"{title}, {offer.as_of}" if offer.as_of else title
