"""How much there is to do when the work is not counted in tokens: images, clips, audio, documents, data sets."""

import re

from assistant.understand.numbers import number
from assistant.understand.progress import find_progress
from kb.catalog import models
from kb.item_work import dataset_samples, item_work
from kb.units import DAY_S
from tools.need import Intent, Need

READ = ("embedding", "reranker", "encoder")
SEEN = ("diffusion", "video", "vision")
USUAL_FPS = 16
"""Frames a second of generated clips where the model's own rate is not known: Wan's."""
COUNTED = (*SEEN, "speech", *READ)
"""Kinds of model whose pace is asked for in items."""
TIMED = ("vision", "diffusion", *READ)
"""Kinds whose training is timed in items; `UNTIMED`: those of which only the memory is known."""
UNTIMED = ("speech", "video")
_NUMBER = (
    r"(?P<n>\d[\d,]*(?:\.\d+)?|[一二两三四五六七八九十百]{1,6}(?=[千万亿 ]|\s?[张篇条个段份小]))\s?"
    r"(?P<s>k|m|bn?|thousand|million|billion|百万|千万|万|千|亿)?(?![a-z0-9])\s?"
)
_SCALES = {
    None: 1, "k": 1e3, "thousand": 1e3, "千": 1e3, "万": 1e4, "m": 1e6, "million": 1e6, "百万": 1e6, "千万": 1e7,
    "亿": 1e8, "b": 1e9, "bn": 1e9, "billion": 1e9,
}  # fmt: skip
_IMAGES = re.compile(
    _NUMBER + r"(?:(?:sd\S{0,8}|flux\S{0,12}|wan\S{0,8}|product|stock|synthetic|high-res|4k|hd|1k|new|short) ){0,2}"
    r"(?:images?|pictures?|photos?|pics?|clips?|videos?|frames?|samples?"
    r"|(?:张|幅|个|条|段)\s?(?:的?\s?)(?:图|照|海报|插画|视频|样本|训练图)|(?<=[千万亿])\s?张(?!\s?(?:卡|显卡|gpu)))"
    r"(?!\s?(?:/|per|each|a) ?(?:s|sec|min|h|day))",
    re.I,
)
_COUNTED_OUT = re.compile(
    _NUMBER + r"(?:张|条|个|段|幅|支|部)(?!\s?(?:卡|显卡|gpu|人|用户|并发|请求|路|小时|月|点))", re.I
)
_AUDIO = re.compile(
    _NUMBER + r"(?P<u>hours?|hrs?|h|小时|个小时|minutes?|mins?|分钟|天|days?)\s?(?:的|of )?\s?"
    r"(?:\w{1,12} ){0,2}?(?:audio|speech|recordings?|podcasts?|calls?|meetings?|录音|音频|语音|会议|播客|视频|通话)",
    re.I,
)
_AUDIO_NAMED = re.compile(
    _NUMBER + r"(?:audio|speech|call[- ]?cent(?:er|re)|podcast|meeting|lecture|interview|recording|video)s?[- ]"
    r"(?P<u>hours?|hrs?|minutes?|mins?)(?![a-z])",
    re.I,
)
_AUDIO_PLAIN = re.compile(
    r"(?<!in )(?<!within )(?<!every )" + _NUMBER + r"(?P<u>hours?|hrs?|个?小时)(?![a-z]|内)", re.I
)
_WRITTEN_DOWN = re.compile(r"transcri|caption|subtitle|转写|转录|转文字|听写|字幕", re.I)
"""Words that make hours those of what is listened to."""
_DOCUMENTS = re.compile(
    _NUMBER + r"(?:docs?|documents?|texts?|passages?|chunks?|paragraphs?|pages?|articles?|records?|sentences?|篇"
    r"|(?:个|条|段|份)\s?(?:文档|文本|文章|数据|片段|段落|记录|chunk)|文档|条(?!件)"
    r"|次\s?(?:\w{0,12}\s?)?(?:请求|调用|查询|向量化|检索))",
    re.I,
)
_QUERIES = re.compile(
    r"(?P<r>\d+(?:\.\d+)?)\s?(?:tps|qps|rps"
    r"|(?:queries|requests|reqs?|searches|calls|次|个?请求|个?查询)\s?(?:/|per |每|a )\s?(?:s|sec|second|秒)(?![a-z]))"
    r"|每秒\s?(?P<q>\d+(?:\.\d+)?)\s?(?:次|个?请求|个?查询|条?请求|qps)",
    re.I,
)
A_DAY = re.compile(r"每天|一天|per day|a day|daily|/day", re.I)
_PERIODS = (
    (A_DAY, DAY_S),
    (re.compile(r"每周|每星期|一周|per week|a week|weekly|/ ?w(?:ee)?k\b", re.I), 7 * DAY_S),
    (re.compile(r"每个?月|一个?月|per month|a month|monthly|each month|every month|/ ?mo(?:nth)?\b", re.I), 30 * DAY_S),
)
"""Words that say how often as much work comes again, and the seconds between."""
CAMERAS = re.compile(
    r"摄像|相机|监控|视频流|路\s?(?:\d{3,4}p)?\s?视频|(?<![a-z])(?:cameras?|cctv|video (?:streams?|feeds?))", re.I
)
"""Words for pictures that come from cameras."""
CAMERA_FPS = 25
"""Frames a second of a camera where none are said: the video rate of PAL countries."""
LIVE = re.compile(
    r"实时|流式|在线转写|电话|通话|坐席|直播|\blive\b|real.?time|stream(?:s|ing|ed)?\b|\bcalls?\b|phone", re.I
)
"""Words for speech that is heard as it is spoken: each line brings a second of it every second."""
_EACH = re.compile(
    r"(?<![\d.])(?P<n>\d{1,5}(?:\.\d)?)\s?(?P<k>k)?\s?(?:个)?\s?-?(?:tokens?|tok|字)(?![a-z]|\s?/)", re.I
)
_STEPS = re.compile(r"(?<!\d)(\d{1,3})\s?(?:-?steps?|步)(?![a-z])", re.I)
_SIZE = re.compile(r"(?<!\d)(\d{3,4})\s?[x×*]\s?(\d{3,4})(?!\d)")
_UNIT_S = {"h": 3600, "小": 3600, "个": 3600, "m": 60, "分": 60, "天": 86400, "d": 86400}
_TRAINS = re.compile(r"训练|训(?!练好)|微调|炼|epochs?|轮|\btrain|fine[- ]?tun|pre-?train|from scratch", re.I)
_PACE = re.compile(
    r"(?:images?|imgs?|pics?|pictures?|it|iterations?|frames?|docs?|documents?|texts?|embeddings?|samples?|clips?)"
    r"\s?(?:/|per )\s?(?:s|sec|second|min|minute|hour|h|day)(?![a-z])|\bfps\b|seconds? per|s/(?:it|image)"
    r"|real.?time factor"
    r"|\brtf\b|how fast|how many (?:images?|pictures?|documents?|clips?|videos?|hours of)|throughput|how long"
    r"|多快|多久|多长时间|速度|吞吐|每秒|每分钟|每小时|每天|一天能|几秒|多少秒|实时率|几小时|几分钟|几天|多少张图"
    r"|how many (?:days|hours|minutes|weeks)|多少(?:个)?(?:小时|天|分钟)"
    r"|(?:出|生成|跑)多少张",
    re.I,
)
_LASTS = re.compile(
    r"how long|how many (?:hours|days|minutes|weeks)|(?:what|how much) time|time (?:it )?(?:will|would|does|do)"
    r"|多久|多长时间|多少时间|(?:几|多少)个?(?:小时|钟头|天|分钟|周|星期)|(?<!时)(?:用时|耗时)",
    re.I,
)
"""Words that ask how long work takes."""
_OUTPUT = re.compile(
    r"how many (?:images?|pictures?|photos?|documents?|docs|texts?|clips?|videos?|frames?)"
    r"|(?:出|生成|画|跑|处理|识别)(?:得了|完)?多少(?:张|幅|个|篇|条|段)",
    re.I,
)


def counts_output(text: str) -> bool:
    """Whether what comes out is asked to be counted, whatever else the words look like."""
    return _OUTPUT.search(text) is not None


def lasts(text: str) -> bool:
    """Whether the words ask how long something takes."""
    return _LASTS.search(text) is not None


def trains(text: str) -> bool:
    """Whether the words speak of training."""
    return _TRAINS.search(text) is not None


def model_kind(need: Need) -> str | None:
    """The kind of the catalog model asked about."""
    record = models().get(need.model or "")
    return record.kind if record else None


def clip_frames(model: str, seconds: float) -> int:
    """Frames of a generated clip: seconds at the model's own rate, and the one it starts with."""
    known = item_work().pictures.get(model)
    return round(seconds * ((known.fps if known else None) or USUAL_FPS)) + 1


def pace_asked(need: Need, text: str, *, trained: bool = False) -> Intent | None:
    """What a question for the pace of work without tokens asks for: the time of training, that of doing it, whether it
    fits where the training was never timed; None where no pace is asked. `trained`: whether it was said to train.
    """
    kind = model_kind(need)
    if kind not in COUNTED or not (_PACE.search(text) or _daily_load(need, text)):
        return None
    trains = need.epochs is not None or trained or _TRAINS.search(text) is not None
    if not trains:
        return "speed"
    return "training_time" if kind in TIMED else "can_it_run" if kind in UNTIMED else None


def _daily_load(need: Need, text: str) -> bool:
    """Whether so much comes in a day: that asks for a pace, whatever else the words look like."""
    made = dict.fromkeys(("diffusion", "video"), _COUNTED_OUT)
    amount = {"speech": _AUDIO, **made, **dict.fromkeys(READ, _DOCUMENTS)}.get(model_kind(need) or "")
    enough = need.intent in ("can_it_run", "speed")
    return amount is not None and enough and period_s(text) is not None and amount.search(text) is not None


def amounts(need: Need, text: str) -> dict[str, object]:
    """What the text says there is to do, as fields of a speed or time request."""
    kind = model_kind(need)
    found: dict[str, object] = {}
    if kind in SEEN:
        if (match := _made(kind, text)) is not None:
            found["images"] = found["dataset_samples"] = _count(match)
            if (period := period_s(text)) is not None:
                found["images_per_s"] = _count(match) / period
        if (known := dataset_samples(text)) is not None:
            found["dataset_samples"] = known
        if (size := _SIZE.search(text)) is not None:
            found |= {"width_px": int(size[1]), "height_px": int(size[2])}
            if size[1] == size[2]:
                found["image_px"] = int(size[1])
        if kind != "vision" and (steps := _STEPS.search(text)) is not None:
            found["steps"] = int(steps[1])
        if kind == "vision" and need.concurrent_sequences and CAMERAS.search(text) is not None:
            found["images_per_s"] = float(need.concurrent_sequences * (need.frames_per_s or CAMERA_FPS))
    elif kind == "speech" and (match := _heard(text)) is not None:
        found["audio_s"] = _count(match) * _UNIT_S[match["u"][0].lower()]
        if (period := period_s(text)) is not None:
            found["audio_s_per_s"] = float(str(found["audio_s"])) / period
    elif kind == "speech" and need.concurrent_sequences and LIVE.search(text) is not None:
        found["audio_s_per_s"] = float(need.concurrent_sequences)
    elif kind in READ:
        if (match := _DOCUMENTS.search(text)) is not None:
            found["documents"] = _count(match)
        found |= texts(need, text)
    return found


def of_pictures(need: Need, text: str) -> dict[str, object]:
    """The run of training a generator of pictures: its steps; its few pictures are no run without passes over them."""
    if model_kind(need) != "diffusion":
        return {}
    run = find_progress(text)
    found: dict[str, object] = {"steps": run.all_steps or run.steps, "accumulation": run.accumulation}
    once = found["steps"] is not None or need.epochs is None
    return found | {"micro_batch_size": need.batch_size} | ({"dataset_samples": None} if once else {})


def period_s(text: str) -> float | None:
    """Seconds after which as much work comes again: of a day, a week or a month; None = it comes once."""
    return next((seconds for rule, seconds in _PERIODS if rule.search(text)), None)


def rate(need: Need, text: str) -> bool:
    """Whether texts or speech come at a rate that cards have to keep up with."""
    kind = model_kind(need)
    if kind == "speech":
        return "audio_s_per_s" in amounts(need, text)
    if kind in ("diffusion", "vision"):
        return "images_per_s" in amounts(need, text)
    return kind in READ and "documents_per_s" in texts(need, text)


def _made(kind: str | None, text: str) -> re.Match[str] | None:
    """The pictures or clips there are; those of a day may go by their counting word alone: 「一天出 200 条」."""
    counted = _COUNTED_OUT.search(text) if kind in ("diffusion", "video") and period_s(text) is not None else None
    return _IMAGES.search(text) or counted


def _heard(text: str) -> re.Match[str] | None:
    """The hours of speech there are."""
    plain = _AUDIO_PLAIN.search(text) if _WRITTEN_DOWN.search(text) or lasts(text) else None
    return _AUDIO.search(text) or _AUDIO_NAMED.search(text) or plain


def texts(need: Need, text: str) -> dict[str, object]:
    """Texts a second to keep up with and the tokens of each: candidates times queries, or a day's load spread evenly.

    Candidates of a query that are ranked count one by one: 50 documents at 10 queries a second are 500 texts.
    """
    found: dict[str, object] = {}
    match, rate, period = _DOCUMENTS.search(text), _QUERIES.search(text), period_s(text)
    count = _count(match) if match else 1
    if rate is not None:
        found["documents_per_s"] = count * float(rate["r"] or rate["q"])
    elif match is not None and period is not None:
        found["documents_per_s"] = count / period
    elif match is not None and need.deadline_s:
        found["documents_per_s"] = count / need.deadline_s
    if (length := _EACH.search(text)) is not None:
        found["input_tokens"] = round(float(length["n"]) * (1000 if length["k"] else 1))
    return found


def _count(match: re.Match[str]) -> int:
    scale = match["s"].lower() if match["s"] else None
    return round((number(match["n"].replace(",", "")) or 0) * _SCALES[scale])
