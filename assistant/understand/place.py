"""Where: a cloud provider by any of its names, a country."""

from functools import lru_cache

from assistant.understand.text import Found, grammar
from kb.catalog import offers, providers
from kb.naming.names import Mention, Names

_PLAIN = (
    "together vast modal akash lambda 火山 百度 阿里 腾讯 华为 京东 亚马逊 amazon google oracle alibaba tencent huawei"
    " baidu microsoft"
)
_WORD_NAMES = set(_PLAIN.split())
"""Names that are also ordinary words or companies: they count only beside a word about renting."""
_RENTING = grammar(
    r"租|云|cloud|rent|instance|实例|hour|hr|小时|price|价格|cost|(?<![a-z])on $|在\s?$|pod|spot|vs|box|labs|\.ai"
)
_COUNTRIES: tuple[tuple[str, str], ...] = (
    ("CN", (r"国内|中国(?:大陆)?|大陆|内地|境内"
           r"|(?<![a-z])(?:mainland )?china(?![a-z])|国产|北京|上海|深圳|杭州|广州|成都")),
    ("HK", r"香港|(?<![a-z])hong ?kong(?![a-z])"),
    ("TW", r"台湾|(?<![a-z])taiwan(?![a-z])"),
    ("SG", r"新加坡|(?<![a-z])singapore(?![a-z])"),
    ("JP", r"日本|(?<![a-z])(?:japan|tokyo|osaka)(?![a-z])|东京"),
    ("KR", r"韩国|(?<![a-z])(?:(?:south )?korea|seoul)(?![a-z])|首尔"),
    ("IN", r"印度(?!尼)|(?<![a-z])(?:india|mumbai|bangalore|bengaluru|delhi)(?![a-z])"),
    ("US", (r"美国|(?<![a-z])(?:in the us(?:a)?|(?:in|an?|normal|ordinary|regular|standard|typical) usa?(?! know)"
           r"|us (?:outlet|socket|plug|circuit|mains|household|wall)s?|united states|america|california|texas"
           r"|new york|virginia|oregon|florida|seattle|boston|chicago|san francisco"
           r"|bay area)(?![a-z])|加州|德州|纽约|硅谷"
           r"|(?<![a-z])(?:us|u\.s\.|american)(?= (?:[\w-]{1,14} ){0,3}(?:outlets?|sockets?|plugs?|breakers?|circuits?"
           r"|receptacles?|mains|wall|household|homes?|houses?)(?![a-z]))")),
    ("GB", r"英国|(?<![a-z])(?:uk|united kingdom|britain|england|london|manchester|edinburgh)(?![a-z])|伦敦"),
    ("DE", r"德国|(?<![a-z])(?:germany|deutschland|berlin|munich|hamburg|frankfurt)(?![a-z])|柏林|慕尼黑"),
    ("FR", r"法国|(?<![a-z])(?:france|paris|lyon)(?![a-z])|巴黎"),
    ("RU", r"俄罗斯|(?<![a-z])russia(?![a-z])"),
    ("CA", r"加拿大|(?<![a-z])(?:canada|toronto|montreal|vancouver)(?![a-z])"),
    ("AU", r"澳大利亚|澳洲|(?<![a-z])(?:australia|sydney|melbourne)(?![a-z])|悉尼"),
    ("BR", r"巴西|(?<![a-z])bra[sz]il(?![a-z])"),
    ("AE", r"阿联酋|迪拜|(?<![a-z])(?:uae|dubai|emirates)(?![a-z])"),
    ("SA", r"沙特|(?<![a-z])saudi(?: arabia)?(?![a-z])"),
    ("IR", r"伊朗|(?<![a-z])iran(?![a-z])"),
    ("VN", r"越南|(?<![a-z])vietnam(?![a-z])"),
    ("EU", r"欧盟|欧洲|(?<![a-z])(?:europe|in the eu)(?![a-z])"),
)  # fmt: skip
NO_CLOUD = grammar(
    r"(?:(?<![要用想])(?:不要|不用|不想(?:用)?)|不考虑|不能用|别|不上|no|not|without|avoid|don't want|except)\s?(?:the "
    r"|any |用|上|租)?\s?(?:云|租|cloud|rent\w{0,3})"
    r"|(?:不(?:能|让|许|准|可以|允许|方便|打算|适合)|没法|无法|禁止|严禁)\s?(?:用|上|租|放)?(?:公有|公)?云"
    r"|(?:can't|cannot|can not|must not|mustn't|may not|not allowed|shouldn't|won't|never)(?: to)? (?:be |go |run |use "
    r"|put |leave |live |send |store |it |them |this |any |our |data |anything |for ){0,5}(?:in |on |to |into )?(?:the "
    r"|a |any )?(?:public )?cloud(?![a-z])|(?<![a-z])cloud(?:'s| is) (?:out|off|not|no|forbidden|banned)(?![a-z])"
    r"|(?:数据|文档|资料|代码|文件)[^。,?]{0,6}不(?:能|可以|得|让|允许)?出(?:公司|内网|院|校|厂|门|网|本地|境)"
    r"|(?:只|要)(?:买|自建|本地)|on-?prem(?:ise)?s? only"
    r"|buy only|only buy|must be local|local only"
)
"""Words that rule renting out."""
_INSTANCE = grammar(r"(?<![a-z0-9.])[a-z][a-z0-9]{0,12}(?:[._-][a-z0-9]{1,16}){1,6}(?![a-z0-9])")
_COUNTRY = grammar("|".join(f"(?P<{code.lower()}>{words})" for code, words in _COUNTRIES))


@lru_cache(maxsize=1)
def _provider_names() -> Names:
    return Names("provider", {row.id: (row.name, *row.aliases) for row in providers().values()})


def find_provider(text: str) -> Found[str] | None:
    """The cloud named; names that are ordinary words need a word about renting nearby."""
    mention = next(iter(named_providers(text)), None)
    return Found(mention.ids[0], mention.start, mention.end) if mention else _instance_owner(text)


def _instance_owner(text: str) -> Found[str] | None:
    """The cloud whose instance is named: "p5.48xlarge" is Amazon's."""
    for match in _INSTANCE.finditer(text):
        if (owner := _owners().get(match[0])) is not None:
            return Found(owner, match.start(), match.end())
    return None


@lru_cache(maxsize=1)
def _owners() -> dict[str, str]:
    """Instance type → provider id, of the names that only one cloud uses."""
    clouds = {row.name: row.id for row in providers().values()}
    found: dict[str, set[str]] = {}
    for offer in offers():
        if offer.provider in clouds and _INSTANCE.fullmatch(offer.instance.lower()):
            found.setdefault(offer.instance.lower(), set()).add(clouds[offer.provider])
    return {name: next(iter(owners)) for name, owners in found.items() if len(owners) == 1}


def named_providers(text: str, *, beside: bool = False) -> list[Mention]:
    """Every cloud named, in order; `beside` another one a name that is an ordinary word needs nothing else."""
    found = []
    for mention in _provider_names().scan(text):
        if not mention.exact or len(mention.ids) > 1:
            continue
        before, after = text[max(0, mention.start - 12) : mention.start], text[mention.end : mention.end + 12]
        if mention.text in _WORD_NAMES and not beside and not (_RENTING.search(before) or _RENTING.search(after)):
            continue
        found.append(mention)
    return found


def find_country(text: str) -> Found[str] | None:
    """ISO 3166 code of the first country named (EU for the union)."""
    match = _COUNTRY.search(text)
    if match is None:
        return None
    code = next(code for code, _ in _COUNTRIES if match[code.lower()] is not None)
    return Found(code, match.start(), match.end())
