"""A purchase of which nobody said what it is to run: what each class of model takes, and where the budget ends."""

import re
from collections.abc import Iterator

from assistant.compose import names, numbers, orders
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.shopping import left, limited
from assistant.compose.table import table
from assistant.plan.preferred import preferred
from assistant.plan.tiers import SIZES, unsized_purchase
from tools.configuration import Configuration

USUAL = 32_000_000_000
"""The class that suits most people who cannot say what they will run."""
_UNDECIDED = re.compile(
    r"don'?t know|not sure|no idea|unsure|no preference|whatever|you (?:choose|decide|pick)"
    r"|不知道|不清楚|不确定|没想好|没有|随便|都行|都可以|看着办",
    re.I,
)
"""Words of one who has no answer to what was asked back."""

_BARE = re.compile(
    r"(?:so |hi,? |hello,? )?(?:how much|what(?: amount of)?) (?:vram|gpu (?:memory|ram)|video (?:memory|ram))"
    r"(?: (?:do|would|will|should|must) (?:i|we|one|you)(?: (?:really|actually))? (?:need|require|want|get|have|buy)"
    r"| is (?:needed|enough))?"
    r"[ ?!.]*"
    r"|(?:请问|你好)?[，, ]?(?:我|我们)?(?:一般|大概|到底|究竟)?(?:需要|要|得|该)?(?:配|买|有)?(?:多少|多大)(?:的)?显存"
    r"(?:才)?(?:够|行|合适)?(?:用)?[呢啊吗呀]?[？?。！! ]*",
    re.I,
)
"""The question for so much memory and nothing beside it."""


def asks_nothing_else(material: Material) -> bool:
    """Whether only the memory of a card is asked for, of no work: what documents say of other memory is no answer."""
    return _BARE.fullmatch(material.text.strip()) is not None


def tiers(material: Material) -> Section | None:
    """The classes with a machine for each; with a budget, the largest that it holds leads. None without classes."""
    if not unsized_purchase(material.need):
        return None
    found = dict(_found(material))
    if not found:
        return None
    say = material.say
    rows = [_row(material, size, one) for size, one in found.items()]
    head = [say("tiers.head_class"), say("tiers.head_cards"), say("tiers.head_price"), say("tiers.head_memory")]
    section = Section("clarification", _headline(material, found), [table(head, rows, numeric=False)], settled=True)
    section.configurations = list(found.values())
    section.assumptions = limited(material)
    searched = [record.request["params"] for record in material.records("configure") if record.request.get("params")]
    section.caveats = [say("tiers.missed", size=numbers.params(size)) for size in searched if size not in found][:1]
    return section


def _found(material: Material) -> Iterator[tuple[int, Configuration]]:
    """For each class the cheapest machine that holds it; for the largest within a budget the best use of it."""
    by_size = {
        record.request["params"]: [Configuration.model_validate(row) for row in record.result["configurations"]]
        for record in material.records("configure")
        if record.request.get("params") in SIZES and record.result["configurations"]
    }
    for size, rows in by_size.items():
        ranked = preferred(rows, material.text, material.need)
        way = [one for one in ranked if one.acquisition == ranked[0].acquisition]
        best = way[0] if material.need.budget and size == max(by_size) else orders.cheapest(way)
        yield size, best


def _headline(material: Material, found: dict[int, Configuration]) -> str:
    say, budget = material.say, material.need.budget
    if budget is None:
        undecided = material.understanding.follow_up and _UNDECIDED.search(material.text)
        return _usual(material, found) if undecided else say("tiers.open")
    size = max(found)
    one = found[size]
    order = names.cards(one.gpu, one.gpu_count) + say("order.at_price", price=orders.price(material, one, brief=True))
    told = say("tiers.budget", budget=numbers.money(budget.amount, budget.currency), size=numbers.params(size),
               order=order, way=say(f"tiers.{one.acquisition}"))  # fmt: skip
    return told.rstrip(".。") + left(material, one) + say("list.stop")


def _usual(material: Material, found: dict[int, Configuration]) -> str:
    """What suits most people, for one who cannot say more."""
    size = USUAL if USUAL in found else min(found)
    one = found[size]
    order = names.cards(one.gpu, one.gpu_count) + material.say("order.at_price", price=orders.price(material, one))
    return material.say("tiers.usual", size=numbers.params(size), order=order)


def _row(material: Material, size: int, one: Configuration) -> list[str]:
    say = material.say
    train = "train" if one.sharding is not None or (one.weight_format or "").startswith("nf4") else "run"
    where = f" ({one.provider})" if one.provider and one.acquisition == "rent" else ""
    return [
        say(f"tiers.{train}", size=numbers.params(size), format=names.format_name(one.weight_format or "")),
        names.cards(one.gpu, one.gpu_count) + where,
        orders.price(material, one),
        say(f"order.memory_{one.memory.verdict}", needed=numbers.gib(one.memory.needed_bytes_per_gpu),
            usable=numbers.gib(one.memory.usable_bytes_per_gpu, digits=1)),
    ]  # fmt: skip
