"""Questions of a shape of their own, whose plan and answer are settled by it: a bill, a sale, a price believed."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from assistant.answer import ToolCallRecord
from assistant.plan import (
    additions,
    aimed,
    alike,
    arrivals,
    availability,
    bill,
    cardless,
    claimed_room,
    clouds,
    copied,
    deal,
    domestic,
    formats_raced,
    held_or_rented,
    hosting,
    in_numbers,
    interface,
    isolated,
    jobs,
    laptop,
    largest_trained,
    memory_target,
    network,
    nodes,
    one_more,
    own_machine,
    picture_cards,
    price_claims,
    processor,
    progress,
    quant,
    raised,
    requests,
    resale,
    reserved,
    rig,
    sharding,
    sights,
    speed_up,
    traffic,
    unit_price,
    upgrade,
    where_to_rent,
    worth,
)
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import Need

Planner = Callable[[Need, Understanding], list[PlannedCall | None]]
Follower = Callable[[Need, Understanding, Sequence[ToolCallRecord]], list[PlannedCall | None]]
SHAPES: tuple[tuple[str, Callable[[Understanding], bool], Planner], ...] = (
    ("interface", interface.asked, interface.calls),
    ("progress", progress.asked, progress.calls),
    ("rig", rig.asked, rig.calls),
    ("sharding", sharding.asked, sharding.calls),
    ("network", network.asked, network.calls),
    ("nodes", nodes.asked, nodes.calls),
    ("availability", availability.asked, lambda need, _: [availability.call(need)]),
    ("price_claim", price_claims.asked, price_claims.calls),
    ("jobs", jobs.asked, jobs.calls),
    ("traffic", traffic.asked, traffic.calls),
    ("domestic", domestic.asked, domestic.calls),
    ("aimed", aimed.asked, aimed.calls),
    ("picture_cards", picture_cards.asked, picture_cards.calls),
    ("upgrade", upgrade.asked, upgrade.calls),
    ("copied", copied.asked, copied.calls),
    ("additions", additions.asked, additions.calls),
    ("in_numbers", in_numbers.asked, in_numbers.calls),
    ("one_more", one_more.asked, one_more.calls),
    ("held_or_rented", held_or_rented.asked, held_or_rented.calls),
    ("speed_up", speed_up.asked, speed_up.calls),
    ("unit_price", unit_price.asked, unit_price.calls),
    ("claimed_room", claimed_room.asked, claimed_room.calls),
    ("memory_target", memory_target.asked, memory_target.calls),
    ("where_to_rent", where_to_rent.asked, where_to_rent.calls),
    ("clouds", clouds.asked, clouds.calls),
    ("resale", resale.asked, resale.calls),
    ("bill", bill.asked, lambda need, understanding: [bill.call(need, understanding), requests.gpu_facts(need)]),
    ("worth", worth.asked, worth.calls),
    ("worth_alone", worth.asked_alone, worth.calls_alone),
    ("isolated", isolated.asked, isolated.calls),
    ("reserved", reserved.asked, reserved.calls),
    ("arrivals", arrivals.asked, arrivals.calls),
    ("hosting", hosting.asked, hosting.calls),
    ("deal", deal.asked, deal.calls),
    ("quant", quant.asked, quant.calls),
    ("formats_raced", formats_raced.asked, formats_raced.calls),
    ("largest_trained", largest_trained.asked, largest_trained.calls),
    ("laptop", laptop.asked, lambda need, _: laptop.calls(need)),
    ("own_machine", own_machine.asked, own_machine.calls),
    ("cardless", cardless.asked, lambda need, _: cardless.calls(need)),
    ("processor", processor.asked, processor.calls),
    ("sights", sights.asked, sights.calls),
    ("raised", raised.asked, raised.calls),
    ("alike", alike.asked, alike.calls),
)
"""Name, whether the question is one, and all the calls it takes."""


MORE: dict[str, Follower] = {
    "arrivals": arrivals.more,
    "domestic": domestic.more,
    "bill": bill.more,
    "nodes": nodes.more,
    "worth": lambda need, _, results: worth.more(need, results),
    "laptop": lambda need, _, results: laptop.more(need, results),
    "quant": lambda need, _, results: quant.more(need, results), "traffic": traffic.more, "hosting": hosting.more,
    "own_machine": own_machine.more, "where_to_rent": where_to_rent.more,
}  # fmt: skip
"""The calls that follow from the first results."""


@lru_cache(maxsize=64)
def shape(understanding: Understanding) -> str | None:
    """Which of them the question is; remembered, for plan, what follows it and the answer ask in turn."""
    if understanding.out_of_scope:
        return None
    return next((name for name, is_one, _ in SHAPES if is_one(understanding)), None)


def asked(understanding: Understanding) -> bool:
    """Whether the question is one of them."""
    return shape(understanding) is not None


def calls(understanding: Understanding, need: Need) -> list[PlannedCall | None]:
    """All that it takes; empty where the question is none of them."""
    found = shape(understanding)
    return next((plan(need, understanding) for name, _, plan in SHAPES if name == found), [])


def more(
    understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]
) -> list[PlannedCall | None] | None:
    """What the first results call for; None where the question is none of them."""
    found = shape(understanding)
    if found is None:
        return None
    return MORE[found](need, understanding, results) if found in MORE else []
