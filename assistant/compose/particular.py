"""The answers to questions of a shape of their own."""

from collections.abc import Callable

from assistant.compose import (
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
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import particular as planned

_ANSWERS: dict[str, Callable[[Material], Section | None]] = {
    "availability": availability.availability, "price_claim": price_claims.price_claim, "clouds": clouds.clouds,
    "bill": bill.bill, "alike": alike.alike, "unit_price": unit_price.unit_price, "traffic": traffic.traffic,
    "upgrade": upgrade.upgrade, "memory_target": memory_target.memory_target, "worth": worth.worth,
    "worth_alone": worth.alone,
    "arrivals": arrivals.arrivals,
    "copied": copied.copied,
    "where_to_rent": where_to_rent.where_to_rent,
    "reserved": reserved.reserved, "deal": deal.deal, "resale": resale.resale, "hosting": hosting.hosting,
    "jobs": jobs.jobs, "isolated": isolated.isolated, "processor": processor.processor, "quant": quant.quant,
    "progress": progress.progress,
    "cardless": cardless.cardless,
    "interface": interface.interface,
    "claimed_room": claimed_room.claimed_room,
    "held_or_rented": held_or_rented.held_or_rented,
    "domestic": domestic.domestic,
    "one_more": one_more.one_more,
    "additions": additions.additions,
    "in_numbers": in_numbers.in_numbers,
    "aimed": aimed.aimed,
    "picture_cards": picture_cards.picture_cards,
    "rig": rig.rig,
    "formats_raced": formats_raced.formats_raced,
    "laptop": laptop.laptop,
    "largest_trained": largest_trained.largest_trained,
    "network": network.network,
    "own_machine": own_machine.own_machine,
    "nodes": nodes.nodes,
    "sharding": sharding.sharding,
    "raised": raised.raised,
    "sights": sights.sights,
    "speed_up": speed_up.speed_up,
}  # fmt: skip


def particular(material: Material) -> Section | None:
    """The whole answer; None where the question is none of them, or its tools gave nothing."""
    shape = planned.shape(material.understanding)
    return _ANSWERS[shape](material) if shape else None
