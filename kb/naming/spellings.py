"""How people write the names of models: with or without the maker, the version, the expert count, in two languages."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from kb.naming.atoms import atoms_of
from kb.records.model import Model

FILLERS = frozenset({"instruct", "chat", "it", "hf", "base", "meta", "pt", "sft", "thinking"})
"""Words in a checkpoint's name that leave its shape as it is."""
STRIPPED = FILLERS - {"thinking"}
"""Those that the shortened name of a language model leaves out; `bert-base` is a size."""
SPEAKING = ("llm", "vlm")
"""Kinds of which a brand's general models are; newer ones see as well."""
ORDINARY_WORDS = frozenset({"yi", "step", "wan", "sd", "ernie"})
"""Families whose bare name is too common a word or too short to mean the family in running text."""
_SHY = """
allegro, apertus, sam, clip, moonlight, janus, t 5, unet, arctic, aria, atom, aurora, bagel, bark, bloom,
canary, chatterbox, chroma, chronos, cosmos, csm, dia,
dolly, dolphin, donut, electra, glyph, hermes, inception, instructor, intellect, kat, ling, lumina, magi, midas, mms,
moshi, moss, nougat, opt, orion, pegasus, piccolo, playground, reflection, ring, sana, solar, starling, stella, trellis,
yue, afm, step 3, s 1, pi 0, e 5, hy 3, evo 2, chai 1, v 3.1, v 3.2
"""
SHY = frozenset(tuple(name.split()) for name in _SHY.split(","))
"""Names that are ordinary words, or an ordinary letter and number: in running text they count only with a capital and
in one piece ("Bark", "Step3"; not "bark", "Step 3")."""
VERSION = r"[-\s]?(?:[vrkm]?\d+(?:\.\d+)?)?"
"""What follows a brand in the name of a general model: nothing or a version."""
GENERAL = re.compile(
    rf"{VERSION}(?:[-\s]\d+(?:\.\d+)?b)?(?:-a\d+b)?(?:-(?:air|flash|pro|v\d+(?:\.\d+)?))*", re.IGNORECASE
)
SIZED = re.compile(rf"{VERSION}[-\s]?(\d+(?:\.\d+)?b)(?:-v\d+(?:\.\d+)?)?", re.IGNORECASE)

SIZE_FIRST = re.compile(r"[-\s]?\d+(?:\.\d+)?b\b", re.IGNORECASE)
ACTIVE_SIZE = re.compile(r"(?<=\db)-a\d+(?:\.\d+)?b$", re.IGNORECASE)
UNDATED = re.compile(r"[-_](?:v\d+(?:\.\d+)*|\d{4})$")
"""A version or date at the end of a checkpoint's name."""

Atoms = tuple[str, ...]


def own_names(model: Model, brands: Mapping[str, Sequence[str]]) -> list[str]:
    """Names that mean this model and no other: as published, shortened, and with the brand in other words."""
    names = dict.fromkeys(_plain(model))
    for brand in _brands_of(_plain(model), brands):
        for rest in _rests(model, brand):
            # A size right after the brand ("Qwen-72B") may be any version when the brand is in other words.
            if rest and not SIZE_FIRST.match(rest):
                names.update(dict.fromkeys(f"{other} {rest}" for other in brands[brand]))
    return list(names)


def _plain(model: Model) -> tuple[str, ...]:
    return _plain_names(model.id, model.name, model.aliases, model.kind in SPEAKING)


def _brands_of(names: Iterable[str], brands: Iterable[str]) -> list[str]:
    """The brands that one of the names begins with."""
    lines = "\n" + "\n".join(names).lower()
    return [brand for brand in brands if f"\n{brand.lower()}" in lines]


def _rests(model: Model, brand: str) -> list[str]:
    """What follows the brand in those of the model's names that begin with it."""
    found = (_after(name, brand) for name in _plain(model))
    return [rest for rest in found if rest is not None]


@lru_cache(maxsize=4096)
def _plain_names(identity: str, name: str, aliases: tuple[str, ...], speaking: bool) -> tuple[str, ...]:
    """Names as published, without the words that leave the shape alone, and without the active size of experts."""
    names = dict.fromkeys((identity.rpartition("/")[2], name, *aliases))
    stripped = STRIPPED if speaking else {"hf"}
    for published in list(names):
        short = "-".join(word for word in published.split("-") if word.lower() not in stripped)
        names[short] = None
        names[ACTIVE_SIZE.sub("", short)] = None
    return tuple(one for one in names if one)


def loose_names(models: Iterable[Model], brands: Mapping[str, Sequence[str]]) -> dict[Atoms, list[str]]:
    """Names that leave out the version ("Llama 70B", 「通义千问 72B」, "Mistral-7B"), newest first."""
    found: dict[Atoms, list[str]] = {}
    for model in _newest_first(models):
        for name in _plain(model):
            undated = UNDATED.sub("", name)
            if undated != name:
                _add(found, atoms_of(undated), model.id)
        for brand in _brands_of(_plain(model), brands):
            if size := _general_size(model, brand):
                for word in (brand, *brands[brand]):
                    _add(found, atoms_of(f"{word} {size}"), model.id)
    return found


def group_names(models: Iterable[Model], brands: Mapping[str, Sequence[str]]) -> dict[Atoms, list[str]]:
    """Names of families and brands, each with all of its language models, newest first."""
    found: dict[Atoms, list[str]] = {}
    for model in _newest_first(models):
        for family in _families(model, brands):
            if family.lower() not in ORDINARY_WORDS:
                _add(found, atoms_of(family), model.id)
        for brand in _brands_of(_plain(model), brands):
            if _is_general(model, brand):
                for word in (brand, *brands[brand]):
                    if word.lower() not in ORDINARY_WORDS:
                        _add(found, atoms_of(word), model.id)
    return found


def alike(models: Sequence[Model]) -> list[str]:
    """Ids of the models, leaving out those with the shape of an earlier one: they need the same memory."""
    kept: dict[object, str] = {}
    for model in models:
        kept.setdefault(shape_of(model), model.id)
    return list(kept.values())


def shape_of(model: Model) -> object:
    """What memory follows from: two models of one shape need the same."""
    return (
        model.kind,
        model.native_format,
        round(model.params / 1e6),
        model.layers,
        model.hidden_size,
        model.heads,
        model.kv_heads,
        model.head_dim,
        model.latent,
        model.sliding,
        model.linear,
        model.experts,
        model.components,
    )


def _families(model: Model, brands: Mapping[str, Sequence[str]]) -> list[str]:
    translated = [
        f"{other} {rest}"
        for brand in _brands_of([model.family], brands)
        if (rest := _after(model.family, brand))
        for other in brands[brand]
    ]
    return [model.family, *translated]


def _general_size(model: Model, brand: str) -> str | None:
    """The size as the name says it ("72B"), for a general model of the brand; None for coders and the like."""
    if model.kind not in SPEAKING:
        return None
    sizes = (SIZED.fullmatch(rest) for rest in _rests(model, brand) if rest)
    return next((match[1] for match in sizes if match), None)


def _is_general(model: Model, brand: str) -> bool:
    """Whether the model is one of the brand's general language models rather than a coder, a distillate …"""
    return model.kind in SPEAKING and any(GENERAL.fullmatch(rest) for rest in _rests(model, brand))


def _after(name: str, brand: str) -> str | None:
    """What follows the brand in the name; None when the name does not begin with it."""
    if not name.lower().startswith(brand.lower()):
        return None
    rest = name[len(brand) :]
    return None if rest[:1].isalpha() else rest


def _add(found: dict[Atoms, list[str]], atoms: Atoms, identity: str) -> None:
    if atoms and identity not in found.setdefault(atoms, []):
        found[atoms].append(identity)


def _newest_first(models: Iterable[Model]) -> list[Model]:
    return sorted(models, key=lambda model: model.released or "", reverse=True)
