"""Number formats of weights and of the KV cache: fp16, 半精度, int4, 4bit, q4km, AWQ, GGUF, 非量化."""

import re
from functools import lru_cache
from itertools import pairwise

from assistant.understand.text import Found, grammar
from tools.memory.formats import weight_format

_GGUF_DEFAULT = "gguf:Q4_K_M"
_SIZES = {"s": "_S", "m": "_M", "l": "_L"}
_GGUF = grammar(
    r"(?<![a-z0-9])(ud-)?(?:iq([1-4])(?:_?(xxs|xs|s|m|nl)|(?![a-z0-9_]))|q([2-8])(?:_?k(?:_?(s|m|l|xl))?|_([01])"
    r"|(?=[^a-z0-9_.]|\.(?![a-z0-9])|$)))(?![a-z0-9])"
)
_IQ_USUAL = {"1": "m", "2": "m", "3": "m", "4": "xs"}
"""The file of each number of bits that most repositories offer: a bare "IQ2" is IQ2_M."""
_WORDS: tuple[tuple[str, str], ...] = (
    (r"nf4.{0,12}(?:double.?quant|双重?量化|dq)|double.?quant\w{0,9}", "nf4_dq"),
    (r"nf4", "nf4"),
    (r"mxfp4", "mxfp4"),
    (r"nvfp4", "nvfp4"),
    (r"(?:gptq|awq|autoround|hqq|bnb)[-_ ]?(?:int)?4(?:[-_ ]?bits?)?(?![0-9])", "int4"),
    (r"(?:gptq|awq|autoround|hqq|bnb)[-_ ]?(?:int)?8(?:[-_ ]?bits?)?(?![0-9])", "int8"),
    (r"exl[23]", "int4"),
    (r"awq", "awq"),
    (r"gptq", "gptq"),
    (r"w8a8|w8a16|smoothquant|llm\.int8\(?\)?", "int8"),
    (r"w4a16|w4a8|w4a4|w4afp8", "int4"),
    (r"fp4", "nvfp4"),
    (r"fp8(?:_?e[45]m[23])?|f8(?![a-z0-9])|float8", "fp8"),
    (r"quantization[-_ ]?bit\s?[:= ]\s?4", "int4"),
    (r"quantization[-_ ]?bit\s?[:= ]\s?8", "int8"),
    (r"int-?8|8[-_ ]?bits?|load_in_8bit|八位|8 ?位量化|q8bit|8[- ]?бит\w{0,4}|8 ?(?:비트|ビット)", "int8"),
    (r"int-?4|4[-_ ]?bits?|load_in_4bit|四位|4 ?位量化|四比特|4 ?比特|4[- ]?бит\w{0,4}|4 ?(?:비트|ビット)", "int4"),
    (r"int-?3|3[-_ ]?bits?", "gguf:Q3_K_M"),
    (r"1\.58[-_ ]?bits?|1\.6[-_ ]?bits?|(?<![.\d])1[-_ ]?bits?", "gguf:IQ1_S"),
    (r"1\.73[-_ ]?bits?|1\.78[-_ ]?bits?", "gguf:IQ1_M"),
    (r"2\.22[-_ ]?bits?", "gguf:IQ2_XXS"),
    (r"2\.5\d?[-_ ]?bits?|2\.7\d?[-_ ]?bits?", "gguf:Q2_K"),
    (r"int-?2|2[-_ ]?bits?", "gguf:Q2_K"),
    (r"5[-_ ]?bits?", "gguf:Q5_K_M"),
    (r"6[-_ ]?bits?", "gguf:Q6_K"),
    (r"bf-?16|bfloat-?16", "bf16"),
    (r"dtype[ =:'\"]{1,4}(?:torch\.)?half|fp-?16|float-?16|f16|half[- ]?precision|半精度", "fp16"),
    (r"16[-_ ]?bits?", "bf16"),
    (r"fp-?32|float-?32|f32|single[- ]precision|单精度|全精度|32[-_ ]?bits?", "fp32"),
    (
        r"(?:非|未|不|没有?|无)量化|原精度|(?:un|non-?)quanti[sz]ed|(?:no|without) quanti[sz]ation|full[- ]precision",
        "bf16",
    ),
    (r"gguf", _GGUF_DEFAULT),
)  # fmt: skip
_BITS = grammar(r"(?<![a-z0-9.])([1-8](?:\.\d{1,3})?)[-_ ]?(?:bpw|bits? per weight)(?![a-z])")
_RUNGS = (
    "gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_S", "gguf:Q4_K_M", "gguf:Q4_K_S", "int4", "gguf:IQ3_M", "gguf:IQ3_S",
    "gguf:IQ3_XXS", "gguf:IQ2_M", "gguf:IQ2_XS", "gguf:IQ2_XXS",
)  # fmt: skip
"""Formats that stand for a file of any number of bits (EXL2, EXL3): the nearest of them holds as much."""
_FORMAT = grammar("|".join(f"(?P<f{i}>(?<![a-z0-9])(?:{words})(?![a-z0-9]))" for i, (words, _) in enumerate(_WORDS)))
_KV = grammar(
    r"(?:kv[-_ ]?(?:cache)?[-_ ]?(?:dtype|quant|缓存)?|cache[-_ ]type[-_ ][kv]|-ct[kv]|kv ?(?:缓存"
    r"|cache))[\s:=用]{0,4}(?:换成?|改成?|开|设为?|量化到|quantized |set )?\s?(?:成|为)?\s?"
    r"(?:in |at |to )?(auto|bf16|fp16|f16|fp8|int8|q8_0|q8|q4_0|q4|8[- ]?bit|4[- ]?bit)"
)
_KV_AFTER = grammar(
    r"(?<![a-z0-9])(bf16|fp16|f16|fp8|int8|q8_0|q8|q4_0|q4|8[- ]?bit|4[- ]?bit)\s?(?:的"
    r"|quantized )?\s?kv(?:[-_ ]?cache|缓存)?(?![a-z])"
)
_KV_NAMES = {"f16": "fp16", "q8": "q8_0", "q4": "q4_0", "8bit": "fp8", "4bit": "q4_0"}
_NOT = grammar(
    r"(?:(?<![a-z])(?:without|no|not|drop|disable|instead of)(?: the| an?)?|不用|不开|不要|关掉|去掉|取消)\s?$"
)
"""Words that give a narrow cache up, so that it is as wide as usual."""
_ALTERNATIVE = grammar(
    r"\s?(?:量化)?\s?(?:还是|或者?|和|与|跟|、|/|,|(?<![a-z])(?:or|vs\.?|versus|and|then)(?![a-z]))\s?(?:and |or )?"
    r"|[^.?!\n]{0,16}?(?<![a-z])(?:worth it |better |pay(?:s)? off |noticeabl[ey] )?(?:over|compared (?:to|with))\s?"
)
_REFERENCE = grammar(
    r"文档写|文档里|官方说|听说|据说|别人|docs? (?:say|list)s?|instead of|rather than|跟|和|与|than"
    r"|vs\.?|相比|(?:不是|not|no) ?$|(?:不支持|(?:not|n't) support)\s?$"
)


_WORKS = grammar(
    r"\s?(?:的)?\s?(?:version|one|model|quants?|checkpoint|variant|版本?|量化版?)?\s?(?:works?|worked|runs?|ran|loads?"
    r"|is fine|was fine|可以跑|能跑|跑得动|没问题|正常|就行|没事)(?![a-z])(?!\s?[吗么?]| on| in| at| with)"
)
"""What is said of another version than the one in question: "the AWQ version worked"."""
_LOOSE = grammar(r"全精度|原精度|full[- ]precision|(?:非|未|不|没有?|无)量化|(?:un|non-?)quanti[sz]ed|16[-_ ]?bits?")
"""Words for "as published", which say nothing beside a format with a name: 「bf16 全精度」."""


def find_formats(text: str) -> list[Found[str]]:
    """Every weight format named, left to right; those of the KV cache left out."""
    return list(_named(text))


@lru_cache(maxsize=64)
def _named(text: str) -> tuple[Found[str], ...]:
    """The same, remembered: reading and planning ask for the formats of one question seven times."""
    cache = [match.span() for match in (*_KV.finditer(text), *_KV_AFTER.finditer(text))]
    found = [Found(_gguf_name(m), m.start(), m.end()) for m in _GGUF.finditer(text)]
    sized = [Found(_of_bits(float(m[1])), m.start(), m.end()) for m in _BITS.finditer(text)]
    found += sized
    for match in _FORMAT.finditer(text):
        name = next(value for i, (_, value) in enumerate(_WORDS) if match[f"f{i}"] is not None)
        if sized and match[0].startswith("exl"):
            continue  # its bits say more
        found.append(Found(name, match.start(), match.end()))
    inside = [f for f in found if not any(start <= f.start < end for start, end in cache)]
    return tuple(sorted(inside, key=lambda f: f.start))


def find_kv_format(text: str) -> Found[str] | None:
    """Format of the KV cache, when one is named."""
    match = _KV.search(text) or _KV_AFTER.search(text)
    if match is None:
        return None
    if _NOT.search(text[max(0, match.start() - 12) : match.start()]):
        return Found("bf16", match.start(), match.end())
    name = match[1].replace("-", "").replace(" ", "")
    return Found(_KV_NAMES.get(name, name), match.start(), match.end())


def choose_format(text: str, found: list[Found[str]]) -> Found[str] | None:
    """The format that the question is about: the last that is not mere reference; GGUF's own name beats plain GGUF.

    Two formats side by side are a comparison, and then the asker has not chosen one.
    """
    if any(_ALTERNATIVE.fullmatch(text[a.end : b.start]) for a, b in pairwise(found) if a.value != b.value):
        return None
    own = [f for f in found if not _REFERENCE.search(text[max(0, f.start - 8) : f.start])] or found
    own = [f for f in own if not _WORKS.match(text, f.end)] or own
    own = [f for f in own if not _LOOSE.fullmatch(text[f.start : f.end])] or own
    if not own:
        return None
    quants = [f for f in own if f.value.startswith("gguf:") and f.value != _GGUF_DEFAULT]
    if quants:
        return quants[-1]
    specific = [f for f in own if f.value != _GGUF_DEFAULT]
    if specific and len(specific) != len(own) and specific[-1].value in {"int4", "int8"}:
        bits = {"int4": _GGUF_DEFAULT, "int8": "gguf:Q8_0"}[specific[-1].value]
        return Found(bits, specific[-1].start, specific[-1].end)
    return (specific or own)[-1]


@lru_cache(maxsize=64)
def _of_bits(bits: float) -> str:
    """The format whose matrices take the nearest number of bits a weight."""
    return min(_RUNGS, key=lambda name: abs(weight_format(name).body_bits - bits))


def compares_formats(found: list[Found[str]]) -> bool:
    """Whether two or more different formats are named."""
    return len({f.value for f in found}) > 1


def _gguf_name(match: re.Match[str]) -> str:
    if match[2]:
        return f"gguf:IQ{match[2]}_{(match[3] or _IQ_USUAL[match[2]]).upper()}"
    if match[6]:
        return f"gguf:Q{match[4]}_{match[6]}"
    if match[4] == "8":
        return "gguf:Q8_0"
    if match[4] == "6":
        return "gguf:Q6_K"
    return f"gguf:Q{match[4]}_K" + ("" if match[4] == "2" and not match[5] else _SIZES.get(match[5] or "m", "_XL"))
