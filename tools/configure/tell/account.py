"""What is said beside the configurations: near misses, the arithmetic of memory, assumptions and warnings."""

from typing import TYPE_CHECKING

from tools.base import Step
from tools.configuration import Configuration
from tools.configure.market.choice import MACHINE_SHARE
from tools.configure.market.sold import USED_PRICE_DAYS, aged_out, unsold
from tools.configure.market.suitable import CUDA_ONLY
from tools.configure.market.wanted import unowned
from tools.configure.rank.options import Options
from tools.configure.rank.ranking import Found, Ranking, ceiling
from tools.configure.result import Rejected
from tools.configure.tell.giving_up import given_up
from tools.configure.tell.misses import beyond_limits, not_sold, owned_too_small, proposed_too_small
from tools.configure.tell.reasons import text
from tools.memory.estimate import memory_per_gpu
from tools.memory.formats import held_in

if TYPE_CHECKING:
    from tools.configure.search import Search

AGED_NAMED = 3
Made = list[tuple[Configuration, Step, Found]]


def rejected(search: "Search", shown: list[Configuration], found: list[Found]) -> list[Rejected]:
    asked = search.asked
    added = {
        one.option.choice.gpu.id: one.option.choice.count
        for one in found
        if 0 < one.option.choice.owned < one.option.choice.count
    }
    misses = list(owned_too_small(search.table, asked.owned, shown, added))
    misses += proposed_too_small(search.table, asked.request.gpus_proposed, shown)
    misses += beyond_limits(asked.request, search.ranking, search.pace, search.limits, asked.ways, search.wanted, shown)
    for way in asked.ways:
        if all(item.acquisition != way for item in shown):
            misses += given_up(search, way)
    return misses + _barred(search, shown)


def _aged_out(search: "Search") -> list[str]:
    """Cards that are left out because nobody read a second-hand price of them for more than a year."""
    asked = search.asked
    if "buy" not in asked.ways or asked.cards or "new" in asked.request.conditions:
        return []
    names = sorted(gpu.name for gpu in search.pool if gpu.id not in asked.owned and aged_out(gpu))
    if not names:
        return []
    more = f" and {len(names) - AGED_NAMED} more" if len(names) > AGED_NAMED else ""
    shown = ", ".join(names[:AGED_NAMED]) + more
    said = f"Left out for want of a second-hand price of the last {USED_PRICE_DAYS} days: {shown}"
    return [f"{said}; name a card to have it considered."]


def _barred(search: "Search", shown: list[Configuration]) -> list[Rejected]:
    """Cards asked for that are not sold in the country; else the cheapest purchase that only that keeps out."""
    asked = search.asked
    if asked.country is None or "buy" not in asked.ways:
        return []
    why = {gpu.id: unsold(gpu, asked.country) for gpu in search.pool if gpu.id not in asked.owned}
    shut = [gpu for gpu in search.pool if why.get(gpu.id) is not None]
    if not shut:
        return []
    instead = next((item.title for item in shown if item.acquisition == "buy"), None) or search.instead()
    misses = []
    for named in [[gpu] for gpu in shut if gpu.id in asked.cards] or [shut]:
        options = Options(search.table, search.native, asked.request.max_gpus)
        for gpu in named:
            options.add(gpu, ways=("buy",), provider=None, owned=0, asked=gpu.id in asked.cards, country=None)
        priced = Ranking(options, search.pace, search.limits).cheapest("buy", search.wanted, verdicts=("yes",))
        found = next(priced, None)
        card = found.option.choice.gpu if found else named[0]
        told = why[card.id]
        if told is not None and (found is not None or card.id in asked.cards):
            misses.append(not_sold(card, told, found, instead))
    return misses


def memory_steps(made: Made) -> list[Step]:
    """For each memory figure shown, the step that states it."""
    steps: dict[str, Step] = {}
    for _, _, found in made:
        held = found.paced.held
        if held.form is not None:
            label, step = _served_step(found)
            steps[label] = step
            continue
        per_gpu, _ = memory_per_gpu(held.layout.of(held.variant.request))
        label = f"{held_in(held.weight_format, found.option.choice.gpu)} over {held.layout.gpus} GPUs"
        steps[label] = Step(
            label=label,
            formula=" + ".join(part.name for part in per_gpu.parts),
            inputs={part.name: part.bytes for part in per_gpu.parts},
            value=per_gpu.total_bytes,
            unit="bytes",
            source="calibration",
        )
    return list(steps.values())


def _served_step(found: Found) -> tuple[str, Step]:
    held = found.paced.held
    form = held_in(held.weight_format, found.option.choice.gpu)
    label = f"{form} over {held.layout.gpus} GPUs"
    rest = held.total_bytes - held.cut.weights_bytes - held.cut.cache_bytes
    inputs = {"weights": held.cut.weights_bytes, "kv_cache": held.cut.cache_bytes, "rest": rest}
    return label, Step(
        label=label, formula="weights + kv_cache + rest", inputs=inputs, value=held.total_bytes, unit="bytes",
        source="calibration",
    )  # fmt: skip


def assumptions(search: "Search", made: Made) -> tuple[str, ...]:
    asked, load = search.asked, search.asked.load
    said = list(load.assumptions)
    if asked.country and not asked.request.country:
        said.append("The budget is in yuan: what may not be exported to China is left out of purchases.")
    if ceiling(asked.request.budget, "buy") is not None and any(
        not item.price.complete for item, _, _ in made if item.acquisition == "buy"
    ):
        said.append(f"{MACHINE_SHARE:.0%} of the budget is kept for the machine wherever its price is unknown.")
    variant = made[0][2].paced.held.variant if made else load.variants[0]
    said += memory_per_gpu(variant.request)[1] if load.serving is None else ()
    if load.language and not load.training and not asked.request.target_tokens_per_s:
        said.append(f"Configurations that answer a user with fewer than {search.pace.floor:g} tokens/s are left out.")
    if not asked.cards:
        said.append(CUDA_ONLY)
    return tuple(dict.fromkeys(said))


def warnings(search: "Search", shown: list[Configuration]) -> list[str]:
    said = [
        f"{gpu.name}: {text(why)}"
        for gpu in search.pool
        if gpu.id in search.asked.cards and (why := unsold(gpu, search.asked.country)) is not None
    ]
    said += _aged_out(search)
    if any("older than 30 days" in item.availability for item in shown):
        said.append("Some prices were read more than 30 days ago; check them before you order.")
    if any(not item.price.complete for item in shown if item.acquisition == "buy"):
        said.append("Purchase prices marked incomplete leave out parts with no dated price, such as the machine.")
    if not shown:
        slow = any(search.ranking.frontier(way, unowned, enough=False) for way in search.asked.ways)
        said.append(
            "What fits in memory and budget is slower than asked for."
            if slow
            else "Nothing in the catalog meets every limit; the near misses say what would."
        )
    return said
