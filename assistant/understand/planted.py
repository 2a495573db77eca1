"""Words planted in a question to steer the answer: hidden, disguised, or ordering what to say. They state no need.

A person's own words are read as they stand. Left out are: markup that hides text from a person, made-up roles and tool
results, and, after an order to drop one's rules, the sentences that say what to state, to whom, or what alone to
recommend. A line in which such an order shows only once a disguise is taken off (spaced or leet letters, look-alikes,
marks over letters) is left out whole: nobody asks like that.
"""

import base64
import codecs
import re
import unicodedata
from contextlib import suppress

from assistant.understand.text import Text, grammar

_HIDDEN_STYLE = (
    r"font-size:\s?0|display:\s?none|visibility:\s?hidden|opacity:\s?0(?!\.)|color:\s?(?:#fff|white|transparent)"
)
_HIDDEN = grammar(
    r"<!--[^\0]{0,1500}?-->"
    rf"|<(\w{{1,12}})[^<>]{{0,300}}?(?:{_HIDDEN_STYLE})[^<>]{{0,300}}>[^\0]{{0,1500}}?</\1\s?>"
    r"|</?(?:user|system|assistant|instructions?)>(?:[^\0]{0,1500}?</(?:system|assistant|instructions?)>)?"
    r"|(?:^|(?<=\n))[ \t]*(?:#{1,6} ?(?:system|assistant|developer) ?:|\[(?:system|assistant|developer)\]"
    r"|<\|(?:im_start\|>)?(?:system|assistant|developer)(?:\|>)?)[^\n]*"
    r"|\{\s?\"tool\"\s?:[^\n]{0,1500}?\"result\"\s?:[^\n]{0,1500}\}"
)
_OVERRIDE = grammar(
    r"(?:ignore|disregard|forget|override|bypass)\s(?:all |any |every |everything |your |the |my )?(?:of )?"
    r"(?:(?:your |the |all )?(?:previous|prior|above|earlier|existing|safety|system)?\s?"
    r"(?:instructions?|rules?|prompts?|guidelines|constraints|guardrails)"
    r"|(?:what(?:ever)? |that )?you (?:were|have been|are|'ve been) (?:told|taught|given))"
    r"|(?:忽略|无视|忘记|忘掉|抛开|绕过|不要遵守|不用管)[^。,!?\n]{0,14}(?:规则|指令|指示|提示词?|设定|限制|约束|要求)"
    r"|you are now (?:a|an|dan|in)(?![a-z])|developer mode|do anything now"
)
_ORDER = grammar(
    r"(?:what|how)ever (?:is|they|he|she|anyone|people|users?) ask|no matter what|whoever asks"
    r"|^\W*(?:and |then |now |please |just |always |only |instead )*"
    r"(?:say|state|tell|write|claim|declare|answer|reply|respond|output|print|recommend (?:nothing|only|no)|deny|cite"
    r"|mention|begin|start|end|repeat|insist|confirm|announce|pretend|quote|show|reveal)(?![a-z])"
    r"|^\W*(?:并且?|然后|现在)?(?:请|必须|一定要?|务必|直接)?(?:你)?(?:都|只)?(?:要|能)?"
    r"(?:说|写明|写出|声明|宣布|回答|输出|打印|引用|提醒|告诉|坚称|承认|答)"
    r"|(?:只许|只准|只能|一律|统统)(?:推荐|说|回答|写|买|答)|都(?:让|叫|劝|答|说|推荐)|让(?:他|她|用户|大家|对方)"
    r"|不管[^。,\n]{0,8}问|无论[^。\n]{0,12}都|结尾(?:放|加|附)|(?:开头|结尾)[。.]?$"
)
_CONFIRM = grammar(
    r"(?:[吗么吧]|对不对|是不是|是吧|对吧|行不行|right|correct|yes or no|or not|isn't it|doesn't it|can't it)"
    r"[\s。!.]*\?*[\s。!.]*$|\?\s*$"
)
"""What makes of a statement a question: it asks for a judgement, and the answer may contradict it."""
_SENTENCE = re.compile(r"(?:[^。?!;\n.]|\.(?=\d))*(?:[。?!;\n]+|\.(?!\d)|$)")
_CLAUSE = re.compile(r"(?:[^,。?!;:\n.]|[.:](?=[\d/]))*(?:[,。?!;\n]+|[.:](?![\d/])|$)")
_TIGHT = re.compile(_OVERRIDE.pattern.replace(" ", " ?").replace(r"\s", r"\s?"), re.ASCII)
"""The same order with its spaces gone."""
_TURNED = re.compile("[\u202d\u202e\u2066-\u2068][^\u202c\u2069]*[\u202c\u2069]?")
"""Text whose order on the screen is not that of its letters."""
_ENCODED = re.compile(r"(?<![\w+/])(?:[A-Za-z0-9+/]{20,}={0,2}|(?:[0-9a-fA-F]{2}){12,})(?![\w+/=])")
_LEET = tuple(str.maketrans("0134579$@", letters) for letters in ("oleastgsa", "oieastgsa"))
_LOOK_ALIKE = str.maketrans("аеорсухкмтвніѕјһ", "aeopcyxkmtbhisjh")


def without_planted(written: str) -> str:
    """The question with blanks in place of what was planted in it."""
    blank = _TURNED.sub(
        _blanks, _ENCODED.sub(lambda match: _blanks(match) if _decodes(match[0]) else match[0], written)
    )
    text = Text.of(blank)
    spans = [match.span() for match in _HIDDEN.finditer(text.plain)]
    for start, end in [*spans, *_orders(text.plain)]:
        first, last = text.offsets[start], text.offsets[end]
        blank = blank[:first] + " " * (last - first) + blank[last:]
    return blank


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _decodes(word: str) -> bool:
    """Whether letters stand for a text written in base64 or as hexadecimal bytes."""
    for decode in (bytes.fromhex, _from_base64):
        with suppress(ValueError):
            text = decode(word).decode()
            if sum(character.isprintable() for character in text) >= 0.9 * len(text):
                return True
    return False


def _from_base64(word: str) -> bytes:
    return base64.b64decode(word + "=" * (-len(word) % 4), validate=True)


def _orders(plain: str) -> list[tuple[int, int]]:
    """Where sentences stand that order what to say, once something has ordered to drop the rules."""
    spans: list[tuple[int, int]] = []
    start, overridden = 0, False
    for line in plain.splitlines(keepends=True):
        if not _OVERRIDE.search(line) and _TIGHT.search(undisguised(line)):
            spans.append((start, start + len(line)))
            overridden = True
        else:
            for first, last in _pieces(line, overridden):
                piece = line[first:last]
                ordered = overridden and _ORDER.search(piece) and not _CONFIRM.search(piece)
                if _OVERRIDE.search(piece) or ordered:
                    spans.append((start + first, start + last))
                overridden = overridden or bool(_OVERRIDE.search(piece))
        start += len(line)
    return spans


def _pieces(line: str, overridden: bool) -> list[tuple[int, int]]:
    """Clauses as far as rules are being dropped, whole sentences after it."""
    pieces, position = [], 0
    while position < len(line):
        match = (_SENTENCE if overridden else _CLAUSE).match(line, position)
        end = match.end() if match and match.end() > position else position + 1
        pieces.append((position, end))
        overridden = overridden or bool(_OVERRIDE.search(line[position:end]))
        position = end
    return pieces


def undisguised(line: str) -> str:
    """What a line says, without its blanks, to whoever looks through marks over letters, look-alikes, digits for
    letters and letters turned by thirteen."""
    bare = (c for c in unicodedata.normalize("NFKD", line) if unicodedata.category(c) not in {"Mn", "Cf", "Zs"})
    letters = "".join(bare).translate(_LOOK_ALIKE)
    return "\n".join([letters, codecs.encode(letters, "rot13"), *(letters.translate(table) for table in _LEET)])
