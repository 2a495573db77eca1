"""How hardware is run and paid for: outlet, supply, power limit, electricity price, PUE, hours, years, rent, price."""

import re

from assistant.understand.budget import find_budget
from assistant.understand.numbers import DIGITS, HAN, number
from assistant.understand.spoken_sums import in_figures
from assistant.understand.text import Text, grammar
from assistant.understand.usage import find_usage
from kb.base import Frozen, UnknownName
from kb.market.rates import rate
from kb.units import HOURS_PER_MONTH

_WORD = "one|two|three|four|five|six|eight|ten"
_SIGN = r"(?P<sign>us\$|hk\$|[$€£¥₹])?"
_NAME = (
    r"(?P<name>元|块钱|块|毛|分|人民币|rmb|cny|yuan|usd|dollars?|eur|euros?|€|gbp|pence|p(?![a-z])|jpy|yen|日元|欧元"
    r"|美元|cents?|ct)?"
)
_HOUR = r"(?:个)?(?:小时|hours?|hrs?|h(?![a-z]))"
_A = r"(?:amps?|安培|安|a)(?![a-z0-9])"
_OUTLET = (
    r"(?:插座|空开|空气开关|断路器|插排|回路|线路|电路|供电|outlet|socket|circuit|breaker|plug|fuse|feed|line|三相)"
)
_WATTS = r"(?:w|瓦)(?![a-z])"
_CARD = r"(?: (?:it|them|each|each card|the card|my \S{1,12}))?"
_TARIFF = grammar(
    rf"{_SIGN}\s?(?<![\d.,])(?P<n>\d{{1,5}}(?:\.\d{{1,4}})?)\s?{_NAME}\s?(?:/|per|a|an|一|每)?\s?(?:一)?(?:kwh|kw·h"
    rf"|kw h|度(?:电)?|千瓦时)"
)
_BARE_TARIFF = grammar(
    r"(?:电价|电费|(?:商业|商用|工业|民用|居民|家用|农用)(?:用)?电(?:价)?"
    r"|electricity(?: price| rate| cost)?|power price"
    r"|tariff)\D{0,12}?(?P<sign>us\$|[$€£¥])?"
    r"(?P<n>\d{1,2}\.\d{1,4}|\d{1,2}(?=\s?(?:元|块|毛)(?!钱?\s?(?:一|每)?(?:个)?[月年天])))(?!\d|\s?[%w万])\s?(?P<name>元|块|毛)?"
)
_PUE = grammar(r"(?<![a-z])pue\D{0,6}(?P<n>[1-4](?:\.\d{1,3})?)")
_YEARS = grammar(
    rf"(?<![\d.])(?P<n>{DIGITS}|{HAN}|{_WORD})\s?-?(?:年|years?|yrs?)(?![a-z])(?! old)(?!\s{{0,2}}(?:前|代|底|初|ago))"
)
_USED = grammar(
    r"(?:利用率|使用率|负载率?|utili[sz](?:ation|ed)|load factor|duty cycle|busy)\D{0,10}?(?P<n>\d{1,3}(?:\.\d)?)\s?%"
    r"|(?P<n2>\d{1,3}(?:\.\d)?)\s?%\s?(?:的)?(?:利用率|使用率|负载|utili[sz]ation|load|busy|duty)"
)
_AMPS = grammar(
    rf"(?<![a-z\d.])(?P<n>\d{{1,3}})\s?-?{_A}(?=.{{0,24}}{_OUTLET}|.{{0,4}}\d{{3}}\s?v)"
    rf"|{_OUTLET}\D{{0,8}}(?P<n2>\d{{1,3}})\s?{_A}|\d{{3}}\s?v\D{{0,3}}(?P<n3>\d{{1,3}})\s?{_A}"
)
_PLAIN_OUTLET = grammar(
    r"(?:普通|一般|家用|家里|宿舍|办公室|墙上?)的?\s?(?:墙)?(?:插座|插排|插线板|排插|插板|插头|墙插)|墙插"
    r"|(?:normal|ordinary|regular|standard|wall|household|domestic) (?:wall )?(?:outlet|socket|plug)s?(?![a-z])"
)
_VOLTS = grammar(
    r"(?<![\d.])(?P<n>100|110|115|120|200|208|220|230|240|380|400|415|480)\s?-?(?:v|volts?|伏)(?![a-z0-9])"
)
_THREE = grammar(r"三相|three-?phase|3-?phase|380\s?v|400\s?v|415\s?v")
_LIMIT = grammar(
    r"(?:限(?:制)?(?:功耗|功率)?(?:到|在|至|为|成)?|功耗墙|(?:功耗|功率)(?:限制|上限|锁|降)(?:到|在|至|为)?|锁(?:到"
    r"|在)?|-pl"
    rf"|power[- ]?limit(?:ed|ing|s)?{_CARD}(?: (?:to|of|at|down to))?|cap(?:ped|ping)?{_CARD}(?: (?:at|to))?"
    rf"|limit(?:ed|ing)?{_CARD}(?: to| at)|undervolt\S{{0,4}}(?: to)?)\s?(?P<n>\d{{2,4}})\s?{_WATTS}"
    rf"|(?P<n2>\d{{2,4}})\s?{_WATTS}\s?(?:power[- ]?limit|功耗墙|限功耗|power cap|cap(?![a-z]))"
)
_SUPPLY = grammar(
    rf"(?<![\d.])(?P<n>\d{{3,4}})\s?{_WATTS}[^,.?，。？]{{0,16}}?(?:电源|psu|power suppl)"
    rf"|(?:电源|psu|power suppl\w{{1,3}})\D{{0,8}}(?P<n2>\d{{3,4}})\s?{_WATTS}"
    rf"|(?:电源|psu|power suppl).{{0,40}}(?:have|'ve|有|是|现用)\D{{0,6}}(?P<n4>\d{{3,4}})\s?{_WATTS}"
    rf"|(?<![\d.])(?P<n3>\d{{3,4}})\s?{_WATTS}\s?(?:is |are )?(?:enough|sufficient|够|带得动|能带)"
)
_RACK = grammar(
    r"(?:机柜|单柜|每柜|一柜|rack)\D{0,16}?(?P<n>\d{1,3}(?:\.\d)?)\s?(?:kw|千瓦)"
    r"|(?P<n2>\d{1,3}(?:\.\d)?)\s?(?:kw|千瓦)\s?(?:的)?(?:一个)?(?:机柜|racks?|per rack|/rack|cabinet)"
)
_MACHINES = grammar(
    rf"(?P<n>{DIGITS}|{HAN}|{_WORD})\s?(?:台|个节点|节点|nodes?|servers?|machines?|boxes|dgx|hgx)(?![a-z])"
)
_MACHINES_OF = grammar(
    rf"(?P<m>{DIGITS}|{HAN}|{_WORD})\s?(?:台|个节点|节点|nodes?|servers?|machines?|boxes)"
    r"(?:[^,。;?!\d]{0,10},?\s?(?:每台|每个?节点|each))?\s?"
    r"(?:(?:with|w/|of|each with|each|,|有)\s?)?"
    rf"(?P<n>{DIGITS}|{HAN}|{_WORD})(?:\s?(?:卡|张|块|x|×|\*|gpus?|cards?)"
    rf"|(?=\s(?:rtx )?[abhlrt]?[a-z]{{0,2}}\d{{2,4}}))"
)
_BOXES = grammar(
    rf"(?P<m>{DIGITS}|{HAN}|{_WORD})\s(?P<n>\d{{1,2}})\s?(?:[x×*-]|gpus?|卡)\s?(?:[a-z0-9]{{1,8}}\s){{0,2}}"
    r"(?:servers?|machines?|boxes|nodes?|systems?|rigs?)(?![a-z])"
)
"""Machines with their cards before the word for them: "two 8x H100 boxes"."""
_SITES = grammar(
    rf"(?P<n>{DIGITS}|{HAN}|{_WORD})\s?(?:个)?(?:sites|locations|branches|offices|stores|factories|plants|campuses"
    r"|schools|hospitals|站点|门店|分店|分公司|工厂|园区|校区|办公室|机房|地点|城市)(?![a-z])"
    r"(?=.{0,60}(?:each|every|per|at all|各|每|都))"
)
"""Places that have as many machines each."""
_EACH = grammar(r"每(?:张)?卡|一张|每张|/卡|单卡|per (?:gpu|card)|a (?:gpu|card)|/gpu|each|gpu[- ]hours?|卡时")
_HOURLY = grammar(r"(?:/|per|an|a|每|一)?\s?(?:hour|hr|h(?![a-z])|小时|时(?!间))")
_PAYS = grammar(r"(?<![a-z])(?:pay|paying|spend|spending|rent|renting)(?![a-z])|租|在付|花")
"""Words that make a price a month the rent that is paid."""
_COLOCATION = grammar(r"托管|机房|idc|colocat|colo(?![a-z])|数据中心|data ?cent(?:er|re)")
_HOME = grammar(
    r"在家|家里|家用|家庭|宿舍|at home|my (?:home|apartment|flat|house|room|garage|bedroom)|home (?:lab|office)"
)
_CENTS = {"毛": 0.1, "分": 0.01, "cent": 0.01, "cents": 0.01, "ct": 0.01, "p": 0.01, "pence": 0.01}
_CURRENCIES = {
    "毛": "CNY", "分": "CNY", "块": "CNY", "块钱": "CNY", "¥": "CNY", "p": "GBP", "pence": "GBP", "ct": "EUR",
    "cent": "USD", "cents": "USD", "us$": "USD", "hk$": "HKD", "$": "USD",
}  # fmt: skip
DAYS_PER_MONTH = 365 / 12
"""As the calculators count: a month is a twelfth of a year."""


class Running(Frozen):
    """What was said of feeding and paying for hardware; null where nothing was."""

    tariff_per_kwh: float | None = None
    currency: str | None = None
    """Of the electricity price or the rent."""
    pue: float | None = None
    years: float | None = None
    hours_per_day: float | None = None
    utilisation: float | None = None
    circuit_amps: float | None = None
    circuit_volts: float | None = None
    circuit_phases: int | None = None
    power_limit_w: float | None = None
    psu_w: float | None = None
    rack_limit_w: float | None = None
    nodes: int | None = None
    """Machines spoken of."""
    cards_per_node: int | None = None
    """Cards in each of several machines: "2 台 8 卡"."""
    rent_per_hour: float | None = None
    rent_is_monthly: bool = False
    """Whether it is a sum that is paid every month."""
    rent_is_per_gpu: bool = False
    """Whether the rent stated is that of one card."""
    site: str | None = None
    plain_outlet: bool = False
    """Whether an outlet of the usual kind is meant, without its amperes."""


def read_running(text: str) -> Running:
    """What a question says of outlets, supplies, prices of electricity and hours of use."""
    plain = in_figures(Text.of(text)).plain
    tariff, currency = find_tariff(plain)
    rent, rent_currency, monthly = _rent(plain)
    used = find_usage(plain)
    spared = plain[: used.start] + " " + plain[used.end :] if used else plain
    return Running(
        tariff_per_kwh=tariff, currency=currency or rent_currency, pue=_figure(_PUE, plain), years=_years(spared),
        hours_per_day=_hours(plain), utilisation=_percent(plain), circuit_amps=_figure(_AMPS, plain),
        circuit_volts=_figure(_VOLTS, plain), circuit_phases=3 if _THREE.search(plain) else None,
        power_limit_w=_figure(_LIMIT, plain), psu_w=None if _LIMIT.search(plain) else _figure(_SUPPLY, plain),
        rack_limit_w=_kilowatts(plain), nodes=_nodes(plain), cards_per_node=_cards_per_node(plain), rent_per_hour=rent,
        rent_is_monthly=monthly, rent_is_per_gpu=rent is not None and _EACH.search(plain) is not None,
        site=_site(plain),
        plain_outlet=_PLAIN_OUTLET.search(plain) is not None,
    )  # fmt: skip


def _figure(pattern: re.Pattern[str], plain: str) -> float | None:
    match = pattern.search(plain)
    groups = match.groupdict() if match else {}
    token = next((groups[name] for name in ("n", "n2", "n3", "n4") if groups.get(name)), None)
    return number(token) if token else None


def find_tariff(plain: str) -> tuple[float | None, str | None]:
    """The price of a kilowatt-hour that is stated, and its currency where that is said."""
    match = _TARIFF.search(plain) or _BARE_TARIFF.search(plain)
    value = number(match["n"]) if match else None
    if match is None or value is None or value <= 0:
        return None, None
    return value * _CENTS.get(match["name"] or "", 1.0), _currency(match["sign"] or match["name"])


def _currency(written: str | None) -> str | None:
    if written is None:
        return None
    try:
        return _CURRENCIES.get(written) or rate(written).currency
    except UnknownName:
        return None


def _rent(plain: str) -> tuple[float | None, str | None, bool]:
    """A price an hour that was stated, whatever it is called: "I pay $2.5/h", 「租金每小时 20 元」."""
    found = find_budget(plain, chinese=bool(re.search(r"[一-鿿]", plain)))
    if found is not None and found.value.period == "month" and _PAYS.search(plain):
        return found.value.amount / HOURS_PER_MONTH, found.value.currency, True
    if found is None or found.value.period != "hour" or not _HOURLY.search(plain):
        return None, None, False
    return found.value.amount, found.value.currency, False


def _years(plain: str) -> float | None:
    value = _figure(_YEARS, plain)
    return value if value is not None and 0 < value <= 20 else None


def _hours(plain: str) -> float | None:
    used = find_usage(plain)
    return used.value / DAYS_PER_MONTH if used else None


def _percent(plain: str) -> float | None:
    value = _figure(_USED, plain)
    return value / 100 if value is not None and 0 < value <= 100 else None


def _kilowatts(plain: str) -> float | None:
    value = _figure(_RACK, plain)
    return value * 1000 if value else None


def _nodes(plain: str) -> int | None:
    """Machines in all: those of every place, where several places have as many each."""
    boxes = _BOXES.search(plain)
    value = number(boxes["m"]) if boxes else _figure(_MACHINES, plain)
    places = _figure(_SITES, plain)
    if places and places > 1:
        value = places * (value or 1)
    return int(value) if value and value >= 1 else None


def _cards_per_node(plain: str) -> int | None:
    match = _BOXES.search(plain) or _MACHINES_OF.search(plain)
    several = match is not None and ((number(match["m"]) or 0) > 1 or _SITES.search(plain) is not None)
    cards = number(match["n"]) if match and several else None
    return int(cards) if cards and cards >= 1 else None


_APART = grammar(
    r"(?:托管|机柜|机架|场地|机房)[^,。;?]{0,6}(?:另算|另计|不算|不计|除外|单算|不含)"
    r"|(?:colo(?:cation)?|rack|hosting)(?: \w+){0,2} (?:not included|excluded|separate\w*|apart|aside|comes extra)"
)
"""The place is paid for apart: its electricity is not in that."""


def _site(plain: str) -> str | None:
    if _COLOCATION.search(plain) and _APART.search(plain):
        return "server_room"
    if _COLOCATION.search(plain):
        return "colocation" if re.search(r"托管|colo", plain) else "server_room"
    return "home" if _HOME.search(plain) else None
