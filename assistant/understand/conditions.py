"""What every card has to meet, when it was said: nothing second-hand, only consumer cards, with ECC, another maker."""

from dataclasses import dataclass

from assistant.understand.makers import WHY_NOT
from assistant.understand.numbers import DIGITS, HAN, scaled
from assistant.understand.text import Found, grammar
from kb.units import GIB
from tools.need import Condition

_NO = (
    r"(?:不要|不用|不能(?:用|有)?|不考虑|不想(?:要|买|用)|不买|不收|不接受|拒绝|除了|避开|别(?:用|给我|(?:再)?(?:给|跟|向)?我?推荐|买)?|排除|谢绝"
    r"|非(?=\s?(?:nv|英伟达|n ?卡))"
    r"|(?<![a-z])(?:no|not|non|without|avoid(?:ing)?|except|excluding|anything but|other than|isn't|aren't|don't want"
    r"|do not want|won't (?:use|buy)|can't (?:use|buy)|refuse to (?:use|buy))(?![a-z]))"
    r"[ -]{0,2}(?:买|用|上|考虑|任何|the |any |use |using |buy |buying )?\s?"
)
_ONLY = (
    r"(?:只(?:要|用|能|考虑|买|想|接受|看|能用|能买|想用|想买)|必须(?:是|用)?|仅(?:限|用|要|考虑)?"
    r"|(?<![a-z])(?:only|just|must be|has to be|have to be)(?![a-z]))"
    r"\s?(?:买|用|是|要|考虑|the |use |buy )?\s?"
)
_CARDS = r"(?:级别?)?(?:的)?\s?(?:显卡|卡|gpus?|cards?)"
_NVIDIA = r"(?:nvidia|英伟达|老黄(?:家)?|n ?卡|n ?家|geforce)"
_USED = (
    r"(?:二手(?:的|货|卡)?|矿卡?|翻新|拆机|洋垃圾|second[- ]?hand|used (?=cards?|gpus?|hardware|stuff|parts?)"
    r"|used(?=[\s,.;!?]|$)|refurb\w{0,8}|pre-?owned)"
)
_CONSUMER = r"(?:消费(?:级)?|游戏|民用(?:级)?|consumer(?:[- ](?:grade|level))?|gaming|geforce)"
_PROFESSIONAL = (
    r"(?:专业(?:级)?|数据中心(?:级)?|服务器级|企业级|data ?cent(?:er|re)|professional|enterprise(?:[- ]grade)?"
    r"|server[- ]grade|workstation)"
)

_DOMESTIC = (
    r"(?<!不要)(?<!不用)(?<!不考虑)(?<!不想用)(?<!不是)(?<!非)(?<!除了)(?:国产(?:的)?\s?(?:ai\s?)?(?:卡|显卡|gpu|npu|算力|芯片|加速卡|替代"
    r"|服务器|硬件|化|方案|平台|设备)|(?<!不)(?<!别)(?:必须|只能|只要|只用|只考虑|得|要|换|换成|换到|改|改成|改用|全|全部|用|上|买|走|限|换用)(?:用|是|上|买|走)?\s?国产"
    r"(?!的?\s?(?:大?模型|软件|开源|数据库|系统|llm))|国产(?:的)?(?=呢|行|能|有|推荐|可以|怎么|咋|$|[,，。?？!])|信创)"
    r"|(?<![a-z])(?:domestic|chinese)(?:[- ]made)? (?:gpus?|accelerators?|ai chips?|cards?|npus?)(?![a-z])"
)
_RULES: tuple[tuple[Condition, str], ...] = (
    ("new", (
        rf"{_NO}{_USED}|(?:要|必须|只要|只买|得是|买)?\s?全新(?:的)?(?:卡|正品|未拆|带保|行货)?(?!架构|一代|升级)"
        rf"|{_ONLY}(?:新卡|新的|正规渠道)|(?<![a-z])(?:brand[- ]new|new (?:cards?|hardware|gpus?|parts?|only)"
        r"|only new|buy(?:ing)? new|all new)(?![a-z])"
    )),
    ("consumer", (
        rf"{_ONLY}{_CONSUMER}|{_CONSUMER}{_CARDS}?\s?(?:就行|即可|就可以|就好|就够|优先|only|is fine|are fine)"
        rf"|{_NO}{_PROFESSIONAL}{_CARDS}"
    )),
    ("professional", (
        rf"(?:{_ONLY}|要|需要){_PROFESSIONAL}{_CARDS}|{_NO}{_CONSUMER}{_CARDS}"
    )),
    ("ecc", (
        r"(?<!不)(?<!不需)(?<!没)(?<!无)(?:要|需要|必须|带|有|支持|得有)(?:有|带|支持|是)?\s?ecc"
        r"(?![^。?!,，\n]{0,6}(?:吗|么|不$|有必要))"
        r"|(?<![a-z])(?:needs?|with|must have|requires?|want|has to have|require) (?:the |to have )?ecc(?![a-z])"
        r"|ecc (?:is )?(?:required|mandatory|a must|needed)|ecc\s?(?:显存|内存)?(?:是)?(?:必须|硬性|刚需|要求)"
    )),
    ("not_nvidia", rf"{_NO}{_NVIDIA}(?![^。?!,，\n]{{0,4}}(?:驱动|driver|docker|容器|toolkit))"),
    ("amd", rf"{_ONLY}(?:amd|radeon|a ?卡|农企)"),
    ("chinese", _DOMESTIC),
    ("nvidia", rf"{_ONLY}{_NVIDIA}|{_NO}(?:amd|a ?卡|国产)(?:的)?(?:卡|显卡)"),
)  # fmt: skip
_PATTERNS = tuple((name, grammar(rule)) for name, rule in _RULES)
_OPPOSITES = (
    ("not_nvidia", "nvidia"), ("amd", "nvidia"), ("chinese", "nvidia"), ("chinese", "amd"),
    ("consumer", "professional"),
)  # fmt: skip


def find_conditions(text: str) -> Found[tuple[Condition, ...]] | None:
    """Every condition the words state, each once, in the order of the rules."""
    plain = WHY_NOT.sub(lambda asked: " " * len(asked[0]), text)
    matches = {name: match for name, rule in _PATTERNS if (match := rule.search(plain)) is not None}
    if not matches:
        return None
    first = min(matches.values(), key=lambda match: match.start())
    return Found(tuple(matches), first.start(), first.end())


_MOST = grammar(
    rf"(?P<n>{DIGITS}|{HAN}|单|双)\s?(?:张|块|卡)(?:卡|显卡)?\s?(?:以内|之内|封顶|以下|内|就够|搞定)"
    rf"|(?:不(?:要)?(?:超过|多于|大于)|最多(?:只能)?(?:插|装|上|用|放)?|不能超过|顶多|上限)\s?(?P<m>{DIGITS}|{HAN})\s?(?:张|块|卡)"
    r"|(?<![a-z])(?:at most|no more than|max(?:imum)?(?: of)?|up to) (?P<e>one|two|three|four|six|eight|\d{1,3})"
    r" (?:gpus?|cards?)"
    r"|(?:best|cheapest|good|right|which|what|strongest|fastest) (?:\w{1,12} )?(?P<o>single)[- ](?:gpu|card)(?![a-z])"
    r"|(?:最好|最强|最便宜|推荐|选|买|哪)(?:的|一?张|款|个)?(?P<p>单)(?:张)?卡"
)
_ONE_OR_TWO = {"单": 1, "双": 2, "single": 1}


def find_most_cards(text: str) -> Found[int] | None:
    """The most cards there may be, where a limit is stated."""
    if (match := _MOST.search(text)) is None:
        return None
    said = match["n"] or match["m"] or match["e"] or match["o"] or match["p"]
    number = _ONE_OR_TWO.get(said) or scaled(said, None)
    return Found(int(number), match.start(), match.end()) if number and number >= 1 else None


_GB = r"(?P<{}>\d{{1,3}})\s?-?g(?:i?b)?(?![a-z0-9])"
_SIZED_CARD = r"\s?(?:的)?\s?(?:大)?\s?(?:显存|v?ram|memory)?\s?(?:的)?\s?(?:显?卡|gpus?|cards?|ones?)(?![a-z])"
_CARD_MEMORY = grammar(
    rf"(?:只(?:要|考虑|看|接受|买|想要|想买|能买)|仅(?:限|考虑|要)|必须(?:是|用|买)?|限定?)\s?{_GB.format('a')}(?:{_SIZED_CARD}"
    r"|\s?(?:的)\s?(?=$|[,。;!]))"
    rf"|(?<!have )(?<!got )(?<!with )(?<!own )(?<![a-z])(?:only|just|must be|has to be|have to be|stick to|limited to)"
    rf" (?:the |use |buy |consider |want )*{_GB.format('b')}{_SIZED_CARD}"
    rf"|{_GB.format('c')} ?(?:v?ram )?(?:cards?|gpus?) only(?![a-z])"
    rf"|(?<![a-z])rent\w{{0,3}} (?:me )?(?:an? |one |some |something with )?{_GB.format('d')}(?:{_SIZED_CARD})?"
    rf"|租(?:\s?(?:{DIGITS}|{HAN})?\s?[张块台个])?\s?(?:有)?{_GB.format('e')}(?:{_SIZED_CARD}|\s?显存)"
)
_CARD_LEAST = grammar(
    rf"(?:单卡|每张卡?|每卡)\s?(?:显存)?(?:至少|不低于|不小于|不少于|最少|起码|大于等于|>=|≥)(?:有|要|是)?\s?{_GB.format('a')}"
    rf"|{_GB.format('b')}\s?(?:显存)?\s?(?:或|及)?(?:以上|起步?)\s?(?:显存)?\s?的?\s?(?:单卡|显?卡|gpu)"
    rf"|(?<![a-z])(?:cards?|gpus?) with (?:at least|a minimum of|no less than|more than) {_GB.format('c')}"
    rf"|at least {_GB.format('d')} (?:of )?(?:v?ram |memory )?(?:per|on each|on a single|on one|each) ?(?:card|gpu)?"
    rf"|{_GB.format('e')} ?(?:\+|or (?:more|larger|bigger))(?: of)? ?(?:v?ram )?"
    r"(?:cards?|gpus?|per card|per gpu)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class CardMemory:
    """Bytes that every card has to have, binary as on the box."""

    least_bytes: int
    most_bytes: int | None
    """Null where more is as good."""


def find_card_memory(text: str) -> Found[CardMemory] | None:
    """The memory that the cards have to have where it is a condition: "only 24 GB cards", 「租一张 80G 的卡」."""
    for rule, exact in ((_CARD_MEMORY, True), (_CARD_LEAST, False)):
        if match := rule.search(text):
            size = next(int(one) for one in match.groups() if one) * GIB
            return Found(CardMemory(size, size if exact else None), match.start(), match.end())
    return None


def joined(before: tuple[Condition, ...], now: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """What was stated before and what is now; of opposites the later one."""
    lifted = {two for pair in _OPPOSITES for one, two in (pair, pair[::-1]) if one in now}
    return tuple(dict.fromkeys(name for name in (*before, *now) if name not in lifted))
