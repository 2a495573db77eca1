"""Models named in a text: by the catalog's names, by a family and a size, by a token that only looks like one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.understand.generations import newer
from assistant.understand.text import Text, grammar
from assistant.understand.unknown import unknown_models
from kb.base import AdvisorError
from kb.catalog import models
from kb.naming.names import Mention, model_names

_SHORT_NAME = 4
"""Letters of a model's name that may well be part of another."""
_ORDINARY = frozenset({"internal", "minimal", "retrieve", "starting", "roberts"})
"""Ordinary words one slip of typing away from a model's name: all there are among the words of 33,000 in use."""
_PLURAL = re.compile(r"ViTs")
"""Several vision transformers, not the speech model whose name reads alike."""
_LONGER_WORD = grammar(r"[a-z0-9][-_]$")
_SOFTWARE = grammar(r"[-_. ]?(?:cpp|factory|server|cli|index|box|board)(?![a-z])")
"""What makes a family's name that of a program: llama.cpp, LLaMA-Factory."""
_SIZE_SLACK = 0.25
"""How far a said size may be from the catalog's count: "7B" is 7.6 billion."""
_MILLIONS_BEFORE = grammar(r"(?<![a-z0-9.])(\d{2,3})[ -]?m[ -]$")
_BESIDE = 4
"""Characters between a family's name and a size that is its: 「235b 的 qwen3」."""
_DISTILLED = grammar(r"[- _]?(?:的)?(?:蒸馏|distill)")
_SIZE_AFTER = grammar(
    r"[a-z0-9.]{0,8}(?:[-_][a-z0-9.]{1,16}){0,3}[- _]?(?<![\d.])(\d{1,4}(?:\.\d{1,2})?)b"
    r"(?![a-z0-9]|\s?(?:training )?tok)"
)
_FAMILY_WORD = grammar(r"(?<![a-z])[a-z]{6,16}(?![a-z])")
_FAMILY_BEFORE = 30
"""Characters from a family's name to the end of its size."""
_ROUNDED = 0.03
"""How far a size in a name may be from the parameters counted."""
_PARAMS = grammar(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d{1,2})?)\s?b(?![a-z]|\s?(?:training )?tok)")

_SEES = grammar(
    r"\d{3,4}\s?[x×*]\s?\d{3,4}|ocr|document|pdf|segment|detect|resolution|(?<![a-z])images?(?![a-z])|文档|图像|图片|分割"
    r"|检测|分辨率"
)
_SPEAKS = grammar(r"(?<![a-z])(?:tts|asr|voices?|speech|audio|speakers?)(?![a-z])|语音|音频|配音|朗读|音色")
_DRAWS = grammar(
    r"(?<![a-z])(?:images?|pictures?|videos?|comfyui|diffusion|diffusers|steps)(?![a-z])|出图|生图|视频|画图"
)
_BREAK = grammar(r"[,;+&?!()、。]|\s(?:and|or|with|for|plus|on)\s")
"""What parts a size from the words before it: "stable diffusion + 13B" is no StableVicuna."""
_VERSION = grammar(r"[-_ ]?v?\d{1,2}\.\d{1,2}(?![\d.]*\s?(?:b|k|t|bpw|bits?|g|gb|万|亿|x)(?![a-z]))(?:-[a-z]{2,12})*")
"""A version right behind a family's name."""
_FIELD = {
    "vision": _SEES, "vlm": _SEES, "speech": _SPEAKS, "diffusion": _DRAWS, "video": _DRAWS,
}  # fmt: skip
"""Words of the work that a kind of model does."""


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model in the text; `model` is None for one the catalog does not know."""

    model: str | None
    ids: tuple[str, ...]
    params: int | None
    start: int
    end: int
    sure: bool = True
    """Whether the name alone says which, rather than a size elsewhere."""
    newer: bool = False
    """Whether it is of a generation that the catalog does not know yet; `ids` are of its family."""


def model_mentions(text: str, written: Text | None = None) -> list[Mention]:
    """Model names; a short one at the end of a longer word ("open-r1", "LightM-UNet") is another thing's name.

    One that is spelled like an ordinary word counts where it was `written` with a capital ("Donut"), or where the
    text speaks of what such a model does ("donut input 2560x1920", "fine-tune bark for tts").
    """
    return [
        mention
        for mention in _own_names(text)
        if not _SOFTWARE.match(text, mention.end)
        and (mention.exact or mention.text.lower() not in _ORDINARY)
        and not (written is not None and _PLURAL.fullmatch(written.span("model", mention.start, mention.end).text))
        and _meant(text, mention, written)
        and not _of_millions(text, mention)
        and (
            len(mention.text) > _SHORT_NAME or not _LONGER_WORD.search(text[max(0, mention.start - 2) : mention.start])
        )
    ]


def _own_names(text: str) -> list[Mention]:
    """The names in the text; 「满血版」, by itself the whole R1, only says of a model named beside it that all of it is
    meant: 「满血版 kimi k2」, 「满血版deepseek-v3.1」."""
    found = model_names().scan(text, bold=True, longer=True)
    if not any("满血" in mention.text for mention in found):
        return found
    bare = _FULL.sub(lambda match: " " * len(match[0]), text)
    others = [one for one in model_names().scan(bare, bold=True) if one.exact and _FULL_BLOODED not in one.ids]
    kept: list[Mention] = []
    for mention in found:
        beside = "满血" in mention.text and next((one for one in others if _touch(bare, mention, one)), None)
        kept.append(beside or mention)
    return sorted(dict.fromkeys(kept), key=lambda mention: mention.start)


def _touch(bare: str, mention: Mention, one: Mention) -> bool:
    """Whether nothing but blanks is between two names, and the one says more than the other without 「满血版」."""
    if one.text.strip() == _FULL.sub("", mention.text).strip():
        return False
    first, second = sorted((mention, one), key=lambda name: name.start)
    return not bare[first.end : second.start].strip()


def _of_millions(text: str, mention: Mention) -> bool:
    """Whether a family's name only tells the shape of a smaller model of one's own: "a 350M llama"."""
    said = _MILLIONS_BEFORE.search(text[max(0, mention.start - 8) : mention.start])
    if said is None or len(mention.ids) < 2:
        return False
    return all(abs(models()[key].params - float(said[1]) * 1e6) > _SIZE_SLACK * models()[key].params
               for key in mention.ids)  # fmt: skip


def _meant(text: str, mention: Mention, written: Text | None) -> bool:
    """Whether a name is meant rather than the ordinary word that is spelled like it."""
    if not model_names().is_shy(mention.text):
        return True
    if any(character.isspace() for character in mention.text):
        return False
    if written is not None and _spelled_as_published(written.span("model", mention.start, mention.end).text, mention):
        return True
    kinds = {models()[key].kind for key in mention.ids}
    return any(_FIELD[kind].search(text) is not None for kind in kinds if kind in _FIELD)


def _spelled_as_published(words: str, mention: Mention) -> bool:
    """Whether the capitals are those of the name: Donut, SAM; nobody's friend Sam."""
    published = {name for key in mention.ids for name in (models()[key].name, *models()[key].aliases)}
    return words[0].isupper() and any(re.match(rf"{re.escape(words)}(?![a-z])", name) for name in published)


_FULL = re.compile(r"满血版?")
_FULL_BLOODED = "deepseek-ai/DeepSeek-R1"
"""What people call so: the whole R1, not one of the models distilled from it."""


def _whole_deepseek(text: Text, mention: Mention) -> bool:
    """Whether a bare "DeepSeek" is the whole one: 「公司搭 deepseek，满血能跑吗」."""
    bare = len(mention.ids) > 1 and text.plain[mention.start : mention.end].strip() == "deepseek"
    return bare and "满血" in text.plain and not _PARAMS.search(text.plain)


_PIPELINES = ("diffusion", "video")
"""Kinds whose size is said of the network that draws, not of the encoders beside it."""


def named_model(text: Text, mention: Mention) -> NamedModel:
    """The catalog model meant: by its name, by a size said beside it, or the distilled one of that size."""
    if (distilled := _distilled(text, mention)) is not None:
        return NamedModel(distilled, (distilled,), models()[distilled].params, mention.start, mention.end)
    if _whole_deepseek(text, mention):
        return NamedModel(_FULL_BLOODED, (_FULL_BLOODED,), models()[_FULL_BLOODED].params, mention.start, mention.end)
    if (end := mention.longer or newer(text.plain, mention.start, mention.end)) is not None:
        return NamedModel(None, mention.ids, None, mention.start, end, newer=True)
    ids = _narrow_models(text, mention)
    records = [models()[key] for key in ids]
    said = _SIZE_AFTER.match(text.plain, mention.end)
    whole = any(record.kind not in _PIPELINES for record in records)
    alike = said and any(abs(r.params - float(said[1]) * 1e9) <= _SIZE_SLACK * r.params for r in records)
    if said and whole and not alike:
        return _other_member(ids[0], round(float(said[1]) * 1e9), mention.start, said.end())
    settled = max(r.params for r in records) <= 1.25 * min(r.params for r in records)
    if not settled:
        return NamedModel(None, ids, None, mention.start, mention.end)
    return NamedModel(ids[0], ids, records[0].params, mention.start, mention.end, sure=len(ids) == len(mention.ids))


def _resolved(text: Text, params: int, start: int, end: int) -> NamedModel:
    """A model-like token by itself: in the catalog after all ("llama2-7b/mistral"), or a stranger of that size."""
    try:
        key = model_names().resolve(text.plain[start:end])
    except AdvisorError:
        alike = by_family(text.plain, params, end)
        if alike is None:
            return NamedModel(None, (), params, start, end)
        key = alike
    return NamedModel(key, (key,), models()[key].params, start, end)


def _other_member(model: str, params: int, start: int, end: int) -> NamedModel:
    """What "bloom 7B" means when "bloom" is the 176 B one: the member of that size, else a stranger."""
    sibling = sibling_of(model, params)
    if sibling is None:
        return NamedModel(None, (), params, start, end)
    return NamedModel(sibling, (sibling,), models()[sibling].params, start, end)


def _narrow_models(text: Text, mention: Mention) -> tuple[str, ...]:
    """Of several, those of the size said nearest to the name ("R1 蒸馏的 70B")."""
    ids = mention.ids
    if len(ids) < 2:
        return ids
    if millions := _MILLIONS_BEFORE.search(text.plain[max(0, mention.start - 8) : mention.start]):
        said = float(millions[1]) * 1e6
        return min(((key,) for key in ids), key=lambda one: abs(models()[one[0]].params - said))
    for match in sorted(_PARAMS.finditer(text.plain), key=lambda m: abs(m.start() - mention.end)):
        said = float(match[1]) * 1e9
        kept = tuple(key for key in ids if abs(models()[key].params - said) <= 0.12 * said)
        if kept:
            return _called_so(kept, match[1]) or kept
        beside = -_BESIDE <= match.start() - mention.end <= _BESIDE or 0 <= mention.start - match.end() <= _BESIDE
        if beside and (member := _called(text.plain[mention.start : mention.end], said)):
            return (member,)
    return ids


def _called_so(ids: Sequence[str], size: str) -> tuple[str, ...]:
    """Those that bear the very size in their names: a 26B is not what is called a 27B."""
    return tuple(key for key in ids if re.search(rf"(?<![\d.]){re.escape(size)}b(?![a-z])", key, re.I))


def _called(name: str, params: float) -> str | None:
    """The first model of about that size whose id holds the name, whatever family the catalog puts it in."""
    stem = re.sub(r"[^a-z0-9.]", "", name)
    alike = [key for key, m in models().items() if abs(m.params - params) <= _ROUNDED * params]
    return min((key for key in alike if stem in re.sub(r"[^a-z0-9.]", "", key.lower())), key=len, default=None)


def sibling_of(model: str, params: int) -> str | None:
    """The model of the same family with about `params` parameters."""
    family = models()[model].family
    alike = [m for m in models().values() if m.family == family and abs(m.params - params) <= 0.12 * params]
    return min(alike, key=lambda m: abs(m.params - params)).id if alike else None


def _distilled(text: Text, mention: Mention) -> str | None:
    """The distilled model of the size said, when the name is followed by 「蒸馏」 or "distill"."""
    after = text.plain[mention.end : mention.end + 20]
    said = _PARAMS.search(text.plain, mention.end) or _PARAMS.search(text.plain)
    if not _DISTILLED.match(after) or said is None or all("distill" in key.lower() for key in mention.ids):
        return None
    words = [word for word in re.findall(r"[a-z]+\d*", text.plain[mention.start : mention.end]) if len(word) > 1]
    params = float(said[1]) * 1e9
    alike = [
        model
        for model in models().values()
        if "distill" in model.id.lower()
        and abs(model.params - params) <= 0.12 * params
        and words
        and words[-1] in model.id.lower()
    ]
    return min(alike, key=lambda model: abs(model.params - params)).id if alike else None


def by_family(plain: str, params: int, end: int) -> str | None:
    """The one model of that size whose family is named in or just before it: "Nemotron Ultra 550B"."""
    before = set(_FAMILY_WORD.findall(_BREAK.split(plain[max(0, end - _FAMILY_BEFORE) : end])[-1]))
    sized = [model.id for model in models().values() if abs(model.params - params) <= _ROUNDED * params]
    alike = [key for key in sized if before & set(_FAMILY_WORD.findall(key.lower()))]
    return alike[0] if len(alike) == 1 else None


def new_models(text: Text, hidden: str) -> list[NamedModel]:
    """Model-like tokens that the catalog's names did not cover."""
    return [_resolved(text, *stranger) for stranger in unknown_models(text, hidden)]


def unknown_version(plain: str, model: NamedModel) -> int | None:
    """Where the name ends with a version that no model of its family bears: "GLM-5.3"; None where it has none."""
    if model.newer:
        return model.end
    if model.model is not None or not model.ids:
        return None
    said = _VERSION.match(plain, model.end)
    number = re.search(r"\d+\.\d+", said[0]) if said else None
    borne = number and any(number[0] in name for key in model.ids for name in (key, models()[key].name))
    return said.end() if said and not borne else None
