"""Near misses: what one limit alone keeps out, and the cheapest change that would admit it."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import islice

from kb.catalog import gpus
from kb.records.gpu import Gpu
from kb.units import format_bytes
from tools.configuration import Configuration, Reason
from tools.configure.load.fitting import Held, Table, nearest_miss
from tools.configure.market.choice import Choice
from tools.configure.market.wanted import Wanted, anything, or_owned
from tools.configure.pace.judged import Pace
from tools.configure.rank.options import Limits
from tools.configure.rank.ranking import Found, Ranking
from tools.configure.request import ConfigureRequest
from tools.configure.result import Rejected
from tools.configure.tell.configured import tightness, title
from tools.configure.tell.reasons import reason, text
from tools.memory.formats import held_in
from tools.memory.result import Verdict
from tools.named import read_card
from tools.need import GpuCount

NEAR = 3
"""What costs more than so many times the budget is no near miss; it is told where nothing else can be."""


def owned_too_small(
    table: Table, owned: dict[str, int], shown: list[Configuration], added: dict[str, int]
) -> Iterator[Rejected]:
    """Cards one has that do not hold it, and how many of them would."""
    held = {item.gpu for item in shown if item.owned_count and item.owned_count >= item.gpu_count}
    for name, count in owned.items():
        near = nearest_miss(table, gpus()[name], count)
        if name in held or near is None or near.total_bytes <= gpus()[name].usable_bytes:
            continue
        yield _too_small(gpus()[name], count, near, added.get(name))


def proposed_too_small(
    table: Table, proposed: tuple[GpuCount, ...], shown: list[Configuration]
) -> Iterator[Rejected]:  # fmt: skip
    """Cards proposed in a number that does not hold it, and the fewest shown of the same that do."""
    for card in proposed:
        gpu, count = read_card(card.gpu)[0], card.count
        near = nearest_miss(table, gpu, count) if count is not None else None
        if count is None or near is None or near.total_bytes <= gpu.usable_bytes:
            continue
        more = min((item.gpu_count for item in shown if item.gpu == gpu.id and item.gpu_count > count), default=None)
        yield _too_small(gpu, count, near, more)


def beyond_limits(
    request: ConfigureRequest, ranking: Ranking, pace: Pace, limits: Limits, ways: tuple[str, ...], wanted: Wanted,
    shown: list[Configuration],
) -> Iterator[Rejected]:  # fmt: skip
    """For each limit, the cheapest that meets all the others."""
    for way in ways:
        money = limits.buy_usd if way == "buy" else limits.rent_usd_per_hour
        if money is not None:
            titles = {item.title for item in shown if item.acquisition == way}
            for dear in _beyond(ranking, way, wanted, limits, titles):
                yield from _too_dear(dear, money, only=not titles)
        if limits.power_w is not None:
            freed = replace(limits, power_w=None)
            able = ranking.cheapest(way, wanted, verdicts=("yes",), limits=freed)
            found = next(
                (one for one in able if one.option.choice.power_w), None
            )  # the others cannot say what to allow
            if found is not None and not limits.within(found.option.choice):
                yield _too_hungry(found, limits.power_w)
        if not shown and (request.target_tokens_per_s or request.deadline_s or request.target_latency_s):
            yield from _too_slow(request, ranking, pace, way, wanted)


def not_sold(gpu: Gpu, why: Reason, found: Found | None, instead: str | None) -> Rejected:
    """A card that was asked for, or would be cheaper or faster, but is not sold here."""
    reasons = (why, reason("change", "use_other", other=instead) if instead else reason("change", "use_larger"))
    if found is None:
        return _rejected(gpu.name, gpu, 1, reasons)
    choice = found.option.choice
    return _rejected(title(choice), gpu, choice.count, reasons, price=choice.amount)


def _too_small(gpu: Gpu, count: int, near: Held, more: int | None) -> Rejected:
    reasons = (
        reason("reason", "too_small", format=held_in(near.weight_format, gpu), needed=format_bytes(near.total_bytes),
               usable=format_bytes(gpu.usable_bytes)),
        reason("change", "use_more", count=more) if more else reason("change", "use_larger"),
    )  # fmt: skip
    return _rejected(f"{count} × {gpu.name}", gpu, count, reasons, needed=near.total_bytes)


def _beyond(ranking: Ranking, way: str, wanted: Wanted, limits: Limits, shown: set[str]) -> list[Found]:
    """The first beyond the limits in the order of what is proposed; where nothing is shown, what costs least of all."""
    freed = replace(limits, buy_usd=None, rent_usd_per_hour=None)
    least = [] if shown else _least(ranking, way, wanted, freed)
    least = least and [*_alone(ranking, way, least, freed), *least]
    dear = [one for one in least if not limits.within(one.option.choice)]
    ways = ranking.cheapest(way, wanted, verdicts=("yes",), limits=freed)
    others = (one for one in ways if not limits.within(one.option.choice) and title(one.option.choice) not in shown)
    return dear or list(islice(others, 1))


def _alone(ranking: Ranking, way: str, least: list[Found], limits: Limits) -> Iterator[Found]:
    """The cheapest cards for a computer that is there, of those that hold it for sure, where machines cost more."""
    found = next(ranking.cheapest(way, lambda choice: choice.own_host, verdicts=("yes",), limits=limits), None)
    amount = found.option.choice.amount if found else None
    if found is not None and amount is not None and all(amount < (one.option.choice.amount or 0) for one in least):
        yield found


def _least(ranking: Ranking, way: str, wanted: Wanted, limits: Limits) -> list[Found]:
    """The least that it costs for sure as it is wanted; before it what is second-hand, or a tight fit, for less."""
    found: list[Found] = []
    below: Decimal | None = None
    kinds: tuple[tuple[Wanted, Verdict], ...] = ((or_owned(wanted), "yes"), (anything, "yes"), (anything, "tight"))
    for among, verdict in kinds:
        one = ranking.least(way, among, below, verdict, limits)
        if one is not None:
            found.insert(0, one)
            below = one.option.choice.amount
    return found


def _too_dear(found: Found, money: Decimal, *, only: bool) -> Iterator[Rejected]:
    choice = found.option.choice
    if choice.amount is None or (choice.amount > NEAR * money and not only):
        return
    excess = (choice.asks or choice.amount) - money
    per = " per hour" if choice.acquisition == "rent" else ""
    reasons = (
        reason("reason", "too_dear", excess=float(excess), per=per, currency="USD"),
        reason("change", "raise_budget", excess=float(excess), per=per, currency="USD"),
        *((reason("trade_off", "used_market"),) if choice.used and choice.owned < choice.count else ()),
        *((_into_own(choice),) if choice.own_host else ()),
        *((tightness(choice.gpu, found.paced),) if found.option.verdict == "tight" else ()),
    )
    yield _rejected(title(choice), choice.gpu, choice.count, reasons, price=choice.amount)


def _into_own(choice: Choice) -> Reason:
    """What the computer must take that cards bought alone go into."""
    return reason("trade_off", "host_must_take", count=choice.count, watts=(choice.gpu.tdp_w or 0) * choice.count)


def _too_hungry(found: Found, power_w: int) -> Rejected:
    choice = found.option.choice
    reached = choice.power_w or 0
    reasons = (
        reason("reason", "too_hungry", reached=reached, wanted=power_w),
        reason("change", "allow_power", reached=reached),
    )
    return _rejected(title(choice), choice.gpu, choice.count, reasons, price=choice.amount)


def _too_slow(request: ConfigureRequest, ranking: Ranking, pace: Pace, way: str, wanted: Wanted) -> Iterator[Rejected]:
    points = ranking.frontier(way, wanted, enough=False)
    if not points:
        return
    choice, speed = points[-1].option.choice, points[-1].paced.speed or {}
    time_s, per_user, first = (speed.get(name) for name in ("time_s", "tokens_per_s_per_user", "time_to_first_token_s"))
    if request.deadline_s and isinstance(time_s, float) and time_s > request.deadline_s:
        hours = time_s / 3600
        reasons = (
            reason("reason", "too_late", reached=hours, wanted=request.deadline_s / 3600),
            reason("change", "accept_later", reached=hours),
        )
    elif request.target_tokens_per_s and isinstance(per_user, float) and per_user < request.target_tokens_per_s:
        reasons = _slower(per_user, request.target_tokens_per_s, "tokens/s")
    elif request.target_latency_s and isinstance(first, float) and first > request.target_latency_s:
        reasons = _slower(first, request.target_latency_s, "s to the first token")
    else:
        return
    yield _rejected(title(choice), choice.gpu, choice.count, reasons, price=choice.amount)


def _slower(reached: float, wanted: float, measure: str) -> tuple[Reason, Reason]:
    return (
        reason("reason", "too_slow", reached=reached, wanted=wanted, measure=measure),
        reason("change", "accept_slower", reached=reached, measure=measure),
    )


def _rejected(
    name: str, gpu: Gpu, count: int, reasons: tuple[Reason, ...], *, needed: int | None = None,
    price: Decimal | None = None,
) -> Rejected:  # fmt: skip
    return Rejected(
        title=name, gpu=gpu.id, gpu_count=count, reason=text(reasons[0]), change=text(reasons[1]),
        needed_bytes_per_gpu=needed, usable_bytes_per_gpu=gpu.usable_bytes if needed else None, price_usd=price,
        reasons=reasons,
    )  # fmt: skip
