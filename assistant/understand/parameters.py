"""A model known by its size only: 70B, 0.5b, 1750亿参数, 30B-A3B."""

from collections.abc import Iterator

from assistant.understand.numbers import DIGITS, SCALES, scaled
from assistant.understand.text import Found, grammar

_SIZE = grammar(
    r"(?<![a-z0-9.$¥€£])(?:(\d{1,2})\s?[x×*]\s?)?(\d{1,5}(?:\.\d{1,3})?)[ -]?b(?:illion)?(?![a-z0-9]"
    r"|\s?(?:tokens?|tok(?![a-z])|个? ?token|/s|users|¥|\$|(?:doc(?:ument)?|text|image|photo|record|row|vector|page"
    r"|passage|chunk|item|product|embedding|quer(?:y|ie)|request)s?(?![a-z])))(?:-a\d{1,3}b)?"
)
_HAN_SIZE = grammar(
    rf"(?<![a-z0-9.])({DIGITS}|[一二三四五六七八九十百千两]{{1,9}})\s?(万亿|千亿|百亿|十亿|亿"
    rf"|百万)\s?(?:个)?(?:的)?\s?(?:参数|模型|大模型|规模)"
)
_LARGE = grammar(
    r"(?<![a-z0-9.])(\d{1,3}(?:\.\d{1,2})?)[ -]?(t|m)\s?(?:参数|params?(?![a-z])|parameters?"
    r"|的?\s?(?:模型|网络|gpt|bert|llama|transformer|decoder|llms?|lm|moe|mixture)(?![a-z])"
    r"|(?:(?:llama|gpt|bert|t5)-style "
    r"|dense |small |tiny |decoder-only )?(?:models?|llms?|lm|gpt-?2?|llama|qwen|mistral|bert|t5|mamba|decoder"
    r"|transformers?)"
    r"(?![a-z0-9])|-param)"
)
_SMALL = grammar(
    r"(?:gpt-?2?|bert|model|transformer|llms?|(?<![a-z])lm|模型)[\s-]?(?:of "
    r"|with )?(\d{2,4})\s?m(?![a-z0-9])"
)
_FINAL = grammar(
    r"(?:压到|剪(?:枝)?到|缩到|其实是|实际是|应该是|改成|换成|actually|make (?:it|that)|i mean|i meant"
    r"|pruned to|no,?)\s?(?:the |a |是)?$"
)
_DROPPED = grammar(
    r"(?:不(?:用|要|跑|上|是|需要|玩|训)|别|(?<![a-z])(?:not|no longer|instead of|rather than|forget|drop))\s?(?:the "
    r"|an? |那个|跑"
    r"|上)?$"
)
"""What stands before a size that is ruled out: 「不用 32B 了，14B 就行」."""
_RUNS_ALREADY = grammar(
    r"\s?(?:模型|的)?\s?(?:都|已经|倒是)?(?:没(?:有)?问题|跑得(?:动|了|很)|很?流畅|毫无压力|够用|works?(?![a-z])"
    r"|(?:is |runs? |are )?(?:just )?(?:fine|ok(?:ay)?|great|well|smooth\w{0,2})(?![a-z]))"
)
"""What follows a size that is told as done: "I run 13B fine, can I run 34B"."""
_RANGE = grammar(r"\s?(?:-|–|—|~|到|至|to|up to)\s?")
"""What stands between the ends of a range: 「7B 到 14B」."""
_ACTIVE = grammar(r"(?:激活|active|activated|activates)[^,。;]{0,8}$")
_ACTIVE_AFTER = grammar(
    r"\s?(?:params?|parameters|的?参数)?\s?(?:(?:that )?(?:are|is|being)|是|被)?\s?(?:active|activated|激活)(?! ?users)"
)
"""What stands around the active share of a mixture, which is no size of a model."""
_UNIT_EXAMPLE = grammar(r"按|per|每|rule of thumb|/\s?$")


def find_params(text: str) -> Found[int] | None:
    """The size that the question is about: a corrected one, else the first; of a range the largest."""
    sound = [f for f in every_size(text) if not is_active(text, f)]
    if not sound:
        return None
    own = [f for f in sound if not _UNIT_EXAMPLE.search(text[max(0, f.start - 4) : f.start])] or sound
    own = [f for f in own if not _DROPPED.search(text[max(0, f.start - 16) : f.start])] or own
    own = [f for f in own if not _RUNS_ALREADY.match(text, f.end)] or own
    first = own[1] if len(own) > 1 and _RANGE.fullmatch(text[own[0].end : own[1].start]) else own[0]
    return next((f for f in reversed(own) if _FINAL.search(text[max(0, f.start - 12) : f.start])), first)


def is_active(text: str, size: Found[int]) -> bool:
    """Whether it is the share of a mixture that computes: "only 17B active", 「激活 22B」."""
    before = text[max(0, size.start - 12) : size.start]
    return _ACTIVE.search(before) is not None or _ACTIVE_AFTER.match(text, size.end) is not None


def every_size(text: str) -> list[Found[int]]:
    """Every size of a model, in order."""
    found = [*_billions(text), *_named_scales(text)]
    return sorted((f for f in found if 10**6 <= f.value <= 10**15), key=lambda f: f.start)


def _billions(text: str) -> Iterator[Found[int]]:
    """70B, 0.5 b, 8x7B."""
    for match in _SIZE.finditer(text):
        yield Found(round(float(match[2]) * 1e9 * int(match[1] or 1)), match.start(), match.end())


def _named_scales(text: str) -> Iterator[Found[int]]:
    """1750亿参数, 1.5T params, GPT-2 124M: scales that need a word to be parameters."""
    for match in _HAN_SIZE.finditer(text):
        yield Found(round(scaled(match[1], match[2]) or 0), match.start(), match.end())
    for match in _LARGE.finditer(text):
        yield Found(round(float(match[1]) * SCALES[match[2]]), match.start(), match.end())
    for match in _SMALL.finditer(text):
        yield Found(int(match[1]) * 10**6, match.start(1), match.end())
