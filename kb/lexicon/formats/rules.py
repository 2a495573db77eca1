"""Number formats as people write them: q4_k_m · Q8 · 4bit · fp8 e4m3 · iq2_xxs · AWQ int4 · 4.65bpw · 半精度."""

import re
from functools import lru_cache
from typing import NamedTuple

from kb.base import BadInput
from kb.constants.memory_constants import constants
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

_GGUF = grammar(
    r"(?<![a-z0-9])(?:gguf[-_: ]*)?(?:ud[-_])?"
    r"(?:iq(?P<i>[1-4])(?:[_-]?(?P<is>xxs|xs|s|m|nl))?|tq(?P<t>[12])_0"
    r"|q(?P<q>[2-8])(?:[_ -]?k(?:[_ -]?(?P<ks>xl|s|m|l))?|[_-](?P<o>[01]))?)(?![a-z0-9_])"
)
_IQ_USUAL = {"1": "M", "2": "M", "3": "M", "4": "XS"}
"""The file of each number of bits that most repositories offer: a bare "IQ2" is IQ2_M."""
_K_USUAL = {"2": "Q2_K", "3": "Q3_K_M", "4": "Q4_K_M", "5": "Q5_K_M", "6": "Q6_K", "8": "Q8_0"}
_BITS = grammar(r"(?<![a-z0-9.])([1-8](?:\.\d{1,3})?) ?(?:bpw|bits? per weight)(?![a-z])")
_RUNGS = (
    "Q8_0", "Q6_K", "Q5_K_S", "Q4_K_M", "Q4_K_S", "IQ4_XS", "IQ3_M", "IQ3_S", "IQ3_XXS", "IQ2_M", "IQ2_XS", "IQ2_XXS",
)  # fmt: skip
"""Files that stand for weights of any number of bits (EXL2, EXL3): the nearest of them holds as much."""
_NOT_THE_FORMAT = grammar(r"[ -]|kv|cache|缓存|quanti[sz]ed")
_CACHE = {
    "4": "q4_0",
    "8": "q8_0",
    "q8_0": "q8_0",
    "q4_0": "q4_0",
    "q8": "q8_0",
    "q4": "q4_0",
    "4bit": "q4_0",
    "8bit": "q8_0",
}


class FormatFound(NamedTuple):
    """A format in a folded text, and where it stands."""

    name: str
    start: int
    end: int
    vague: bool
    """Whether it names a kind of file rather than a format: GGUF, a number of bits."""


def read_format(text: str, field: str = "weight_format") -> str:
    """The format that `text` names, in the tools' spelling: `q4_k_m` → `gguf:Q4_K_M`, `4bit` → `int4`.

    A cache's formats are spelled as its engines do: with `field` `kv_format`, `q8` is `q8_0`.

    Raises:
        BadInput: it names none, or several.
    """
    words = plain(text)
    if field == "kv_format" and (cached := _CACHE.get(_NOT_THE_FORMAT.sub("", words))):
        return cached
    found = formats(words)
    sharp = [one for one in found if not one.vague] or found
    names = list(dict.fromkeys(one.name for one in sharp))
    if len(names) != 1:
        reason = "is no number format" if not names else f"names several formats: {', '.join(names)}"
        known = ", ".join([*list(constants().formats.bits)[:10], "gguf:Q4_K_M"])
        raise BadInput(field, f"“{text[:60]}” {reason}.", f"Give one of {known} …")
    return names[0]


def formats(words: str) -> list[FormatFound]:
    """The formats a folded text names, left to right; those of one name said in two ways once."""
    found = [FormatFound(_gguf(match), *match.span(), vague=False) for match in _GGUF.finditer(words)]
    found += [FormatFound(_of_bits(float(match[1])), *match.span(), vague=False) for match in _BITS.finditer(words)]
    for match in _words().finditer(words):
        name = meaning("formats", "words", match[0])
        vague = name == "gguf:Q4_K_M" or re.search(r"bit|位|比特|^int|^exl", match[0]) is not None
        found.append(FormatFound(name, *match.span(), vague=vague))
    found.sort(key=lambda one: (one.start, -one.end))
    return [one for place, one in enumerate(found) if not any(_holds(other, one) for other in found[:place])]


def _holds(outer: FormatFound, inner: FormatFound) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    spelled = ("[-_ ]?".join(map(re.escape, re.split(r"[-_ ]", word))) for word in _longest_first())
    return grammar("|".join(rf"(?<![a-z0-9.]){one}(?![a-z0-9])" for one in spelled))


def _longest_first() -> list[str]:
    return sorted(vocabulary("formats", "words"), key=len, reverse=True)


@lru_cache(maxsize=1)
def packing() -> re.Pattern[str]:
    """Words that say nothing of the format by themselves."""
    return grammar(any_of(vocabulary("formats", "packing")))


def _gguf(match: re.Match[str]) -> str:
    mixes = constants().formats.gguf_mixes
    if match["i"]:
        name = f"IQ{match['i']}_{(match['is'] or _IQ_USUAL[match['i']]).upper()}"
    elif match["t"]:
        name = f"TQ{match['t']}_0"
    elif match["o"]:
        name = f"Q{match['q']}_{match['o']}"
    elif match["ks"]:
        name = f"Q{match['q']}_K_{match['ks'].upper()}"
    else:
        name = _K_USUAL.get(match["q"], f"Q{match['q']}_K")
    if name not in mixes:
        name = _K_USUAL.get(match["q"] or "", name)
    return f"gguf:{name}"


@lru_cache(maxsize=64)
def _of_bits(bits: float) -> str:
    """The format whose matrices take the nearest number of bits a weight."""
    table = constants().formats

    def width(name: str) -> float:
        mix = table.gguf_mixes[name]
        wide = table.gguf_bits[mix.promoted] if mix.promoted else table.gguf_bits[mix.bulk]
        return table.gguf_bits[mix.bulk] + mix.promoted_ratio * (wide - table.gguf_bits[mix.bulk])

    return "gguf:" + min(_RUNGS, key=lambda name: abs(width(name) - bits))
