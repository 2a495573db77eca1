"""What the tools about power and cost are asked: the cards in question, and what was said of feeding and paying."""

import re
from collections.abc import Sequence

from assistant.plan import boards, feeding, requests
from assistant.plan.apart import rent_hired, rented_and_bought
from assistant.plan.call import PlannedCall, planned
from assistant.plan.home import CURRENCIES
from assistant.plan.like_for_like import like_for_like
from assistant.plan.nearest import like_rent, unsold_terms
from assistant.plan.preferred import cost as price_key
from assistant.plan.preferred import job as job_key
from assistant.plan.ways import only, rents
from assistant.understand.asking import SOME_SUM
from assistant.understand.budget import find_money
from assistant.understand.running import DAYS_PER_MONTH, Running, read_running
from assistant.understand.spoken_sums import in_figures
from assistant.understand.term import find_term
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import gpu, gpus
from kb.market.rates import convert, usd
from kb.units import DAY_S, HOUR_S, HOURS_PER_MONTH
from tools.configuration import Configuration
from tools.need import GpuCount, Need
from tools.prices import card_price

QUOTED_LEAST, QUOTED_MOST = 0.3, 4.0
"""Times the price of the cards alone between which a sum said is taken for what they are offered at."""
_EACH_CARD = re.compile(r"[每/][张块卡]|一[张块]|单[张卡]|\beach\b|apiece|per (?:card|gpu)|a (?:card|piece)\b", re.I)
_ASKED_FOR = re.compile(r"(?:buy|purchase|own|server|box|node)[^.?!]{0,24} (?:at|for) [$€£¥]|报价|要价|开价", re.I)
"""Words that make a sum what the hardware is offered at."""
BARE_SUM = re.compile(
    r"(?<![\d.])(\d+(?:\.\d+)?)\s?万(?=\s?(?:块|元)?\s?(?:就|能)?(?:买|入手|拿下|成交))"
    r"|(?:报价|报了|要价|开价|总价|售价|标价|价格|卖)[^，,。;；?？万]{0,20}?(?<![\d.])(\d+(?:\.\d+)?)\s?万"
)
"""A sum of yuan that is called nothing: 「130 万买合适，还是租」, 「报价 4 卡服务器 32 万」."""
_COST = re.compile(
    r"(?<![a-z])tco(?![a-z])|总拥有成本|持有成本|拥有成本|总成本|总花费|折旧|残值|回本|盈亏平衡|电费|电价|度电"
    r"|total cost|cost of owner|to own\b|running costs?|operating cost|depreciat|break-?even"
    r"|pay(?:s|ing)? (?:for itself|off|back)|electricity (?:bill|cost|price)|power bill"
    r"|(?:每|per|a|/)\s?(?:一)?(?:百万|m(?:illion)?)(?:个)?\s?(?:output )?tokens?"
    r"|每\s?1?m\s?token|百万\s?token|per mtok|\bopex\b|capex|月成本|年成本|how (?:long|many months)[^.?!]{0,40}(?:beat"
    r"|pay for|break even)|回本|payback|per month to run|cost .{0,20}(?:a|per) (?:month|year)"
    r"|一(?:个月|年)(?:要|得|大概)?(?:花)?多少(?:钱|电)|spot|抢占|竞价|预留|reserved",
    re.I,
)
_TCO = re.compile(r"(?<![a-z])tco(?![a-z])|total cost of own|拥有成本|持有成本", re.I)
_MONTHLY = re.compile(r"(?:一|每)个?月|月租|包月|\b(?:per|a|each|every) month|monthly|/mo(?:nth)?\b", re.I)
_PRICE = re.compile(
    rf"多少钱?[?？]?$|{SOME_SUM}|报个?价|价位|and dollars|rough \$|\beuros\b\?|多少钱|什么价|费用|花费|成本|how much"
    r"|\bcosts?\b|\bprice\b|\bbill\b|expensive|what(?:'s| is| are) [^.?!]{0,24}\bworth\b|值多少",
    re.I,
)
_ENERGY = re.compile(
    r"电费|耗电|用电|几度电|多少度|多少电|电表|electricity|electric bill|power bill|\bkwh\b"
    r"|度电|(?:energy|power) (?:cost|bill|use)",
    re.I,
)
_BILLED = re.compile(
    r"电费|电价|度电|几度|多少度|耗电|电表|[一每两半](?:个)?[月年天]|\bkwh\b|\bbill\b|electricity|\bcosts?\b"
    r"|per (?:month|year|day)|[万元块]",
    re.I,
)
"""Words of electricity that is paid for."""
_RUNNING = re.compile(
    r"costs?(?: \w+)? (?:to (?:run|leave|keep|operate)|of (?:running|keeping|leaving))"
    r"|running cost|(?:开|跑|挂)(?:一|着|上|机)"
    r"[^,，。?？]{0,10}(?:多少钱|花多少|费用)|(?:24|7) ?[/x×*] ?(?:7|24)[^.?!]{0,24}(?:cost|bill)"
    r"|(?:cost|bill)[^.?!]{0,24}(?:24|7) ?[/x×*] ?(?:7|24)",
    re.I,
)
_PER_TOKENS = re.compile(
    r"(?:百万|m(?:illion)?|1m)\s?(?:个)?\s?(?:output )?tokens?|mtok|每\s?token"
    r"|(?<!ms )(?<!\ds )(?<!\d s )(?<!sec )(?<!seconds )(?<!second )(?<!milliseconds )(?<!time )per token",
    re.I,
)
_COUNTED = re.compile(r"(?!1\s?m)(?<![\d.])\d[\d.]*\s?(?:百万|m(?:illion)?)\s?个?\s?(?:output )?tokens?$", re.I)
"""Words of a price for tokens (seconds per token are a pace), and of an amount of them: "on 50M tokens"."""
_IN_ALL = re.compile(r"总共|一共|总计|下来|总成本|\ball[- ]in\b|\bin total\b|total cost", re.I)
"""Words for all that hardware costs: buying it is in that, whoever has it."""
_POWER = re.compile(
    r"插座|供电|配电|机房[^，。,?？]{0,16}电(?![费价脑])|[拉接引].{0,4}多大的?电|电够不够|增容|空开|断路器|跳闸|回路|千瓦|多少瓦|(?<![a-z])kw\b"
    r"|\boutlet\b|\bsocket\b|\bcircuits?\b|\bbreaker\b|\bfuse\b|\bbtu\b|\bcfm\b"
    r"|\bups\b"
    r"|三相|(?:three|3)[- ]?phase|\d{1,3}\s?a(?:mps?)?\b.{0,12}\d{3}\s?v\b|\d{3}\s?v\b.{0,12}\d{1,3}\s?a(?:mps?)?\b"
    r"|\bpower feed|how many (?:kilo)?watts|power (?:draw|budget|supply|per rack)"
    r"|风量|kw per rack|机柜|机架|\bracks?\b|发热|热量|\bheat\b(?! ?sink)",
    re.I,
)
_OWNING = re.compile(
    r"买|购|自建|自己|拥有|(?<![a-z])tco(?![a-z])|折旧|回本|buy|own|purchas|depreciat|capex|rent|租|云|cloud", re.I
)
_SPOT = re.compile(r"\bspot\b|抢占|竞价|预留|包年|reserved", re.I)
_BUYING = re.compile(
    r"买|购|自建|自有|拥有|(?<![a-z])tco(?![a-z])|回本|折旧|pays? (?:for itself|back|off)"
    r"|\bbuy|\bown|purchas|break-?even|depreciat",
    re.I,
)
YEAR_S = 365 * DAY_S
BOARD = 8
"""Cards of a machine spoken of without a number, where the card comes only on boards of eight."""
CARDS_MAX = 3


def asks_cost(text: str) -> bool:
    """Whether what it costs to own, to run or to produce is asked, rather than what to buy."""
    return _COST.search(text) is not None or per_tokens(text)


def asks_price(text: str, need: Need) -> bool:
    """Whether the price of something settled is asked: of a training whose data are stated, or of cards named alone."""
    bare = bool(requests.named_gpus(need)) and not requests.sized(need)
    settled = runs(need) or (bare and need.acquisition is not None)
    return settled and _PRICE.search(text) is not None


def prices_run(text: str, need: Need) -> bool:
    """Whether both the time and the price of a training on named cards are wanted, or its price alone."""
    known = bool(requests.cards(need)) and (need.intent != "how_many_gpus" or requests.cards(need)[0].count is not None)
    return runs(need) and known and (_PRICE.search(text) is not None or need.matter == "price")


def runs(need: Need) -> bool:
    """Whether it is a training of stated data, or from scratch, for which an amount is taken where none is said."""
    scratch = need.task == "pretrain" and requests.sized(need)
    return requests.is_training(need) and (need.dataset_tokens is not None or scratch)


def asks_monthly(text: str) -> bool:
    """Whether what a month comes to is asked."""
    return _MONTHLY.search(text) is not None or find_term(text) is not None


def asks_power(text: str) -> bool:
    """Whether an outlet, a circuit, kilowatts or heat are asked about."""
    return _POWER.search(text) is not None


def asks_energy(text: str) -> bool:
    """Whether the electricity alone is asked about, and not how to feed the machine."""
    fed = asks_power(text) and _BILLED.search(text) is None
    return names_energy(text) and _OWNING.search(text) is None and not fed


def asks_running(text: str, need: Need) -> bool:
    """Whether what named cards cost to keep running is asked, with nothing rented or bought: their electricity."""
    bare = bool(requests.cards(need)) and not requests.sized(need) and not need.provider
    return bare and _RUNNING.search(text) is not None and _OWNING.search(text) is None


def asks_ownership(text: str) -> bool:
    """Whether the total cost of ownership is asked by that name: electricity is then only a part of it."""
    return _TCO.search(text) is not None


def names_energy(text: str) -> bool:
    """Whether electricity is spoken of, with or without owning."""
    return _ENERGY.search(text) is not None


def per_tokens(text: str) -> bool:
    """Whether a price for tokens is asked."""
    found, priced = _PER_TOKENS.search(text), "$" in text or _PRICE.search(text)
    return found is not None and bool(priced or _COUNTED.search(text, 0, found.end()) is None)


def prices_tokens(text: str) -> bool:
    """Whether what tokens cost is asked."""
    return per_tokens(text) and (_PRICE.search(text) is not None or "$" in text)


def asks_spot(text: str) -> bool:
    """Whether spot or reserved instances are asked about."""
    return _SPOT.search(text) is not None


def asks_card_price(text: str, need: Need) -> bool:
    """Whether what one card costs is asked, and nothing of work, renting or a budget."""
    bare = len(requests.named_gpus(need)) == 1 and not requests.sized(need) and need.budget is None
    several = any((card.count or 1) > 1 for card in requests.cards(need))
    return bare and not several and not need.provider and not rents(text) and _PRICE.search(text) is not None


def weighs(text: str) -> bool:
    """Whether renting and buying are held against each other."""
    owned = _BUYING.search(text) is not None or (names_energy(text) and _IN_ALL.search(text) is not None)
    return rents(text) and owned


def weighs_energy(text: str) -> bool:
    """Whether the electricity of one's own cards is held against renting them."""
    return names_energy(text) and rents(text)


def power(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """What the machine draws: all cards of one machine together, or each of those compared."""
    running = read_running(understanding.text)
    cards = _cards(need, running)
    together = cards if need.gpus_owned else cards[:1]
    sets = [together, *([card] for card in cards[len(together) : CARDS_MAX])] if cards else []
    shared = _shared(need, understanding, running) | {
        "circuit_amps": running.circuit_amps, "circuit_volts": running.circuit_volts,
        "circuit_phases": running.circuit_phases, "psu_w": running.psu_w, "rack_limit_w": running.rack_limit_w,
        "years": _years(need, running),
    }  # fmt: skip
    if (
        len(sets) == 1
        and not any(card.count for card in requests.cards(need))
        and feeding.asks_count(understanding.text)
    ):
        fed = feeding.most_fed(sets[0][0].gpu, shared)
        sets = [[GpuCount(gpu=sets[0][0].gpu, count=max(1, fed))]] if fed is not None else sets
    if running.circuit_volts and running.circuit_amps is None and feeding.asks_circuits(understanding.text):
        shared |= feeding.largest_of(running.circuit_volts)
    elif running.plain_outlet and running.circuit_amps is None:
        shared |= feeding.plain_outlet(shared["country"])
    return [planned("plan_power", **(shared | _machine(one))) for one in sets]


def _years(need: Need, running: Running) -> float | None:
    return running.years or (need.term_s / YEAR_S if need.term_s and need.term_s >= YEAR_S else None)


def power_left(text: str) -> int | None:
    """Watts that what is to feed them leaves for cards; None where nothing of stated size was named."""
    return feeding.left(read_running(text))


def cost(
    need: Need, understanding: Understanding, found: Sequence[Configuration] = (), **changes: object
) -> PlannedCall | None:
    """What the cards cost to own and to rent, and what their work costs.

    `found`: configurations of the same question; where no card was named, the cheapest that is bought is reckoned with.
    `changes`: fields of the request that are known otherwise.
    """
    running = read_running(understanding.text)
    leased = {one.gpu for one in found if one.acquisition == "rent"}
    bought = [one for one in found if one.acquisition == "buy" and one.price.complete and not one.owned_count]
    bought.sort(key=lambda one: (one.gpu not in leased, price_key(one)))
    leases = sorted((one for one in found if one.acquisition == "rent"), key=job_key if runs(need) else price_key)
    bought, leases = like_for_like(bought, leases)
    owning = need.acquisition or weighs(understanding.text) or _BUYING.search(understanding.text)
    hired = need.acquisition == "rent" or (runs(need) and not owning)
    best = ((leases if hired else []) or bought)[:1] if requests.sized(need) else []
    chosen = [GpuCount(gpu=one.gpu, count=one.gpu_count) for one in best]
    pair, stated = rented_and_bought(understanding.text), {card.gpu: card for card in need.gpus_proposed}
    asked = [stated.get(pair[1], GpuCount(gpu=pair[1]))] if pair else requests.cards(need)
    alone = _lone if only(understanding.text, need) == "rent" or _SPOT.search(understanding.text) else _alone
    cards = [_single(card, need) if runs(need) else alone(card, need, running) for card in asked] or chosen
    if not cards:
        return None
    piece = boards.wanted(need, understanding.text)
    if piece is not None and not weighs(understanding.text):
        cards = [boards.whole(card) for card in cards]
    values = _shared(need, understanding, running) | _machine(cards if need.gpus_owned else cards[:1])
    count = sum(card.count or 1 for card in cards[:1])
    if running.rent_per_hour is not None:
        values["rent_per_hour"] = running.rent_per_hour * (count if running.rent_is_per_gpu else 1)
        values["currency"] = running.currency or values["currency"]
        if running.rent_is_monthly and need.hours_per_month is None:
            values["hours_per_day"] = running.hours_per_day or 24.0  # so much is paid however long it is used
    elif pair:
        values["rent_per_hour"] = rent_hired(pair[0], need, str(values["currency"]))
    elif cards == chosen and cards[0].gpu not in leased:
        values["rent_per_hour"] = _lease(leases, str(values["currency"]))
    values |= _work(need) if requests.sized(need) else {}
    if requests.sized(need) and cards == chosen and not requests.is_training(need):
        values["weight_format"] = best[0].weight_format
    values |= quoted(need, understanding, count)
    renting = (
        only(understanding.text, need) == "rent" or _SPOT.search(understanding.text) or (hired and cards == chosen)
    )
    rented = "rent" if renting and not _BUYING.search(understanding.text) else None
    if need.hours_per_month is None:
        values["term_s"] = find_term(understanding.text) or _weighed_s(need, understanding)
    elif (project := _weighed_s(need, understanding)) and project < YEAR_S:
        values["term_s"] = project * need.hours_per_month / HOURS_PER_MONTH  # of which so many hours are used
    values |= {"provider": need.provider, "years": _years(need, running)}
    values["acquisition"] = None if weighs(understanding.text) else need.acquisition or rented
    if piece is not None and weighs(understanding.text):
        values |= unsold_terms(piece, need, str(values["currency"]))
    elif cards != chosen and weighs(understanding.text) and values.get("rent_per_hour") is None:
        values |= like_rent(cards[0].model_copy(update={"count": count}), need, str(values["currency"]))
    on_hand = need.gpus_owned and per_tokens(understanding.text) and names_energy(understanding.text)
    owned = _BUYING.search(understanding.text) or _IN_ALL.search(understanding.text)
    if (weighs_energy(understanding.text) or on_hand) and not owned:
        values |= {"purchase_price": 0.0, "acquisition": None}
    return planned("estimate_cost", **(values | changes))


def _weighed_s(need: Need, understanding: Understanding) -> float | None:
    """The time over which renting is held against owning; a month that is only the unit of the bill is none."""
    long = need.term_s is not None and need.term_s > HOURS_PER_MONTH * HOUR_S
    return need.term_s if long and weighs(understanding.text) else None


def quoted(need: Need, understanding: Understanding, count: int) -> dict[str, object]:
    """The price that the cards are offered at, where buying them at it is held against renting; else nothing.

    A budget is none, nor a sum far from what such cards cost: it is of something else.
    """
    known, asked_for = requests.cards(need), _ASKED_FOR.search(understanding.text)
    if (need.budget is not None and not asked_for) or not known or not weighs(understanding.text):
        return {}
    sums = find_money(in_figures(Text.of(understanding.text)).plain, chinese=understanding.language == "zh")
    told = [(one.value.amount, one.value.currency) for one in sums if one.value.period is None]
    told += [(float(bare[1] or bare[2]) * 1e4, "CNY") for bare in BARE_SUM.finditer(understanding.text)]
    each = card_price(gpu(known[0].gpu)) if known[0].gpu in gpus() else None
    if not told or each is None:
        return {}
    amount, currency = told[0]
    apart = count > 1 and _EACH_CARD.search(understanding.text) is not None
    whole = amount * (count if apart else 1)
    usual = float(each.amount_usd) * count
    if not QUOTED_LEAST * usual <= float(usd(whole, currency)) <= QUOTED_MOST * usual:
        return {}
    return {"purchase_price": whole, "currency": currency}


def _lease(leases: Sequence[Configuration], currency: str) -> float | None:
    """The lowest rent an hour of what holds the work."""
    rented = [one for one in leases if one.price.amount is not None]
    if not rented:
        return None
    price = min(rented, key=price_key).price
    return round(float(convert(price.amount or 0, price.currency, currency)), 4)


def _work(need: Need) -> dict[str, object]:
    """What a model is used for, as far as that is stated."""
    training = requests.is_training(need)
    if training and need.dataset_tokens is None:
        return {}
    return {
        "model": need.model, "params": None if need.model else need.params, "weight_format": need.weight_format,
        "task": need.task if training else "inference", "dataset_tokens": need.dataset_tokens, "epochs": need.epochs,
        "sequence_tokens": need.sequence_tokens, "concurrent_sequences": need.concurrent_sequences,
        "engine": need.engine,
    }  # fmt: skip


def _shared(need: Need, understanding: Understanding, running: Running) -> dict[str, object]:
    used = need.hours_per_month / DAYS_PER_MONTH if need.hours_per_month else running.hours_per_day
    country = need.country or ("CN" if understanding.language == "zh" else None)
    asked = understanding.need
    stated = need.currency or running.currency or asked.tariff_currency
    currency = stated or (need.budget.currency if need.budget else None)
    return {
        "country": country if country and len(country) == 2 else None,
        "currency": currency or CURRENCIES.get(country or "", "USD"),
        "tariff_per_kwh": running.tariff_per_kwh or asked.tariff_per_kwh, "pue": running.pue, "hours_per_day": used,
        "utilisation": running.utilisation, "power_limit_w": running.power_limit_w, "site": running.site,
    }  # fmt: skip


def _machine(cards: list[GpuCount]) -> dict[str, object]:
    if len(cards) == 1:
        return {"gpu": cards[0].gpu, "gpu_count": cards[0].count or 1}
    return {"gpus": [{"gpu": card.gpu, "count": card.count or 1} for card in cards]}


def _cards(need: Need, running: Running) -> list[GpuCount]:
    """The cards with their number: as stated, else that of the machines spoken of, else a board's, else one."""
    return [card.model_copy(update={"count": _count(card, need, running)}) for card in requests.cards(need)]


def _alone(card: GpuCount, need: Need, running: Running) -> GpuCount:
    """A card that comes on boards, without a number, as its sibling that is sold one by one where there is one."""
    sibling = card.gpu.replace("-sxm-", "-pcie-")
    if card.count or need.gpu_count or running.nodes or sibling == card.gpu or sibling not in gpus():
        return card.model_copy(update={"count": _count(card, need, running)})
    return GpuCount(gpu=sibling, count=1)


def _lone(card: GpuCount, need: Need, running: Running) -> GpuCount:
    """A card to rent, without a number: clouds let one of a board by itself."""
    told = card.count or need.gpu_count or running.nodes
    return card.model_copy(update={"count": _count(card, need, running) if told else 1})


def _single(card: GpuCount, need: Need) -> GpuCount:
    """The card of a run in the number stated, else one: its hours are those of the time that is told beside."""
    return card.model_copy(update={"count": card.count or need.gpu_count or 1})


def _count(card: GpuCount, need: Need, running: Running) -> int:
    """A number that is stated as that of each machine is that of all of them times the machines."""
    nodes = running.nodes or 1
    if card.count:
        return card.count * (nodes if card.count == running.cards_per_node else 1)
    return need.gpu_count or board(card.gpu) * nodes


def board(card: str) -> int:
    """Cards that come together: eight on a board, else one."""
    form = gpu(card).form_factor.upper()
    return BOARD if form.startswith(("SXM", "OAM")) else 1
