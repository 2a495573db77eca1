"""How much work: context, concurrency, users, data, targets and deadlines."""

import re
from dataclasses import dataclass

from assistant.understand.dataset import find_dataset
from assistant.understand.growth import grown
from assistant.understand.latency import find_latency
from assistant.understand.lengths import find_exchange, tokens
from assistant.understand.numbers import AMOUNT, DIGITS, HAN, scaled
from assistant.understand.text import Found, grammar, masked
from assistant.understand.until import find_until
from kb.units import DAY_S, HOUR_S

_LENGTH = rf"(?P<n>{DIGITS}|{HAN})\s?(?P<s>k|m|万|千|million)?(?![a-z0-9])"
_CONTEXT_WORD = (
    r"(?:context(?:[-_ ](?:length|window|size|len))?|ctx(?:[-_ ](?:size|len))?|上下文(?:长度|窗口)?"
    r"|max[-_]model[-_]len|max[-_](?:seq(?:uence)?[-_])?len(?:gth)?|max[-_]context[-_]len\w{0,3}"
    r"|max[-_]input[-_]len\w{0,3}|max[-_ ]position\w{0,11}|n[-_]ctx|num[-_]ctx|cutoff(?:[-_ ]len(?:gth)?)?"
    r"|model[-_]max[-_]length|max[-_ ]?(?:sequence|seq)[-_ ]?len(?:gth)?|seq(?:uence)?[-_ ]?len(?:gth)?"
    r"|block[-_]size|(?<![a-z])seq(?![a-z])|序列(?:长度)?|文本长度|长度|句长|length|contexto|contexte"
    r"|kontext|контекст[а-я]{0,3}|컨텍스트|コンテキスト(?:長)?)"
)
_CONTEXT_AFTER = grammar(
    rf"(?<![a-z0-9.$¥€£]){_LENGTH}\s?(?:tokens?)?\s?(?:的|of |max |maximum |long |长|左右的?|token)?\s?{_CONTEXT_WORD}"
)
_CONTEXT_BEFORE = grammar(
    rf"{_CONTEXT_WORD}['\"]?\s{{0,3}}(?:[:=(为是到开设用约才仅就只给限的了]|想开|设为|设成|拉到|开到|达到|up to|at"
    rf"|of|de|von|из|в|is|to|around|about|~|只有|要|能到|最长|拉满){{0,3}}\s{{0,3}}{_LENGTH}(?!\s?(?:倍|%))"
)
_CONTEXT_LOOSE = grammar(
    r"(?<![a-z0-9.$¥€£\-])(?P<n>\d{1,4}(?:\.\d)?)\s?(?P<s>k"
    r"|m)(?![a-z0-9])\s?(?!tokens?\s?(?:/|per|a|each|every|一|每)\s?(?:day|month|week|year|hour|天|日|月|周|年))"
    r"(?:tokens?(?! (?:of (?:data|text)|dataset))|长文本|的?文档|input|prompt|长"
    r"|window)?"
)
_OPENED = grammar(
    rf"(?:开(?:到|满|足|启|个)?|拉到|拉满|调到|设到|撑到|跑到|跑满|用到|用满|顶到)\s?(?:了|个)?\s?(?P<n>{DIGITS})\s?(?P<s>k)"
    r"(?![a-z0-9])(?!\s?(?:路|并发|用户|请求|步|条|张|分辨率|画质))"
)
"""A length that a context is opened to without being called one: 「开 128K 够几个人用」."""
_TOKENS_SAID = grammar(
    r"(?<![a-z])(?:with|at) (?P<n>\d{3,6})(?P<s>)[- ]tokens?(?![a-z/])(?!\s?(?:per|/|a second|output|out|answers?|of))"
)
_FLAG_C = grammar(r"(?<![a-z0-9-])-c\s{1,3}(?P<n>\d{3,8})(?P<s>)")
_CONCURRENT = (
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>k|万|千)?\s?\+?(?:个|路|条|的)?\s?(?:并发|同时(?:请求|在线|访问"
        rf"|使用|用)|路(?:并发|同时|请求)?(?!由|径|线))"),
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>k|thousand|million)?\s?\+?(?:\s?(?:-|~"
        rf"|to)\s?\d{{1,7}})?\s?(?:simultaneous|concurren(?:t|cy)|parallel|at once|at the same time|in parallel"
        rf"|active)(?:\s?(?:ly))?\s?(?:requests?|users?|sequences?|sessions?|prompts?|streams?|chats?"
        rf"|connections?|people|clients?|callers?|calls?)?"),
    grammar(
        rf"(?:并发(?:量|数|用户|请求)?|concurren(?:cy|t requests?|t users?|t sequences?)"
        rf"|parallel requests|--parallel)\s{{0,3}}(?:[:=为是到约达要开设跑按]|of"
        rf"|at(?!\s?\d{{1,4}}k)"
        rf"|is|大概|最多|数|:){{0,2}}\s{{0,3}}(?P<n>{DIGITS}|{HAN})\s?(?P<s>k|万|千)?(?![a-z0-9]|\s?(?:gb?"
        rf"|卡|张|context|ctx|tokens|上下文))"),
    grammar(
        rf"并发(?:(?!上下文|长度|context)[^。?!\n\d]){{0,8}}?(?:到|上|撑|做|开|有)(?:得?[到了])?\s?(?P<n>{DIGITS})\s?(?P<s>k|万|千)?"
        r"(?![a-z0-9.]|\s?(?:gb?|卡|张|%|台|秒|ms|tok|上下文))"),
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>k|万|千)?\s?(?:个|位|名)?(?:人|用户|同事|员工|学生|医生|老师|律师"
        rf"|工程师|客服|坐席|研发|程序员|people"
        rf"|users?|requests?|prompts?|streams?)\s?(?:能|要|会|可以)?(?:同时|一起|并发|concurrently"
        rf"|simultaneously|at once|at the same time|in parallel)"),
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>k|thousand)?\s(?:users?|people|sessions?) "
        r"(?:are )?(?:active|online)(?![a-z])"),
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>k|thousand)?(?: of them)?(?: \w{{1,10}}){{1,6}} "
        rf"(?:at once|simultaneously|concurrently|at the same time|in parallel|at any (?:one |given )?(?:time|moment)"
        rf"|at peak)"),
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>k|thousand)?\s?(?:users?|people|clients?|devs?|developers?|engineers)"
        r"(?: \w{1,10}){0,2} (?:hit(?:s|ting)?|hammer(?:s|ing)?|pound(?:ing)?|slam(?:ming)?|bang(?:ing)?)"
        r"(?: on)?(?![a-z])"),
    grammar(rf"(?:同时)?在线(?:人数|用户)?\s?(?:大概|大约|约|有|是|最多|峰值)?\s?(?P<n>{AMOUNT})\s?(?P<s>k|万"
        rf"|千)?(?![a-z0-9])"),
    grammar(
        rf"同时(?:在线)?(?:有|会有|支持|给|供|服务|在线|跑|处理|使用|用)?(?:大概|大约|约|可能|最多|差不多)?\s?(?P<n>{AMOUNT})\s?(?P<s>k|万|千)?\s?(?:个|位|名|路"
        rf"|条)?(?:人|用户|请求|会话|路|并发|同事)"),
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{DIGITS})\s?(?P<s>k)?\s?(?:requests?|sessions|streams|callers|channels)(?![a-z])"
        r"(?! ?(?:/|per|every"
        rf"|each|a (?:second|minute|day)|每))"),
)  # fmt: skip
_USERS = (
    grammar(
        rf"(?<![a-z0-9.])(?P<n>{AMOUNT})\s?(?P<s>k|万|千|thousand|million|m)?\s?(?:多|来|\+)?(?:个|位|号"
        rf"|名)?\s?(?:daily |active |registered |internal |total |monthly |潜在|注册|日活|内部)?(?:users?"
        rf"|用户|人(?!民|工|机|脸|声|物|体|\s?\d{{1,4}}\s?g)|people|employees|员工|同事|developers?|学生|students|客户"
        rf"|customers|colleagues|coworkers|engineers|dau|研发|程序员|analysts|clients|devs?|lawyers|doctors|teachers"
        rf"|staff|persons?|seats|researchers"
        rf"|律师|医生|老师|工程师|设计师|客服(?!机器人|系统|助手|场景|问答)|坐席|师生|教师|医师|会计|编辑|科研人员)(?![a-z])"),
    grammar(
        rf"(?:用户(?:数|量)?|日活|dau|users|(?:team|office|company|lab|firm|group|class|clinic|school|start-?up"
        rf"|agency|business|practice|studio|department|staff|crew|family) of|团队|user base of)\s?(?:约|大概|为|是|有|:"
        rf"|=|of)?\s?(?P<n>{DIGITS}|{HAN})\s?(?P<s>k|万|千|m)?(?![a-z0-9]|\s?(?:gb?|卡|张|b\b))"),
    grammar(rf"(?<![a-z0-9.])(?P<n>{AMOUNT})(?P<s>k)?-(?:person|people|member|employee|lawyer|engineer|seat)(?![a-z-])"),
)  # fmt: skip
_EACH_HAS = grammar(
    r"(?<![a-z0-9.$])\d{1,4}(?:\.\d)?\s?k\s?(?:-?tokens?|context|ctx|prompts?|of context)?"
    r"\s?(?:each|apiece|per (?:user|person|head))(?![a-z])"
    r"|(?:each|every one)(?: of them)?(?: \w{1,10}){0,3} \d{1,4}\s?k(?![a-z0-9])"
    r"|(?:每(?:个)?(?:人|用户|位)|人均)[^,。;?!\d]{0,8}\d{1,4}\s?[k千万]"
)
"""Words for the length that each of several people has."""
TOGETHER_MOST = 16
"""People of whom all are taken to be there at once, where what each of them has is said."""
_ALONE = grammar(
    r"(?<![a-z])(?:just|only) (?:for )?(?:me|myself|one (?:user|person)|a single (?:user|person))(?![a-z])"
    r"|(?<![a-z])(?:for|by) (?:myself|my own use|personal use)(?![a-z])|(?<![a-z])i(?:'m| am) the only (?:user|one)"
    r"|(?<![a-z])single[- ](?:user|stream|request)(?![a-z])|(?<![a-z])(?:one|1) request(?: at a time)?(?![a-z])"
    r"|(?<![\d一二两三四五六七八九十百千万几多半])一个人(?:自己)?(?:用|玩|使用)|(?:就|只有|仅)我(?:一个人|自己)?(?:用|玩|使用)"
    r"|个人自用|自己(?:一个人)?(?:用|玩)(?=[,。;!?\s]|就|的话|而已|$)|(?<![a-z])自用"
    r"|单(?:个)?(?:用户|并发|请求|路|人)(?!多)|(?:一个|一条|1个|1 ?路|一路)(?:并发|请求|对话)(?!\s?[多要占用需])"
)
"""One person, or one request at a time."""
_DURATION = {
    "second": 1.0, "sec": 1.0, "秒": 1.0, "minute": 60.0, "min": 60.0, "分": 60.0, "hour": HOUR_S, "hr": HOUR_S,
    "h": HOUR_S, "小时": HOUR_S, "day": DAY_S, "天": DAY_S, "日": DAY_S, "week": 7 * DAY_S, "周": 7 * DAY_S,
    "星期": 7 * DAY_S,
    "month": 30 * DAY_S, "月": 30 * DAY_S,
}  # fmt: skip
_SPAN = r"(?P<u>seconds?|sec|秒|minutes?|mins?|分钟?|hours?|hrs?|h(?![a-z])|小时|days?|天|日|weeks?|周|星期|months?|月)"
_DEADLINE = (
    grammar(
        rf"(?<![a-z])(?:in|within|under|less than|by|inside|deadline of|deadline:?)\s(?:about "
        rf"|around )?(?P<n>{AMOUNT}|a|an)\s?{_SPAN}"
    ),
    grammar(rf"(?P<n>{AMOUNT})\s?个?{_SPAN}\s?(?:之内|以内|内|里)(?!存)"),
    grammar(rf"(?<![<=])[<≤]\s?=?\s?(?P<n>{DIGITS})\s?{_SPAN}(?![a-z])"),
    grammar(rf"how many[^?.!\n]{{0,40}}\sfor\s(?P<n>{AMOUNT})\s?{_SPAN}"),
    grammar(rf"(?:by tomorrow|by noon|by tonight|overnight|deadline|due)[^.?!\n]{{0,20}}\((?P<n>{AMOUNT})\s?{_SPAN}\)"),
    grammar(rf"(?:一晚上?|一夜|今晚|明早|明天)[^,。?!\n]{{0,6}}\((?P<n>{AMOUNT})\s?个?{_SPAN}\)"),
    grammar(rf"(?P<n>{AMOUNT})\s?个?{_SPAN}\s?(?:能|可以|够)(?:不能|不够)?(?:训|跑|做|练)完"),
    grammar(rf"(?P<n>{AMOUNT})\s?个?{_SPAN}\s?(?:训完|训练完|跑完|做完|搞定|要?出结果)"),
)
_TARGET_SPEED = grammar(
    rf"(?:at least|>=?|≥|minimum|min|want|need|target|goal of|over|不低于|至少|要求|达到|要有?|希望"
    rf"|大于|目标)\D{{0,10}}?({DIGITS})\s?(?:\+\s?)?(?:tok(?:en)?s?\s?(?:/|per|每)\s?(?:s|sec|second"
    rf"|秒)|t/s|tps)"
    rf"|({DIGITS})\s?\+\s?(?:tok(?:en)?s?\s?(?:/|per)\s?(?:s|sec|second)(?![a-z])|t/s|tps)"
    rf"|({DIGITS})\s?\+?\s?(?:tok(?:en)?s?\s?/\s?s(?:ec)?|t/s|tps|token/秒|token每秒)\s?(?:以上|or more"
    rf"|\+|minimum|at least|起)"
    rf"|(?:想要?|要|希望|至少|达到)[^。?!\n]{{0,6}}?(?:每秒|一秒)\s?({DIGITS})\s?个?\s?(?:tok|字)"
    rf"|(?:每秒|一秒)\s?({DIGITS})\s?个?\s?(?:tok\w{{0,3}}|字)\s?(?:以上|起)"
    rf"|(?:tok\w{{0,3}}|速度|出字|生成)[^。?!,\n\d]{{0,10}}(?:每人|每路|单路|每个人|每个用户|人均)[^。?!,\n\d]{{0,4}}?(?:至少|不低于|要|保证|≥)\s?({DIGITS})"
    rf"(?!\s?(?:人|个人|路|并发|%|万|k))|(?:每人|每路|单路|人均)[^。?!,\n\d]{{0,4}}(?:至少|不低于|要|保证)\s?({DIGITS})\s?(?:tok|t/s)"
)
_PACE = r"(?:tok(?:en)?s?\s?(?:/|per|每|a)\s?(?:s(?![a-z])|sec(?:ond)?|秒)|t/s|tps)"
_EACH_PACE = (
    grammar(
        rf"({DIGITS})\s?\+?\s?{_PACE}\s?(?:for )?(?:each|apiece|per (?:user|person|head|stream|request|session))"
        r"(?![a-z])"
    ),
    grammar(rf"(?:each|per (?:user|person|stream))(?![a-z])[^.?!\n\d]{{0,12}}({DIGITS})\s?\+?\s?{_PACE}"),
    grammar(
        rf"(?:每人|每路|每个(?:人|用户|请求)|每位|单路|人均)[^。?!,\n\d]{{0,6}}({DIGITS})\s?(?:{_PACE}|(?:个)?字/秒)"
    ),
)
"""A pace that each of several is to have."""
_MEASURED = grammar(
    r"(?<![a-z])(?:get(?:s|ting)?|got|gives?|giving|see(?:ing)?|only|measured?|currently|now|reach(?:es)?|runs?|is)(?![a-z])"
    r"|实测|只有|才|跑出|目前|现在|得到|测得|降到|掉到"
)
"""Words before a pace that is one's own already."""
_SERVED_MOST = 10**9


@dataclass(frozen=True, slots=True)
class Load:
    """What was said about the amount of work."""

    context: Found[int] | None = None
    users: Found[int] | None = None
    concurrent: Found[int] | None = None
    dataset: Found[int] | None = None
    deadline_s: Found[float] | None = None
    tokens_per_s: Found[float] | None = None
    latency_s: Found[float] | None = None
    today: Found[int] | None = None
    """The load there is now, where the one to come is larger."""


def find_load(text: str) -> Load:
    """Everything about load in the masked text."""
    now = _largest_context_free(_CONCURRENT, text), _number(_USERS, text)
    concurrent, users = grown(now[0], text, "concurrent"), grown(now[1], text, "users")
    today = next((one for one, later in zip(now, (concurrent, users), strict=True) if later and one != later), None)
    if users and not concurrent and users.value <= TOGETHER_MOST and _EACH_HAS.search(text):
        concurrent = users
    if concurrent and users and users.start >= concurrent.start and users.end <= concurrent.end + 4:
        users = None
    if not (concurrent or users) and (alone := _ALONE.search(text)):
        users = Found(1, alone.start(), alone.end())
    dataset = find_dataset(text)
    if dataset:
        text = masked(text, [(dataset.start, dataset.end, " ")])
    return Load(
        context=find_context(text),
        users=users,
        concurrent=concurrent,
        dataset=dataset,
        deadline_s=_deadline(text),
        tokens_per_s=_target_speed(text),
        latency_s=find_latency(text),
        today=today,
    )


def find_context(text: str) -> Found[int] | None:
    """The longest sequence spoken of; input and output add up."""
    if both := find_exchange(text):
        return both
    found = []
    for rule in (_CONTEXT_BEFORE, _CONTEXT_AFTER, _OPENED, _FLAG_C, _TOKENS_SAID, _CONTEXT_LOOSE):
        for match in rule.finditer(text):
            value = tokens(match["n"], match["s"])
            if value and value >= 64 and not _no_context(text, match, loose=rule is _CONTEXT_LOOSE):
                found.append(Found(value, match.start(), match.end()))
    for match in (*_INPUT.finditer(text), *_EACH_REQUEST.finditer(text)):
        said = match.groupdict()
        value = tokens(match["n"] or said.get("n2") or said["n3"], match["s"] or said.get("s2"))
        if value and value >= 64:
            found.append(Found(value, match.start(), match.end()))
    for match in _LONG_SAMPLE.finditer(text):
        value = tokens(match[1], None)
        if value:
            found.append(Found(value, match.start(), match.end()))
    return max(found, key=lambda f: f.value, default=None)


_INPUT = grammar(
    rf"(?:输入|提示词|文档|prompts?|inputs?|documents?)\s?(?:长度|大概|大约|约|有|是|为|了|of|are|is|up to|around"
    rf"|about|:)?\s?"
    rf"(?P<n>{DIGITS}|{HAN})\s?(?P<s>k|m|万|千)?\s?(?:个)?\s?(?:tokens?|字|长)(?!/)"
)
_EACH_REQUEST = grammar(
    rf"(?:每(?:个|条|次|路)?(?:请求|用户|会话|对话|人|路)|per (?:request|user|session|conversation)|each (?:request"
    rf"|user|one)?)"
    rf"\s?(?:约|大概|平均|带|at|with|of|about)?\s?(?P<n>{DIGITS})\s?(?P<s>k|千|万)(?![a-z0-9])"
    rf"|(?<![a-z0-9.$])(?P<n2>{DIGITS})\s?(?P<s2>k)\s?(?:tokens? )?(?:each|per (?:request|user|session))(?![a-z])"
    rf"|(?<![a-z0-9.$])(?P<n3>\d{{3,7}})\s?tokens? (?:each|per (?:request|user|session|sequence))(?![a-z])"
)
_LONG_SAMPLE = grammar(
    rf"(?:max|longest|最长|最大)\s?(?:sample|prompt|input|样本|输入)?\s?(?:is |of |为"
    rf"|是)?\s?({DIGITS})\s?(?:个 ?)?tokens?"
)
_DATA_AROUND = grammar(
    r"条|对|句|samples?|examples?|pairs|rows|steps?|步|stars?|数据|\$|¥|元|预算|budget|hours?|users?|用户|人"
    r"|images?|张|iops|resolution|分辨率|视频|video|屏|画质|帧|fps|显示器|display"
)


_COUNTED_THINGS = grammar(
    r"\s?(?:[a-z-]{2,14} ){0,2}(?:pages|pdfs?|docs|documents|files|articles|tickets|e-?mails|contracts|papers|chunks"
    r"|vectors|embeddings|passages|paragraphs|texts|sentences|comments|titles|descriptions|records|entries|products|items|photos|pictures|images|pics|imgs|scans|screenshots"
    r"|receipts|labels|captions|thumbnails|calls|quer(?:y|ies)|questions"
    r"|messages|reviews|tweets|posts|reports|invoices|books|customers|employees|students|requests|clips|tracks"
    r"|recordings|conversations|chats|tasks|jobs)(?![a-z])"
)
"""What makes the number before it a count: "500k pdf pages", "40k support tickets"."""


_DATA_AFTER = grammar(
    r"\s?(?:[a-z][a-z0-9-]{0,15} ){0,3}"
    r"(?:samples|examples|rows|pairs|instructions|conversations|dialogues|images|records)(?![a-z])"
)
"""What a number counts when the data are named between: "52k alpaca samples"."""


def _no_context(text: str, match: re.Match[str], *, loose: bool) -> bool:
    """12k samples, 500k pages, 4K frames and $20k are no lengths."""
    after = text[match.end() : match.end() + 8]
    if not loose:
        return False
    if _COUNTED_THINGS.match(text, match.end()):
        return True
    said_tokens = "token" in match[0] or "ctx" in after or "长" in match[0] or "window" in match[0]
    before = text[max(0, match.start() - 8) : match.start()]
    if match["s"] == "m" and not said_tokens:
        return True
    if _DATA_AROUND.search(after) or _DATA_AFTER.match(text, match.end()) or _DATA_AROUND.search(before[-4:]):
        return True
    return not said_tokens and (tokens(match["n"], match["s"]) or 0) < 2000


def _number(rules: tuple[re.Pattern[str], ...], text: str) -> Found[int] | None:
    for rule in rules:
        for match in rule.finditer(text):
            value = scaled(match["n"].strip().removeprefix("a "), match["s"])
            if value and 1 <= value <= _SERVED_MOST and value == int(value):
                return Found(int(value), match.start(), match.end())
    return None


def _largest_context_free(rules: tuple[re.Pattern[str], ...], text: str) -> Found[int] | None:
    return _number(rules, text)


def _deadline(text: str) -> Found[float] | None:
    for rule in _DEADLINE:
        for match in rule.finditer(text):
            value = scaled(match["n"], None)
            unit = next(seconds for name, seconds in _DURATION.items() if match["u"].startswith(name))
            if value and value * unit >= HOUR_S / 6:
                return Found(value * unit, match.start(), match.end())
    return find_until(text)


def _target_speed(text: str) -> Found[float] | None:
    match = _TARGET_SPEED.search(text) or _each_pace(text)
    value = scaled(next(filter(None, match.groups())), None) if match else None
    return Found(value, match.start(), match.end()) if match and value else None


def _each_pace(text: str) -> re.Match[str] | None:
    """A pace wanted for each of several, not one that was measured."""
    found = (match for rule in _EACH_PACE for match in rule.finditer(text))
    return next((one for one in found if not _MEASURED.search(text[max(0, one.start() - 24) : one.start()])), None)
