"""Names of models as people write them, with the format of their weights: "Qwen3-32B AWQ", 「deepseek r1 满血」."""

import re
from collections.abc import Sequence
from functools import lru_cache

from kb.base import AmbiguousName, BadInput, Frozen, UnknownName
from kb.lexicon.formats.rules import FormatFound, formats
from kb.lexicon.models.size import SIZED, fillers, sizes_in, stored_in
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, vocabulary
from kb.models import closed, model, models
from kb.naming.longer_names import any_longer_model
from kb.naming.names import Mention, model_names, newest_of_size

ALIKE = 1.25
"""Largest over smallest parameter count of models that one name may mean without asking which."""
SIZE_SLACK = 0.12
"""How far a size said may be from the parameters counted."""
_EDGES = " -_,;:.()（）[]/+*"
_LONGER_WORD = grammar(r"[a-z0-9][-_]$")


class ModelName(Frozen):
    """A model as it was named."""

    model: str
    """Catalog id."""
    weight_format: str | None = None
    """Format of its weights where the name says one, in the tools' spelling; null = as published."""
    said_format: str | None = None
    """The same, told also where it is the one that the model is published in: a person who names it wants no other."""
    text: str
    """The name as it was written."""
    assumptions: tuple[str, ...] = ()
    """Which of several models of that name was taken."""


def read_model(text: str, field: str = "model") -> ModelName:
    """The model that `text` names.

    Raises:
        BadInput: it is empty or names several models.
        UnknownName: nothing bears the name; carries the closest.
        ClosedModel: it runs only as its maker's service.
        AmbiguousName: models of quite different size bear it.
    """
    written = text.strip()
    if not written:
        raise BadInput(field, "the name is empty.", "Give a catalog id, a Hugging Face id or a name.")
    if written in models():
        return ModelName(model=written, text=written)
    words = plain(written)
    found = formats(words)
    stored = stored_in(found)
    ids = _ids(written, _less(words, found), field)
    best = ids[0]
    assumed = () if len(ids) == 1 else (_assumed(written, ids),)
    return ModelName(
        model=best, weight_format=_own(best, stored), said_format=stored, text=written, assumptions=assumed
    )


def _own(key: str, stored: str | None) -> str | None:
    """The format said; that of a name that the checkpoint was published under says nothing new."""
    return None if stored is not None and models()[key].native_format == stored else stored


def _less(words: str, found: Sequence[FormatFound]) -> str:
    """The name without what was read as its format."""
    kept, done = [], 0
    for one in found:
        kept.append(words[done : one.start])
        done = max(done, one.end)
    return " ".join("".join([*kept, words[done:]]).split()).strip(_EDGES)


def _ids(written: str, words: str, field: str) -> list[str]:
    """Ids of the models meant, the usual one first; all of about the same size."""
    if newest := newest_of_size(words) or newest_of_size(_plainer(words)):
        return _settled(written, newest)
    every = _settled(written, model_names().bearers(written))
    if every:
        return every
    for spelling in dict.fromkeys((words, _plainer(words))):
        if spelling and (every := _settled(written, model_names().bearers(spelling))):
            return every
    sizes = sizes_in(words)
    mentions = [one for one in model_names().scan(words, bold=True) if _is_name(words, one)]
    mentions = [one for one in mentions if any_longer_model(words, one) is None]
    named = {one.ids[0] for one in mentions}
    if len(named) > 1:
        raise BadInput(field, f"“{written[:60]}” names several models: {', '.join(sorted(named))}.", "Give one.")
    if mentions and (every := _of_sizes(list(mentions[0].ids), sizes)) and _rest_is_filler(words, mentions[0]):
        return _settled(written, every)
    if (service := closed(written)) is not None:
        model(written)
        raise UnknownName("model", written, (service.open,) if service.open else ())
    raise UnknownName("model", written, model_names().close(words or written))


def _of_sizes(ids: list[str], sizes: Sequence[float]) -> list[str]:
    """Those that every size said is one of: of all parameters, of the active ones, or of the name itself."""

    def bears(key: str, size: float) -> bool:
        record = models()[key]
        counts = (record.params, record.active_params or record.params)
        named = re.search(rf"(?<![\d.]){size / 1e9:g}b(?![a-z])", key.lower()) is not None
        return named or any(abs(count - size) <= SIZE_SLACK * count for count in counts)

    return [key for key in ids if all(bears(key, size) for size in sizes)]


def _settled(written: str, ids: list[str]) -> list[str]:
    """The ids, when they are of one size or one of them bears the size written."""
    if len(ids) < 2:
        return ids
    sizes = [models()[key].params for key in ids]
    if max(sizes) > ALIKE * min(sizes):
        raise AmbiguousName("model", written, ids[:8])
    return ids


def _assumed(written: str, ids: Sequence[str]) -> str:
    others = ", ".join(ids[1:4])
    return f"“{written[:60]}” is read as {ids[0]}, the newest of that name; it could also be {others}."


def _plainer(words: str) -> str:
    """The name without words that leave it as it is: 「满血」, "the … model"."""
    return " ".join(fillers().sub(" ", words).split()).strip(_EDGES)


@lru_cache(maxsize=1)
def _software() -> re.Pattern[str]:
    return grammar(rf"[-_. ]?(?:{any_of(vocabulary('models', 'software'))})")


def _is_name(words: str, mention: Mention) -> bool:
    """Whether a model is named and not a program called after one: llama.cpp, LLaMA-Factory."""
    return not _software().match(words, mention.end) and not _LONGER_WORD.search(words[: mention.start])


def _rest_is_filler(words: str, mention: Mention) -> bool:
    """Whether the words around the name say nothing else: a further size, version or name does."""
    rest = f"{words[: mention.start]} {words[mention.end :]}"
    rest = fillers().sub(" ", SIZED.sub(" ", rest))
    return not re.search(r"\d", rest) and len(re.findall(r"[a-z]{2,}", rest)) <= 2
