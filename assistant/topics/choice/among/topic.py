"""Which of several machines that are named: each worked out for the work, the better one first."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of
from assistant.writing.compared import bare_names, faster, lacking
from assistant.writing.money.buying import conditions_of
from assistant.writing.money.renting import rented
from assistant.writing.options import Option, alike, best_first, table, worked
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.words import Words
from kb.catalog import gpus
from tools.configure.market.suitable import MADE_IN_CHINA
from tools.ways_to_run.tell.words import format_name

ROOMIER = 1.1
"""Ratio of memories from which one is the roomier."""
ASKS = ("which_hardware", "compare", "worth", "improve", "needed")


def applies(ask: Ask, situation: Situation) -> bool:
    """A work, and two machines or more."""
    if ask.quantity == "price" and len(rented(ask, situation)) > 1:
        return False  # rents that were told decide
    found = _weighed(ask, situation)
    return bool(found) and all(one.work is not None for one in found) and len({cards_of(one) for one in found}) > 1


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The better one and why, then all of them in a table."""
    found = [worked(one, situation, calls.call, words) for one in _weighed(ask, situation)]
    if any(one is None for one in found):
        return None
    options = best_first(list({(one.name, one.model): one for one in found if one}.values()))
    weighed = _weighed(ask, situation)
    if _by_length(ask, weighed[0], situation):
        options.sort(key=lambda one: (not one.fits, -_tokens(one)))
    home = _home_made(weighed) if "chinese" in conditions_of(weighed[0], situation) else set()
    options.sort(key=lambda one: bool(home) and one.name not in home)
    prices = _prices_of(options, calls)
    length = _by_length(ask, weighed[0], situation)
    lead = _by_context(options, words) if length else _lead(options, prices, words)
    if ask.ask in ("worth", "improve") or ask.quantity in ("speed", "throughput"):
        lead = _times(options, calls, words) + lead
    even = _in_one_format(weighed, options, situation, calls, words)
    if even and not length:
        lead = f"{even[0]} {lead}" if words.language == "en" else even[0] + lead
        even = []
    told = words.maybe("home_made", names=words.listed([one.name for one in options if one.name in home][:1]))
    lines = [*told, *even, *_why(weighed, options, calls, words), table(options, words), *_quoted(weighed, words),
             *_prices(prices, words)]  # fmt: skip
    return SectionTold(lead, tuple(lines), "comparison")


def _home_made(weighed: list[Setup]) -> set[str]:
    """The options of which every card is made in China, where that was set as a condition."""
    found = set()
    for one in weighed:
        rows = [row for known in one.every("cards", *THOUGHT_OF) for row in known.value or ()]
        if rows and all(row.get("gpu") in gpus() and gpus()[row["gpu"]].vendor in MADE_IN_CHINA for row in rows):
            found.add(cards_of(one) or "")
    return found


def _by_length(ask: Ask, setup: Setup, situation: Situation) -> bool:
    """Whether the longest context decides, not the speed."""
    aim = setup.one("objective") or situation.one("objective")
    return ask.quantity == "context" or (aim is not None and aim.value == "longest_context")


def _tokens(one: Option) -> int:
    digits = one.context.replace(",", "")
    return int(digits) if digits.isdigit() else 0


def _by_context(options: list[Option], words: Words) -> str:
    """The one with the longest context, beside the next."""
    first = options[0]
    if not first.fits or not first.context:
        return _lead(options, {}, words)
    rest = [words.say("context_of", name=one.name, context=one.context) for one in options[1:] if one.context]
    return words.say("longest", name=first.name, model=first.model, how=first.how, context=first.context,
                     rate=first.rate, rest=words.listed(rest)) if rest else _lead(options, {}, words)  # fmt: skip


def _why(weighed: list[Setup], options: list[Option], calls: Calls, words: Words) -> list[str]:
    """Why one is faster: the figures of the cards that decide it."""
    names = list(dict.fromkeys(name for one in weighed for name in bare_names(one)))
    if len(names) < 2:
        return []
    pair = calls.call("look_up", {"kind": "compare", "names": names[:4]})
    if pair.failed:
        return []
    writes = any(one.context for one in options)
    told = faster(pair, words, trains=any(one.trains for one in weighed) or not writes)
    return [*(told if writes else told[:1]), *lacking(pair, words)]


def _weighed(ask: Ask, situation: Situation) -> list[Setup]:
    """The setups that are weighed: one option named after others stands beside them."""
    found = [one for one in setups(situation, ask) if cards_of(one)]
    if len({cards_of(one) for one in found}) < 2:
        every = setups(situation, ask.model_copy(update={"about": ()}))
        found = [one for one in every if cards_of(one)]
    return found


def _lead(options: list[Option], prices: dict[str, tuple[str, str]], words: Words) -> str:
    first = options[0]
    if not first.fits:
        return words.say("none", model=first.model, options=words.listed([one.name for one in options]))
    others = [one for one in options[1:] if one.name != first.name]
    if not first.rate or (others and others[0].fits and not others[0].rate):
        named = others[0].name if others else ""
        fails = bool(others) and not others[0].fits
        return words.say("unpaced_fails" if fails else "unpaced", name=first.name, model=first.model, other=named,
                         how=first.how, needed=first.needed, usable=first.usable)  # fmt: skip
    lacking = [one for one in options if not one.fits and one.name != first.name]
    if (
        lacking
        and all(one.fits for one in options if one.name == first.name)
        and len({one.model for one in options}) > 1
    ):
        mine = [f"{one.model} {one.rate}".strip() for one in options if one.name == first.name]
        failing = lacking[0].name
        missing = words.listed([one.model for one in lacking if one.name == failing])
        return words.say("holds_all", name=first.name, models=words.listed(mine), other=failing, missing=missing)
    told = {"name": first.name, "model": first.model, "how": first.how, "rate": first.rate}
    if others and alike(first, others[0]):
        pick, rest = sorted((first, others[0]), key=_room, reverse=True)
        roomier = _room(pick) > ROOMIER * _room(rest) and "+" not in pick.name + rest.name
        cheap = _cheaper(pick, rest, prices)
        if cheap is not None and not roomier:
            other = rest if cheap is pick else pick
            return words.say("alike_cheaper", name=cheap.name, model=cheap.model, rate=cheap.rate, how=cheap.how,
                             other=other.name, other_rate=other.rate, price=prices[cheap.name][0],
                             other_price=prices[other.name][0])  # fmt: skip
        return words.say(
            "alike_roomier" if roomier else "alike", name=pick.name, model=pick.model, how=pick.how, rate=pick.rate,
            usable=pick.usable, other=rest.name, other_rate=rest.rate, other_usable=rest.usable,
        )  # fmt: skip
    if not others:
        return words.say("only", **told)
    other = others[0]
    name = "best" if other.fits else "best_other_fails"
    how = words.say("other_how", how=other.how) if other.fits and other.how != first.how else ""
    return words.say(name, other=other.name, other_how=how, other_rate=other.rate, **told)


def _room(one: Option) -> float:
    """The memory of a card that a way may use, in GiB."""
    words = one.usable.replace(",", "").split()
    return float(words[0]) if words and words[0].replace(".", "").isdigit() else 0.0


def _quoted(weighed: list[Setup], words: Words) -> list[str]:
    """The prices that the person told of the options: they beat those of the catalog."""
    rows = {
        cards_of(one): price.quote
        for one in weighed
        for thing in one.machines
        if (price := thing.one("price")) is not None
    }
    told = [words.say("quoted", name=name, price=price) for name, price in rows.items()]
    return [words.say("quotes", rows=words.listed(told))] if told else []


def _prices_of(options: list[Option], calls: Calls) -> dict[str, tuple[str, str]]:
    """Option → (price, day), where that is known."""
    names = list(dict.fromkeys(one.name for one in options))
    one = calls.call("look_up", {"kind": "compare", "names": names, "by": "cost"})
    rows = [row for row in one.shown.get("sets", []) if isinstance(row, dict) and row.get("price_usd")]
    return {} if one.failed else {str(row["name"]): (row["price_usd"], row.get("price_as_of", "")) for row in rows}


def _prices(prices: dict[str, tuple[str, str]], words: Words) -> list[str]:
    """What the options cost, where that is known."""
    told = [
        words.say("price", name=name, price=price, day=f" ({day})" if day else "")
        for name, (price, day) in prices.items()
    ]
    return [words.say("prices", rows=words.listed(told))] if told else []


def _cheaper(one: Option, other: Option, prices: dict[str, tuple[str, str]]) -> Option | None:
    """The one that costs less, where both prices are known."""
    if one.name not in prices or other.name not in prices:
        return None
    return min((one, other), key=lambda option: _money(prices[option.name][0]))


def _money(said: str) -> float:
    digits = "".join(letter for letter in said.split(" ")[0] if letter.isdigit() or letter == ".")
    return float(digits.strip(".") or 0)


def _times(options: list[Option], calls: Calls, words: Words) -> str:
    """How many times as fast the first is, where both run the same model and their speeds are known."""
    first = options[0]
    other = next((one for one in options[1:] if one.model == first.model and one.name != first.name), None)
    if (
        other is None
        or other.how != first.how
        or alike(first, other)
        or not (first.rate and other.rate and first.fits and other.fits)
    ):
        return ""
    first, other = sorted((first, other), key=lambda one: -one.rate_value)
    refs = [f"{one.result.key}.ways[0].speed.{_measure(one)}" for one in (first, other)]
    one = calls.call("work_out", {"expression": "first / other", "unit": "",
                                  "values": {"first": refs[0], "other": refs[1]}})  # fmt: skip
    if one.failed:
        return ""
    return words.say("times_as_fast", name=first.name, other=other.name, ratio=str(one.shown["value"]).split(" (")[0])


def _in_one_format(
    weighed: list[Setup], options: list[Option], situation: Situation, calls: Calls, words: Words
) -> list[str]:
    """Two cards in the same format, where each was given the finest it holds: only so their speeds compare."""
    first = options[0]
    other = next((one for one in options[1:] if one.model == first.model and one.name != first.name), None)
    if other is None or not (first.fits and other.fits) or first.how == other.how:
        return []
    rows = [(one, _form(one)) for one in (first, other)]
    if not all(form and size for _, (form, size) in rows):
        return []
    form = min(rows, key=lambda row: row[1][1])[1][0]
    told = []
    for option in (first, other):
        setup = next(one for one in weighed if (cards_of(one) or "") == option.name and one.work is not None)
        again = worked(setup, situation, lambda tool, asked: calls.call(tool, {**asked, "weight_format": form}), words)
        if again is None or not again.fits or not again.rate:
            return []
        told.append(again)
    fast, slow = sorted(told, key=lambda one: -one.rate_value)
    return [words.say("one_format", form=format_name(form), name=fast.name, rate=fast.rate, other=slow.name,
                      other_rate=slow.rate)]  # fmt: skip


def _form(one: Option) -> tuple[str, float]:
    """The format an option was worked out in, and what its weights take with it on all cards."""
    rows = one.result.worked[-1].result.get("ways") or [{}] if one.result.worked else [{}]
    way = rows[0]
    memory = way.get("memory") or {}
    cards = sum(int(row.get("count") or 1) for row in way.get("cards") or ()) or 1
    return str(way.get("weight_format") or ""), float(memory.get("needed_bytes_per_gpu") or 0) * cards


def _measure(one: Option) -> str:
    """Under which name the speed stands in the result."""
    speed = (one.result.shown.get("ways") or [{}])[0].get("speed") or {}
    names = ("tokens_per_s_total", "tokens_per_s_per_user", "tokens_per_s", "samples_per_s")
    return next((name for name in names if speed.get(name)), "tokens_per_s")


TOPIC = Topic("among", Path(__file__).parent, ASKS, applies, answer)
