"""What one could order: configurations to buy or rent as short lines, each with its price, date and source."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal

from assistant.answer import PLANNER, Answer
from assistant.compose import names, numbers, whole_job
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.reasons import said
from assistant.phrases import Phrases
from assistant.plan.formats import bits
from assistant.plan.preferred import EIGHT_BITS, HALF_AS_FAST, least, main_date, pace_of, user_pace
from tools.configuration import AskedPrice, Configuration, Item, Price
from tools.configure.rank.fewer import BRISK, MANY
from tools.configure.rank.ranking import WORTH_SAYING
from tools.prices import is_stale

SEVERAL_USERS = 1.5
"""How much more than one user's the speed of all together is when there are several."""
SALE = {"second_hand", "blower", "export_licence", "export_case_by_case", "export_barred"}
HOST_IS_OWN = "host_must_take"
"""Reason of a purchase of cards alone: the asker's machine must take them."""
_POSSESSED = re.compile(
    r"(?<![a-z])(?:my|our|(?:i|we)(?:'ve| have| already have| own| got|'ve got)"
    r"|(?:i|we) (?:only |just |already )?(?:have|own|got|bought|use)"
    r"|i'm (?:on|using|running)|i run|existing|in hand|at home|sitting)(?![a-z])"
    r"|我|咱|手上|手里|手头|家里|公司|实验室|单位|现有|已有|有[一二两三四五六七八\d]+\s?[张块台]|tengo|tenho|j'ai"
    r"|ich habe|у меня|持って",
    re.I,
)
"""Words of who has the cards."""
NARROW = {"fp8", "int8", "q8_0", "q4_0"}
"""Caches of keys and values that are narrower than an engine keeps them by itself."""
SLOW_IMAGE_S = 0.5
"""Seconds that a picture takes from which its time says more than how many come a second."""
SLOWER = 0.9
"""Share of the best one's speed below which what costs as much is not told."""
SHOWN_MAX = 3
"""Configurations spelled out; the rest stay in the answer's data."""


def chosen(configurations: Sequence[Configuration]) -> list[Configuration]:
    """What is in hand, the best one, the best of the other way to get it, and what costs much less, else the next."""
    configurations = sorted(configurations, key=lambda one: not in_hand(one))
    picked = list(configurations[:1])
    configurations = [*picked, *(one for one in configurations[1:] if not _worse(one, picked[0]))]
    if picked:
        other = [one for one in configurations if one.acquisition != picked[0].acquisition]
        picked += [*other[:1], *_much_cheaper(picked[0], configurations)]
    picked += [one for one in configurations if one not in picked and _new_gpu(one, picked)]
    return picked[:SHOWN_MAX]


def _worse(one: Configuration, best: Configuration) -> bool:
    """Whether nobody would take it over the best: as dear or dearer, slower, and no finer than eight bits are."""
    if in_hand(one) or in_hand(best) or one.acquisition != best.acquisition:
        return False
    dear, pace, fast = one.price.amount, pace_of(one), pace_of(best)
    finer = bits(one.weight_format) > bits(best.weight_format) and bits(best.weight_format) < EIGHT_BITS
    known = dear is not None and best.price.amount is not None and pace is not None and fast is not None
    if not known or finer or one.price.complete < best.price.complete:
        return False
    return (dear or 0) >= (best.price.amount or 0) and (pace or 0) < SLOWER * (fast or 0)


def _much_cheaper(best: Configuration, configurations: Sequence[Configuration]) -> list[Configuration]:
    """What is got the same way for the least money, where that is far less than the best one's.

    What takes more and many cards comes after what does not; where several share it, so does what keeps them waiting.
    """
    most = WORTH_SAYING * (best.price.amount or 0)
    alike = [one for one in configurations if one.acquisition == best.acquisition and one.price.amount]
    cheaper = [one for one in alike if (one.price.amount or 0) <= most]
    return sorted(cheaper, key=lambda one: (_lesser(one, best), one.price.amount or 0))[:1]


def _lesser(one: Configuration, best: Configuration) -> bool:
    return one.gpu_count >= MANY > best.gpu_count or _keeps_waiting(one, best)


def _keeps_waiting(one: Configuration, best: Configuration) -> bool:
    """Whether those who share it wait for it, and at least twice as long as with the best."""
    user, whole, fast = user_pace(one), (one.speed or {}).get("tokens_per_s_total"), user_pace(best)
    if user is None or fast is None or not isinstance(whole, float | int) or whole < SEVERAL_USERS * user:
        return False
    return user < min(BRISK, HALF_AS_FAST * fast)


def spoken_of(answer: Answer) -> tuple[Configuration, ...]:
    """The configurations that a planner's text names; all where a model wrote it, which may name them otherwise."""
    if answer.engine != PLANNER:
        return answer.configurations
    return tuple(one for one in answer.configurations if cards_of(one) in answer.answer)


def _new_gpu(one: Configuration, picked: Sequence[Configuration]) -> bool:
    return all((one.gpu, one.gpu_count, one.cards) != (other.gpu, other.gpu_count, other.cards) for other in picked)


def cheapest(configurations: Sequence[Configuration]) -> Configuration:
    """The one with the lowest known price, among those that fit with a margin if there are any."""
    return min(configurations, key=least)


def break_even(material: Material, purchase: Decimal | None, hourly: Decimal | None, currency: str = "USD") -> str:
    """Hours after which buying has cost less than renting, from the two prices as shown, in one currency."""
    if not purchase or not hourly:
        return ""
    hours = round(float(purchase), 0) / round(float(hourly), 2)
    rounded = round(hours, 1 - int(math.log10(hours))) if hours >= 1 else hours
    return material.say(
        "shop.break_even",
        buy=numbers.money(purchase, currency),
        rent=numbers.money(hourly, currency, hourly=True),
        hours=numbers.count(rounded),
    )


def orders(material: Material, configurations: Sequence[Configuration]) -> str:
    """A short list under its heading; empty when there is nothing to order. Cards in hand are not ordered."""
    picked = sorted(chosen(configurations), key=lambda one: not in_hand(one))
    lines = [order(material, one) for one in picked]
    heading = material.say("heading.in_hand" if all(map(in_hand, picked)) else "heading.orders")
    return "\n".join([f"**{heading}**", "", *lines]) if lines else ""


def headings(say: Phrases) -> tuple[str, ...]:
    """What a list of configurations may begin with."""
    return tuple(f"**{say(f'heading.{key}')}**" for key in ("orders", "in_hand"))


def own(text: str) -> bool:
    """Whether the cards are said to be the asker's, not merely named."""
    return _POSSESSED.search(text) is not None


def in_hand(one: Configuration) -> bool:
    """Whether the asker has all its cards already."""
    return one.acquisition == "buy" and one.owned_count >= one.gpu_count and not one.price.amount


def left_idle(material: Material, one: Configuration) -> int:
    """How many of the asker's cards of that kind it leaves unused."""
    stated = sum(card.count or 1 for card in material.need.gpus_owned if card.gpu == one.gpu)
    return max(0, stated - one.gpu_count) if in_hand(one) and not one.cards else 0


def order(material: Material, one: Configuration) -> str:
    """One configuration: how to get it, the cards, the price and its date, and whether it fits."""
    say = material.say
    cards = cards_of(one)
    if one.nodes > 1:
        cards = say("order.nodes", cards=cards, nodes=one.nodes)
    where = " ".join(filter(None, (one.provider, one.instance, one.region))) if one.acquisition == "rent" else ""
    drawn = material.need.task == "rendering"
    how = "" if drawn else _how(material, one)
    memory = (
        ""
        if drawn
        else say(
            f"order.memory_{one.memory.verdict}",
            needed=numbers.gib(one.memory.needed_bytes_per_gpu, digits=1 if one.memory.verdict == "tight" else None),
            usable=numbers.gib(one.memory.usable_bytes_per_gpu, digits=1),
        )
    )
    head = say(f"order.{one.acquisition}", cards=cards)
    if 0 < one.owned_count < one.gpu_count and one.acquisition == "buy":
        missing = names.cards(one.gpu, one.gpu_count - one.owned_count)
        head = say("order.add", cards=missing, count=one.gpu_count)
    if where:
        head += say("order.where", where=where)
    paid = price(material, one)
    if in_hand(one):
        head, paid = say("order.use" if own(material.text) else "order.on", cards=cards), ""
        if idle := left_idle(material, one):
            head = say("order.use_part", part=cards, cards=names.cards(one.gpu, one.gpu_count + idle))
    clauses = (paid, how, memory, "" if drawn else speed(material, one), *_sale(material, one))
    return "- " + head + "".join(say("order.clause", text=text) for text in clauses if text)


def cards_of(one: Configuration) -> str:
    """Its cards, each kind by itself."""
    kinds = [names.cards(kind.gpu, kind.count) for kind in one.cards] or [names.cards(one.gpu, one.gpu_count)]
    return " + ".join(kinds)


def _sale(material: Material, one: Configuration) -> list[str]:
    """What a buyer must know of how the card is sold: second-hand, or under export control."""
    told = [one for one in one.reasons if one.kind == "availability" and one.code in SALE]
    return [said(reason, material.say).rstrip(".。") for reason in told]


def speed(material: Material, one: Configuration) -> str:
    """How fast it is, to two digits; empty when that is not known."""
    say, known = material.say, one.speed or {}
    user, whole, time_s = (known.get(key) for key in ("tokens_per_s_per_user", "tokens_per_s_total", "time_s"))
    words = []
    if isinstance(user, float | int) and user > 0:
        words.append(say("price.per_user", value=numbers.rough(user)))
        if isinstance(whole, float | int) and whole > SEVERAL_USERS * user:
            words.append(say("price.in_all", value=numbers.rough(whole)))
    first = known.get("time_to_first_token_s") if material.need.target_latency_s else None
    if isinstance(first, float | int) and first > 0:
        figure, unit = numbers.duration(first)
        words.append(say("price.first_token", value=figure, unit=say(f"unit.{unit}")))
    each = known.get("time_per_image_s")
    if isinstance(each, float | int) and each > SLOW_IMAGE_S:
        words.append(say("price.image", value=numbers.rough(each)))
    elif isinstance(rate := known.get("images_per_s"), float | int) and rate > 0:
        words.append(say("price.images_per_s", value=numbers.rough(rate)))
    if isinstance(clip := known.get("time_per_clip_s"), float | int) and clip > 0:
        value, unit = numbers.duration(clip)
        words.append(say("price.clip", value=value, unit=say(f"unit.{unit}")))
    if isinstance(rate := known.get("samples_per_s_total"), float | int) and rate > 0:
        words.append(say("price.samples_per_s_total", value=numbers.rough(rate)))
    if isinstance(times := known.get("audio_s_per_s"), float | int) and times > 0:
        words.append(say("price.audio_s_per_s", value=numbers.rough(times)))
    if isinstance(time_s, float | int) and time_s > 0:
        figure, unit = numbers.duration(time_s)
        words.append(say("price.takes", value=figure, unit=say(f"unit.{unit}")))
        paid = next((paid for paid in one.rent_prices if paid.kind == "on_demand"), None)
        if paid is not None and paid.total_usd is not None:
            told = (paid.asked_total.amount, paid.asked_total.currency) if paid.asked_total else (paid.total_usd, "USD")
            words.append(say("price.job", amount=numbers.money(*told)))
    if (job := whole_job.of_order(material, one)) is not None:
        figure, unit = numbers.duration(job.result["time_s"]["value"])
        words.append(say("price.whole_job", value=figure, unit=say(f"unit.{unit}")))
    return say("list.comma").join(words)


def _how(material: Material, one: Configuration) -> str:
    words = [names.format_name(one.weight_format)] if one.weight_format else []
    words += [split(one)] if split(one) else []
    if one.kv_format in NARROW:
        words.append(material.say("cache.narrow", format=names.format_name(one.kv_format)))
    if one.sharding and one.sharding not in {"none", "ddp"}:
        words.append(material.say(f"sharding.{one.sharding}"))
    return " ".join(words)


def split(one: Configuration) -> str:
    """How the model is spread: "TP4 PP2", "DP8 EP8"."""
    widths = (("TP", one.tensor_parallel), ("PP", one.pipeline_parallel), ("DP", one.data_parallel),
              ("EP", one.expert_parallel))  # fmt: skip
    return " ".join(f"{label}{width}" for label, width in widths if width > 1)


def price(material: Material, one: Configuration, *, brief: bool = False) -> str:
    """What it costs, how old the price is, and what is missing from it.

    `brief`: the sum in the money asked for alone, without the range of what was read.
    """
    say, amount = material.say, one.price.amount
    if in_hand(one):
        return say("price.owned")
    if amount is None:
        return say("price.unknown")
    hourly = one.price.period == "hour"
    told = one.price.asked_price or one.price
    figure = numbers.money(told.amount or 0, told.currency, hourly=hourly) if brief else _figure(told, hourly=hourly)
    text = say(f"price.{one.price.period or 'once'}", amount=figure)
    if one.price.asked_price and not brief:
        text += say("price.read_as", price=_figure(one.price, hourly=hourly))
    dated = main_date(one)
    if dated and not is_stale(dated) and (one.price.as_of is None or is_stale(one.price.as_of)):
        text += say("price.as_of_parts", date=dated)
    elif dated:
        text += say("price.as_of_old" if is_stale(dated) else "price.as_of", date=dated)
    else:
        text += say("price.undated")
    if not one.price.complete:
        text += say("price.cards_only" if any(told.code == HOST_IS_OWN for told in one.reasons) else "price.incomplete")
    elif one.acquisition == "buy" and not one.owned_count:
        text += say("price.whole")
    return text + joined([cite_price(material, one)])


def _figure(price: Price | AskedPrice, *, hourly: bool) -> str:
    """The amount, or its range where several prices were read."""
    if price.low is None or price.high is None or price.low == price.high:
        return numbers.money(price.amount or 0, price.currency, hourly=hourly)
    return "–".join((numbers.money(price.low, price.currency), numbers.money(price.high, price.currency)))


def cite_price(material: Material, one: Configuration) -> str:
    """The marker of the price: the bill as it was read."""
    priced = [item for item in one.items if item.unit_price is not None]
    main = next((item for item in priced if item.part.lower() in {"gpu", "instance", "server"}), None)
    main = main or (priced[0] if priced else None)
    source = material.sources.get(main.source) if main and main.source else None
    quote = "; ".join([*(_billed(one, item) for item in priced), *_range(one)]) or one.title
    locator = main.source if main and main.source else one.title
    return material.cites.cite(
        "catalog",
        source.title if source else one.title,
        f"{locator} · {main.product}" if main else locator,
        quote,
        url=source.url if source else None,
        date=(main.price_date if main else None) or one.price.as_of,
    )


def _range(one: Configuration) -> list[str]:
    low, high = one.price.low, one.price.high
    if low is None or high is None or low == high:
        return []
    return [f"{numbers.money(low, one.price.currency)}–{numbers.money(high, one.price.currency)}"]


def _billed(one: Configuration, item: Item) -> str:
    per = f"/{one.price.period}" if one.price.period else ""
    unit = numbers.money(item.unit_price or 0, one.price.currency, hourly=bool(per))
    text = f"{item.count}× {item.product}: {unit}{per}"
    return f"{text} ({item.price_date})" if item.price_date else text
