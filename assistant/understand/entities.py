"""GPUs and models named in a text: the catalog's names, instances one can rent, and names nothing bears."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.understand.named import NamedGpu
from assistant.understand.quantities import GPU, MODEL, count_of
from assistant.understand.servers import with_servers
from assistant.understand.sizes import Size, find_sizes
from assistant.understand.text import Text, grammar, masked
from assistant.understand.unknown import unknown_gpus, unknown_models
from assistant.understanding import Ambiguity
from kb.base import AdvisorError
from kb.catalog import conventional, gpus, models, offers
from kb.names import Mention, close_names, gpu_names, model_names

_TIMES = grammar(r"(?<![\d.])(\d{1,3})[x×*](?=[a-z])")
_AFTER_NAME = grammar(r"b(?![a-z])|\s?(?:tokens?|步|steps|元|块钱|rmb|条|页|字|samples|dollars|usd|euros?)(?![a-z])")
_BEFORE_NAME = grammar(r"(?:[$¥€£]\s?|\d[,.]|cuda |driver |驱动 ?|(?<![a-z])port |host:|\d\.\d{1,3}:)$")
_INSTANCE = grammar(r"(?<![a-z0-9.])(?:ml\.)?([a-z][a-z0-9]{0,12}(?:[._-][a-z0-9]{1,16}){1,6})")
_FAMILY = grammar(r"(?<![a-z0-9.-])([pg]\d[a-z]{0,3})(?![a-z0-9.])")
_AMAZON = grammar(r"(?<![a-z])(?:aws|ec2|sagemaker|amazon|instances?|xlarge)(?![a-z])|xlarge")
_VARIANT = grammar(r"\s?(ada|blackwell|turing|super|ti|max-q)(?![a-z])")
_LAPTOP = grammar(r"笔记本|laptop|notebook|移动端|移动版|mobile|游戏本|全能本")
_FORMS = ("pcie", "sxm", "nvl", "oam", "max-q", "server")
_NEAR = 8
"""Characters between a card's name and the size or word that narrows it down."""
_DIFFERS = 1.3
"""Memory of variants so far apart that an answer turns on which is meant."""
_SHORT_NAME = 4
"""Letters of a model's name that may well be part of another."""
_LONGER_WORD = grammar(r"[a-z0-9][-_]$")
_SIZE_SLACK = 0.25
"""How far a said size may be from the catalog's count: "7B" is 7.6 billion."""
_TOLERANCE = 0.06
"""H20 "98G" is the 96 GB card; 40 against 48 is another card."""


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


@dataclass(frozen=True, slots=True)
class Entities:
    """Everything named, and the text with names and sizes masked."""

    gpus: tuple[NamedGpu, ...]
    models: tuple[NamedModel, ...]
    ambiguities: tuple[Ambiguity, ...]
    sizes: tuple[Size, ...]
    masked: str


def find_entities(text: Text) -> Entities:
    """Names of GPUs and models, each settled on one catalog id where the words allow."""
    scannable = _TIMES.sub(r"\1 ", text.plain)
    model_mentions = _models(scannable)
    gpu_mentions = _without(_gpus(scannable.replace("/", ",")), model_mentions)
    model_mentions = _without(model_mentions, gpu_mentions)
    sizes = find_sizes(_mask(text.plain, gpu_mentions, model_mentions))
    strangers = unknown_gpus(_mask(text.plain, gpu_mentions, model_mentions))
    hidden = _mask(text.plain, gpu_mentions, model_mentions)
    named = [_settle(text, hidden, mention, sizes) for mention in gpu_mentions]
    named += [gpu for gpu in _instances(text.plain) if not any(gpu.start < g.end and g.start < gpu.end for g in named)]
    named = with_servers(text.plain, hidden, named)
    named = _other_forms(hidden, named)
    found_models = [_model(text, mention) for mention in model_mentions]
    found_models += [_resolved(text, *stranger) for stranger in unknown_models(text, hidden)]
    doubts = [doubt for doubt in (_gpu_doubt(text, gpu) for gpu in named) if doubt]
    doubts += [_stranger(text, "gpu", start, end) for start, end in strangers]
    doubts += [doubt for doubt in (_model_doubt(text, model) for model in found_models) if doubt]
    return Entities(
        gpus=tuple(sorted(named, key=lambda gpu: gpu.start)),
        models=tuple(sorted(found_models, key=lambda model: model.start)),
        ambiguities=tuple(doubts),
        sizes=tuple(sizes),
        masked=hidden,
    )


def _gpus(text: str) -> list[Mention]:
    found = []
    for mention in gpu_names().scan(text):
        if _AFTER_NAME.match(text, mention.end) or _BEFORE_NAME.search(text[max(0, mention.start - 8) : mention.start]):
            continue
        found.append(mention)
    return found


def _models(text: str) -> list[Mention]:
    """Model names; a short one at the end of a longer word ("open-r1", "LightM-UNet") is another thing's name."""
    return [
        mention
        for mention in model_names().scan(text)
        if len(mention.text) > _SHORT_NAME or not _LONGER_WORD.search(text[max(0, mention.start - 2) : mention.start])
    ]


def _without(mentions: list[Mention], others: list[Mention]) -> list[Mention]:
    """Those not inside a longer other."""
    return [
        m
        for m in mentions
        if not any(o.start < m.end and m.start < o.end and o.end - o.start >= m.end - m.start for o in others)
    ]


def _mask(plain: str, gpu_mentions: list[Mention], model_mentions: list[Mention]) -> str:
    pieces = [(m.start, m.end, GPU) for m in gpu_mentions] + [(m.start, m.end, MODEL) for m in model_mentions]
    return masked(plain, pieces)


def _settle(text: Text, hidden: str, mention: Mention, sizes: list[Size]) -> NamedGpu:
    ids = _narrow(text, mention, sizes)
    ids = _resized(ids, mention, sizes)
    counted = count_of(hidden, mention.start, mention.end)
    if counted is not None and len(ids) > 1:
        shares = [size.value_bytes / counted.cards for size in sizes if size.role in {"total", "unclear"}]
        ids = next((kept for share in shares if (kept := _of_size(ids, share))), ids)
    start, end = (
        (min(mention.start, counted.start), max(mention.end, counted.end)) if counted else (mention.start, mention.end)
    )
    return NamedGpu(
        ids[0] if _VARIANT.match(text.plain, mention.end) else conventional(ids),
        ids,
        mention.start,
        mention.end,
        counted.cards if counted else None,
        start,
        end,
    )


def _resized(ids: tuple[str, ...], mention: Mention, sizes: list[Size]) -> tuple[str, ...]:
    """The variant of another size when that size stands right beside the name: 「48G 4090」."""
    beside = next((size for size in sizes if _distance(size, mention) <= 2 and size.role in {"card", "unclear"}), None)
    if beside is None or len(ids) != 1 or _of_size(ids, beside.value_bytes):
        return ids
    stem = re.sub(r"-\d+gb$", "", ids[0])
    return _of_size(tuple(key for key in gpus() if re.sub(r"-\d+gb$", "", key) == stem), beside.value_bytes) or ids


def _narrow(text: Text, mention: Mention, sizes: list[Size]) -> tuple[str, ...]:
    """The variants that the size, form factor or "laptop" beside the name leaves."""
    ids = _qualified(text, mention) or _laptops(text, mention)
    if len(ids) < 2:
        return ids
    near = sorted(sizes, key=lambda size: _distance(size, mention))
    for size in near:
        same_sentence = text.sentence(size.start) == text.sentence(mention.start)
        if (_distance(size, mention) <= _NEAR or (size.role in {"card", "unclear"} and same_sentence)) and (
            kept := _of_size(ids, size.value_bytes)
        ):
            ids = kept
            break
    for form in _FORMS:
        kept = tuple(key for key in ids if form.replace("-", "") in key.replace("-", ""))
        if form in text.plain and kept and len(kept) < len(ids):
            ids = kept
    return ids


def _qualified(text: Text, mention: Mention) -> tuple[str, ...]:
    """「A6000 Ada」 is no card's name: either the A6000 or the 6000 Ada is meant."""
    qualifier = _VARIANT.match(text.plain, mention.end)
    number = re.search(r"\d{3,4}", mention.text)
    if qualifier is None or number is None:
        return ()
    alike = [
        key for key in gpus() if number[0] in key and qualifier[1] in key.split("-") and gpus()[key].market != "laptop"
    ]
    return (*alike, *mention.ids) if alike else ()


def _other_forms(hidden: str, named: list[NamedGpu]) -> list[NamedGpu]:
    """「H100 PCIe 和 SXM」 names two cards."""
    if len({gpu.gpu for gpu in named}) != 1:
        return named
    first = named[0]
    for match in _FORM.finditer(hidden):
        stem = first.gpu.split("-")[0]
        others = [key for key in gpus() if key.split("-")[0] == stem and match[1] in key and match[1] not in first.gpu]
        if others and any(form in first.gpu for form in _FORMS):
            chosen = conventional(others)
            return [*named, NamedGpu(chosen, (chosen,), match.start(), match.end(), None, match.start(), match.end())]
    return named


_FORM = grammar(r"(?<![a-z])(sxm|pcie|nvl)\d?(?! ?(?:x\d|[345]\.0|lane|slot|插槽|通道))(?![a-z])")


def _laptops(text: Text, mention: Mention) -> tuple[str, ...]:
    around = text.plain[max(0, mention.start - 16) : mention.end + 14]
    if not _LAPTOP.search(around):
        return mention.ids
    stems = {re.sub(r"-\d+gb$", "", key) for key in mention.ids}
    laptops = tuple(
        key for key, gpu in gpus().items() if gpu.market == "laptop" and key.partition("-laptop")[0] in stems
    )
    return laptops or mention.ids


def _of_size(ids: tuple[str, ...], value_bytes: float) -> tuple[str, ...]:
    return tuple(
        key for key in ids if abs(gpus()[key].memory_bytes - value_bytes) <= _TOLERANCE * gpus()[key].memory_bytes
    )


def _distance(size: Size, mention: Mention) -> int:
    return max(size.start - mention.end, mention.start - size.end, 0)


@lru_cache(maxsize=1)
def _instance_table() -> dict[str, tuple[str, int | None]]:
    """Instance type, and family before the dot, → GPU and how many; families whose GPUs differ are left out."""
    table: dict[str, tuple[str, int | None]] = {}
    families: dict[str, set[str]] = {}
    for offer in offers():
        name = offer.instance.lower()
        if offer.gpu is None or not re.fullmatch(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)+", name):
            continue
        table[name] = (offer.gpu, int(offer.gpu_count) or 1)
        families.setdefault(name.partition(".")[0], set()).add(offer.gpu)
    for family, cards in families.items():
        if len(cards) == 1 and re.search(r"\d", family) and len(family) > 1:
            table.setdefault(family, (next(iter(cards)), None))
    return table


def _instances(plain: str) -> list[NamedGpu]:
    found = []
    bare = _FAMILY.finditer(plain) if _AMAZON.search(plain) else ()
    for match in (*_INSTANCE.finditer(plain), *bare):
        if known := _instance_table().get(match[1]):
            gpu, cards = known
            found.append(NamedGpu(gpu, (gpu,), match.start(), match.end(), cards, match.start(), match.end()))
    return found


def _model(text: Text, mention: Mention) -> NamedModel:
    """The catalog model meant: by its name, by a size said beside it, or the distilled one of that size."""
    if (distilled := _distilled(text, mention)) is not None:
        return NamedModel(distilled, (distilled,), models()[distilled].params, mention.start, mention.end)
    ids = _narrow_models(text, mention)
    records = [models()[key] for key in ids]
    said = _SIZE_AFTER.match(text.plain, mention.end)
    if said and not any(abs(record.params - float(said[1]) * 1e9) <= _SIZE_SLACK * record.params for record in records):
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
        return NamedModel(None, (), params, start, end)
    return NamedModel(key, (key,), models()[key].params, start, end)


def _other_member(model: str, params: int, start: int, end: int) -> NamedModel:
    """ "bloom 7B" when "bloom" is the 176 B one: the family's member of that size, else a stranger of that size."""
    sibling = sibling_of(model, params)
    if sibling is None:
        return NamedModel(None, (), params, start, end)
    return NamedModel(sibling, (sibling,), models()[sibling].params, start, end)


def _narrow_models(text: Text, mention: Mention) -> tuple[str, ...]:
    """Of several, those of the size said nearest to the name ("R1 蒸馏的 70B")."""
    ids = mention.ids
    if len(ids) < 2:
        return ids
    for match in sorted(_PARAMS.finditer(text.plain), key=lambda m: abs(m.start() - mention.end)):
        said = float(match[1]) * 1e9
        kept = tuple(key for key in ids if abs(models()[key].params - said) <= 0.12 * said)
        if kept:
            return kept
    return ids


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


_DISTILLED = grammar(r"[- _]?(?:的)?(?:蒸馏|distill)")
_SIZE_AFTER = grammar(r"(?:[-_][a-z0-9.]{1,16}){0,3}[- _]?(\d{1,4}(?:\.\d{1,2})?)b(?![a-z0-9])")
_PARAMS = grammar(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d{1,2})?)\s?b(?![a-z])")


def _gpu_doubt(text: Text, gpu: NamedGpu) -> Ambiguity | None:
    """Several variants that differ much in memory, or a name between two cards; the one assumed first."""
    if len(gpu.ids) < 2:
        return None
    sizes = [gpus()[key].memory_bytes for key in gpu.ids]
    if max(sizes) < _DIFFERS * min(sizes) and not _VARIANT.match(text.plain, gpu.end):
        return None
    others = sorted(key for key in gpu.ids if key != gpu.gpu)
    words = text.span("gpus_asked", gpu.start, gpu.end).text
    return Ambiguity(kind="gpu", text=words, candidates=(gpu.gpu, *others))


def _model_doubt(text: Text, model: NamedModel) -> Ambiguity | None:
    words = text.span("model", model.start, model.end).text
    if model.model is not None:
        return None
    if model.ids:
        return Ambiguity(kind="model", text=words, candidates=model.ids[:6])
    return Ambiguity(kind="model", text=words, candidates=tuple(close_names(words, models())), unknown=True)


def _stranger(text: Text, kind: str, start: int, end: int) -> Ambiguity:
    words = text.span("gpus_asked", start, end).text
    return Ambiguity(kind="gpu", text=words, candidates=tuple(gpu_names().close(words)), unknown=True)


def with_count(gpu: NamedGpu, cards: int) -> NamedGpu:
    """The same GPU, that many of it."""
    return replace(gpu, count=cards)
