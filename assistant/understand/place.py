"""Where: a cloud provider by any of its names, a country."""

from functools import lru_cache

from assistant.understand.text import Found, grammar
from kb.catalog import providers
from kb.names import Mention, Names

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
    ("CN", r"国内|中国(?:大陆)?|大陆|内地|境内|(?<![a-z])(?:mainland )?china(?![a-z])|国产|北京|上海|深圳|杭州"),
    ("HK", r"香港|(?<![a-z])hong ?kong(?![a-z])"),
    ("TW", r"台湾|(?<![a-z])taiwan(?![a-z])"),
    ("SG", r"新加坡|(?<![a-z])singapore(?![a-z])"),
    ("JP", r"日本|(?<![a-z])japan(?![a-z])"),
    ("KR", r"韩国|(?<![a-z])(?:south )?korea(?![a-z])"),
    ("IN", r"印度(?!尼)|(?<![a-z])india(?![a-z])"),
    ("US", r"美国|(?<![a-z])(?:in the us(?:a)?|united states|america)(?![a-z])"),
    ("GB", r"英国|(?<![a-z])(?:in the uk|united kingdom|britain|england)(?![a-z])"),
    ("DE", r"德国|(?<![a-z])(?:germany|deutschland)(?![a-z])"),
    ("FR", r"法国|(?<![a-z])france(?![a-z])"),
    ("RU", r"俄罗斯|(?<![a-z])russia(?![a-z])"),
    ("CA", r"加拿大|(?<![a-z])canada(?![a-z])"),
    ("AU", r"澳大利亚|澳洲|(?<![a-z])australia(?![a-z])"),
    ("BR", r"巴西|(?<![a-z])bra[sz]il(?![a-z])"),
    ("AE", r"阿联酋|迪拜|(?<![a-z])(?:uae|dubai|emirates)(?![a-z])"),
    ("SA", r"沙特|(?<![a-z])saudi(?: arabia)?(?![a-z])"),
    ("IR", r"伊朗|(?<![a-z])iran(?![a-z])"),
    ("VN", r"越南|(?<![a-z])vietnam(?![a-z])"),
    ("EU", r"欧盟|欧洲|(?<![a-z])(?:europe|in the eu)(?![a-z])"),
)  # fmt: skip
NO_CLOUD = grammar(
    r"(?:不要|不用|不考虑|不想(?:用)?|不能用|别|不上|no|not|without|avoid|don't want|except)\s?(?:the "
    r"|any |用|上|租)?\s?(?:云|租|cloud|rent\w{0,3})|(?:只|要)(?:买|自建|本地)|on-?prem(?:ise)?s? only"
    r"|buy only|only buy|must be local|local only"
)
"""Words that rule renting out."""
_COUNTRY = grammar("|".join(f"(?P<{code.lower()}>{words})" for code, words in _COUNTRIES))


@lru_cache(maxsize=1)
def _provider_names() -> Names:
    return Names("provider", {row.id: (row.name, *row.aliases) for row in providers().values()})


def find_provider(text: str) -> Found[str] | None:
    """The cloud named; names that are ordinary words need a word about renting nearby."""
    mention = next(iter(named_providers(text)), None)
    return Found(mention.ids[0], mention.start, mention.end) if mention else None


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
