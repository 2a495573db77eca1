"""Self-correction inside a turn: "24 GB, no wait, 48 GB", 「14B 要几张？不对，是 32B」.

What was corrected stands where the wrong thing stood, with the offsets of where it was really said.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.understand.text import Text, grammar
from kb.naming.names import gpu_names, model_names

_CUE = grammar(
    r"(?:[,.;:?!。—(-]|(?<=[ \n])|^)\s?(?:"
    r"(?:啊|哦|噢|额|呃|诶|哎)+,?\s?不(?:对|是)"
    r"|(?<![对是])不对(?![称齐应劲吗么吧呢])|(?:我)?(?:说|写|打|记|看)错了|口误|更正(?:一下)?|纠正一下"
    r"|no,? wait|wait,? no|(?:oops|err+|ehm?|uh|um)?,?\s?(?:sorry|my bad)"
    r"(?=,? (?:i mean|it's|that's|it is|\d|the |an? |two|three|four))"
    r"|i mean(?:t)?(?! (?:the )?(?:how|what|that|is|can))|correction|scratch that|make that|typo"
    r")\s?[,:;.!?)…-]{0,3}\s?"
)
"""Words that take back what was said just before."""
_UNTIL = grammar(r"[,;。?!\n()]|\.\s")
"""Where the correction ends."""
_REACH = 48
"""Characters that a correction takes."""
_LEADING = grammar(r"(?:应该(?:是|用)?|其实是|是|i meant?|it(?:'s| is)|that(?:'s| is)|the|an?)\s?")
_KINDS = (
    ("memory", grammar(r"(?<![a-z0-9.])\d{1,4}\s?g(?:i?b)?(?![a-z])")),
    ("params", grammar(r"(?<![0-9.])\d{1,4}(?:\.\d{1,2})?\s?b(?![a-z])")),
    ("tokens", grammar(r"(?<![a-z0-9.$¥€])\d{1,4}\s?k(?![a-z])")),
    ("cards", grammar(
        r"(?<![a-z0-9.])(?:\d{1,3}\s?(?:[张块卡台]|[x×*](?=\s?[a-z0-9]))|[一二两三四五六七八九十]{1,2}\s?[张块卡台])"
        r"|(?<![a-z])(?:one|two|three|four|six|eight)(?= )"
    )),
    ("format", grammar(
        r"(?<![a-z0-9])(?:fp16|bf16|fp8|fp4|nvfp4|int8|int4|awq|gptq|[48]-?bit"
        r"|q[2-8](?:_[k0-9](?:_[sml])?)?)(?![a-z0-9])"
    )),
    ("method", grammar(r"(?<![a-z])(?:q?lora|full (?:fine-?tun\w*|ft))(?![a-z])|全参|全量|满参")),
    ("money", grammar(r"[$¥€]\s?\d[\d,.]*\s?k?|\d{1,4}(?:\.\d)?\s?万(?!\s?(?:字|条|token))")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Thing:
    """Something that can be corrected, by its place in the text."""

    kind: str
    start: int
    end: int


def without_retracted(text: Text) -> Text:
    """The text with each wrong thing replaced by what was said instead; as it is where nothing was taken back."""
    for _ in range(2):
        changed = _once(text)
        if changed is None:
            return text
        text = changed
    return text


def _once(text: Text) -> Text | None:
    plain = text.plain
    cue = _CUE.search(plain)
    if cue is None or not cue[0].strip():
        return None
    start = cue.end()
    while (leading := _LEADING.match(plain, start)) is not None:
        start = leading.end()
    ends = _UNTIL.search(plain, start, start + _REACH)
    end = ends.start() if ends else min(len(plain), start + _REACH)
    former = list(_things(plain, 0, cue.start()))
    pieces: list[tuple[int, int, int, int]] = []
    for new in _things(plain, start, end):
        old = next((one for one in reversed(former) if one.kind == new.kind), None)
        if old is not None and plain[old.start : old.end] != plain[new.start : new.end]:
            pieces.append((old.start, old.end, new.start, new.end))
    if not pieces:
        return None
    return _spliced(text, sorted(pieces), cue.start(), cue.end())


def _things(plain: str, start: int, end: int) -> Iterator[_Thing]:
    """Names, sizes, counts, formats in [start, end), in order; a size that is part of a name counts by itself too."""
    piece = plain[start:end]
    named = [
        _Thing(kind, mention.start, mention.end)
        for kind, names in (("gpu", gpu_names()), ("model", model_names()))
        for mention in names.scan(piece)
    ]
    found = [_Thing(kind, match.start(), match.end()) for kind, rule in _KINDS for match in rule.finditer(piece)]
    whole = start > 0
    if whole:  # in the correction a name says its size itself
        found = [one for one in found if not any(n.start <= one.start < n.end for n in named)]
    for one in sorted([*named, *found], key=lambda one: one.end):
        yield _Thing(one.kind, start + one.start, start + one.end)


def _spliced(text: Text, pieces: list[tuple[int, int, int, int]], cue_start: int, cue_end: int) -> Text:
    """The text with what was corrected in its place; the cue and what was moved are blanked where they stood."""
    plain: list[str] = []
    offsets: list[int] = []

    def take(start: int, end: int) -> None:
        plain.append(text.plain[start:end])
        offsets.extend(text.offsets[start:end])

    done = 0
    for old_start, old_end, new_start, new_end in pieces:
        if old_start < done:
            continue
        take(done, old_start)
        take(new_start, new_end)
        done = old_end
    take(done, cue_start)
    tail = list(text.plain[cue_start:])
    moved = [(cue_start, cue_end), *((new_start, new_end) for _, _, new_start, new_end in pieces)]
    for start, end in moved:
        tail[start - cue_start : end - cue_start] = " " * (end - start)
    kept = text.plain[cue_start:cue_end].strip()[:1]
    if kept and re.match(r"[,.;:?!。]", kept):
        tail[0] = kept
    plain.append("".join(tail))
    offsets.extend(text.offsets[cue_start : len(text.plain)])
    return Text(text.original, "".join(plain), (*offsets, text.offsets[-1]))
