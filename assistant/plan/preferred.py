"""Which of the configurations found answers the question: to buy, to rent, the cheapest."""

from collections.abc import Sequence
from decimal import Decimal

from assistant.plan.formats import TRAINING_LADDER, bits
from assistant.plan.ways import asks_for_cheapest, of_cards, of_machines, only, rents
from assistant.plan.whose import at_home, grouped
from kb.units import HOURS_PER_MONTH
from tools.configuration import Configuration
from tools.configure.rank.fewer import BRISK, FEWER_FOR, MANY, PAIR
from tools.configure.rank.ranking import MUCH_FASTER, WORTH_SAYING
from tools.need import Need

USED, SPENT = "second_hand", "best_use"
EIGHT_BITS = 8
"""Bits a weight from which on a reduced format costs hardly any quality."""
AT_HOME_BITS = 4
"""Bits a weight that people run at home."""
PAYS_BACK_HOURS = 36 * HOURS_PER_MONTH
"""Hours of rent that a purchase may cost and still come first: three years, as cost of ownership is reckoned."""
HALF_AS_FAST = 0.5
"""Share of the speed that eight bits on much cheaper hardware must keep."""
COMFORTABLE = 20.0
"""Tokens a second for one user that leave nothing to wait for: twice as fast as one reads."""
ABOUT_AS_DEAR = Decimal("1.1")
"""Times the least rent that one much faster may cost and still come first."""
NEARLY_FULL, WITH_ROOM = 0.85, 0.75
"""Shares of a card's memory: from the one on nothing is left for more requests, up to the other there is."""
ROOM_FOR, NO_SLOWER = Decimal("1.15"), 0.95
"""What memory to spare may cost, and how little speed, to come first."""
NEW_FOR = 2
"""Times the price of a second-hand card that a new, faster one may cost: it has its warranty and years before it."""
CARD_FASTER = 1.2
"""Times the speed from which a new card alone comes before a machine around a second-hand one."""
UNDATED_RISE = Decimal("1.5")
"""Times what it was read to be that a price without a date is taken to be by now, where prices are compared."""
FAR_DEARER = Decimal(10) ** 12
TRIED_TIMES = 4
"""Times the rent of what only just fits from which a sure fit does not come first."""
MUCH_AS_FAST = 0.9
"""Share of the speed that half as many, larger cards must keep."""
COMMON_COUNT = 2
"""Cards that go into an ordinary computer; more of them are no better use of a budget than fewer."""

_OF_CARDS = (
    "which_to_buy",
    "how_many_gpus",
    "min_vram",
    "can_it_run",
    "what_fits",
    "guidance",
    "other",
    "launch_files",
)
"""Intents of a question about hardware that says nothing of how it is to be had."""


def preferred(found: Sequence[Configuration], text: str, need: Need) -> list[Configuration]:
    """The configurations to speak of, best first: of the cards and the kind asked about first, dated prices first.

    To rent, and wherever the price decides, the best is the cheapest. Who says neither is told of cards before
    instances where they are what is asked about, or where renting round the clock costs as much within years.
    """
    way = only(text, need)
    pool = [one for one in found if one.acquisition == way] or found
    pool = [one for one in pool if not any(_surer(other, one) for other in pool)]
    about_cards = need.intent in _OF_CARDS and need.budget is None
    cards_first = not rents(text) and (about_cards or (way is None and _pays_back(pool)))
    named = {*need.gpus_asked, *(card.gpu for card in need.gpus_owned)}
    kept = sorted(
        pool, key=lambda one: (one.gpu not in named, one.acquisition == "rent" if cards_first else _undated(one))
    )
    if kept and (way == "rent" or asks_for_cheapest(text)):
        alike = [one for one in kept if one.acquisition == kept[0].acquisition]
        stated = {card.gpu: card.count for card in need.gpus_proposed}
        alike = [one for one in alike if stated.get(one.gpu) == one.gpu_count] or alike
        if way == "rent" and any(not job(one)[1] for one in alike):
            return _led(min(alike, key=job), kept)  # the least price an hour may take years
        first = _tried(min(alike, key=least if asks_for_cheapest(text) else cost), kept)
        return _led(_faster_at_that(first, kept, Decimal(1) if asks_for_cheapest(text) else ABOUT_AS_DEAR), kept)
    if of_machines(text):
        kept.sort(key=lambda one: one.gpu not in named and _cards_alone(one))
    home = at_home(text, need)
    shared = not home and _shared(text, need)
    lead = _better_use(kept, named, need, AT_HOME_BITS if home else EIGHT_BITS, brisk=shared) if kept else None
    lead = _fewer(_roomier(lead or kept[0], kept, need), kept, named, home=home, shared=shared) if kept else None
    if lead and shared:
        lead = _brisk(lead, kept, named)
    if lead and home and of_machines(text):
        lead = _sparing(lead, kept)
    if lead and of_cards(text) and not of_machines(text):
        lead = _new_card(lead, kept)
    return _led(lead, kept) if lead else kept


def _surer(other: Configuration, one: Configuration) -> bool:
    """Whether the same cards for the same money hold it in as many bits with room, and `one` barely does."""
    alike = (other.acquisition, other.gpu, other.gpu_count, other.price.amount)
    if one.memory.verdict != "tight" or other.memory.verdict != "yes":
        return False
    same_bits = abs(bits(one.weight_format) - bits(other.weight_format)) < 1
    return same_bits and alike == (one.acquisition, one.gpu, one.gpu_count, one.price.amount)


def _led(first: Configuration, kept: Sequence[Configuration]) -> list[Configuration]:
    return [first, *(one for one in kept if one is not first)]


def _cards_alone(one: Configuration) -> bool:
    """Whether it is cards without the machine that they go into."""
    return any(told.code == "host_must_take" for told in one.reasons) and not one.owned_count


def _faster_at_that(first: Configuration, kept: Sequence[Configuration], dearer: Decimal) -> Configuration:
    """The fastest of what is much faster than the cheapest and costs about as much, dated as it is."""
    most, pace = dearer * (first.price.amount or 0), pace_of(first)
    rivals = [
        one for one in kept
        if one.acquisition == first.acquisition and one.price.amount is not None and one.price.amount <= most
        and one.memory.verdict == first.memory.verdict and _undated(one) <= _undated(first)
        and bits(one.weight_format) >= bits(first.weight_format) and pace and (pace_of(one) or 0) >= MUCH_FASTER * pace
    ]  # fmt: skip
    return max(rivals, key=lambda one: pace_of(one) or 0, default=first)


def _roomier(first: Configuration, kept: Sequence[Configuration], need: Need) -> Configuration:
    """A purchase with memory to spare for a little more, where the first is nearly full with a single request.

    Who serves a whole team has many at once sooner or later; where their number was told it is counted already.
    """
    alone = need.task == "inference" and need.concurrent_sequences is None and (need.users or 1) == 1
    if first.acquisition != "buy" or not alone or need.budget is None or _filled(first) < NEARLY_FULL:
        return first
    most, pace = ROOM_FOR * (first.price.amount or 0), pace_of(first) or 0
    roomy = [
        one for one in kept
        if one.acquisition == "buy" and one.price.complete and one.price.amount and one.price.amount <= most
        and _filled(one) <= WITH_ROOM and one.memory.verdict == "yes" and (pace_of(one) or 0) >= NO_SLOWER * pace
        and bits(one.weight_format) >= bits(first.weight_format)
    ]  # fmt: skip
    return min(roomy, key=lambda one: one.price.amount or 0, default=first)


def _tried(first: Configuration, kept: Sequence[Configuration]) -> Configuration:
    """A rent that fits by the estimate alone, where every sure one costs many times as much: an hour shows whether."""
    tight = [
        one for one in kept
        if one.acquisition == "rent" and one.memory.verdict == "tight" and one.price.amount
        and TRIED_TIMES * one.price.amount <= (first.price.amount or 0)
    ]  # fmt: skip
    return min(tight, key=cost, default=first) if first.acquisition == "rent" else first


def _new_card(first: Configuration, kept: Sequence[Configuration]) -> Configuration:
    """To who asks for a card: a new one that is faster and costs no more than a machine around a second-hand one.

    Against a second-hand card alone it may cost twice as much, as far as the budget goes.
    """
    pace = pace_of(first)
    if first.acquisition != "buy" or pace is None or all(told.code != USED for told in first.reasons):
        return first
    most = (NEW_FOR if _cards_alone(first) else 1) * (first.price.amount or 0)
    rivals = [
        one for one in kept
        if _cards_alone(one) and one.gpu_count == 1 and one.memory.verdict == "yes"
        and all(told.code != USED for told in one.reasons) and (one.price.amount or FAR_DEARER) <= most
        and (pace_of(one) or 0) >= CARD_FASTER * pace and bits(one.weight_format) >= bits(first.weight_format)
    ]  # fmt: skip
    return max(rivals, key=lambda one: pace_of(one) or 0, default=first)


def _fewer(
    first: Configuration, kept: Sequence[Configuration], named: set[str], *, home: bool = False, shared: bool = False
) -> Configuration:
    """Half as many larger cards, where many small ones come first, at what that is worth and no slower.

    Where others share it, brisk is fast enough: what many cards are faster by nobody waits for.

    At home one card in place of two, in four bits or second-hand as well; one with memory to spare before one without.
    """
    if first.acquisition != "buy" or first.gpu_count < (PAIR if home else MANY) or first.gpu in named:
        return first
    if any(told.code == SPENT for told in first.reasons):
        return first  # the money is there to be spent, and more cards are what it buys
    most, pace = FEWER_FOR * (first.price.amount or 0), pace_of(first) or 0
    enough = MUCH_AS_FAST * pace
    if shared and user_pace(first) is not None:
        enough = min(enough, BRISK)
    least_bits = AT_HOME_BITS if home else EIGHT_BITS
    rivals = [
        one for one in kept
        if one.acquisition == "buy" and 2 * one.gpu_count <= first.gpu_count and not first.owned_count
        and (one.price.complete or (home and not first.price.complete))
        and one.price.amount and one.price.amount <= most and one.memory.verdict == "yes"
        and bits(one.weight_format) >= min(least_bits, bits(first.weight_format))
        and (pace_of(one) or 0) >= enough
        and (home or all(told.code != USED for told in one.reasons))
    ]  # fmt: skip
    return min(rivals, key=lambda one: (_filled(one) > WITH_ROOM, one.price.amount or 0), default=first)


def _shared(text: str, need: Need) -> bool:
    """Whether a team or a firm is to be served, without a budget to spend and a speed asked for."""
    if need.task != "inference" or need.budget is not None or need.target_tokens_per_s is not None:
        return False
    return (need.users or 1) > 1 or (need.concurrent_sequences or 1) > 1 or grouped(text)


def _brisk(first: Configuration, kept: Sequence[Configuration], named: set[str]) -> Configuration:
    """The cheapest that lets nobody wait, in place of one that does; that may cost what fewer cards may."""
    pace = user_pace(first)
    if first.acquisition != "buy" or first.gpu in named or first.owned_count or pace is None or pace >= BRISK:
        return first
    most = FEWER_FOR * (first.price.amount or 0)
    quick = [
        one for one in kept
        if _replaces(one, first, most, EIGHT_BITS) and (user_pace(one) or 0) >= BRISK
        and all(told.code != USED for told in one.reasons)
    ]  # fmt: skip
    return min(quick, key=lambda one: one.price.amount or 0, default=first)


def _replaces(one: Configuration, first: Configuration, most: Decimal, least_bits: int) -> bool:
    """Whether it is a purchase that holds the work for sure, at most so dear, in a format good enough."""
    if one.acquisition != "buy" or one.memory.verdict != "yes" or not one.price.amount or one.price.amount > most:
        return False
    return bits(one.weight_format) >= min(least_bits, bits(first.weight_format)) and one.price.complete


def _sparing(first: Configuration, kept: Sequence[Configuration]) -> Configuration:
    """Where a whole machine is wanted that no budget so small buys: of single cards the one that leaves most for it."""
    if first.acquisition != "buy" or not _cards_alone(first):
        return first
    single = [
        one for one in kept
        if _cards_alone(one) and one.gpu_count == 1 and one.memory.verdict == "yes"
        and bits(one.weight_format) >= min(AT_HOME_BITS, bits(first.weight_format))
    ]  # fmt: skip
    least = min(single, key=lambda one: (_filled(one) > WITH_ROOM, one.price.amount or FAR_DEARER), default=first)
    most = ROOM_FOR * (least.price.amount or 0)
    near = [one for one in single if (one.price.amount or FAR_DEARER) <= most]
    return max(near, key=lambda one: one.memory.usable_bytes_per_gpu, default=least)


def _filled(one: Configuration) -> float:
    return one.memory.needed_bytes_per_gpu / one.memory.usable_bytes_per_gpu


def _pays_back(kept: Sequence[Configuration]) -> bool:
    """Whether the first purchase costs no more than its rent round the clock for as long as cards are written off."""
    bought, rented = (next((one.price for one in kept if one.acquisition == way), None) for way in ("buy", "rent"))
    if bought is None or bought.amount is None or rented is None or rented.amount is None:
        return False
    return bought.complete and bought.amount <= PAYS_BACK_HOURS * rented.amount


def _better_use(
    kept: Sequence[Configuration], named: set[str], need: Need, least_bits: int, *, brisk: bool = False
) -> Configuration | None:
    """What beats the first of those to buy: in good formats cheaper and no slower, or much cheaper and fast enough.

    A purchase that was to fit a budget is the best the money buys, not the least that runs; a cheaper one that
    computes in FP8 and is no slower leaves nothing to pay more for, and without a budget one that costs a fifth less
    may be half as fast, but no slower than is `brisk` where that is to be. Cards that were named stay first.
    """
    first = kept[0]
    pace, price = pace_of(first), first.price.amount
    if first.acquisition != "buy" or first.gpu in named or pace is None or price is None:
        return None
    rivals = [
        one for one in kept[1:]
        if one.acquisition == "buy" and one.gpu not in named and one.price.amount is not None
        and one.price.complete >= first.price.complete and not one.owned_count
        and one.memory.verdict in {"yes", first.memory.verdict}
        and (least_bits < EIGHT_BITS or all(told.code != USED for told in one.reasons))
    ]  # fmt: skip
    rivals = [one for one in rivals if one.gpu_count <= max(COMMON_COUNT, first.gpu_count)]
    near = [one for one in rivals if bits(one.weight_format) >= min(least_bits, bits(first.weight_format))]
    cheaper = [one for one in near if (one.price.amount or 0) <= price and (pace_of(one) or 0) >= pace]
    if cheaper:
        return max(cheaper, key=lambda one: pace_of(one) or 0)
    if need.budget is None and need.task not in TRAINING_LADDER:
        thrifty = [one for one in near if (one.price.amount or 0) <= WORTH_SAYING * price]
        enough = (
            min(HALF_AS_FAST * pace, COMFORTABLE)
            if "tokens_per_s_per_user" in (first.speed or {})
            else HALF_AS_FAST * pace
        )
        if brisk and user_pace(first) is not None:
            enough = max(enough, min(BRISK, pace))
        thrifty = [one for one in thrifty if (pace_of(one) or 0) >= enough]
        return min(thrifty, key=lambda one: one.price.amount or 0, default=None)
    if need.budget is None or need.budget.mode == "rent" or need.budget.period is not None:
        return None
    alike = [one for one in near if bits(one.weight_format) >= bits(first.weight_format)]
    faster = [one for one in alike if (pace_of(one) or 0) >= MUCH_FASTER * pace]
    return max(faster, key=lambda one: pace_of(one) or 0, default=None)


def pace_of(one: Configuration) -> float | None:
    """Answer tokens of one user, pictures, or trainings a second: more is better."""
    known = one.speed or {}
    counted = (known.get(key) for key in ("tokens_per_s_per_user", "images_per_s", "samples_per_s_total"))
    user, time_s = next((one for one in counted if one), None), known.get("time_s")
    if isinstance(user, int | float):
        return float(user)
    return 1 / time_s if isinstance(time_s, int | float) and time_s else None


def user_pace(one: Configuration) -> float | None:
    """Answer tokens a second of one user; null where no answers are counted."""
    pace = (one.speed or {}).get("tokens_per_s_per_user")
    return float(pace) if isinstance(pace, int | float) else None


def _undated(one: Configuration) -> bool:
    """Whether nobody dated what most of the money goes to: a chassis without a date is no reason to doubt the cards."""
    return one.price.amount is not None and main_date(one) is None


def main_date(one: Configuration) -> str | None:
    """When the largest line of the bill was read, usually the cards'."""
    priced = [item for item in one.items if item.subtotal is not None]
    return max(priced, key=lambda item: item.subtotal or 0).price_date if priced else one.price.as_of


def cost(one: Configuration) -> tuple[bool, bool, bool, Decimal]:
    """What is reckoned with as the least; a margin in memory first, for what is on the edge is no bargain."""
    amount = one.price.amount
    return one.memory.verdict != "yes", amount is None, _undated(one), Decimal(amount or 0)


def job(one: Configuration) -> tuple[bool, bool, Decimal]:
    """What a job of known length is cheapest by: what it comes to, not what an hour does; an unknown sum comes last."""
    total = next((paid.total_usd for paid in one.rent_prices if paid.kind == "on_demand"), None)
    return one.memory.verdict != "yes", total is None, Decimal(total or 0) * (UNDATED_RISE if _undated(one) else 1)


def least(one: Configuration) -> tuple[bool, bool, Decimal]:
    """What the cheapest is found by where that is asked for: a price without a date may have risen, so it is the
    cheapest only where it is far below the dated ones."""
    amount = Decimal(one.price.amount or 0)
    return one.memory.verdict != "yes", one.price.amount is None, amount * (UNDATED_RISE if _undated(one) else 1)
