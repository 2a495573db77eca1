"""Lengths in tokens, and a prompt and its answer told apart: "8k in, 2k out", 「输入 2000，输出 500」."""

from assistant.understand.numbers import DIGITS, HAN, scaled
from assistant.understand.text import Found, grammar

_BINARY = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
"""Lengths in K that are powers of two; 20k is twenty thousand."""
_LONGEST = 10**9
_LEAST = 32
"""Fewer tokens than this are no prompt that anybody sizes a card for."""


def _length(name: str) -> str:
    return (
        rf"(?<![a-z0-9.$¥€£/])(?P<{name}>{DIGITS}|{HAN})\s?(?P<{name}s>k|万|千)?(?![a-z0-9]|\.\d|%)"
        rf"\s?(?:个)?(?:-?tokens?|toks?|words|字|词)?"
    )


_PROMPT = r"(?:输入|提示词|问题|prompts?|inputs?|isl|(?<![进写录投收嵌引导接放加买准深陷])入(?!门|手|口)|(?<![a-z])in)"
_ANSWER = (
    r"(?:输出|生成|回答|回复|答案|(?<![a-z])(?:output|completion|answer|repl(?:y|ie)|response|generation)s?|osl"
    r"|(?<![a-z])out|(?<![导支突杰])出(?!来|现|口|错|货))"
)
_GLUE = (
    r"(?:\s|长度|length|len|size|tokens?|sequence|平均|大概|大约|大约|左右|约|差不多|about|around|roughly|approx"
    r"|avg|average|averag(?:es|ing)|of|are|is|was|at|up to|to|[:=为是~-]){0,6}"
)
_BETWEEN = r"[^。.?!\n;；\d]{0,28}?"
_SAID = (
    grammar(rf"{_PROMPT}{_GLUE}{_length('n')}{_BETWEEN}{_ANSWER}{_GLUE}{_length('m')}"),
    grammar(
        rf"{_length('n')}\s?(?:(?:in|inputs?|prompts?|of prompt)(?![a-z])|的?(?:输入|提示词|进|入)){_BETWEEN}"
        rf"{_length('m')}\s?(?:(?:out(?:puts?)?|back|answers?|completions?|generated|responses?)(?![a-z])|的?(?:输出|回答|出))"
    ),
    grammar(
        rf"(?<![a-z])(?:send|sends|sending|submit|submits|feed|feeds|paste|pastes)(?![a-z])\D{{0,20}}?{_length('n')}"
        rf"{_BETWEEN}(?:get|gets|getting|receive|receives|expect|expects|want|wants)(?![a-z])\D{{0,12}}?{_length('m')}"
        r"\s?(?:back|out|in return|in reply)(?![a-z])"
    ),
    grammar(
        rf"{_length('n')}\s?/\s?(?P<m>{DIGITS})\s?(?P<ms>k)?(?![a-z0-9])\s?(?:tokens?)?\s?"
        r"(?:in(?:puts?)?\s?/\s?out(?:puts?)?|输入\s?/?\s?输出|i/o)"
    ),
    grammar(
        rf"(?:in(?:puts?)?\s?/\s?out(?:puts?)?|输入\s?/?\s?输出|isl\s?/\s?osl){_GLUE}{_length('n')}\s?/\s?"
        rf"(?P<m>{DIGITS})\s?(?P<ms>k)?(?![a-z0-9])"
    ),
)
"""A prompt's length and then its answer's."""
_EACH = (
    grammar(
        rf"(?:输入|提示词)\s?[和与、及/跟]?\s?(?:输出|回答|生成)(?:长度)?\s?(?:都|各|均|分别){_GLUE}{_length('n')}"
    ),
    grammar(
        rf"(?:input|prompt)s? and (?:output|answer|completion)s?(?: length)?s? (?:both |each )?(?:of |are |is )"
        rf"{_length('n')}\s?(?:each|both|apiece)(?![a-z])"
    ),
    grammar(rf"{_length('n')}\s?(?:both |each )?in and out(?![a-z])"),
)
"""One length that both of them have."""


def tokens(number: str, scale: str | None) -> int | None:
    """A length in tokens: 128k = 131072, 20k = 20000, 1M = 1,000,000, 十万 = 100,000."""
    value = scaled(number, {"m": "m", "k": "k"}.get((scale or "").strip(), scale))
    if value is None or not 1 <= value <= _LONGEST:
        return None
    thousands = value / 1000
    return int(thousands * 1024) if (scale or "").strip() == "k" and thousands in _BINARY else int(value)


def find_parts(text: str) -> Found[tuple[int, int]] | None:
    """The tokens of a prompt and of its answer, where each was told; None where one length was, or none."""
    for rule in _SAID:
        for match in rule.finditer(text):
            prompt, answer = tokens(match["n"], match["ns"]), tokens(match["m"], match["ms"])
            if prompt and answer and prompt >= _LEAST:
                return Found((prompt, answer), match.start(), match.end())
    for rule in _EACH:
        for match in rule.finditer(text):
            if (both := tokens(match["n"], match["ns"])) and both >= _LEAST:
                return Found((both, both), match.start(), match.end())
    return None


def find_exchange(text: str) -> Found[int] | None:
    """A prompt and its answer together."""
    parts = find_parts(text)
    return Found(sum(parts.value), parts.start, parts.end) if parts else None
