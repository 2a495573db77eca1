"""Pictures and video spoken of: size, depth of a volume, frames, seconds, how many a sample."""

from typing import Any

from assistant.understand.numbers import DIGITS, HAN, number
from assistant.understand.text import Found, grammar

_TIMES = r"\s?[x×*]\s?"
_VOLUME = grammar(rf"(?<![\d.])(\d{{2,4}}){_TIMES}(\d{{2,4}}){_TIMES}(\d{{2,4}})(?![\d.])")
_CUBE = grammar(r"(?<![\d.])(\d{2,3})\s?(?:\^\s?3|立方|cubed)(?!\d)")
_PLANE = grammar(rf"(?<![\d.])(\d{{3,4}}){_TIMES}(\d{{3,4}})(?![\d.]|{_TIMES}\d)")
_SIDE = grammar(
    r"(?:img[-_ ]?(?:sz|size)|image[-_ ]?size|input[-_ ]?(?:size|resolution)|resolution|crop[-_ ]?size"
    r"|(?:输入)?分辨率|输入(?:尺寸|大小)?|图像?尺寸|patch(?:[-_ ]?size)?)\s{0,3}"
    r"(?:[:=为是]|of|is|at|to|开到?|设为?)?\s{0,3}"
    r"(?P<n>\d{2,4})(?![\d.]|\s?(?:张|gb?(?![a-z])|mb|%|帧|frames|次|k(?![a-z])))"
    r"|(?<![\d.$¥€£])(?P<m>\d{3,4})\s?(?:px|pixels?|像素|的?(?:输入|分辨率|尺寸)|\s(?:input|resolution))"
    r"|(?<![a-z])at (?P<q>224|256|320|384|416|448|480|512|518|576|608|640|672|768|832|896|960|1024|1280|1536)"
    r"\s(?:images?|pictures?)\b"
    r"|(?<![\d.$¥€£])(?P<o>\d{3,4})(?:²|\^2)"
)
_LINES = grammar(
    r"(?<![\d.])(360|480|540|720|1080|1440|2160)\s?[pi](?![a-z0-9])|(?<![a-z0-9])(4k)\s?(?:视频|video|画质|分辨率)"
)
_WIDTHS = {"360": 640, "480": 832, "540": 960, "720": 1280, "1080": 1920, "1440": 2560, "2160": 3840}
_FRAMES = grammar(r"(?<![\d.])(\d{1,5})\s?(?:frames?|帧)(?!\s?(?:/|per|a|每) ?(?:s|秒))")
_RATE = grammar(
    r"(?:fps|帧率)\s?[:=为是]?\s?(\d{1,3}(?:\.\d)?)|(\d{1,3}(?:\.\d)?)\s?(?:fps|frames? (?:per|a|/) ?s\w{0,6})"
    r"|每秒\s?(\d{1,3})\s?帧"
)
_SECONDS = r"(?:s|secs?|seconds?|秒钟?)"
_MINUTES = r"(?:m|mins?|minutes?|分钟?)"
_MOVING = r"(?:videos?|clips?|footage|录像|视频|短片|片段)"
_LENGTH = grammar(
    rf"(?<![a-z0-9.])(?<!takes )(?<!took )(?<!take )"
    rf"(?P<n>{DIGITS}|{HAN}|a|one|two)[-\s]?(?:(?P<s>{_SECONDS})|(?P<m>{_MINUTES}))(?![a-z])[-\s]?"
    rf"(?:long |的|长的?|左右的?|of )?\s?(?:\w{{1,12}} ){{0,2}}?(?:\d{{3,4}}p\s?)?(?:的)?{_MOVING}"
    rf"|{_MOVING}(?![^。.;；\n]{{0,14}}?(?:要|需|花|用时|耗时|跑了|take|took|in ))[^。.;；\n]{{0,14}}?"
    rf"(?P<n2>{DIGITS}|{HAN})[-\s]?(?:(?P<s2>{_SECONDS})|(?P<m2>{_MINUTES}))(?![a-z])"
)
_PICTURES = grammar(
    rf"(?<![\d.$])(?P<n>\d{{1,3}}|{HAN}|two|three|four|five|six|eight|ten)\s?(?:张|幅|images?|pictures?|photos?|tiles?)"
    r"\s?(?:图片?|照片)?"
    r"\s?(?:per|a|each|in (?:a|each|every|one)) ?(?:prompt|sample|request|conversation|message|query)"
    r"|(?:每(?:条|个)?(?:样本|请求|对话|数据|消息)?)\s?(?P<n2>\d{1,3}|[一二三四五六八十两])\s?张"
    r"|(?<![\d.])(?P<n4>\d{1,3}|[一二三四五六八十两])\s?张\s?(?:\d{3,4}p\s?|[24]k\s?|高清)?的?(?:图片?|照片|截图)"
    r"[^。?!\n]{0,4}?每(?:个|条|次)?(?:请求|样本|对话|问题)"
    r"|(?:images?|pictures?|photos?)\s?(?:up to|at most|max(?:imum)?(?: of)?)\s?(?P<n5>\d{1,3})"
    r"(?![\d.x×*]|\s?(?:px|pixels|[mkg]b))"
    r"|(?:一次|单次|同时)\s?(?:输入|传|看|喂)\s?(?P<n3>\d{1,3}|[一二三四五六八十两])\s?张"
)
_PER_GPU = grammar(
    r"(?:每(?:张)?卡|单卡|每个?gpu)\s?(\d{1,4})\s?张"
    r"|(\d{1,4})\s?(?:images?|imgs?|samples?|pictures?) (?:per|a|each|/) ?(?:gpu|card)"
)
_LAYERWISE = grammar(
    r"sequential(?:_cpu)?[-_ ]?offload|(?<![a-z])(?:--)?low[-_]?vram|(?<![a-z])novram|block[-_ ]?swap|blocks_to_swap"
    r"|逐层(?:卸载|加载)"
)
_IN_TURN = grammar(
    r"model[-_ ]?(?:cpu[-_ ]?)?offload|cpu[-_ ]?offload|offload(?:_model|ing)?(?![a-z])|(?<![a-z])(?:--)?med[-_]?vram"
    r"|t5[-_ ]?(?:on[-_ ]?)?cpu|卸载到(?:内存|cpu)|显存卸载|comfy ?ui|forge(?: ?ui)?|sd[-_ ]?webui|automatic1111"
    r"|a1111|krita|invoke ?ai|swarm ?ui|fooocus"
)
"""Programs that move a pipeline's parts in turn by themselves, and the switches that make others do so."""
_BOTH = grammar(r"with (?:and|or|vs\.?) without|(?:有|开)(?:没有|无|和不开|不开)|开不开")
_RESIDENT = grammar(r"(?:no|without|不用?|不开|关闭?) ?(?:cpu[-_ ]?)?(?:offload|卸载)|high[-_]?vram|gpu[-_]?only")
SMALLEST_PX, LARGEST_PX = 32, 16_384


def find_look(text: str) -> dict[str, Found[Any]]:
    """What the masked text says of pictures, by slot of the Need."""
    found: dict[str, Found[Any]] = {}
    if size := _size(text):
        (width, height, depth), start, end = size
        found |= {"width_px": Found(width, start, end), "height_px": Found(height, start, end)}
        if depth:
            found["frames"] = Found(depth, start, end)
    if (match := _FRAMES.search(text)) and "frames" not in found and 1 < int(match[1]) <= 100_000:
        found["frames"] = Found(int(match[1]), match.start(), match.end())
    if match := _RATE.search(text):
        rate = float(match[1] or match[2] or match[3])
        if 0 < rate <= 240:
            found["frames_per_s"] = Found(rate, match.start(), match.end())
    if length := _length(text):
        found["video_s"] = length
    if match := _PICTURES.search(text):
        count = number(match["n"] or match["n2"] or match["n3"] or match["n4"] or match["n5"])
        if count and count >= 1:
            found["images_per_sample"] = Found(int(count), match.start(), match.end())
    return found


def find_turns(text: str) -> Found[str] | None:
    """How a picture pipeline spares the card, said or done by the program that runs it; None where both are asked."""
    if _BOTH.search(text):
        return None
    for value, rule in (("none", _RESIDENT), ("all", _LAYERWISE), ("components", _IN_TURN)):
        if match := rule.search(text):
            return Found(value, match.start(), match.end())
    return None


def find_per_gpu(text: str) -> Found[int] | None:
    """Pictures a GPU takes at once, said as so many a card."""
    match = _PER_GPU.search(text)
    return Found(int(match[1] or match[2]), match.start(), match.end()) if match else None


def _size(text: str) -> tuple[tuple[int, int, int], int, int] | None:
    """(width, height, depth) of the largest size spoken of; depth 0 for a plane."""
    sizes: list[tuple[tuple[int, int, int], int, int]] = []
    for match in _VOLUME.finditer(text):
        depth, height, width = int(match[1]), int(match[2]), int(match[3])
        sizes.append(((width, height, depth), match.start(), match.end()))
    sizes += [((int(m[1]), int(m[1]), int(m[1])), m.start(), m.end()) for m in _CUBE.finditer(text)]
    if not sizes:
        sizes += [((int(m[1]), int(m[2]), 0), m.start(), m.end()) for m in _PLANE.finditer(text)]
    if not sizes:
        for match in _LINES.finditer(text):
            lines = match[1] or "2160"
            sizes.append(((_WIDTHS[lines], int(lines), 0), match.start(), match.end()))
    if not sizes:
        for match in _SIDE.finditer(text):
            side = int(match["n"] or match["m"] or match["q"] or match["o"])
            sizes.append(((side, side, 0), match.start(), match.end()))
    fitting = [one for one in sizes if all(SMALLEST_PX <= side <= LARGEST_PX for side in one[0][:2])]
    return max(fitting, key=lambda one: one[0][0] * one[0][1], default=None)


def _length(text: str) -> Found[float] | None:
    """Seconds of video."""
    for match in _LENGTH.finditer(text):
        said = match["n"] or match["n2"]
        value = 1.0 if said in {"a", "one"} else 2.0 if said == "two" else number(said)
        if value:
            seconds = value * (60 if match["m"] or match["m2"] else 1)
            return Found(seconds, match.start(), match.end()) if 0 < seconds <= 10**6 else None
    return None


_SEEN = grammar(
    r"\d{1,5}\s?张\s?(?:\d{3,4}p\s?|[24]k\s?|高清)?的?(?:图片?|照片|截图|样本|训练图)"
    r"|\d{1,4}\s?(?:images?|imgs?|pictures?) (?:per|a|each|/) ?(?:gpu|card)|每(?:张)?卡\s?\d{1,4}\s?张"
)


def pictures_spoken_of(text: str) -> list[tuple[int, int]]:
    """Where pictures are counted: 「8 张图」 are no eight cards."""
    return [match.span() for match in _SEEN.finditer(text)]
