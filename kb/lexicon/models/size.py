"""Sizes said of models: "a 70B", 35b-a3b, 「32B 的模型」; and what else stands beside a model's name."""

import re
from collections.abc import Sequence
from functools import lru_cache

from kb.base import BadInput, Frozen
from kb.lexicon.formats.rules import FormatFound, formats
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, vocabulary
from kb.models import models
from kb.naming.names import closed_names, model_names

_A_SIZE = r"(\d{1,4}(?:\.\d{1,2})?) ?([bm])(?:illion)?(?:[ -]?(?:params?|parameters?))?(?![a-z0-9])"
SIZED = grammar(rf"(?<![a-z0-9.])a?{_A_SIZE}")
_ALONE = grammar(rf"(?<![a-z0-9.]){_A_SIZE}(?:[ ,(-]*a ?(\d{{1,3}}(?:\.\d)?) ?b(?![a-z0-9])(?: active)?)?")
_EDGES = " -_,;:.()（）[]/+*"
_SCALES = {"b": 1e9, "m": 1e6}
MOST = 10**14


class ModelSize(Frozen):
    """A model known by its size alone."""

    params: int
    """Parameters."""
    active_params: int | None = None
    """Parameters a token visits, where they are said: 35b-a3b."""
    weight_format: str | None = None
    """Format of its weights, where one is said."""
    text: str
    """The size as it was written."""


def read_params(text: str, field: str = "params") -> ModelSize:
    """The size that is all `text` says of a model: "7B", "35b-a3b", "a 70b model at 4 bit", 「32B 的模型」.

    Raises:
        BadInput: it holds no size, or names something.
    """
    words = plain(text)
    match = _ALONE.search(words)
    if match is None or not _nothing_more(f"{words[: match.start()]} {words[match.end() :]}"):
        raise BadInput(field, f"“{text[:60]}” is no size of a model.", 'Give e.g. "7B", "35B-A3B".')
    params = round(float(match[1]) * _SCALES[match[2]])
    if not 0 < params <= MOST:
        raise BadInput(field, f"“{text[:60]}” is no size of a model.", "Give more than 0 and at most 10^14.")
    active = round(float(match[3]) * 1e9) if match[3] else None
    return ModelSize(params=params, active_params=active, weight_format=stored_in(formats(words)), text=text.strip())


def size_in_name(text: str, *, any_family: bool = False) -> ModelSize | None:
    """The size in a name that no family of the catalog bears: "acme/helper-7b-v1.4"; null where there is not one size.

    Of a family that is known a size that it lacks is a mistake, and no unknown model, unless `any_family`.
    """
    words = plain(text)
    found = list(_ALONE.finditer(words))
    known = not any_family and _of_a_known_family(words)
    if len(found) != 1 or known or _nothing_more(SIZED.sub(" ", words)):
        return None
    try:
        size = read_params(found[0][0])
    except BadInput:
        return None
    return size.model_copy(update={"weight_format": stored_in(formats(words)), "text": text.strip()})


def _of_a_known_family(words: str) -> bool:
    named = model_names().scan(words, bold=True) or closed_names().scan(words)
    return bool(named) or not _families().isdisjoint(re.findall(r"[a-z]+", words))


@lru_cache(maxsize=1)
def _families() -> frozenset[str]:
    """The words that names of known language models begin with: qwen, llama, gpt."""
    begins = (re.match(r"[a-z]{3,}", one.family.lower()) for one in models().values() if one.kind in ("llm", "vlm"))
    return frozenset(match[0] for match in begins if match)


def _nothing_more(rest: str) -> bool:
    """Whether the words beside a size are a format and words that name nothing."""
    for one in reversed(formats(rest)):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    return re.search(r"[a-z0-9\u4e00-\u9fff]", fillers().sub(" ", rest).strip(_EDGES)) is None


def sizes_in(words: str) -> list[float]:
    """Parameter counts that the words say beside a name."""
    return [float(match[1]) * _SCALES[match[2]] for match in SIZED.finditer(words)]


def stored_in(found: Sequence[FormatFound]) -> str | None:
    """The format: the name of a method or file tells more than its width or that it is a GGUF."""
    sharp = [one for one in found if not one.vague] or list(found)
    return sharp[-1].name if sharp else None


@lru_cache(maxsize=1)
def fillers() -> re.Pattern[str]:
    """Words that leave a name as it is."""
    return grammar(any_of([*vocabulary("models", "fillers"), *vocabulary("formats", "packing")]))
