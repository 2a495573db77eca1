"""The words that say how much there is to do where work is not counted in tokens, and those that ask how long it takes.

A later turn does not repeat them: "2M images on an H100, what does it cost?", "and how long?" They stand in the Need as
they were said, and are read again with the words of the turn.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.understand import like_prices
from assistant.understand.turn import Reading
from assistant.understand.usage import NIGHT_H
from assistant.understanding import Asked
from kb.catalog import models
from kb.units import DAY_S, HOUR_S
from tools.need import Need

READ = ("embedding", "reranker", "encoder")
_NUMBER = (
    r"(?P<n>\d[\d,]*(?:\.\d+)?|[一二两三四五六七八九十百]{1,6}(?=[千万亿 ]|\s?[张篇条个段份小]))\s?"
    r"(?P<s>k|m|bn?|thousand|million|billion|百万|千万|万|千|亿)?(?![a-z0-9])\s?"
)
SCALES = {
    None: 1, "k": 1e3, "thousand": 1e3, "千": 1e3, "万": 1e4, "m": 1e6, "million": 1e6, "百万": 1e6, "千万": 1e7,
    "亿": 1e8, "b": 1e9, "bn": 1e9, "billion": 1e9,
}  # fmt: skip
IMAGES = re.compile(
    r"(?<![a-z0-9.])(?!\d+\.\d+ ?b? ?(?:clip|video|image|pict|photo|pic|frame|sample))(?!\d+b )"  # a version, a size
    + _NUMBER
    + r"(?:(?:sd\S{0,8}|flux\S{0,12}|(?:wan|ltx|hunyuan|cogvideo|mochi|qwen)\S{0,8}(?: \d\.\d)?"
    r"(?: \d{1,2}(?:\.\d)?b)?|image|dev|schnell|turbo|product|stock|synthetic|high-res|4k|hd|1k|new|short) ){0,2}"
    r"(?:images?|pictures?|photos?|pics?|clips?|videos?|frames?|samples?"
    r"|(?:张|幅|个|条|段)\s?(?:的?\s?)(?:图|照|海报|插画|视频|样本|训练图)|(?<=[千万亿])\s?张(?!\s?(?:卡|显卡|gpu)))"
    r"(?!\s?(?:/|per|each|a) ?(?:s|sec|min|h|day))",
    re.I,
)
COUNTED_OUT = re.compile(
    _NUMBER + r"(?:张|条|个|段|幅|支|部)(?!\s?(?:卡|显卡|gpu|人|用户|并发|请求|路|小时|月|点))", re.I
)
AUDIO = re.compile(
    _NUMBER + r"(?P<u>hours?|hrs?|h|小时|个小时|minutes?|mins?|分钟|天|days?)\s?(?:的|of )?\s?"
    r"(?:\w{1,12} ){0,2}?(?:audio|speech|recordings?|podcasts?|calls?|meetings?|录音|音频|语音|会议|播客|视频|通话)",
    re.I,
)
AUDIO_NAMED = re.compile(
    _NUMBER + r"(?:audio|speech|call[- ]?cent(?:er|re)|podcast|meeting|lecture|interview|recording|video)s?[- ]"
    r"(?P<u>hours?|hrs?|minutes?|mins?)(?![a-z])",
    re.I,
)
AUDIO_PLAIN = re.compile(r"(?<!in )(?<!within )(?<!every )" + _NUMBER + r"(?P<u>hours?|hrs?|个?小时)(?![a-z]|内)", re.I)
WRITTEN_DOWN = re.compile(r"transcri\w*|caption|subtitle|转写|转录|转文字|听写|字幕", re.I)
"""Words that make hours those of what is listened to."""
DOCUMENTS = re.compile(
    _NUMBER
    + r"(?:(?:pdf|web|text|wikipedia|product|news|legal|short|long|scanned|academic|customer|support|user|job|medical"
    r"|forum|call|chat|movie|research) )?"
    r"(?:(?!(?:gpus?|cards?|for|to|with|of|in|on|and|or|per|users?|tokens?|requests?|million|billion|k|x)\b)"
    r"[a-z][a-z-]{2,13} )?"
    r"(?:documents?|docs?|texts?|passages?|chunks?|paragraphs?|pages?|articles?|records?|sentences?|reviews?|e-?mails?|tickets?|comments?|tweets?|posts?|pdfs?"
    r"|descriptions?|listings?|abstracts?|papers?|contracts?|resumes?|cvs?|transcripts?|messages?|titles?|headlines?|posts?|篇"
    r"|(?:个|条|段|份)\s?(?:文档|文本|文章|数据|片段|段落|记录|chunk)|文档|条(?!件)"
    r"|句(?:话|子)?|(?:条|封)\s?(?:评论|邮件|工单|短信|留言)"
    r"|(?:个|条|份)\s?(?:商品|产品|岗位)?(?:描述|标题|文案|合同|简历|摘要|弹幕)"
    r"|次\s?(?:\w{0,12}\s?)?(?:请求|调用|查询|向量化|检索))",
    re.I,
)
QUERIES = re.compile(
    r"(?P<r>\d+(?:\.\d+)?)\s?(?:tps|qps|rps"
    r"|(?:queries|requests|reqs?|searches|calls|次|个?请求|个?查询)\s?(?:/|per |每|a )\s?(?:s|sec|second|秒)(?![a-z]))"
    r"|每秒\s?(?P<q>\d+(?:\.\d+)?)\s?(?:次|个?请求|个?查询|条?请求|qps)",
    re.I,
)
A_DAY = re.compile(r"每天|一天|per day|a day|daily|/day", re.I)
NIGHTLY = re.compile(r"每(?:天)?(?:个)?(?:晚上?|夜里?)|per night|each night|every night|nightly", re.I)
"""Words of work that comes every night, and has a night to be done in."""
PERIODS = (
    (NIGHTLY, NIGHT_H * HOUR_S),
    (A_DAY, DAY_S),
    (
        re.compile(r"每周|每星期|一周(?![之以]?内)|per week|(?<!in )(?<!within )a week|weekly|/ ?w(?:ee)?k\b", re.I),
        7 * DAY_S,
    ),
    (
        re.compile(
            r"每个?月|一个?月(?![之以]?内)|per month|(?<!in )(?<!within )a month|monthly|each month|every month"
            r"|/ ?mo(?:nth)?\b",
            re.I,
        ),
        30 * DAY_S,
    ),
)
"""Words that say how often as much work comes again, and the seconds between."""
CAMERAS = re.compile(
    r"摄像|相机|监控|视频流|路\s?(?:\d{3,4}p)?\s?视频|(?<![a-z])(?:cameras?|cctv|video (?:streams?|feeds?))", re.I
)
"""Words for pictures that come from cameras."""
LIVE = re.compile(
    r"实时|流式|在线转写|电话|通话|坐席|直播|\blive\b|real.?time|stream(?:s|ing|ed)?\b|\bcalls?\b|phone", re.I
)
"""Words for speech that is heard as it is spoken: each line brings a second of it every second."""
EACH = re.compile(r"(?<![\d.])(?P<n>\d{1,5}(?:\.\d)?)\s?(?P<k>k)?\s?(?:个)?\s?-?(?:tokens?|tok|字)(?![a-z]|\s?/)", re.I)
STEPS = re.compile(r"(?<!\d)(\d{1,3})\s?(?:-?steps?|步)(?![a-z])", re.I)
LASTS = re.compile(
    r"how long|how many (?:hours|days|minutes|weeks)|(?:what|how much) time|time (?:it )?(?:will|would|does|do)"
    r"|多久|多长时间|多少时间|(?:几|多少)个?(?:小时|钟头|天|分钟|周|星期)|(?<!时)(?:用时|耗时)",
    re.I,
)
"""Words that ask how long work takes."""
PRICED = re.compile(
    r"多少钱|费用|花费|成本|价格|开销|预算|便宜|划算|how much|\bcosts?\b|\bprice|\bbill\b|\bspend"
    r"|cheap|\bquote\b|expensive",
    re.I,
)
"""Words that ask what a job costs."""
OUTPUT = re.compile(
    r"how many (?:(?!(?:gpus?|cards?|do|does|for|to|would|will|can|of)\b)[\w.-]+ ){0,3}?"
    r"(?:images?|pictures?|photos?|pics|documents?|docs|texts?|chunks|clips?|videos?|frames?|hours of)"
    r"|(?:出|生成|画|跑|处理|识别|转写?|转录|向量化|做)(?:得了|完)?(?:多少|几)(?:百|千|万)?个?(?:张|幅|个|篇|条|段|小时)",
    re.I,
)
"""Words that ask how many come out."""
HOURLY = re.compile(r"(?:每|一|1)\s?个?小时|per hour|an hour|in one hour|hourly|/ ?h(?:our)?\b", re.I)
_RUN = re.compile(r"(?<!\d)\d[\d,]{0,7}\s?k?\s?(?:-?steps?|步)(?![a-z])", re.I)
"""Steps of a picture or of a training run."""
_BESIDE: dict[str, tuple[re.Pattern[str], ...]] = {
    **dict.fromkeys(("diffusion", "video"), (_RUN,)), "vision": (CAMERAS,), "speech": (WRITTEN_DOWN, LIVE),
    **dict.fromkeys(READ, (QUERIES, EACH)),
}  # fmt: skip
"""Kind of model → what else may be said of its work than how much there is."""
_APART = "; "
"""Between words that were said in different places."""


_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_LONGEST = 80
"""Characters of a question that asks for a fact."""
_NUMBER_ALONE = re.compile(
    r"\s*(?:(?:and|or|so|with|for|if|what about|how about|make it|say|only|just|that'?s|it'?s|那|如果是?|要是"
    r"|换成|改成|改为|只[有要需]?|是|换|变成|就)\s*)*"
    + _NUMBER
    + r"(?P<unit>个?小时|分钟|张图?|条|个|段|篇|份|幅|hours?|minutes?|images?|pictures?|photos?|clips?"
    r"|videos?|documents?|docs?|texts?|pages?)?\s?(?:呢|的话|instead|then)?\s*[?？。.!]*\s*$",
    re.I,
)
"""Another number of what was counted before, with or without its unit, and nothing else."""


@dataclass(frozen=True, slots=True)
class Said:
    """The words of a turn."""

    text: str
    nameless: str
    """The same without the names of cards and models."""
    bare: bool
    """Whether no slot was read in it that a figure of it may stand for."""
    due: bool
    """Whether it says until when the work is to be done."""

    @classmethod
    def of(cls, reading: Reading) -> "Said":
        """Those of a reading."""
        nameless = "".join(one for one in reading.entities.masked if one.isascii() or one.isalpha())
        return cls(
            reading.text.simplified, nameless, bare=set(reading.slots) <= {"term_s"}, due="deadline_s" in reading.slots
        )


def made(kind: str | None, text: str) -> re.Match[str] | None:
    """The pictures or clips there are; those of a day may go by their counting word alone: 「一天出 200 条」."""
    counted = COUNTED_OUT.search(text) if kind in ("diffusion", "video") and period_s(text) is not None else None
    several = (match for match in IMAGES.finditer(text) if match["s"] or match["n"] not in ("1", "一"))
    return next(several, None) or counted


def heard(text: str) -> re.Match[str] | None:
    """The hours of speech there are."""
    plain = AUDIO_PLAIN.search(text) if WRITTEN_DOWN.search(text) or lasts(text) else None
    return AUDIO.search(text) or AUDIO_NAMED.search(text) or plain


def period_s(text: str) -> float | None:
    """Seconds after which as much work comes again: of a day, a week or a month; None = it comes once."""
    return next((seconds for rule, seconds in PERIODS if rule.search(text)), None)


def lasts(text: str) -> bool:
    """Whether the words ask how long something takes."""
    return LASTS.search(text) is not None


def with_what_was_said(need: Asked, said: Said, previous: Asked | None, *, silent: bool) -> Asked:
    """The Need with the words that say how much there is to do, and those that ask for its time or for a fact.

    Args:
        need: of this turn.
        said: the words of this turn.
        previous: the Need before, whose words stand where this turn says nothing else of the same.
        silent: whether the turn asks nothing of its own, so that it asks what was asked before.
    """
    kind = _kind(need)
    before = previous.amount or "" if previous and _alike(_kind(previous), kind) else ""
    words = dict.fromkeys(_said(kind, said, before)) if kind else {}
    asked = [
        match[0]
        for rule in (LASTS, *((PRICED,) if words or need.intent == "compare" else ()))
        if (match := rule.search(like_prices.without(said.text)))
    ]
    if counted := OUTPUT.search(said.text):
        spans = (rule.search(said.text) for rule in (*(rule for rule, _ in PERIODS), HOURLY))
        asked += [match[0] for match in (counted, next(filter(None, spans), None)) if match]
    if asked:
        asking: str | None = _APART.join(asked)
    elif silent and previous:
        asking = previous.asking
    else:
        asking = said.nameless[:_LONGEST] if need.intent == "spec" else None
    return need.model_copy(update={"amount": _APART.join(words) or None, "asking": asking})


def with_before(need: Asked, text: str) -> str:
    """The words of a follow-up with those of the turns before that it relies on."""
    said = (*(need.amount or "").split(_APART), *(need.asking or "").split(_APART))
    return " ".join([text, *(words for words in said if words and words not in text)])


def _said(kind: str, said: Said, before: str) -> Iterator[str]:
    """Of each thing that may be said of the work the words of this turn, else those of before."""
    text, former = said.text, _count(kind, before)
    again = _again(said.text, former) if said.bare else None
    now = None if again else _count(kind, text)
    count = now or former
    if count:
        yield again or count[0].strip()
    periods = (rule.search(text if now or said.due else before) for rule, _ in PERIODS)
    if count and (period := next(filter(None, periods), None)):
        yield period[0].strip()
    for rule in _BESIDE.get(kind, ()):
        rate = rule.search(before) if rule is QUERIES and not count and said.bare else None
        if rate and (bare := _NUMBER_ALONE.match(text)) and not bare["s"] and not bare["unit"]:
            yield _FIGURE.sub(bare["n"], rate[0], count=1).strip()  # 「500 呢」 after 200 queries a second
        elif match := rule.search(text) or rule.search(before):
            yield match[0].strip()


def _again(text: str, former: re.Match[str] | None) -> str | None:
    """What was counted before in another number, of which no more than its unit is said: 「2000 小时呢」, "and 5M?"."""
    bare = _NUMBER_ALONE.match(text) if former else None
    if bare is None or former is None:
        return None
    counted, start = former[0], former.start()
    rest = counted[max(former.end("n"), former.end("s")) - start :].strip()
    unit = (bare["unit"] or "").strip().lower().rstrip("s")
    if unit and not rest.lower().lstrip("个 ").startswith(unit.lstrip("个 ")):
        return None
    return f"{bare['n']}{bare['s'] or ''} {rest}"


def _count(kind: str, text: str) -> re.Match[str] | None:
    if kind == "speech":
        return heard(text)
    return DOCUMENTS.search(text) if kind in READ else made(kind, text)


def _alike(before: str | None, kind: str | None) -> bool:
    """Whether the same may be said of the work of both kinds."""
    return before == kind or any({before, kind} <= set(group) for group in (("diffusion", "video"), READ))


def _kind(need: Need) -> str | None:
    """The kind of the model where its work is not counted in tokens, else the task that says so."""
    record = models().get(need.model or "")
    kind = record.kind if record else need.task
    return kind if kind in _BESIDE else None
